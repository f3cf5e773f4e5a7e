"""Worksheets are left out while a notebook is marked."""

from helpers.quiet import room, shows

worksheet_card = shows("worksheets", "worksheet_card", "The card that makes worksheets")
__getattr__, __dir__, __all__ = room("worksheets", globals())
