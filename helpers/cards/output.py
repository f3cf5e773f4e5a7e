"""Decoder 11 and 12: logits, probabilities, and what each position pays."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.output import Display
from ..displays.product import expand
from ..sizes import PAPER_BASE
from .attention import POSITION
from .bars import sentence
from .candidates import MOST_WORDS, by_size, competitors, key, share_table, shown_columns
from .card import Card, Stage
from .controls import TRAINED, Chosen, Decimal, Menu
from .settings import Settings

PAPER_SMOOTHING = 0.1


def arbitrary(settings: Settings) -> str:
    """What has to be said of words that random weights prefer; nothing of a trained model's."""
    return "" if settings.trained else " The weights are random: which word comes first is arbitrary."


def _columns(settings: Settings) -> list[tuple[str, int]]:
    words = competitors(settings)
    return [(words[column], column) for column in shown_columns(settings)]


def _competing(settings: Settings) -> tuple[str, str]:
    m = len(settings.example.tgt_words)
    return f"{m} × {len(competitors(settings))}", f"{m} × {PAPER_BASE.vocab:,}"


def draw_logits(settings: Settings, chosen: Chosen) -> Stage:
    """One score for each competing word: its row of the table against the position's row of Y3."""
    run, t, column = settings.run, chosen.word, chosen.candidate
    words, names, shown = run.tgt_words, competitors(settings), shown_columns(settings)
    logits = run.decoder.logits
    some = f"{len(shown)} of {len(names)} words that compete" if len(shown) < len(names) else "all that compete"
    table = chosen_matrix(
        logits[:, shown], "logits", words, [names[c] for c in shown], row=t, col=shown.index(column), note=some
    )
    entry = expand.build(
        run.decoder.output, run.example.E_out.T, (t, column), ("Y3", "Eᵀ", "logits"), words, names, logits
    )
    best = int(np.argmax(logits[t]))
    first = f"At position “{words[t]}” the word “{names[best]}” scores highest, {fixed(logits[t, best])}"
    if best != column:
        first += f"; “{names[column]}” has {fixed(logits[t, column])}"
    said = sentence(
        f"{first}. E is the table that the words came in through; here its rows are not multiplied by √d_model."
        + arbitrary(settings)
    )
    return Stage(table + entry + said, *_competing(settings))


# --- probabilities and losses -------------------------------------------------------------------


def smoothed_target(eps: float, words: int) -> tuple[float, float]:
    """What smoothing wants of the label and of every other word when so many compete. §5.4."""
    return 1 - eps + eps / words, eps / words


def _columns_at(settings: Settings, t: int) -> list[int]:
    """Columns whose bars stand for a position: all if they are few, else its likeliest and its label."""
    P, label = settings.run.decoder.P, int(settings.example.labels[t])
    if P.shape[1] <= MOST_WORDS:
        return list(range(P.shape[1]))
    likeliest = by_size(P[t])
    return likeliest[:MOST_WORDS] if label in likeliest[:MOST_WORDS] else [*likeliest[: MOST_WORDS - 1], label]


def _bars(settings: Settings, t: int, eps: float) -> Display:
    run, names = settings.run, competitors(settings)
    columns, P = _columns_at(settings, t), run.decoder.P
    place = columns.index(int(run.example.labels[t]))
    label, other = smoothed_target(eps, len(names))
    target = np.where(np.arange(len(columns)) == place, label, other)
    all_ = f"{len(columns)} of {len(names)} words" if len(columns) < len(names) else f"{len(names)} words"
    title = f"P at position {run.tgt_words[t]}, {all_}"
    return share_table([names[c] for c in columns], P[t, columns], title, {place: "label"}, target)


def _key(eps: float, words: int) -> Display:
    label, other = (fixed(share, sign=False) for share in smoothed_target(eps, words))
    return key(
        f"solid: what the model gives · dashed: the target, {label} for the label and {other} for every other word"
    )


def draw_losses(settings: Settings, chosen: Chosen) -> Stage:
    """Probabilities of a position as bars, and the loss of every position, plain and smoothed."""
    run, t, eps = settings.run, chosen.word, chosen.smoothing
    words, names, P, labels = run.tgt_words, competitors(settings), run.decoder.P, run.example.labels
    losses, loss = run.decoder.losses, run.decoder.loss
    smoothed = tf.smoothed_loss(run.decoder.logits, labels, eps)
    heads = ("position", "label", "P(label)", "loss", f"loss, smoothing {eps:g}")
    lines = [
        (word, names[labels[k]], *(fixed(x, sign=False) for x in (P[k, labels[k]], losses[k], smoothed[k])))
        for k, word in enumerate(words)
    ]
    lines.append(("mean", "", "", *(fixed(tf.mean_loss(x), sign=False) for x in (losses, smoothed))))
    table = show_table.build(heads, lines, align="llrrr")
    blind = float(np.log(len(names)))
    said = (
        f"Position “{words[t]}” pays −ln {fixed(P[t, labels[t]], sign=False)} = {fixed(losses[t], sign=False)}. "
        f"The mean of all is {fixed(loss, sign=False)}, {'less' if loss < blind else 'no less'} than the "
        f"ln {len(names)} = {fixed(blind, sign=False)} of giving every word the same."
    )
    note = f"label smoothing {eps:g}, in the paper {PAPER_SMOOTHING}"
    return Stage(
        _bars(settings, t, eps).beside(table) + _key(eps, len(names)) + sentence(said), *_competing(settings), note
    )


CARDS = (
    Card(
        "logits", "decoder", 11, "Logits", "How much does this row look like each word?", "3.4", draw_logits,
        (POSITION, Menu("candidate", "word", 0, options=_columns), TRAINED),
    ),
    Card(
        "losses", "decoder", 12, "Probabilities and loss", "What does a position pay for its prediction?", "5.4",
        draw_losses,
        (
            POSITION,
            Decimal("smoothing", "label smoothing", PAPER_SMOOTHING, low=0.0, high=1.0, step=0.05),
            TRAINED,
        ),
    ),
)  # fmt: skip
