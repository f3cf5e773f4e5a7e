"""Encoder 1 and 2, decoder 1: the sizes, the sentences, and whose weights."""

from __future__ import annotations

from ..counts import encoder_multiply_adds, encoder_parameters
from ..displays.notes import show_table
from ..displays.output import Display
from ..sizes import PAPER_BASE
from .card import Card, Stage
from .controls import TRAINED, Chosen, Line, Menu, Number, Press
from .settings import (
    LARGEST_SEED,
    MOST_LAYERS,
    RECOMMENDED,
    SOURCE_EXAMPLES,
    TARGET_EXAMPLES,
    WIDTHS,
    Settings,
    allowed_heads,
)


def _widths(settings: Settings) -> list[tuple[str, int]]:
    return [(str(width), width) for width in WIDTHS]


def _heads(settings: Settings) -> list[tuple[str, int]]:
    return [(str(h), h) for h in allowed_heads(settings.sizes.d_model)]


def _layers(settings: Settings) -> list[tuple[str, int]]:
    return [(str(k), k) for k in range(1, MOST_LAYERS + 1)]


def _next_seed(settings: Settings, chosen: Chosen) -> dict:
    return {"seed": (settings.seed + 1) % (LARGEST_SEED + 1)}


NEW_WEIGHTS = Press("new_weights", "New random weights", change=_next_seed, of_the_model=True)
SEED = Number("seed", "seed", high=LARGEST_SEED, of_the_model=True)


def said(text: str) -> Display:
    """A sentence below a picture, as a display."""
    return Display(text, f'<p class="say">{text}</p>')


def draw_sizes(settings: Settings, chosen: Chosen) -> Stage:
    """Every size of this run beside the paper's, and what follows from it."""
    sizes, paper = settings.sizes, PAPER_BASE
    names = (
        ("d_model", "width of every token's vector", "d_model"),
        ("h", "attention heads", "heads"),
        ("d_k", "width of one head, d_model / h", "d_k"),
        ("d_ff", "width inside the feed-forward network, 4 · d_model", "d_ff"),
        ("N", "layers in each stack", "layers"),
    )
    rows = [(symbol, what, getattr(sizes, key), getattr(paper, key)) for symbol, what, key in names]
    n = len(settings.source)
    for what, count in (
        ("parameters of the encoder", lambda s: encoder_parameters(s)),
        ("multiply-adds for your sentence", lambda s: encoder_multiply_adds(s, n)),
    ):
        rows.append(("", what, count(sizes), count(paper)))
    table = show_table.build(("", "size", "this run", "paper"), rows)
    if settings.trained:
        table += said("The trained model has its own sizes. Choose random weights to change them.")
    return Stage(table, f"d_model {sizes.d_model}", f"d_model {paper.d_model}", weights=False)


def draw_source(settings: Settings, chosen: Chosen) -> Stage:
    """The words of the English sentence with their places and ids."""
    return _draw_words(settings, settings.example.src_words, "Your English sentence")


def draw_target(settings: Settings, chosen: Chosen) -> Stage:
    """The words of the German sentence, the start token left out."""
    return _draw_words(settings, settings.target, "The German sentence")


def _draw_words(settings: Settings, words: tuple[str, ...], caption: str) -> Stage:
    ids = settings.example.vocabulary
    table = show_table.build(("place", "word", "id"), [(t, word, ids[word]) for t, word in enumerate(words)], caption)
    repeated = list(dict.fromkeys(word for word in words if words.count(word) > 1))
    if repeated:
        table += said(f"“{repeated[0]}” stands here {words.count(repeated[0])} times and has one id.")
    if settings.trained:
        known = " ".join(_known("german" if words is settings.target else "english"))
        table += said(f"The trained model knows these words: {known}.")
    return Stage(table, f"{len(words)} words", "a vocabulary of 37,000", weights=False)


def _known(language: str) -> tuple[str, ...]:
    from ..trained import known_words

    return tuple(known_words(language))


def _examples(texts: tuple[str, ...], field: str) -> tuple[Press, ...]:
    """A button for each example sentence."""
    return tuple(
        Press(f"{field}_{k}", text, change=lambda settings, chosen, text=text: {field: text})
        for k, text in enumerate(texts)
    )


CARDS = (
    Card(
        "sizes", "encoder", 1, "Sizes", "Which numbers did the authors choose, and which follow from them?", "3",
        draw_sizes,
        (
            Menu("d_model", "d_model", options=_widths, of_the_model=True),
            Menu("heads", "heads", options=_heads, of_the_model=True),
            Menu("layers", "layers", options=_layers, of_the_model=True),
            Press("recommended", "Recommended", change=lambda settings, chosen: RECOMMENDED, of_the_model=True),
            SEED,
            NEW_WEIGHTS,
            TRAINED,
        ),
    ),
    Card(
        "sentence", "encoder", 2, "Your sentence", "What does the model get to see of what you type?", "5.1",
        draw_source,
        (Line("source", "English sentence"), *_examples(SOURCE_EXAMPLES, "source")),
    ),
    Card(
        "german sentence", "decoder", 1, "The German sentence", "What should come out?", "3.1",
        draw_target,
        (Line("target", "German sentence"), *_examples(TARGET_EXAMPLES, "target"), TRAINED),
    ),
)  # fmt: skip
