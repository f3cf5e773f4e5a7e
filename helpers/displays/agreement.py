"""Whether what is written out agrees with the array beside it: compared, never assumed."""

from __future__ import annotations

import numpy as np

from .numbers import fixed

TOLERANCE = 1e-9
"""Relative and absolute: far above the rounding of float64, far below anything printed."""


def agreement(total: float, value: float, decimals: int) -> str:
    """Say whether a sum worked out here agrees with an entry of the array."""
    if np.isclose(total, value, rtol=TOLERANCE, atol=TOLERANCE):
        return "agrees with the array"
    return f"does NOT agree: the array has {fixed(value, decimals)}"


def disagreement(given: np.ndarray, computed: np.ndarray, name: str, formula: str) -> list[str]:
    """Return a warning when not every entry of the array given is what the formula gives, else nothing."""
    off = int(np.sum(~np.isclose(given, computed, rtol=TOLERANCE, atol=TOLERANCE)))
    return [f"{off} of {given.size} entries of {name} do NOT agree with {formula}."] if off else []
