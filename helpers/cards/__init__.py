"""Live cards: what a reader plays with in a lesson."""

from .worksheet import worksheet_card

__all__ = ["worksheet_card"]
