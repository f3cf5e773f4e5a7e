"""The browser tests' Chromium and JupyterLab, for what is measured in them."""

from lab_fixtures import browser, lab  # noqa: F401 - fixtures are found by name
