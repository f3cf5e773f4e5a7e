"""Worksheets: one forward pass on paper, with a box for every answer and the key at the back."""

from .caps import check_caps, multiplications
from .card import worksheet_card
from .make import Worksheet, worksheet
from .orders import Made, Order, make_worksheets, order

__all__ = [
    "Made",
    "Order",
    "Worksheet",
    "check_caps",
    "make_worksheets",
    "multiplications",
    "order",
    "worksheet",
    "worksheet_card",
]
