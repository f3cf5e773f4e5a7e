"""A JupyterLab of any version from 3.6, on a folder of its own, and pages on it."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers.course.lab import lab_command

PROJECT = Path(__file__).resolve().parents[2]
THEMES = ["JupyterLab Light", "JupyterLab Dark"]
# Every cell is on the page. In JupyterLab 4 those outside the window are not laid out while the cells run, as it comes
# out of the box: laying out a whole lesson after each output keeps the page busy for longer than its kernel waits.
WHOLE_NOTEBOOK = {
    4: {"windowingMode": "contentVisibility"},
    3: {"renderCellOnIdle": True, "numberCellsToRenderDirectly": 99},
}
LAID_OUT = ".jp-Notebook .jp-Cell { content-visibility: visible !important; contain: none !important; }"
# Started, not waited for: the command's own promise may outlive its cells.
RUN_ALL = "() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }"
KERNEL_IS_IDLE = """() => {
    const session = window.jupyterapp?.shell.currentWidget?.sessionContext;
    return Boolean(session?.isReady && session.session?.kernel?.status === 'idle');
}"""
CELLS_ARE_THERE = "count => document.querySelectorAll('.jp-CodeCell').length >= count"
# The last prompt with a number is that of the last code cell, and nothing is waiting or running ("[*]").
FINISHED = """count => {
    const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(p => p.textContent.trim());
    return prompts.filter(p => /^\\[\\d+\\]:$/.test(p)).length >= count && !prompts.some(p => p.includes('*'));
}"""
# What scrolls, and what is as high as the notebook; in JupyterLab 3 one element is both.
ROLL = "(document.querySelector('.jp-WindowedPanel-outer') ?? document.querySelector('.jp-NotebookPanel-notebook'))"
HEIGHT = f"() => (document.querySelector('.jp-WindowedPanel-inner') ?? {ROLL}).scrollHeight"
# What axe-core calls a violation that keeps people out; and a text that it must complain about.
GRAVE = ["serious", "critical"]
PALE_TEXT = '<p id="pale" style="color:#bbb;background:#fff">pale</p>'
ERRORS = (
    ".jp-RenderedText[data-mime-type='application/vnd.jupyter.error'],"
    ".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']"
)


class Lab:
    """A running JupyterLab: its address, the folder that it shows, and the folder of its settings."""

    def __init__(self, address, token, work, settings, version):
        self.address, self.token, self.work, self.settings, self.version = address, token, work, settings, version

    def url(self, notebook):
        # "doc" is JupyterLab's mode for one document, with a fresh workspace each time.
        return f"{self.address}/doc/workspaces/{secrets.token_hex(4)}/tree/{notebook}?token={self.token}"

    def choose_theme(self, name):
        self._write("apputils-extension", "themes", {"theme": name})

    def be_quiet_and_whole(self):
        if self.version > 3:
            self._write("apputils-extension", "notification", {"fetchNews": "false", "checkForUpdates": False})
        self._write("notebook-extension", "tracker", WHOLE_NOTEBOOK[self.version])

    def write_notebook(self, path, *sources):
        """Write a notebook of code cells into a folder that no start page stands beside."""
        file = self.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(_notebook(sources)), encoding="utf-8")
        return path

    def end_kernels(self):
        """Kernels outlive their pages, and two processors are soon busy."""
        for kernel in json.loads(self._ask("GET", "kernels")):
            self._ask("DELETE", f"kernels/{kernel['id']}")

    def _ask(self, method, what):
        head = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.address}/api/{what}", method=method, headers=head)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def _write(self, extension, plugin, values):
        folder = self.settings / "@jupyterlab" / extension
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values))


def _notebook(sources):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "cells": [cell | {"id": f"cell-{k}", "source": source} for k, source in enumerate(sources)],
    }


@contextmanager
def running(root, version=4, **environment):
    """Start this Python's JupyterLab as `byhand lab` does, on a copy of the release, and stop it at the end."""
    shutil.copytree(PROJECT / "notebooks", root / "work")
    with serving(root, root / "work", version, **environment) as lab:
        yield lab


@contextmanager
def serving(root, folder, version=4, start_in=None, **environment):
    """A JupyterLab on a folder, whose own files lie in `root`; started in another folder if one is given."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [
        *lab_command(folder), "--no-browser", "--allow-root", f"--port={port}",
        f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    own = {"JUPYTERLAB_SETTINGS_DIR": root / "settings", "JUPYTERLAB_WORKSPACES_DIR": root / "workspaces"}
    own |= {"JUPYTER_CONFIG_DIR": root / "config", "JUPYTER_RUNTIME_DIR": root / "runtime"}
    own |= {"JUPYTER_PREFER_ENV_PATH": "1"} | environment
    log = root / "lab.log"
    with log.open("w") as said:
        values = os.environ | {key: str(value) for key, value in own.items()}
        server = subprocess.Popen(command, env=values, stdout=said, stderr=subprocess.STDOUT, cwd=start_in)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, server, log)
            lab = Lab(address, token, folder, root / "settings", version)
            lab.be_quiet_and_whole()
            yield lab
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


# --- pages ------------------------------------------------------------------------------------


def until(page, script, arg=None, in_a_row=1, seconds=900):
    """Ask the page again and again until it says yes, several times in a row where once may be chance."""
    yes, end = 0, time.monotonic() + seconds
    while yes < in_a_row:
        assert time.monotonic() < end, f"not within {seconds} s: {script}"
        yes = yes + 1 if page.evaluate(script, arg) else 0
        if yes < in_a_row:
            page.wait_for_timeout(100)


def open_and_run(
    browser, lab, notebook, cells, theme=THEMES[0], width=1280, height=900, whole=True, prepare=lambda page: None
):
    """A page on a notebook of a lab, its `cells` code cells executed; a busy machine is no error.

    prepare: is called with the page before its cells run. whole: cells outside the window are laid out too in the end,
    so that what is measured holds for all of them.
    """
    lab.choose_theme(theme)
    page = browser.new_page(viewport={"width": width, "height": height}, accept_downloads=True)
    page.set_default_timeout(900_000)
    page.goto(lab.url(notebook))
    page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell")
    until(page, CELLS_ARE_THERE, cells)
    # Cells that are sent while the kernel still starts are dropped after the first.
    until(page, KERNEL_IS_IDLE, in_a_row=5)
    prepare(page)
    page.evaluate(RUN_ALL)
    until(page, FINISHED, cells, in_a_row=3)
    if whole:
        page.add_style_tag(content=LAID_OUT)
    return page


@contextmanager
def whole_page(page):
    """A window as high as the notebook: axe-core leaves out what has to be scrolled to.

    It also leaves out what hangs over a page of no height that hides what hangs over, as JupyterLab's does.
    """
    size = page.viewport_size
    page.evaluate("() => { for (const e of [document.documentElement, document.body]) e.style.height = '100%'; }")
    height = page.evaluate(HEIGHT)
    page.set_viewport_size({"width": size["width"], "height": height + 300})
    page.evaluate(f"() => {ROLL}.scrollTo(0, 0)")
    page.wait_for_timeout(500)
    yield
    page.set_viewport_size(size)
