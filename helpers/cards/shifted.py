"""Decoder 2 and 4: what a position has seen and must predict, and what the mask keeps from it."""

from __future__ import annotations

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed, wrap
from ..displays.output import Display
from .attention import POSITION
from .bars import GAP, TILE, framed, sentence, svg, tile
from .card import Card, Stage, shapes
from .controls import HEAD, Chosen, Press, Tick
from .settings import Settings

TALL = 96


def draw_shifted(settings: Settings, chosen: Chosen) -> Stage:
    """Inputs below, labels above; the chosen position's past filled, its label framed."""
    example, t = settings.example, chosen.word
    inputs, labels = example.tgt_words, example.label_words
    rows = [
        (k, word, " ".join(inputs[: k + 1]), label) for k, (word, label) in enumerate(zip(inputs, labels, strict=True))
    ]
    table = show_table.build(("position", "reads", "has seen", "must predict"), rows, align="rlll")
    shifted = all(inputs[k + 1] == labels[k] for k in range(len(inputs) - 1))
    said = sentence(
        f"Position {t} has seen “{' '.join(inputs[: t + 1])}” and must predict “{labels[t]}”. "
        + ("Each label is the next position's input." if shifted else "Labels and inputs do not fit.")
    )
    display = _two_rows(inputs, labels, t) + said + table
    return Stage(display, f"{len(inputs)} positions", "as many as the sentence needs", weights=False)


def _two_rows(inputs: tuple[str, ...], labels: tuple[str, ...], t: int) -> Display:
    parts = []
    for k, (word, label) in enumerate(zip(inputs, labels, strict=True)):
        parts.append(tile(k, 4, label, "next" if k == t else "later" if k > t else ""))
        parts.append(tile(k, TALL - 36, word, "seen" if k <= t else "later"))
        x = k * (TILE + GAP) + 2 + TILE // 2
        colour = "currentColor" if k == t else "#808080"
        parts.append(f'<path d="M{x} {TALL - 36}V40m-4 5l4 -5l4 5" fill="none" stroke="{colour}"/>')
    title = "Inputs below, labels above"
    described = f"read so far: {' '.join(inputs[: t + 1])}; to predict: {labels[t]}"
    picture = svg(len(inputs) * (TILE + GAP) + 4, TALL + 2, title, described, "".join(parts))
    note = "filled: seen · framed: to be predicted · dashed: still hidden"
    text = "\n".join(wrap(f"{title}: {described}"))
    return Display(text, framed(title, picture, note), ("table", "picture"))


def draw_masked(settings: Settings, chosen: Chosen) -> Stage:
    """Scores and weights of the masked block; with the mask off, what would leak."""
    example, i, t = settings.example, chosen.head, chosen.word
    words, layer = example.tgt_words, settings.run.decoder.layer(1)
    S, B, A = layer[f"Sm{i}"], layer[f"Bm{i}"], layer[f"Am{i}"]
    blocked = tf.causal_mask(len(words))
    honest = chosen_matrix(A, f"Am{i}", words, words, row=t, weights=True, blocked=blocked)
    if not chosen.cheat:
        scores = chosen_matrix(B, f"Bm{i}", words, words, row=t, blocked=blocked, note="later words at −∞")
        seen = t + 1
        said = sentence(
            f"Row “{words[t]}” sees {seen} of {len(words)} words. Its weights on later words add up to "
            f"{fixed(A[t, seen:].sum(), sign=False)}, on the others to {fixed(A[t, :seen].sum(), sign=False)}."
        )
        return Stage(scores + honest + said, *shapes(settings, "decoder", "Am0"), note=f"head {i}")
    scores = chosen_matrix(S, f"Sm{i}", words, words, row=t, note="nothing blocked")
    cheating = tf.softmax(S)
    open_ = chosen_matrix(cheating, "without the mask", words, words, row=t, weights=True)
    leak = (cheating * blocked).sum(axis=1)
    said = sentence(
        f"Without the mask, row “{words[t]}” spends {fixed(leak[t], sign=False)} of its attention on later words. "
        f"Over all rows it is {fixed(leak.mean(), sign=False)} on average, and with the mask "
        f"{fixed((A * blocked).sum(axis=1).max(), sign=False)}. The last row has no later word."
    )
    return Stage(scores + open_.beside(honest) + said, *shapes(settings, "decoder", "Am0"), note=f"head {i}")


def _next(settings: Settings, chosen: Chosen) -> dict | None:
    return {"word": chosen.word + 1} if chosen.word + 1 < len(settings.example.tgt_words) else None


CARDS = (
    Card(
        "shifted right", "decoder", 2, "Shifted right", "What has this position seen, and what must it predict?", "3.1",
        draw_shifted,
        (
            POSITION,
            Press("next", "Next position", change=_next),
            Press("first", "First", change=lambda settings, chosen: {"word": 0}),
        ),
    ),
    Card(
        "masked scores", "decoder", 4, "Masked scores", "Where would a position look if it could cheat?", "3.2.3",
        draw_masked, (POSITION, HEAD, Tick("cheat", "let it cheat")),
    ),
)  # fmt: skip
