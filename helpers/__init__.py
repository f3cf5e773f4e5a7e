"""Transformer by Hand: one forward pass of the 2017 Transformer, every matrix shown and checked.

The public names live in the rooms of this package and load on first use, so that `import helpers` stays cheap.
Pythons that are too old must be able to read this file.
"""

import importlib

__version__ = "0.1.0"

# The public names each room gives. One list for every reader: notebooks, tests, the command line.
PUBLIC = {
    "errors": ["PlainError"],
    "sizes": ["COURSE", "HOMEWORK", "PAPER_BASE", "Sizes"],
    "personal": ["homework_example", "personal_example", "sheet_example"],
    "codes": ["code_of", "example_of"],
    "examples": ["course_example", "initialisation_demo", "random_example"],
    "steps": ["all_steps", "decoder_steps", "encoder_steps"],
    "trace": ["course_run", "forward_pass"],
    "counts": [
        "encoder_multiply_adds",
        "encoder_parameters",
        "model_multiply_adds",
        "model_parameters",
        "multiply_add_table",
        "parameter_table",
        "summary_table",
    ],
    "displays": [
        "expand",
        "fixed",
        "show_curves",
        "show_elementwise",
        "show_encoding_picture",
        "show_flow",
        "show_head_split",
        "show_heat",
        "show_hint",
        "show_layer_norm",
        "show_masked",
        "show_matmul",
        "show_matrix",
        "show_progress",
        "show_relu",
        "show_shapes",
        "show_softmax",
        "show_table",
        "show_wavelengths",
        "show_waves",
        "show_weights_masked",
    ],
    "hand_traces": ["trace_costs", "trace_word"],
    "tasks": ["TASKS"],
    "cards": ["card"],
    "worksheets": ["make_worksheets", "worksheet_card"],
    "checks": ["check", "check_fresh", "find_the_slip", "homework", "progress"],
}
_ROOM = {name: room for room, names in PUBLIC.items() for name in names}
# `from helpers import transformer as tf`: whole rooms are public too.
_ROOMS = tuple(PUBLIC) + ("decoding", "transformer")

__all__ = list(_ROOM) + list(_ROOMS)


def __getattr__(name):
    if name in _ROOM:
        return getattr(importlib.import_module("." + _ROOM[name], __name__), name)
    if name in _ROOMS:
        return importlib.import_module("." + name, __name__)
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))


def __dir__():
    return sorted(list(globals()) + __all__)
