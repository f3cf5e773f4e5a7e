"""Hand traces are left out while a notebook is marked."""

from helpers.quiet import room, shows

trace_word = shows("hand_traces", "trace_word", "The trace of a word")
__getattr__, __dir__, __all__ = room("hand_traces", globals())
