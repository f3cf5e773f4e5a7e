"""Which Chromium the browser tests use. Run as a program (make test does) it says whether they can run here."""

import os
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

NO_BROWSER = (
    "There is no Chromium here: install your system's (Debian: sudo apt install chromium), "
    "or run .venv/bin/python -m playwright install --with-deps chromium, then start again."
)


def find_chromium(playwright):
    """Path of a Chromium: the one named by CHROMIUM, the system's, or Playwright's own; None if there is none."""
    names = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    for name in filter(None, names):
        if found := shutil.which(name):
            return found
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def say():
    """One line: where the browser tests stand."""
    with sync_playwright() as playwright:
        found = find_chromium(playwright)
    print(f"Browser tests: run them with  make test-all  ({found})." if found else f"Browser tests: {NO_BROWSER}")


if __name__ == "__main__":
    say()
