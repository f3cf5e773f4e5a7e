"""A JupyterHub as docs/jupyterhub.md says, with real accounts and homes, and people who log in to it with a browser."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from hub_accounts import give
from running_lab import PROJECT

PAGE = PROJECT / "docs" / "jupyterhub.md"
COURSE = "transformer-by-hand"
NOT_ROOT = "JupyterHub starts the servers of other accounts, which root alone may: run this test as root."
NO_PROXY = (
    "There is no configurable-http-proxy here, which JupyterHub needs: install it "
    "(Debian: sudo apt install node-configurable-http-proxy; elsewhere: npm install -g configurable-http-proxy)."
)
# What a test needs beside: no passwords, ports that are free, the files of the page where they are written here.
OF_THE_TEST = """
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.bind_url = "http://127.0.0.1:{0}"
c.JupyterHub.hub_port = {1}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{2}"
c.JupyterHub.active_server_limit = 5
c.Spawner.environment = {{"JUPYTER_CONFIG_PATH": "{3}", "JUPYTER_PREFER_ENV_PATH": "1"}}
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
"""
# A command typed into a terminal of one's own server; its last words tell that it has ended, and how.
TYPED = r"""async ([user, command]) => {
    const xsrf = document.cookie.match(/_xsrf=([^;]*)/)?.[1] ?? "";
    const made = await fetch(`/user/${user}/api/terminals?_xsrf=${xsrf}`, {method: "POST"});
    const name = (await made.json()).name;
    const socket = new WebSocket(`ws://${location.host}/user/${user}/terminals/websocket/${name}`);
    return await new Promise((done, failed) => {
        let said = "";
        socket.onerror = () => failed(new Error("the terminal cannot be reached"));
        socket.onclose = () => failed(new Error(`the terminal ended: ${said}`));
        socket.onopen = () => socket.send(JSON.stringify(["stdin", `${command}; echo ended-"with"-$?-\r`]));
        socket.onmessage = event => {
            const [kind, text] = JSON.parse(event.data);
            said += kind === "stdout" ? text : "";
            const ended = said.match(/ended-with-(\d+)-/);
            if (ended) { socket.onclose = null; socket.close(); done([Number(ended[1]), said]); }
        };
    });
}"""
TOKEN = """async user => {
    const head = {"X-XSRFToken": window.jhdata.xsrf_token};
    const answer = await fetch(`/hub/api/users/${user}/tokens`, {method: "POST", headers: head});
    return (await answer.json()).token;
}"""


class Person:
    """Somebody who logged in: a page of theirs, and requests in their name, all of it through the hub."""

    def __init__(self, address, name, page):
        self.address, self.name, self.page = address, name, page
        page.goto(f"{address}/hub/login")
        page.fill("#username_input", name)
        page.fill("#password_input", "any")
        page.click("#login_submit")
        page.wait_for_url(f"**/user/{name}/lab**", wait_until="commit")
        page.goto(f"{address}/hub/token")
        self.token = page.evaluate(TOKEN, name)
        # A page of one's own server from which a terminal can be reached, and which asks for nothing else: its 404.
        page.goto(self.url("no-such-page"))

    def url(self, path):
        return f"{self.address}/user/{self.name}/{path}"

    def ask(self, method, path, body=None, of=None):
        """The answer of a server, one's own or that of another: (status, what it says)."""
        path = urllib.parse.quote(path, safe="/?&=")
        address = self.url(path) if of is None else f"{self.address}/user/{of}/{path}"
        head = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, content, head, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                text = answer.read().decode()
                return answer.status, json.loads(text) if text.startswith(("{", "[")) else text
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def done(self, method, path, body=None):
        """The answer of one's own server, which must be a good one."""
        status, answer = self.ask(method, path, body)
        assert status in (200, 201), f"{method} {path}: {status} {answer}"
        return answer

    def type(self, command):
        """Type a command into a terminal; (exit code, what was on the screen)."""
        return self.page.evaluate(TYPED, [self.name, command])


def blocks(text):
    """File name → content, of the files that the page gives in full."""
    return dict(re.findall(r"```python\n# file: (\S+)\n(.*?)```", text, re.DOTALL))


@contextmanager
def running_hub(top, names, instructor, make_course):
    """Start the hub with an account for each name; the course lies in the instructor's home. Gives its address."""
    if os.getuid() != 0:
        pytest.fail(NOT_ROOT, pytrace=False)
    if shutil.which("configurable-http-proxy") is None:
        pytest.fail(NO_PROXY, pytrace=False)
    homes, hub, everybody, exchange = (top / name for name in ("home", "hub", "jupyter", "exchange"))
    top.chmod(0o755)
    for folder in (homes, hub, everybody, exchange):
        folder.mkdir()
        folder.chmod(0o777 if folder == exchange else 0o755)
    files = {
        name: content.replace("/home/", f"{homes}/").replace("/srv/nbgrader/exchange", str(exchange))
        for name, content in blocks(PAGE.read_text(encoding="utf-8")).items()
    }
    (everybody / "nbgrader_config.py").write_text(files["nbgrader_config.py"])
    for number, name in enumerate(names):
        (homes / name / ".jupyter").mkdir(parents=True)
        if name == instructor:
            (homes / name / ".jupyter" / "nbgrader_config.py").write_text(files["instructor_config.py"])
            make_course(homes / name / COURSE)
        give(homes / name, number)
    ports = _free_ports(3)
    (hub / "jupyterhub_config.py").write_text(files["jupyterhub_config.py"] + OF_THE_TEST.format(*ports, everybody))
    yield from _served(top, hub, names, f"http://127.0.0.1:{ports[0]}")


def _served(top, hub, names, address):
    here = Path(__file__).parent
    places = [sys.base_prefix, sys.prefix, str(PROJECT), str(top)]
    command = [sys.executable, str(here / "hub_accounts.py"), str(top / "home"), *names, "--", *places, "--"]
    search = [str(PROJECT), str(here.parent / "grading"), os.environ.get("PYTHONPATH", "")]
    values = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, search))}
    values["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # A node that is not Debian's does not look where Debian puts the proxy's modules.
    values.setdefault("NODE_PATH", "/usr/share/nodejs")
    log = top / "hub.log"
    with log.open("w") as said:
        command += [sys.executable, "-m", "jupyterhub"]
        server = subprocess.Popen(command, cwd=hub, env=values, stdout=said, stderr=subprocess.STDOUT)
        try:
            _wait_for(address, server, log)
            yield address
        finally:
            # The hub stops its proxy and everybody's servers.
            server.terminate()
            server.wait(120)


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _wait_for(address, server, log, seconds=180):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if server.poll() is not None:
            pytest.fail(f"JupyterHub ended: {log.read_text()}", pytrace=False)
        try:
            urllib.request.urlopen(f"{address}/hub/api", timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"JupyterHub did not answer within {seconds} s: {log.read_text()}", pytrace=False)
