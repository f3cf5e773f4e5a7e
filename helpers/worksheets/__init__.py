"""Worksheets: one forward pass on paper, with a box for every answer and the key at the back."""

from .caps import check_caps, multiplications
from .make import Worksheet, worksheet

__all__ = ["Worksheet", "check_caps", "multiplications", "worksheet"]
