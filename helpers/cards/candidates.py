"""Words that compete: which of them a card shows, and their shares as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from ..displays.numbers import clip, columns_of, fixed, left, symbol_html, wrap
from ..displays.output import Display
from .bars import framed, svg
from .settings import Settings

MOST_WORDS = 9
"""Words that a card shows of those that compete."""
ROW_PX, BAR_PX, LETTER_PX = 24, 180, 8
LONGEST_LABEL = 14
BAR = 'fill="#2f74d0" style="fill:var(--acc)"'
DASHED = 'fill="none" stroke="#808080" stroke-width="1.5" stroke-dasharray="4 3"'


def competitors(settings: Settings) -> tuple[str, ...]:
    """Every word that competes at the output, in the order of the columns of the logits."""
    example = settings.example
    return tuple(example.candidates or sorted(example.vocabulary, key=example.vocabulary.get))


def german_words(settings: Settings) -> tuple[str, ...]:
    """Words that can be written: those of the translation, or all German words that the model knows; and the end."""
    if not settings.trained:
        return settings.example.candidates
    from ..trained import known_words

    return (*known_words("german"), "<eos>")


def shown_columns(settings: Settings) -> list[int]:
    """Columns of the logits that a card shows: the labels first, then the likeliest of the others."""
    run = settings.run
    labels = list(dict.fromkeys(run.example.labels.tolist()))
    others = [column for column in by_size(run.decoder.P.max(axis=0)) if column not in labels]
    return (labels + others)[:MOST_WORDS]


def by_size(shares: np.ndarray) -> list[int]:
    """Places of the shares (V,), the largest first, equal ones in order."""
    return np.argsort(-shares, kind="stable").tolist()


def share_table(
    labels: Sequence[str],
    shares: np.ndarray,
    title: str,
    marks: Mapping[int, str],
    dashed: np.ndarray | None = None,
) -> Display:
    """Shares as bars with their numbers; a marked one is bold, framed, and says its mark.

    labels: n words. shares: (n,), from 0 to 1; exactly 0 has no bar. marks: what is said of a place.
    dashed: (n,) shares drawn as dashed frames around the bars.
    """
    numbers = [fixed(share, sign=False) for share in shares]
    margin = max(columns_of(clip(label, LONGEST_LABEL)) for label in labels)
    x0 = LETTER_PX * margin + 10
    bars = [
        _bar(x0, ROW_PX * k, label, float(share), numbers[k], marks.get(k, ""), dashed[k] if dashed is not None else 0)
        for k, (label, share) in enumerate(zip(labels, shares, strict=True))
    ]
    said = [f"{number} {marks[k]}" if k in marks else number for k, number in enumerate(numbers)]
    more = [f", dashed {fixed(share, sign=False)}" for share in dashed] if dashed is not None else [""] * len(said)
    described = "; ".join(f"{label} {text}{dash}" for label, text, dash in zip(labels, said, more, strict=True))
    longest = max([0, *(columns_of(mark) for mark in marks.values())])
    wide = x0 + BAR_PX + 56 + (LETTER_PX * longest + 8 if longest else 0)
    picture = svg(wide, ROW_PX * len(labels) + 2, title, described + ".", "".join(bars))
    lines = [title] + [
        f"  {left(clip(label, LONGEST_LABEL), margin)}  {text}{dash}  {'#' * round(30 * float(share))}".rstrip()
        for label, text, dash, share in zip(labels, said, more, shares, strict=True)
    ]
    return Display("\n".join(lines), framed(title, picture), ("table", "picture"))


def _bar(x0: int, y: int, label: str, share: float, number: str, mark: str, dashed: float) -> str:
    bold = ' font-weight="700"' if mark else ""
    frame = ' stroke="currentColor" stroke-width="1.5"' if mark else ""
    bar = f'<rect x="{x0}" y="{y + 5}" width="{BAR_PX * share:.1f}" height="14" {BAR}{frame}/>' if share > 0 else ""
    wide = f"{BAR_PX * dashed:.1f}"
    target = f'<path d="M{x0} {y + 2}h{wide}v20h-{wide}" {DASHED}/>' if dashed > 0 else ""
    end = x0 + BAR_PX * max(share, dashed) + 6
    return (
        f'<text x="{x0 - 8}" y="{y + 17}" text-anchor="end"{bold}>{escape(clip(label, LONGEST_LABEL))}</text>'
        f'{bar}{target}<text x="{end:.1f}" y="{y + 17}"{bold}>{number}{" " * bool(mark)}{escape(mark)}</text>'
    )


def key(text: str) -> Display:
    """What the marks of a picture mean, muted."""
    return Display("\n".join(wrap(text)), f'<p class="note">{symbol_html(text)}</p>')


def tiles(title: str, words: Sequence[str], coming: str = "") -> Display:
    """Words in frames, one after the other, and a dashed frame for what is still to come; they wrap where it is narrow.

    coming: what stands in the dashed frame, "" for no such frame.
    """
    spans = [f'<span role="listitem" class="was">{escape(word)}</span>' for word in words]
    spans += [f'<span role="listitem" class="to">{escape(coming)}</span>'] if coming else []
    body = (
        f'<p class="f">{escape(title)}</p>'
        f'<div class="flow" role="list" aria-label="{escape(title)}">{"".join(spans)}</div>'
    )
    text = f"{title}: " + " ".join(f"[{word}]" for word in words) + (f" ({coming})" if coming else "")
    return Display("\n".join(wrap(text)), body, ("flow",))
