"""The IPython shell in which the cells of a submission run: it behaves as the one behind a notebook does, and keeps
what is shown as the outputs of a notebook's cell, up to a size.
"""

from __future__ import annotations

import ast
import builtins
import getpass
import io
import os
import re
import subprocess
import sys
from base64 import b64encode

CHUNK = 1 << 16
# Magics, programs, help, prompts that were copied along.
_SIGNS = re.compile(r"[%!?]|>>>|\.\.\.|In \[")
FRAMES = 8
# What an output costs beside its content, so that ten thousand empty ones do not pass.
EACH = 100
KINDS = ["text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "image/jpeg"]


class Outputs:
    """What one cell showed, as nbformat's output dicts; beyond `cap` bytes the rest is dropped and `full` is set."""

    def __init__(self, cap: int):
        self.kept: list[dict] = []
        self.left = cap
        self.full = False
        self.errors = 0
        self._ids: dict[str, dict] = {}
        self._clear_next = False

    def write(self, name: str, text: str) -> None:
        """Printed text; neighbours of one stream are joined."""
        self._clear_if_due()
        last = self.kept[-1] if self.kept else None
        joins = last is not None and last.get("name") == name
        text = text[: self._room(len(text) + (0 if joins else EACH))]
        if not text:
            return
        if joins:
            last["pieces"].append(text)
        else:
            self.kept.append({"output_type": "stream", "name": name, "pieces": [text]})

    def show(self, data: dict, count: int | None = None, shown_id: str | None = None) -> None:
        """A displayed object; the result of a cell when `count` is its number."""
        self._clear_if_due()
        data = _texts(data)
        size = EACH + sum(map(len, data.values()))
        if self._room(size) < size:
            return
        output = {"output_type": "display_data", "data": data}
        if count is not None:
            output = {"output_type": "execute_result", "data": data, "execution_count": count}
        self.kept.append(output)
        if shown_id is not None:
            self._ids[shown_id] = output

    def renew(self, data: dict, shown_id: str) -> None:
        """Other content for a displayed object of this cell."""
        data = _texts(data)
        size = EACH + sum(map(len, data.values()))
        if shown_id in self._ids and self._room(size) == size:
            self._ids[shown_id]["data"] = data

    def fail(self, name: str, value: str, lines: list[str]) -> None:
        """An error. The one that ends a cell is kept even when the rest no longer fits."""
        self._clear_if_due()
        self.errors += 1
        if self.errors > 10:
            self.full = True
            return
        if sum(map(len, lines)) > CHUNK:
            lines = [f"{name}: {value}"[:2000]]
        self.kept.append({"output_type": "error", "ename": name[:200], "evalue": value[:2000], "traceback": lines})

    def clear(self, wait: bool) -> None:
        """Forget what was shown: now, or when something new comes."""
        self._clear_next = True
        if not wait:
            self._clear_if_due()

    def dicts(self) -> list[dict]:
        """The outputs, with each stream's text in one piece."""
        for output in self.kept:
            if "pieces" in output:
                output["text"] = "".join(output.pop("pieces"))
        return self.kept

    def _room(self, size: int) -> int:
        if size > self.left:
            self.full = True
            size = self.left
        self.left -= size
        return size

    def _clear_if_due(self) -> None:
        if self._clear_next:
            self.kept, self._ids, self._clear_next = [], {}, False


def _texts(data: dict) -> dict[str, str]:
    """What a display gives, as a notebook's file holds it: pictures in base64."""
    data = {kind: b64encode(value).decode() if isinstance(value, bytes) else value for kind, value in data.items()}
    return {kind: value for kind, value in data.items() if isinstance(kind, str) and isinstance(value, str)}


class Stream(io.TextIOBase):
    """Standard output or error of the shell."""

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, name: str, number: int):
        super().__init__()
        self.name = f"<{name}>"
        self.stream, self.number = name, number
        self.outputs = Outputs(0)

    def write(self, text: str) -> int:
        """Keep a text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.outputs.write(self.stream, text)
        return len(text)

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """The descriptor that programs started from a cell write to; it is read after the cell."""
        return self.number

    def close(self) -> None:
        """A notebook's output cannot be closed."""


class Ready:
    """A warm shell with its streams."""

    def __init__(self, shell, cap: int):
        self.shell = shell
        self.cap = cap
        self.streams = [Stream("stdout", 1), Stream("stderr", 2)]
        sys.stdout, sys.stderr = self.streams
        self.fresh()

    def fresh(self, cap: int | None = None) -> Outputs:
        """Empty outputs that all that is shown from now on goes to."""
        outputs = Outputs(self.cap if cap is None else cap)
        self.shell.outputs = outputs
        for stream in self.streams:
            stream.outputs = outputs
        return outputs

    def collect(self, outputs: Outputs) -> None:
        """Add what programs wrote to the descriptors behind the streams, and empty these files."""
        for stream in self.streams:
            try:
                os.lseek(stream.number, 0, os.SEEK_SET)
                text = os.read(stream.number, outputs.left + 1)
                os.ftruncate(stream.number, 0)
            except OSError:
                # A cell may close its own descriptors; then there is nothing to read.
                continue
            if text:
                outputs.write(stream.stream, text.decode("utf-8", "replace"))


