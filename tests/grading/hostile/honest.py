"""What honest students hand in, and what it earns."""

from handing_in import answered, code, full, release, unit


def every_test(name):
    """grade_id of each test → points, in the order of the unit."""
    return full(unit(name))


def half_of(name):
    """The answers that stand in a half-finished notebook: those of the first half of its tests."""
    tests = list(every_test(name))
    return [test.removeprefix("check-") for test in tests[: len(tests) // 2]]


def right(name):
    return answered(name)


def half(name):
    return answered(name, *half_of(name))


def wrong(name):
    """Every answer is of the right kind and false."""
    notebook = release(name)
    for one in notebook["cells"]:
        settings = one["metadata"].get("nbgrader", {})
        if settings.get("solution") and one["cell_type"] == "code":
            one["source"] = _spoiled(unit(name).by_name[settings["grade_id"]]["source"])
    return notebook


def _spoiled(source):
    return source.replace("return ", "return -3 * ") if "return " in source else source.replace("=", "= -77 #", 1)


HONEST = {"right": right, "half": half, "wrong": wrong, "untouched": release}


def points_of(name, answers):
    """What a notebook with right answers to these tests earns."""
    return {
        test: most if answers == "all" or test.removeprefix("check-") in answers else 0.0
        for test, most in every_test(name).items()
    }


def put(notebook, source):
    """Put a cell of one's own behind the imports."""
    notebook["cells"].insert(2, code(source))
    return notebook
