"""The package `helpers` in the sandbox: the same names as the real one, and neither a rule nor a key in it."""

import ast
import inspect
import json
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from handing_in import UNITS, unit
from rooms import text_of

import helpers
from helpers import course_run, transformer
from helpers.checks.homework import STACKS, Homework, homework_givens
from helpers.examples import course_example, initialisation_demo
from helpers.grading import packing
from helpers.grading.marking import sandbox_for
from helpers.grading.packing import ROOMS, SHIPPED, homework_data, mute_files
from helpers.grading.ready import READY, ready_made
from helpers.personal import homework_example, personal_example
from helpers.tasks import TASKS

MUTE = Path(packing.__file__).parent / "mute"
# Rooms that hold what is right, or what is known to be wrong; nothing that is shipped may need them.
RULES = ("mistakes", "boxes", "pen", "checks.judge", "checks.functions", "checks.variants", "trained", "tasks.walk")


@pytest.fixture(scope="module")
def sandbox():
    with sandbox_for(unit("encoder")) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def decoders():
    with sandbox_for(unit("decoder")) as sandbox:
        yield sandbox


def told(session, expression):
    """The value of an expression there, through JSON."""
    ran = session.run(f"import json; print(json.dumps({expression}))", "a question")
    assert ran.error is None, ran.error
    return json.loads(text_of(ran))


# The same names


def test_the_package_has_the_same_public_names(session):
    assert told(session, "__import__('helpers').__all__") == helpers.__all__
    assert told(session, "__import__('helpers').PUBLIC") == helpers.PUBLIC
    assert (
        told(session, "[n for n in __import__('helpers').__all__ if getattr(__import__('helpers'), n) is None]") == []
    )


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_the_same_names_with_the_same_arguments(session, room):
    real = getattr(helpers, room)
    public = [name for name in helpers.PUBLIC.get(room, ()) if inspect.isfunction(getattr(real, name))]
    public += [
        name for name, value in vars(real).items() if inspect.isfunction(value) and value.__module__ == real.__name__
    ]
    names = [name for name in dict.fromkeys(public) if not name.startswith("_")]
    question = (
        f"(lambda room: {{n: [[p.name, p.kind.name, p.default is p.empty] for p in "
        f"__import__('inspect').signature(getattr(room, n)).parameters.values()] for n in {names!r}}})"
        f"(__import__('helpers.{room}', fromlist=['x']))"
    )
    expected = {
        name: [
            [p.name, p.kind.name, p.default is p.empty]
            for p in inspect.signature(getattr(real, name)).parameters.values()
        ]
        for name in names
    }
    assert told(session, question) == expected


@pytest.mark.parametrize("unit_name", STACKS)
def test_the_homework_has_the_same_methods_with_the_same_arguments(session, unit_name):
    methods = [name for name in vars(Homework) if not name.startswith("_") and callable(getattr(Homework, name))]
    question = (
        f"(lambda hw: {{n: list(__import__('inspect').signature(getattr(hw, n)).parameters) for n in {methods!r}}})"
        f"(__import__('helpers').homework({unit_name!r}))"
    )
    hw = helpers.homework(unit_name)
    assert told(session, question) == {name: list(inspect.signature(getattr(hw, name)).parameters) for name in methods}


def test_constants_are_the_same(session):
    for name in ("EPS", "BLOCKED", "PAD", "SOS", "EOS"):
        assert told(session, f"__import__('helpers').transformer.{name}") == getattr(transformer, name)


def test_the_names_of_the_tasks_are_there_and_nothing_behind_them(session):
    assert told(session, "list(__import__('helpers').TASKS)") == list(TASKS)
    assert "is not here" in session.run("from helpers import TASKS; TASKS['softmax']", "cell 1").error


# The same numbers


def test_the_course_run_is_there_matrix_by_matrix(session):
    run = course_run()
    for stack in ("encoder", "decoder"):
        for key, value in getattr(run, stack).as_dict().items():
            if isinstance(value, np.ndarray):
                session.run(f"from helpers import course_run; it = course_run().{stack}.{key}", "cell 1")
                there = session.value("it")
                np.testing.assert_array_equal(there, value, strict=True)
    assert told(session, "course_run().vocabulary") == run.vocabulary
    assert told(session, "[course_run().src_words, course_run().tgt_words]") == [[*run.src_words], [*run.tgt_words]]


def test_weights_and_the_demo_are_there(session):
    session.run("from helpers import *\nimport helpers\nexample = helpers.course_example()", "cell 1")
    session.run("w, demo = example.encoder_layers[0]['Wq'], helpers.initialisation_demo().uniform[8]", "cell 2")
    np.testing.assert_array_equal(session.value("w"), course_example().encoder_layers[0]["Wq"])
    np.testing.assert_array_equal(session.value("demo"), initialisation_demo().uniform[8])


