"""What a student's process sees and reaches: the listed folders, its own processes, and nothing of the marker."""

import os
import platform
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rooms import FILES, SHORT, opened, text_of

import helpers
from helpers.grading.sandbox import Sandbox
from helpers.grading.wire import Missing

SECRET = "a-word-that-only-the-marker-knows"


@pytest.fixture(scope="module")
def sandbox():
    os.environ["COURSE_SECRET"] = SECRET
    try:
        with opened() as sandbox:
            yield sandbox
    finally:
        del os.environ["COURSE_SECRET"]


def ask(session, expression):
    """The value of an expression in the sandbox."""
    ran = session.run(f"import os, sys, socket, ctypes\nanswer = {expression}", "cell 1")
    assert (ran.error, ran.limit) == (None, None)
    return session.value("answer")


def fails(session, source, *names):
    """That a cell ends in one of these errors."""
    ran = session.run("import os, sys, socket, ctypes, signal\n" + source, "cell 1")
    assert ran.error is not None, text_of(ran)
    assert ran.error.split(":")[0] in names


def test_nothing_but_the_listed_folders(session):
    roots = set(ask(session, "os.listdir('/')"))
    python = {Path(place).parts[1] for place in (sys.prefix, sys.base_prefix)}
    expected = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix", "etc", "dev", "proc", "tmp", "home"}
    assert roots <= expected | {"course", "given", ".own"} | python
    assert ask(session, "os.listdir('/home/student')") == []
    assert ask(session, "os.getcwd()") == "/home/student"
    assert ask(session, "sorted(os.listdir('/course'))") == ["helpers"]
    people = {line.split(":")[0] for line in ask(session, "open('/etc/passwd').read()").splitlines()}
    assert people == {"root", "student"}


def test_no_sight_of_the_course(session, tmp_path):
    private = tmp_path / "gradebook.db"
    private.write_text("marks")
    for place in (private, Path(helpers.__file__).parent / "transformer.py", Path(__file__), Path.home() / ".bashrc"):
        assert ask(session, f"os.path.exists({str(place)!r})") is False
    assert ask(session, "sys.modules['helpers'].__file__") == "/course/helpers/__init__.py"
    for name in ("transformer", "mistakes", "trace", "checks", "course"):
        fails(session, f"import helpers.{name}", "ModuleNotFoundError")
    source = """
found = []
for top, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(top, name) not in ("/proc", "/course")]
    found += [top + "/" + name for name in files if name in ("find_slip.py", "round_trip.py", "hand_traces_slips.py")]
    if top.endswith("/helpers") and "transformer.py" in files:
        found.append(top)
"""
    session.run("import os" + source, "cell 1")
    assert session.value("found") == []


def test_an_installed_copy_of_the_package_is_hidden(tmp_path):
    copy = tmp_path / "kept" / "secret.txt"
    copy.parent.mkdir()
    copy.write_text("rules")
    place = Path(np.__file__).parent / "testing"
    with Sandbox(SHORT, FILES, hide=[place]) as sandbox, sandbox.session() as session:
        assert ask(session, f"os.listdir({str(place)!r})") == []


def test_only_its_own_processes(session):
    numbers = [name for name in ask(session, "os.listdir('/proc')") if name.isdigit()]
    assert sorted(numbers) == ["1", "2"]
    assert ask(session, "os.getpid()") == 2
    fails(session, "open('/proc/1/environ').read()", "PermissionError")
    fails(session, "os.listdir('/proc/1/fd')", "PermissionError")
    fails(session, "open('/proc/1/mem', 'rb')", "PermissionError")
    fails(session, f"os.kill({os.getpid()}, 0)", "ProcessLookupError")


