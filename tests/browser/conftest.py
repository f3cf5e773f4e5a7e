"""The fixtures of the browser tests, and their order: what looks at one screen runs while it is open."""

import pytest
from lab_fixtures import browser, lab  # noqa: F401 - fixtures are found by name


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items):
    """Tests that look at one screen follow each other, whatever they look for, so that each is opened once."""
    done = yield
    screens: dict[str, int] = {}  # after pytest has sorted by fixtures
    for item in items:
        screens.setdefault(_screen(item), len(screens))
    items.sort(key=lambda item: (item.path, screens[_screen(item)]))
    return done


def _screen(item):
    """The unit and the theme that a test looks at, if any."""
    return str(item.callspec.params.get("screen", "")) if hasattr(item, "callspec") else ""
