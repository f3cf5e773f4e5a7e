"""Cells and functions that take more than their share, or end the process they run in."""

from functools import partial

from hostile.case import cell as any_cell
from hostile.case import softmax as any_softmax

cell, softmax = partial(any_cell, group="endless"), partial(any_softmax, group="endless")

cell(
    "a loop",
    """
while True:
    pass
""",
)
cell(
    "a loop that ignores the interrupt",
    """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
""",
)
cell(
    "the end of Python",
    """
import os
os._exit(0)
""",
)
cell(
    "a crash",
    """
import ctypes
ctypes.string_at(0)
""",
)
cell(
    "a signal to itself",
    """
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
""",
)
cell(
    "6 GB of memory",
    """
x = [bytearray(2**26) for _ in range(96)]
for b in x:
    b[::4096] = bytes(len(b[::4096]))
""",
)
cell(
    "memory that several processes share",
    """
import mmap, os, time
held = []
for _ in range(16):
    m = mmap.mmap(-1, 2**27)
    for at in range(0, 2**27, 4096):
        m[at] = 1
    held.append(m)
    m.madvise(mmap.MADV_DONTNEED)
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
""",
)
cell(
    "200 MB of print",
    """
for _ in range(2000):
    print('x' * 100_000)
""",
)
cell(
    "200 MB to the descriptor",
    """
import os
for _ in range(2000):
    os.write(1, b'x' * 100_000)
""",
)
cell(
    "a file of 10 GB",
    """
with open('big', 'wb') as f:
    for _ in range(10_000):
        f.write(bytes(2**20))
""",
)
cell(
    "ten thousand files",
    """
for n in range(10_000):
    open(f'f{n}', 'w').close()
""",
)
cell(
    "a fork bomb",
    """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
)
cell(
    "threads without end",
    """
import threading, time
while True:
    threading.Thread(target=time.sleep, args=(99,)).start()
""",
)
cell("a number without end", "x = 9 ** 9 ** 9")
cell(
    "an object whose text never ends",
    """
class R:
    def __repr__(self):
        while True:
            pass
R()
""",
)
cell(
    "things to do at the end",
    """
import atexit, signal, os
atexit.register(lambda: [None for _ in iter(int, 1)])
for s in range(1, 32):
    try:
        signal.signal(s, signal.SIG_IGN)
    except OSError:
        pass
class D:
    def __del__(self):
        while True:
            pass
d = D()
""",
)
cell("a question", "name = input('who? ')")
cell(
    "daemons that live on",
    """
import subprocess
for own in (True, False, False):
    try:
        subprocess.Popen(['sh', '-c', "trap '' TERM HUP INT; sleep 600; sleep 600"], start_new_session=own)
    except OSError:
        pass
""",
)
softmax(
    "a loop inside a function",
    """
def softmax(s):
    while True:
        pass
""",
)
softmax(
    "os._exit inside a function",
    """
def softmax(s):
    import os
    os._exit(0)
""",
)
softmax(
    "an answer of 80 MB",
    """
def softmax(s):
    return np.ones((10_000, 1000))
""",
)
softmax(
    "a list inside itself",
    """
def softmax(s):
    out = []
    out.append(out)
    return out
""",
)
