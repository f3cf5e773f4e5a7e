"""What a notebook prints: each display as fixed-width text and as an HTML twin that follows the page's theme.

Every `show_…` function shows its display at once and returns None; `show_….build(…)` returns the Display instead.
This room takes arrays and names and knows nothing of the model.
"""

from importlib import import_module

_ROOMS = {
    "Display": "output",
    "expand": "product",
    "fixed": "numbers",
    "recording": "numbers",
    "show_curves": "pictures",
    "show_elementwise": "elementwise",
    "show_encoding_picture": "pictures",
    "show_flow": "flow",
    "show_head_split": "heads",
    "show_heat": "heat",
    "show_hint": "notes",
    "show_layer_norm": "rows",
    "show_masked": "masks",
    "show_matmul": "product",
    "show_matrix": "table",
    "show_progress": "progress",
    "show_relu": "rows",
    "show_shapes": "notes",
    "show_softmax": "rows",
    "show_table": "notes",
    "show_wavelengths": "pictures",
    "show_waves": "pictures",
    "show_weights_masked": "masks",
    "shown": "output",
}

__all__ = sorted(_ROOMS)


def __getattr__(name):
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_ROOMS[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
