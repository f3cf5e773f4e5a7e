"""Attacks on the line on which answers are asked for and given."""

from functools import partial

from hostile.case import cell as any_cell

cell = partial(any_cell, group="channel")
FORGE = """import gc, json, os, socket, struct
try:
    line = socket.socket(fileno=os.dup(3))
    line.setblocking(True)
except OSError:
    line = socket.socketpair()[0]
def nonce():
    return next((o.nonce for o in gc.get_objects() if type(o).__name__ == "Answers"), "")
def message(header, body=b""):
    text = json.dumps(header | {"sizes": [len(body)] if body else []}).encode()
    return struct.pack(">4sIQ", b"byh1", len(text), len(body)) + text + body
def send(data):
    try:
        line.send(data)
    except OSError:
        pass
"""

cell("garbage on the line", FORGE + "send(os.urandom(10_000))")
cell("a giant length", FORGE + "send(struct.pack('>4sIQ', b'byh1', 2**31, 2**63))")
cell("JSON nested without end", FORGE + "send(struct.pack('>4sIQ', b'byh1', 10**6, 0) + b'[' * 10**6)")
cell("an answer given twice", FORGE + "send(message({'nonce': nonce(), 'error': None}) * 2)")
cell(
    "a claim of points in an answer",
    FORGE
    + """
send(message({'nonce': nonce(), 'points': 99, 'tree': 99, 'error': None}, b'[]'))
""",
)
cell("a question nobody may ask", FORGE + "send(message({'nonce': nonce(), 'ask': 0, 'tree': 1}))")
cell(
    "the line is closed",
    """
import os
os.closerange(0, 200)
""",
)
cell(
    "the line is held open by another process",
    """
import os, time
if os.fork() == 0:
    time.sleep(600)
    os._exit(0)
os._exit(0)
""",
)
cell(
    "the shell's own answers are changed",
    """
import gc
for o in gc.get_objects():
    if type(o).__name__ == 'Answers':
        o._value = lambda q, b: ({'tree': 9.0}, [])
        o._call = lambda q, b: ({'tree': 9.0}, [])
""",
    answers="none",
)
cell(
    "the walls are leaned on",
    """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for call in (lambda: libc.ptrace(16, 1, 0, 0), lambda: libc.unshare(0x10000000), lambda: libc.setuid(0),
             lambda: libc.mount(b'none', b'/tmp', b'tmpfs', 0, None), lambda: libc.setns(3, 0)):
    call()
for place in ('/proc/1/mem', '/proc/1/environ', '/proc/1/root/etc/shadow', '/proc/sys/kernel/core_pattern'):
    try:
        print(open(place, 'rb').read(100))
    except OSError:
        pass
""",
)
cell(
    "sockets by name, shared memory, keys",
    r"""
import ctypes, socket
for name in ('\0/tmp/.X11-unix/X0', '\0dbus', '/run/docker.sock', '/run/systemd/private'):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(name)
        print('reached', name)
    except OSError:
        pass
libc = ctypes.CDLL(None)
libc.shmget(0, 4096, 0o1600)
libc.syscall(250, 0, -3, 0)
""",
)
TRIES = (
    FORGE
    + """
line_of = next(o for o in gc.get_objects() if type(o).__name__ == "Answers")
real = line_of._try
def tried(question, blobs):
    said, pieces = real(question, blobs)
    while "answers" in said:
        %s
    return said, pieces
line_of._try = tried
"""
)
cell(
    "messages without an answer, and no end",
    TRIES % "line_of._send({'function': True, 'answers': [], 'more': True}, [])",
)
cell("all answers again and again", TRIES % "line_of._send({**said, 'more': True}, pieces)")
cell(
    "an answer that comes in drops",
    TRIES
    % """
        import time
        line.send(b'byh1' if nonce() else b'')
        time.sleep(0.05)
""".strip(),
)