@pytest.mark.parametrize("unit_name", STACKS)
def test_the_homeworks_givens_are_there_for_all_and_for_one(sandbox, unit_name):
    own = personal_example("ada", "salt")
    given = {f"homework_{unit_name}.json": homework_data(unit_name, own)}
    for files, example in (({}, homework_example()), (given, own)):
        with sandbox.session(files) as session:
            session.run(f"from helpers import homework\nhw = homework({unit_name!r}, student='x')", "cell 1")
            for name, value in homework_givens(unit_name, example).items():
                session.run(f"it = hw.given.{name}", "cell 2")
                there = session.value("it")
                if isinstance(value, np.ndarray):
                    np.testing.assert_array_equal(there, value, strict=True)
                else:
                    assert there == value, name


# No rule, no key


def test_what_is_shipped_is_the_allowed_list_and_the_mute_rooms():
    files = mute_files("encoder")
    real = {name.removeprefix("helpers/") for name in files} & {
        str(path.relative_to(MUTE.parents[1])) for path in MUTE.parents[1].rglob("*.py")
    }
    same = {name for name in real if files[f"helpers/{name}"] == (MUTE.parents[1] / name).read_bytes()}
    assert same == set(SHIPPED)
    assert "displays/rows.py" not in same
    assert {path.stem for path in MUTE.glob("*.py")} - {"__init__"} == set(packing.MUTE)


@pytest.mark.parametrize("name", UNITS)
def test_every_shipped_file_imports_shipped_files_alone(name):
    files = mute_files(name)
    modules = {place.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for place in files}
    for place, content in files.items():
        if not place.endswith(".py"):
            continue
        package = place.removesuffix(".py").removesuffix("/__init__").split("/")
        package = package if place.endswith("__init__.py") else package[:-1]
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.ImportFrom):
                base = (
                    ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
                    if node.level
                    else node.module
                )
                if base.split(".")[0] == "helpers":
                    assert base in modules, (place, base)
                    assert not any(base == f"helpers.{rule}" for rule in RULES)


def bodies(module):
    """The lines of every function of a module, its docstring left out."""
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node.name, [ast.unparse(line) for line in node.body if not isinstance(line, ast.Expr)]


@pytest.mark.parametrize("name", [name for name in UNITS if name not in READY])
def test_no_line_of_a_rule_is_shipped(name):
    from helpers import counts, decoding, steps
    from helpers.tasks import decoder, encoder, hand_traces

    shipped = {
        ast.unparse(node)
        for place, content in mute_files(name).items()
        if place.endswith(".py")
        for node in ast.walk(ast.parse(content))
        if isinstance(node, ast.stmt)
    }
    for module in (transformer, decoding, counts, steps, encoder, decoder, hand_traces):
        for function, lines in bodies(module):
            for line in lines:
                if re.search(r"np\.|@|_product|project|softmax", line):
                    assert line not in shipped, (module.__name__, function, line)


@pytest.mark.parametrize("name", UNITS)
def test_no_hidden_test_and_no_key_is_shipped(name):
    whole = b"\n".join(mute_files(name).values()).decode()
    assert "HIDDEN" not in whole
    for graded in unit(name).by_name.values():
        source = graded["source"]
        if "### BEGIN SOLUTION" in source:
            inside = source.split("### BEGIN SOLUTION\n")[1].split("### END SOLUTION")[0]
            assert textwrap.dedent(inside).strip() not in whole
    for slip in {slip for task in TASKS.values() for slip in task.slips}:
        assert slip.label not in whole
        assert slip.question not in whole


def test_no_result_of_the_homework_is_shipped():
    for stack in STACKS:
        given = json.loads(homework_data(stack, homework_example()))["givens"]["dict"]
        assert set(given) == set(homework_givens(stack, homework_example()))
        boxes = {box.key for box in helpers.homework(stack).boxes}
        assert not boxes & set(given)


LOOK = """
import gc, sys, types
gc.unfreeze()
everything = gc.get_objects()

def own(value):
    return str(getattr(value, "__module__", "")).startswith("helpers")

functions = [one for one in everything if isinstance(one, types.FunctionType) and own(one)]
found = sorted({f"{one.__module__}.{one.__qualname__}" for one in functions})
modules = [module for name, module in list(sys.modules.items()) if name.startswith("helpers")]
files = sorted({module.__file__ for module in modules if getattr(module, "__file__", None)})
words = [key for one in everything if isinstance(one, dict) for key in list(one) if isinstance(key, str)]
words = sorted({word for word in words if word.startswith(("softmax.", "scores."))})
"""


