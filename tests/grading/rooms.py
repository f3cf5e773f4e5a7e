"""Sandboxes for the tests: one warm process for all of a file, and a stand-in for the course's package."""

from contextlib import contextmanager

from helpers.grading.limits import Limits
from helpers.grading.sandbox import Sandbox

FILES = {
    "helpers/__init__.py": b"from helpers.numbers import X\nversion = 'mute'\n",
    "helpers/numbers.py": b"import numpy as np\nX = np.arange(6.0).reshape(2, 3)\n",
}
# With grace: on a busy machine a process may take a second or two to hear that it is interrupted.
SHORT = Limits(
    cell_seconds=2, call_seconds=2, notebook_seconds=60, memory_mb=256, output_kb=64, file_mb=8, processes=16,
    grace_seconds=4,
)  # fmt: skip


@contextmanager
def opened(limits=SHORT, files=FILES):
    """A sandbox with the stand-in package."""
    with Sandbox(limits, files) as sandbox:
        yield sandbox


def text_of(ran):
    """All that a cell showed, as text."""
    parts = [output.get("text") or output.get("data", {}).get("text/plain") or "" for output in ran.outputs]
    return "".join(parts)
