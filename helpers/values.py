"""Results, weights and masks of a run, asked for by name."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np

from .errors import PlainError


class NoSuchStep(PlainError, AttributeError):
    """A name that is no step, weight or mask of the place that was asked."""


class Values:
    """Results, weights and masks of one place in the run, by name: `values.Q0` or `values["Q0"]`."""

    def __init__(self, place: str, values: dict):
        self._place = place
        self._values = values

    def __getitem__(self, key: str):
        if isinstance(key, str) and key in self._values:
            return self._values[key]
        near = get_close_matches(str(key), self._values, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise NoSuchStep(f"There is no {key!r} in {self._place}.{hint}")

    def __getattr__(self, key: str):
        if key.startswith("_"):
            raise AttributeError(key)
        return self[key]

    def __contains__(self, key) -> bool:
        return key in self._values

    def __dir__(self):
        return [*super().__dir__(), *self._values]

    def as_dict(self) -> dict:
        """Everything by its name, in a dictionary of its own."""
        return dict(self._values)

    def __repr__(self) -> str:
        return f"<{self._place}: {', '.join(self._values)}>"


class Stack(Values):
    """Encoder or decoder of a run: its input, its layers and what follows them.

    With one layer its results are here too (`run.encoder.Q0`); with more, ask `run.encoder.layer(2).Q0`.
    """

    def __init__(self, name: str, around: dict, layers: list[dict], result: str):
        self._layers = [Values(f"{name} layer {k}", values) for k, values in enumerate(layers, start=1)]
        self._name = name
        self._result = result
        only = layers[0] if len(layers) == 1 else {}
        super().__init__(f"the {name}", only | around)

    def __getitem__(self, key: str):
        if isinstance(key, str) and key not in self._values and key in self._layers[0]:
            raise NoSuchStep(
                f"The {self._name} has {len(self._layers)} layers with a {key} each: ask one of them, "
                f"as in .layer({len(self._layers)}).{key}"
            )
        return super().__getitem__(key)

    def layer(self, k: int) -> Values:
        """Layer k, counted from 1 as in the paper; PlainError if there is no such layer."""
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= len(self._layers):
            raise PlainError(f"The {self._name} has layers 1 to {len(self._layers)}; there is no layer {k!r}.")
        return self._layers[k - 1]

    @property
    def output(self) -> np.ndarray:
        """What the last layer hands on: Z (n_src, d_model) or Y3 (n_tgt, d_model)."""
        return self._layers[-1][self._result]
