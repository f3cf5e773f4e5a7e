"""Decoder 7: German words ask, English words answer."""

from __future__ import annotations

from html import escape

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import clip, fixed, wrap
from ..displays.output import Display
from .attention import POSITION
from .bars import sentence, svg
from .card import Card, Stage, shapes
from .controls import HEAD, LAYER, TRAINED, Chosen
from .settings import Settings

TALL, LEFT, RIGHT, NUMBER = 28, 88, 176, 290
FAINTEST = 0.15
LONGEST = 11


def draw_cross(settings: Settings, chosen: Chosen) -> Stage:
    """Where queries, keys and values come from, the rectangular scores, and whom a position listens to."""
    example, i, k, t = settings.example, chosen.head, chosen.layer, chosen.word
    layer, asks, answers = settings.run.decoder.layer(k), example.tgt_words, example.src_words
    S, A = layer[f"Sc{i}"], layer[f"Ac{i}"]
    sources = show_table.build(
        ("matrix", "made from", "rows"),
        [
            (f"Qc{i}", "Y1, the decoder's side", len(asks)),
            (f"Kc{i}", "Z, the encoder's output", len(answers)),
            (f"Vc{i}", "Z, the encoder's output", len(answers)),
        ],
    )
    scores = chosen_matrix(S, f"Sc{i}", asks, answers, row=t, note="German rows, English columns, no mask")
    best = int(np.argmax(A[t]))
    said = (
        f"Position “{asks[t]}” must predict “{example.label_words[t]}” and leans most on “{answers[best]}”, "
        f"with {fixed(A[t, best], sign=False)}."
    )
    if not settings.trained:
        said += " The weights are random, so the pattern is arbitrary."
    display = alignment(asks, answers, A, t).beside(sources) + sentence(said) + scores
    return Stage(display, *shapes(settings, "decoder", "Ac0"), note=f"layer {k}, head {i}")


def alignment(asks: tuple[str, ...], answers: tuple[str, ...], A: np.ndarray, t: int) -> Display:
    """Two columns of words; lines from the chosen one, as thick as its shares, others faint from 0.15."""
    rows = max(len(asks), len(answers))
    height = TALL * (rows + 1)
    tops = [TALL * (1 + (rows - len(words)) / 2) for words in (asks, answers)]

    def middle(side: int, place: int) -> float:
        return tops[side] + TALL * place + TALL / 2

    lines, strong = [], []
    for r in range(len(asks)):
        for j in range(len(answers)):
            share = float(A[r, j])
            y0, y1 = middle(0, r), middle(1, j)
            path = (
                f'<path d="M{LEFT} {y0:.1f}C{LEFT + 44} {y0:.1f} {RIGHT - 44} {y1:.1f} {RIGHT} {y1:.1f}" fill="none" '
            )
            if r == t:
                strong.append(f'{path}stroke="#2f74d0" style="stroke:var(--acc)" stroke-width="{1 + 14 * share:.1f}"/>')
            elif share >= FAINTEST:
                lines.append(f'{path}stroke="#808080" stroke-opacity=".6" stroke-width="{6 * share:.1f}"/>')
    best = int(np.argmax(A[t]))
    texts = [f'<text x="{LEFT - 8}" y="18" text-anchor="end">asks</text><text x="{RIGHT + 8}" y="18">answers</text>']
    texts.append(f'<text x="{NUMBER}" y="18" text-anchor="end">share</text>')
    for r, word in enumerate(asks):
        y = middle(0, r)
        bold = ' font-weight="700"' if r == t else ""
        texts.append(
            f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end"{bold}>{escape(clip(word, LONGEST))}</text>'
        )
        if r == t:
            texts.append(
                f'<rect x="2" y="{y - 11:.1f}" width="{LEFT - 4}" height="22" rx="3" fill="none" stroke="#2f74d0" '
                'style="stroke:var(--acc)" stroke-width="2"/>'
            )
    for j, word in enumerate(answers):
        y = middle(1, j)
        bold = ' font-weight="700"' if j == best else ""
        texts.append(
            f'<text x="{RIGHT + 8}" y="{y + 5:.1f}"{bold}>{escape(clip(word, LONGEST))}</text>'
            f'<text x="{NUMBER}" y="{y + 5:.1f}" text-anchor="end"{bold}>{fixed(A[t, j], sign=False)}</text>'
        )
    shares = ", ".join(f"{word} {fixed(A[t, j], sign=False)}" for j, word in enumerate(answers))
    title, described = f"Whom position {asks[t]} listens to", f"{asks[t]}: {shares}"
    picture = svg(NUMBER + 4, height + 4, title, described, "".join([*lines, *strong, *texts]))
    note = f'<p class="note">grey: other positions, from {FAINTEST}</p>'
    return Display(
        "\n".join(wrap(f"{title}: {shares}")), f'<p class="f">{escape(title)}</p>{picture}{note}', ("side", "picture")
    )


CARDS = (
    Card(
        "cross-attention", "decoder", 7, "Cross-attention", "Which English words does each German position lean on?",
        "3.2.3", draw_cross, (POSITION, HEAD, LAYER, TRAINED),
    ),
)  # fmt: skip
