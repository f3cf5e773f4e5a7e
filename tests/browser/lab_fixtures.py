"""This Python's JupyterLab on a copy of the student release, and a Chromium to look at it."""

from importlib.metadata import version

import pytest
from chromium import NO_BROWSER, find_chromium
from playwright.sync_api import sync_playwright
from running_lab import running


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            pytest.fail(NO_BROWSER, pytrace=False)
        # Chromium's own sandbox needs rights that a container's root does not have.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    generation = int(version("jupyterlab").split(".")[0])
    with running(tmp_path_factory.mktemp("lab"), generation) as lab:
        yield lab