def make(cap: int) -> Ready:
    """Make the shell; raises ImportError without IPython."""
    from traitlets.config import Config

    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "NoColor"
    settings.InteractiveShell.separate_in = ""
    settings.Completer.use_jedi = False
    kind = _kind_of_shell()
    shell = kind.instance(config=settings)
    shell.outputs = Outputs(0)
    # What is dropped afterwards need not be made.
    shell.display_formatter.active_types = KINDS
    # The prompt's hook would ask the system for a pager.
    shell.set_hook("show_in_pager", lambda self, data, *_, **__: _page(shell, data), 99)
    builtins.input = getpass.getpass = _no_input
    return Ready(shell, cap)


def _page(shell, data) -> None:
    shell.outputs.show(data if isinstance(data, dict) else {"text/plain": str(data)})


def _no_input(*_prompt):
    from IPython.core.error import StdinNotImplementedError

    raise StdinNotImplementedError("input() has nobody to ask while a notebook is marked.")


def _kind_of_shell():
    """The class of the shell; made here since the package may not need IPython to be imported."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.inputtransformer2 import TransformerManager
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.text import LSString, SList
    from traitlets import Type

    fresh = TransformerManager()
    ways = [*fresh.cleanup_transforms, *fresh.line_transforms, *fresh.token_transformers]

    class Results(DisplayHook):
        def write_output_prompt(self):
            pass

        def write_format_data(self, format_dict, md_dict=None):
            self.shell.outputs.show(format_dict, count=self.prompt_count)

        def finish_displayhook(self):
            self._is_active = False

    class Displays(DisplayPublisher):
        def publish(self, data, metadata=None, *_rest, transient=None, update=False, **_more):
            shown_id = (transient or {}).get("display_id")
            if update:
                self.parent.outputs.renew(data, shown_id)
            else:
                self.parent.outputs.show(data, shown_id=shown_id)

        def clear_output(self, wait=False):
            self.parent.outputs.clear(wait)

    class Shell(InteractiveShell):
        displayhook_class = Type(Results)
        display_pub_class = Type(Displays)

        def enable_gui(self, gui=None):
            """A notebook that is marked has no windows."""

        def enable_matplotlib(self, gui=None):
            try:
                import matplotlib  # noqa: F401
            except ImportError:
                # A lesson asks for pictures at its top; where none can be drawn, its numbers still count.
                return "inline", "inline"
            return super().enable_matplotlib(gui)

        def ask_exit(self):
            """A notebook goes on after `exit`."""

        def showtraceback(self, exc_tuple=None, *rest, **more):
            kind, error, trace = self._get_exc_info(exc_tuple)
            super().showtraceback((kind, error, _tail(trace)), *rest, **more)

        def _format_exception_for_storage(self, *_, **__):
            """IPython 9 writes every error out once more for a history that nobody reads here."""
            return {}

        def _showtraceback(self, etype, evalue, stb):
            self.outputs.fail(safe(lambda: etype.__name__), safe(lambda: str(evalue)), [str(line) for line in stb])

        def transform_cell(self, raw_cell):
            """The cell in Python; one that is Python already is as it was, and need not be taken to pieces."""
            manager = self.input_transformer_manager
            found = [*manager.cleanup_transforms, *manager.line_transforms, *manager.token_transformers]
            if found == ways and not self.input_transformers_post and _is_plain(raw_cell):
                return raw_cell if raw_cell.endswith("\n") else raw_cell + "\n"
            return super().transform_cell(raw_cell)

        def system(self, cmd):
            process = _program(self.var_expand(cmd, depth=1), subprocess.STDOUT)
            try:
                while text := process.stdout.read1(CHUNK):
                    print(text.decode("utf-8", "replace"), end="")
            except KeyboardInterrupt:
                process.kill()
                raise
            self.user_ns["_exit_code"] = process.wait()

        system_piped = system_raw = system

        def getoutput(self, cmd, split=True, depth=0):
            text = _program(self.var_expand(cmd, depth=depth + 1), None).communicate()[0].decode("utf-8", "replace")
            return SList(text.splitlines()) if split else LSString(text)

    return Shell


def _is_plain(source: str) -> bool:
    """Whether IPython would leave a cell as it is: several lines of Python without a sign that it reads in its way."""
    if "\n" not in source or source[0].isspace() or _SIGNS.search(source):
        return False
    try:
        compile(source, "cell", "exec", ast.PyCF_ONLY_AST)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _tail(trace):
    """The last frames of a traceback: IPython takes seconds to write out a deep recursion."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return frames[-min(len(frames), FRAMES)] if frames else None


def _program(command: str, errors) -> subprocess.Popen:
    return subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)


def safe(text) -> str:
    """A text that a student's object gives about itself, or a word on why not."""
    try:
        found = text()
        return found if type(found) is str else "?"
    except Exception as error:
        return f"(no text: {type(error).__name__})"


def warm(ready: Ready) -> None:
    """Use the shell once for each thing a notebook does, so that no session pays for it; leaves no trace in it."""
    _try(ready, "1 + 1", "print(1)", "display(1)", "%who_ls", "def f(x):\n    return x.y\nf(1)", "(")


def touch(ready: Ready) -> None:
    """In a new process: the pages that every cell writes to are copied now, not while the marker waits."""
    _try(ready, "x = 1\nprint(x)", "def f(x):\n    return x\ndisplay(f(1))\n2")


def _try(ready: Ready, *sources: str) -> None:
    shell = ready.shell
    for source in sources:
        ready.fresh()
        shell.run_cell(source, store_history=True)
    shell.reset(new_session=True)
    shell.execution_count = 1
    for name in ("In", "_ih"):
        shell.user_ns[name][:] = [""]
    shell.history_manager.input_hist_raw[:] = [""]
    ready.fresh()