def test_nothing_of_it_is_in_the_memory_of_a_session(session):
    assert session.run(LOOK, "cell 1").error is None
    files = mute_files("encoder")
    assert {name.removeprefix("/course/") for name in session.value("files")} <= set(files)
    modules = {name.rsplit(".", 2)[0] for name in session.value("found") if "<locals>" not in name}
    assert not [name for name in modules if any(name.startswith(f"helpers.{rule}") for rule in RULES)]
    functions = {name.split(".")[-1] for name in session.value("found") if ".transformer." in name}
    assert functions <= {"not_here"}
    assert "Display.show" in " ".join(session.value("found"))
    assert session.value("words") == []


# What is called ends quietly


@pytest.mark.parametrize("room", ["transformer", "decoding", "counts", "steps"])
def test_every_rule_raises_one_plain_error(session, room):
    public = helpers.PUBLIC.get(room) or [
        name for name, _ in bodies(getattr(helpers, room)) if not name.startswith("_")
    ]
    for name in public:
        if not hasattr(getattr(helpers, room), name):
            continue
        ran = session.run(f"from helpers import {room} as it\nit.{name}()", "cell 1")
        assert ran.error == f"PlainError: {name} is not here while a notebook is marked."
    assert len(json.dumps(ran.outputs)) < 400


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("card('clock hands')", "A card is left out"),
        ("worksheet_card()", "is left out"),
        ("trace_word('cat')", "is left out"),
        ("show_softmax([1, 2])", "is left out"),
        ("show_layer_norm([[1, 2]], [1, 1], [0, 0])", "is left out"),
        ("show_relu([[1, -2]])", "is left out"),
        ("check(softmax=len)", "Marked later"),
        ("check_fresh(3, softmax=len)", "Marked later"),
        ("homework('encoder').check(Q0=1)", "Marked later"),
        ("homework('encoder').check(Q0=1, K0=2)", "Marked later"),
        ("homework('encoder').check_shapes(Q0='3 × 64')", "Marked later"),
        ("homework('encoder').progress()", "is left out"),
        ("homework('encoder').hint('Q0')", "is left out"),
        ("progress()", "is left out"),
        ("find_the_slip('encoder', seed=68)", "is left out"),
        ("find_the_slip().answer(step='S0', how='b')", "not marked"),
        ("show_matrix(course_run().encoder.X, 'X')", "X"),
    ],
)
def test_displays_and_checks_show_a_line(session, call, shown):
    ran = session.run(f"from helpers import *\nimport helpers\n{call}", "cell 1")
    assert ran.error is None
    assert shown in text_of(ran)


def test_mute_feedback_has_no_points_and_adds_up(session):
    ran = session.run("from helpers import check\nf = check(softmax=len)\nf &= check(softmax=len)\nf.points", "cell 1")
    assert text_of(ran) == "0.0"


# What a lesson hands out


def test_ready_made_functions_are_those_that_the_lesson_names():
    for name in UNITS:
        text = " ".join(one["source"] for one in unit(name).release["cells"] if one["cell_type"] == "markdown")
        assert set(re.findall(r"`(?:tf|transformer)\.(\w+)", text)) == set(READY.get(name, ()))


def test_ready_made_functions_give_what_the_engine_gives(decoders):
    rng = np.random.RandomState(0)
    Q, K, V = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 4))
    x, W, b, g = rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)
    calls = {
        "softmax": (x,), "attention": (Q, K, V), "split_heads": (x, 2), "merge_heads": (Q,),
        "add_norm": (x, x + 1, g, b), "ffn": (x, W, b, W, b), "input_vectors": (np.array([2, 0, 1]), W),
    }  # fmt: skip
    assert calls.keys() == set(READY["decoder"])
    with decoders.session() as session:
        session.run("from helpers import transformer as tf", "cell 1")
        for name, args in calls.items():
            session.run(f"{name} = tf.{name}", "cell 2")
            there, here = session.call(name, args), getattr(transformer, name)(*args)
            for one, other in zip(there, here, strict=True) if isinstance(here, tuple) else [(there, here)]:
                np.testing.assert_array_equal(one, other)


def test_masks_are_no_part_of_them(decoders):
    assert "blocked" not in ready_made("decoder")
    with decoders.session() as session:
        session.run("from helpers import transformer as tf\nimport numpy as np\nx = np.eye(2)", "cell 1")
        asked = session.run("tf.attention(x, x, x, blocked=x > 0)", "cell 2")
        assert asked.error == "PlainError: attention with a mask is not here while a notebook is marked."
        assert session.run("tf.attention(x, x, x, None)", "cell 3").error is None
        assert "is not here" in session.run("tf.masked_softmax(x, x > 0)", "cell 4").error
