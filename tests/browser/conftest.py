"""A JupyterLab on a copy of the student release, and a Chromium to look at it."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

PROJECT = Path(__file__).resolve().parents[2]
NO_BROWSER = (
    "There is no Chromium here: install your system's (Debian: sudo apt install chromium), "
    "or run .venv/bin/python -m playwright install --with-deps chromium, then start again."
)
# Cells outside the window are not rendered by default, so nothing could be read from them.
WHOLE_NOTEBOOK = {"windowingMode": "none"}


def find_chromium(playwright):
    """Path of a Chromium: the one named by CHROMIUM, the system's, or Playwright's own."""
    names = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    for name in filter(None, names):
        if found := shutil.which(name):
            return found
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


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


class Lab:
    """A running JupyterLab: its address and the folder of its settings."""

    def __init__(self, address, token, settings):
        self.address, self.token, self.settings = address, token, settings

    def url(self, notebook):
        # "doc" is JupyterLab's mode for one document, with a fresh workspace each time.
        return f"{self.address}/doc/workspaces/{secrets.token_hex(4)}/tree/{notebook}?token={self.token}"

    def choose_theme(self, name):
        self._write("apputils-extension", "themes", {"theme": name})

    def be_quiet_and_whole(self):
        self._write("apputils-extension", "notification", {"fetchNews": "false", "checkForUpdates": False})
        self._write("notebook-extension", "tracker", WHOLE_NOTEBOOK)

    def _write(self, extension, plugin, values):
        folder = self.settings / "@jupyterlab" / extension
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values))


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    root = tmp_path_factory.mktemp("lab")
    shutil.copytree(PROJECT / "notebooks", root / "work")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
        f"--ServerApp.root_dir={root / 'work'}", f"--IdentityProvider.token={token}",
        "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    own = {"JUPYTERLAB_SETTINGS_DIR": root / "settings", "JUPYTERLAB_WORKSPACES_DIR": root / "workspaces"}
    own |= {"JUPYTER_CONFIG_DIR": root / "config", "JUPYTER_RUNTIME_DIR": root / "runtime"}
    environment = os.environ | {key: str(path) for key, path in own.items()} | {"JUPYTER_PREFER_ENV_PATH": "1"}
    with (root / "lab.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, server, root / "lab.log")
            started = Lab(address, token, root / "settings")
            started.be_quiet_and_whole()
            yield started
        finally:
            server.terminate()
            server.wait(30)


def _wait_for(address, server, log, seconds=120):
    for _ in range(seconds * 5):
        if server.poll() is not None:
            pytest.fail(f"JupyterLab ended: {log.read_text()}", pytrace=False)
        try:
            urllib.request.urlopen(f"{address}/api", timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"JupyterLab did not answer within {seconds} s: {log.read_text()}", pytrace=False)
