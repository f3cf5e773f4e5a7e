"""Settings of the live cards, drawn from all that a reader could choose."""

from hypothesis import strategies as st

from helpers.cards.settings import MOST_LAYERS, WIDTHS, Settings, allowed_heads

WORDS = ["the", "cat", "the", "sat", "🐱", "مرحبا", "straße", "x" * 20, "katze", "a", "don't"]


@st.composite
def any_settings(draw):
    width = draw(st.sampled_from(WIDTHS))
    return Settings(
        d_model=width,
        heads=draw(st.sampled_from(allowed_heads(width))),
        layers=draw(st.integers(1, MOST_LAYERS)),
        source=tuple(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))),
        target=tuple(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7))),
        seed=draw(st.integers(0, 99)),
    )