def test_nothing_of_the_marker_in_its_environment_and_memory(session):
    assert SECRET not in ask(session, "repr(dict(os.environ))")
    assert SECRET not in ask(session, "open('/proc/self/environ').read()")
    session.run(
        """
def scan(words):
    found, size = set(), 0
    for line in open("/proc/self/maps"):
        span, rights = line.split()[:2]
        if "r" not in rights or "[v" in line:
            continue
        low, high = (int(part, 16) for part in span.split("-"))
        with open("/proc/self/mem", "rb", 0) as memory:
            memory.seek(low)
            try:
                data = memory.read(high - low)
            except (OSError, MemoryError):
                continue
        size += len(data)
        found |= {word for word in words if bytes(reversed(word.encode())) in data}
    return size, sorted(found)
""",
        "cell 1",
    )
    words = [SECRET, "COURSE_SECRET=", "present-word"]
    # Sent backwards, so that the question itself is not what is found.
    session.run("kept = 'present-' + 'word'", "cell 2")
    size, found = session.call("scan", [[word[::-1] for word in words]])
    assert size > 10**7
    assert found == ["present-word"[::-1]]


def test_four_descriptors(session):
    listed = ask(session, "sorted(int(name) for name in os.listdir('/proc/self/fd'))")
    # The last is the listing itself.
    assert listed[:4] == [0, 1, 2, 3]
    assert len(listed) == 5
    assert "socket" in ask(session, "os.readlink('/proc/self/fd/3')")
    for number in (0, 1, 2):
        assert "socket" not in ask(session, f"os.readlink('/proc/self/fd/{number}')")


def test_no_network(session):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        fails(session, f"socket.create_connection(('127.0.0.1', {port}), 1)", "PermissionError", "OSError")
        fails(session, "socket.create_connection(('1.1.1.1', 53), 1)", "PermissionError", "OSError")
        fails(session, "import urllib.request as u; u.urlopen('http://example.com', timeout=1)", "URLError")
        with pytest.raises(TimeoutError):
            server.accept()
    for family in ("AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH"):
        fails(session, f"socket.socket(getattr(socket, {family!r}, 40), socket.SOCK_RAW)", "PermissionError", "OSError")
    assert ask(session, "[len(socket.socketpair()), os.path.exists('/sys/class/net')]") == [2, False]


def test_no_abstract_socket_of_the_machine(session):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0byhand-test")
        server.listen()
        fails(session, "socket.socket(socket.AF_UNIX).connect('\\0byhand-test')", "ConnectionRefusedError")


@pytest.mark.parametrize(
    "place", ["/", "/usr", "/usr/bin", "/course", "/course/helpers", "/etc", "/dev", "/proc/sys", "/home", "/.own"]
)
def test_the_system_cannot_be_written_to(session, place):
    fails(session, f"open({place + '/new'!r}, 'w')", "OSError", "PermissionError", "FileNotFoundError")


def test_python_itself_cannot_be_written_to(session):
    for place in (np.__file__, os.__file__, "/course/helpers/__init__.py", "/etc/passwd", "/bin/sh"):
        fails(session, f"open({place!r}, 'r+b')", "OSError", "PermissionError")
        fails(session, f"os.remove({place!r})", "OSError", "PermissionError")
        fails(session, f"os.chmod({place!r}, 0o777)", "OSError", "PermissionError")


def test_its_own_places_can_be_written_to_and_have_a_size(session):
    session.run(
        "open('a.txt', 'w').write('x'); open('/tmp/b', 'w').write('y'); open('/dev/shm/c', 'w').write('z')", "1"
    )
    assert ask(session, "open('a.txt').read() + open('/tmp/b').read() + open('/dev/shm/c').read()") == "xyz"
    source = "for i in range(100):\n    with open(f'/tmp/{i}', 'wb') as f: f.write(bytes(2**20))"
    ran = session.run(source, "cell 3")
    assert ran.limit == "cell 3 wrote more than 8 MB of files"
    ran = session.run("open('one', 'wb').write(bytes(2**24))", "cell 4")
    assert ran.limit == "cell 4 wrote more than 8 MB of files"
    fails(session, "for i in range(10**5): open(f'/tmp/n{i}', 'w').close()", "OSError")


