"""The fixtures of the browser tests, and the order in which they run."""

import pytest
from lab_fixtures import browser, lab  # noqa: F401 - fixtures are found by name


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Tests that look at one screen follow each other, whatever they look for, so that each is opened once."""
    screens: dict[str, int] = {}
    for item in items:
        if screen := _screen(item):
            screens.setdefault(screen, len(screens))
    items.sort(key=lambda item: (item.path, screens.get(_screen(item), -1)))


def _screen(item):
    return str(item.callspec.params.get("screen", "")) if hasattr(item, "callspec") else ""
