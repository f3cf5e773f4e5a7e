"""What a submission may use, and the sentence that tells who went over it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from helpers.errors import PlainError

# So many cells may show as much as one is allowed.
OUTPUTS = 40


@dataclass(frozen=True)
class Limits:
    """Limits of one notebook in the sandbox; every field can be set with `--limits name=value`.

    `memory_mb` holds for each process beyond what a fresh one takes, and for all of them together; `file_mb`
    for all files together; `value_mb` for one answer; `depth` for lists inside lists in one answer; `callbacks`
    for how often one call may use the functions it was given.
    """

    cell_seconds: float = 10
    notebook_seconds: float = 120
    call_seconds: float = 5
    memory_mb: int = 1024
    output_kb: int = 256
    file_mb: int = 32
    processes: int = 32
    value_mb: int = 8
    depth: int = 16
    callbacks: int = 1000
    grace_seconds: float = 1.5

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
                raise PlainError(f"The limit {field.name} is {value!r}; a number above 0 is expected.")

    def changed(self, settings: list[str]) -> Limits:
        """These limits with settings such as "cell_seconds=20"; raises PlainError on an unknown or odd one."""
        fields = {field.name: field for field in dataclasses.fields(self)}
        values = {}
        for setting in settings:
            name, _, text = setting.partition("=")
            if name not in fields:
                raise PlainError(f"There is no limit {name!r}; the limits are {', '.join(fields)}.")
            whole = isinstance(fields[name].default, int) and not name.endswith("_seconds")
            try:
                values[name] = int(text) if whole else float(text)
            except ValueError:
                raise PlainError(f"The limit {name} is {text!r}; a number is expected.") from None
        return dataclasses.replace(self, **values)

    def cell_time(self, name: str) -> str:
        """A cell that ran too long."""
        return f"{name} ran longer than {self.cell_seconds:g} s"

    def notebook_time(self) -> str:
        """A notebook whose cells and calls took too long together."""
        return f"the notebook ran longer than {self.notebook_seconds:g} s"

    def call_time(self, name: str) -> str:
        """A function, or the reading of a value, that took too long."""
        return f"{name} took longer than {self.call_seconds:g} s"

    def memory(self, name: str) -> str:
        """More memory than allowed."""
        return f"{name} asked for more than {self.memory_mb} MB of memory"

    def output(self, name: str) -> str:
        """More output than is kept."""
        return f"{name} showed more than {self.output_kb} kB; the rest was left out"

    def all_output(self) -> str:
        """More output than is kept of a whole notebook."""
        return f"the notebook showed more than {OUTPUTS * self.output_kb // 1024} MB; the rest was left out"

    def files(self, name: str) -> str:
        """More on disk than allowed."""
        return f"{name} wrote more than {self.file_mb} MB of files"

    def many(self, name: str) -> str:
        """More processes and threads than allowed."""
        return f"{name} started more than {self.processes} processes or threads"

    def uses(self, name: str) -> str:
        """More calls of a function that was handed in than allowed."""
        return f"{name} called the function it was given more than {self.callbacks} times"