CALLS = [
    "mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "umount2(b'/tmp', 2)",
    "chroot(b'/tmp')",
    "unshare(0x10000000)",
    "unshare(0x00020000)",
    "setns(0, 0)",
    "ptrace(16, 1, 0, 0)",
    "process_vm_readv(1, None, 0, None, 0, 0)",
    "memfd_create(b'x', 0)",
    "shmget(0, 4096, 0o1600)",
    "setuid(0)",
    "sethostname(b'x', 1)",
    "setsid()",
]
# io_uring_setup and clone3, the same everywhere; then clone with a user namespace, bpf, keyctl, the other numbering.
CALLS += ["syscall(425, 1, 0)", "syscall(435, 0, 0)"]
if platform.machine() == "x86_64":
    CALLS += [f"syscall({call})" for call in ("56, 0x10000011, 0, 0", "321, 0, 0, 0", "250, 0, 0, 0", "0x40000027")]


@pytest.mark.parametrize("call", CALLS)
def test_calls_that_no_notebook_needs_are_refused(session, call):
    assert ask(session, f"ctypes.CDLL(None, use_errno=True).{call}") == -1


def test_no_rights(session):
    status = ask(session, "open('/proc/self/status').read()")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    assert ask(session, "os.getuid()") != 0
    assert ask(session, "os.getgroups()") in ([], [65534], [1000], [os.getgid()])
    fails(session, "os.setuid(0)", "PermissionError", "OSError")
    shown = text_of(session.run("!su -c id root; sudo -n id; mount -t tmpfs x /tmp; ls -A /root", "cell 9"))
    assert "uid=0" not in shown


def test_each_session_is_another_user_when_root_marks(sandbox):
    with sandbox.session() as one, sandbox.session() as other:
        numbers = ask(one, "os.getuid()"), ask(other, "os.getuid()")
    assert (numbers[0] != numbers[1]) == (os.getuid() == 0)


def test_the_zygote_keeps_nothing_of_a_session(sandbox):
    with sandbox.session() as session:
        session.run("import builtins, helpers, numpy\nbuiltins.x = helpers.x = numpy.x = 1\ny = 2", "cell 1")
    with sandbox.session() as session:
        assert ask(session, "hasattr(sys.modules['builtins'], 'x') or hasattr(sys.modules['numpy'], 'x')") is False
        assert session.value("y") == Missing()


def running(mark):
    """Processes of this machine that have a word in their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in place.read_bytes():
                found.append(place.parent.name)
        except OSError:
            # It ended meanwhile.
            continue
    return found


def gone(mark):
    until = time.monotonic() + 10
    while running(mark) and time.monotonic() < until:
        time.sleep(0.05)
    return not running(mark)


DAEMON = """
import subprocess, os
for i in range(3):
    subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; while true; do sleep 1.{mark}; done"])
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "1000.{mark}"])
    os._exit(0)
"""


def test_nothing_outlives_the_session(sandbox):
    mark = f"{os.getpid()}77"
    with sandbox.session() as session:
        assert session.run(DAEMON.replace("{mark}", mark), "cell 1").error is None
        assert running(mark)
    assert gone(mark)


def test_nothing_outlives_the_sandbox():
    mark = f"{os.getpid()}78"
    sandbox = Sandbox(SHORT, FILES).start()
    session = sandbox.session()
    session.run(DAEMON.replace("{mark}", mark), "cell 1")
    assert running(mark)
    sandbox.close()
    assert gone(mark)
    assert session.run("1", "cell 2").limit is not None
    session.close()


def test_nothing_outlives_the_marker():
    mark = f"{os.getpid()}79"
    program = f"""
import os, signal
from rooms import FILES, SHORT
from helpers.grading.sandbox import Sandbox
session = Sandbox(SHORT, FILES).start().session()
session.run({DAEMON.replace("{mark}", mark)!r}, "cell 1")
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(helpers.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stdout == "ready\n"
    assert gone(mark)
