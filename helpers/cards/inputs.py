"""Encoder 3, 4 and 9, decoder 3: from ids to rows of the table, scaled, with position codes added."""

from __future__ import annotations

import math

import numpy as np

from ..displays.chosen import WIDEST, chosen_matrix
from ..displays.elementwise import show_elementwise
from ..displays.notes import show_table
from ..displays.numbers import fixed, wrap
from ..displays.output import Display
from ..displays.table import scroll
from ..sizes import PAPER_BASE
from ..values import Values
from .attention import POSITION, WORD
from .bars import sentence, svg
from .card import Card, Stage, shapes
from .controls import Chosen, Menu, numbered
from .settings import Settings

STRIP = 480
"""Pixels that stand for all rows of E."""


def table_window(settings: Settings, values: Values, words: tuple[str, ...], t: int) -> Display:
    """The rows of E that the words use, in the table's own order, and the rows as the sentence stacks them."""
    E, ids = settings.example.E, values.ids
    used = sorted(set(ids.tolist()))
    names = {int(id_): word for id_, word in zip(ids, words, strict=True)}
    window = chosen_matrix(
        E[used], "E", [f"{id_} {names[id_]}" for id_ in used], row=used.index(int(ids[t])),
        note=f"{len(used)} of {len(E)} rows, by id",
    )  # fmt: skip
    return window + chosen_matrix(values.E_rows, "E_rows", words, row=t, note="one row for each word")


def whole_table(ids: np.ndarray, t: int, count: int) -> Display:
    """All rows of E as a strip from the first to the last, with a line at each row that the sentence uses."""
    here, x0 = int(ids[t]), 20

    def x(id_: int) -> float:
        return x0 + STRIP * id_ / (count - 1)

    parts = [f'<rect x="{x0}" y="26" width="{STRIP}" height="20" fill="none" stroke="#808080"/>']
    parts += [f'<path d="M{x(id_):.1f} 26v20" stroke="currentColor"/>' for id_ in sorted(set(ids.tolist()))]
    parts.append(f'<path d="M{x(here):.1f} 20v32" stroke="#2f74d0" style="stroke:var(--acc)" stroke-width="3"/>')
    parts.append(f'<text x="{x(here):.1f}" y="14" text-anchor="middle" font-weight="700">{here}</text>')
    parts += [f'<text x="{x(id_):.1f}" y="64" text-anchor="middle">{id_}</text>' for id_ in (0, count - 1)]
    title = f"All {count} rows of E"
    described = f"Rows used: {', '.join(map(str, sorted(set(ids.tolist()))))}. Chosen: {here}."
    picture = svg(STRIP + 2 * x0, 68, title, described, "".join(parts))
    text = "\n".join(wrap(f"{title} (picture): {described}"))
    return Display(text, scroll(picture, title), ("table", "picture"))


def draw_rows(settings: Settings, chosen: Chosen) -> Stage:
    """Token, id and row of the embedding table."""
    up, words, t = settings.run.encoder, settings.example.src_words, chosen.word
    places = [place for place, word in enumerate(words) if word == words[t]]
    lines = [(place, word, int(id_)) for place, (word, id_) in enumerate(zip(words, up.ids, strict=True))]
    tokens = show_table.build(("place", "token", "id"), lines)
    said = f"“{words[t]}” has id {int(up.ids[t])}, so it takes row {int(up.ids[t])} of E. "
    if len(places) > 1:
        same = bool(np.all(up.E_rows[places] == up.E_rows[places[0]]))
        *most, last = map(str, places)
        said += f"It stands at places {', '.join(most)} and {last}: these rows are {'equal' if same else 'different'}."
    else:
        said += "Nothing but the id chooses the row."
    strip = whole_table(up.ids, t, len(settings.example.E))
    display = tokens.beside(strip + table_window(settings, up, words, t)) + sentence(said)
    note = f"table: {len(settings.example.E)} rows here, {PAPER_BASE.vocab:,} in the paper"
    return Stage(display, *shapes(settings, "encoder", "E_rows"), note=note)


def lengths(M: np.ndarray) -> list[float]:
    """The length of every row."""
    return np.linalg.norm(M, axis=1).tolist()


