"""The names of the tasks; what is right is not here while a notebook is marked."""

from collections.abc import Mapping

from helpers.errors import PlainError
from helpers.quiet import constant, room


class Tasks(Mapping):
    """The names of all tasks, and nothing behind them."""

    def __init__(self, names: list[str]):
        self._names = names

    def __getitem__(self, name: str):
        if name in self._names:
            raise PlainError("A task is not here while a notebook is marked.")
        raise KeyError(name)

    def __iter__(self):
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


TASKS = Tasks(constant("tasks", "TASKS"))
__getattr__, __dir__, __all__ = room("tasks", globals())
