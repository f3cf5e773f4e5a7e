"""Cards are left out while a notebook is marked."""

from helpers.quiet import room, shows

card = shows("cards", "card", "A card")
__getattr__, __dir__, __all__ = room("cards", globals())
