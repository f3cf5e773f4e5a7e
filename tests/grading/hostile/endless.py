"""Cells and functions that take more than their share, or end the process they run in."""

from functools import partial

from hostile.case import cell as any_cell
from hostile.case import softmax as any_softmax

cell, softmax = partial(any_cell, group="endless"), partial(any_softmax, group="endless")

cell("a loop", "while True:\n    pass")
cell("a loop that ignores the interrupt",
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass")  # fmt: skip
cell("the end of Python", "import os\nos._exit(0)")
cell("a crash", "import ctypes\nctypes.string_at(0)")
cell("a signal to itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)")
cell("6 GB of memory", "x = [bytearray(2**26) for _ in range(96)]\nfor b in x:\n    b[::4096] = bytes(len(b[::4096]))")
cell("memory that several processes share",
    "import mmap, os, time\nheld = []\nfor _ in range(16):\n    m = mmap.mmap(-1, 2**27)\n    for at in range(0, 2**27, 4096):\n"
    "        m[at] = 1\n    held.append(m)\n    m.madvise(mmap.MADV_DONTNEED)\n"
    "    if os.fork() == 0:\n        time.sleep(30)\n        os._exit(0)")  # fmt: skip
cell("200 MB of print", "for _ in range(2000):\n    print('x' * 100_000)")
cell("200 MB to the descriptor", "import os\nfor _ in range(2000):\n    os.write(1, b'x' * 100_000)")
cell("a file of 10 GB", "with open('big', 'wb') as f:\n    for _ in range(10_000):\n        f.write(bytes(2**20))")
cell("ten thousand files", "for n in range(10_000):\n    open(f'f{n}', 'w').close()")
cell("a fork bomb", "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass")
cell("threads without end", "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(99,)).start()")
cell("a number without end", "x = 9 ** 9 ** 9")
cell("an object whose text never ends", "class R:\n    def __repr__(self):\n        while True:\n            pass\nR()")
cell("things to do at the end",
    "import atexit, signal, os\natexit.register(lambda: [None for _ in iter(int, 1)])\n"
    "for s in range(1, 32):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n    except OSError:\n        pass\n"
    "class D:\n    def __del__(self):\n        while True:\n            pass\nd = D()")  # fmt: skip
cell("a question", "name = input('who? ')")
cell("daemons that live on",
    "import subprocess\nfor _ in range(3):\n    subprocess.Popen(['sh', '-c', \"trap '' TERM HUP INT; sleep 600.77; sleep 600.77\"], start_new_session=True)")  # fmt: skip
softmax("a loop inside a function", "def softmax(s):\n    while True:\n        pass")
softmax("os._exit inside a function", "def softmax(s):\n    import os\n    os._exit(0)")
softmax("an answer of 80 MB", "def softmax(s):\n    return np.ones((10_000, 1000))")
softmax("a list inside itself", "def softmax(s):\n    out = []\n    out.append(out)\n    return out")
