"""The fixtures of the browser tests, and what runs together: one screen after the other, several at once (xdist)."""

import pytest
from lab_fixtures import browser, lab  # noqa: F401 - fixtures are found by name


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items):
    """Tests that look at one screen follow each other, whatever they look for, so that each is opened once."""
    for item in items:  # before xdist looks
        item.add_marker(pytest.mark.xdist_group(_together(item)))
    done = yield
    screens: dict[str, int] = {}  # after pytest has sorted by fixtures
    for item in items:
        screens.setdefault(_screen(item), len(screens))
    items.sort(key=lambda item: (item.path, screens[_screen(item)]))
    return done


def _parameters(item):
    return item.callspec.params if hasattr(item, "callspec") else {}


def _screen(item):
    """The unit and the theme that a test looks at, if any."""
    return str(_parameters(item).get("screen", ""))


def _together(item):
    """Tests of one name stay in one process: part 2's cards begin with what part 1 was left with, in each theme."""
    parameters = _parameters(item)
    looked_at = parameters["screen"][-1] if "screen" in parameters else parameters.get("shown", "")
    return f"{item.path.stem} {looked_at}"
