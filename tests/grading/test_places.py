"""Where there is no sandbox, one sentence says what to change."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

import helpers
from helpers.grading import places
from helpers.grading.sandbox import probe

TOP = Path(helpers.__file__).parents[1]
# Each leaves this process with less than it had, and then asks.
LESS = {
    "no namespaces are left to make": """
ids = os.getuid(), os.getgid()
kernel.unshare(kernel.NEWUSER)
kernel.map_ids(0, *ids)
with open("/proc/sys/user/max_user_namespaces", "w") as file: file.write("0")
""",
    "a container refuses the calls": "kernel.forbid_new_rights(); kernel.filter_calls()",
}


def told(change):
    program = f"import os\nfrom helpers.grading import kernel\n{change}\n"
    program += "from helpers.grading.sandbox import probe\nprint(probe())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(TOP), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_here_is_one():
    assert probe() == ""


def test_a_system_without_user_namespaces():
    said = told(LESS["no namespaces are left to make"])
    assert said == "This system allows no user namespaces: run `sudo sysctl user.max_user_namespaces=10000`."


def test_a_container_that_refuses():
    said = told(LESS["a container refuses the calls"])
    assert said.startswith("This system refuses namespaces (")
    assert "--cap-add SYS_ADMIN" in said


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("kernel/unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    ],
)
def test_known_settings_are_named(monkeypatch, name, value, sentence):
    monkeypatch.setattr(places, "_setting", lambda asked: value if asked == name else "")
    monkeypatch.setattr(places, "is_root", lambda: False)
    assert sentence in places.why_not(errno.EPERM, "mount")


def test_other_systems_are_named(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert probe() == "Notebooks can be run safely only on Linux, and this is darwin: mark there, or use --no-sandbox."


def test_the_package_is_hidden_and_not_imported_from():
    orders = places.orders([])
    assert str(TOP / "helpers") in orders["hide"]
    assert str(TOP) not in places.search_path()
    assert all(Path(place).exists() for place, _ in orders["see"])