def draw_scaling(settings: Settings, chosen: Chosen) -> Stage:
    """A row before and after it is multiplied by the root of its width, beside the position code it will meet."""
    up, words, t = settings.run.encoder, settings.example.src_words, chosen.word
    rows = np.stack([up.E_rows[t], up.E_scaled[t], up.PE[t]])
    labels = ["E_rows", "E_scaled", "PE"]
    table = chosen_matrix(rows, f"Row {words[t]}", labels, row=1, note="before, after, and the position row it meets")
    names = [f"→ {label}" if place == t else label for label, place in numbered(words)]
    cells = [
        (name, *(fixed(value, 3, sign=False) for value in line))
        for name, *line in zip(names, lengths(up.E_rows), lengths(up.E_scaled), lengths(up.PE), strict=True)
    ]
    heads = ("length of row", "E_rows", "E_scaled", "PE")
    d = settings.sizes.d_model
    root, paper = (fixed(math.sqrt(width), 3, sign=False) for width in (d, PAPER_BASE.d_model))
    before, after = (np.mean(lengths(M)) / np.mean(lengths(up.PE)) for M in (up.E_rows, up.E_scaled))
    said = sentence(
        f"√d_model is {root} here and {paper} in the paper. Before scaling, a word's row is on average "
        f"{fixed(before, 2, sign=False)} times as long as its position row; after scaling, "
        f"{fixed(after, 2, sign=False)} times. The paper gives no reason for the factor; keeping the word from being "
        "drowned by its position is one reading."
    )
    return Stage(table + show_table.build(heads, cells, align="lrrr") + said, *shapes(settings, "encoder", "E_scaled"))


def draw_adding(settings: Settings, chosen: Chosen) -> Stage:
    """E_scaled + PE = X, and what becomes of rows that were equal."""
    up, words = settings.run.encoder, settings.example.src_words
    labels = [label for label, _ in numbered(words)]
    table = show_elementwise.build(
        up.E_scaled, up.PE, ("E_scaled", "PE", "X"), labels, result=up.X, worked=(chosen.word, chosen.column),
        max_cols=WIDEST, fit=False,
    )  # fmt: skip
    pair = repeated(words, chosen.word)
    if pair is None:
        said = "No word stands here twice. With a repeated word you would see what becomes of equal rows."
    else:
        said = f"“{words[pair[0]]}” stands at places {pair[0]} and {pair[1]}. " + " ".join(
            _compared(name, M[pair[0]], M[pair[1]]) for name, M in (("E_scaled", up.E_scaled), ("X", up.X))
        )
    return Stage(table + sentence(said), *shapes(settings, "encoder", "X"))


def repeated(words: tuple[str, ...], t: int) -> tuple[int, int] | None:
    """Two places of one word: of word t if it is repeated, else of the first that is; None if none is."""
    pairs = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words)) if words[i] == words[j]]
    return next((pair for pair in pairs if t in pair), pairs[0] if pairs else None)


def _compared(name: str, first: np.ndarray, second: np.ndarray) -> str:
    gap = np.abs(first - second)
    if gap.max() == 0:
        return f"Its rows of {name} are equal, entry by entry."
    largest = fixed(gap.max(), sign=False)
    return f"Its rows of {name} differ in {int((gap > 0).sum())} of {gap.size} entries, by up to {largest}."


def draw_decoder_input(settings: Settings, chosen: Chosen) -> Stage:
    """The decoder's rows: table rows, scaled, with the encoder's position codes added."""
    run, words, t = settings.run, settings.example.tgt_words, chosen.word
    down, up = run.decoder, run.encoder
    rows = np.stack([down.E_rows[t], down.E_scaled[t], down.PE[t], down.Y0[t]])
    one = chosen_matrix(rows, f"Row {words[t]}", ["E_rows", "E_scaled", "PE", "Y0"], row=3, note="E_scaled + PE = Y0")
    whole = chosen_matrix(down.Y0, "Y0", words, row=t, note="what layer 1 reads")
    n = min(len(up.PE), len(down.PE))
    same = np.array_equal(up.PE[:n], down.PE[:n])
    where = "in both" if t < len(up.PE) else "here only, because the English sentence is shorter"
    shared = "The first row of PE is" if n == 1 else f"The first {n} rows of PE are"
    said = sentence(
        f"{shared} {'the same' if same else 'different'} in both stacks. Position {t} has its row {where}. "
        "Both stacks read one table E."
    )
    return Stage(one + whole + said, *shapes(settings, "decoder", "Y0"))


COLUMN = Menu("column", "column", 0, options=lambda settings: [(str(c), c) for c in range(settings.sizes.d_model)])

CARDS = (
    Card(
        "table rows", "encoder", 3, "Rows of the table", "Which row of the table does this word take?", "3.4",
        draw_rows, (WORD,),
    ),
    Card(
        "scaling", "encoder", 4, "Scaling", "How loud is a word beside its position?", "3.4", draw_scaling, (WORD,),
    ),
    Card(
        "adding", "encoder", 9, "Adding the position", "What becomes of rows that were identical?", "3.5",
        draw_adding, (WORD, COLUMN),
    ),
    Card(
        "decoder input", "decoder", 3, "The decoder's input", "What does the German side share with the English side?",
        "3.4, §3.5", draw_decoder_input, (POSITION,),
    ),
)  # fmt: skip
