"""Encoder 3, 4 and 9, decoder 3: from ids to rows of the table, scaled, with position codes added."""

from __future__ import annotations

import math

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.elementwise import show_elementwise
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.output import Display
from ..trace import Values
from .attention import POSITION, WORD
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import Chosen, numbered
from .settings import Settings


def table_window(settings: Settings, values: Values, words: tuple[str, ...], t: int) -> Display:
    """The rows of E that the words use, in the table's own order, and the rows as the sentence stacks them."""
    E, ids = settings.example.E, values.ids
    used = sorted(set(ids.tolist()))
    names = {int(id_): word for id_, word in zip(ids, words, strict=True)}
    window = chosen_matrix(
        E[used], "E", [f"{id_} {names[id_]}" for id_ in used], row=used.index(int(ids[t])),
        note=f"{len(used)} of {len(E)} rows, by id",
    )  # fmt: skip
    rows = chosen_matrix(values.E_rows, "E_rows", words, row=t, note="one row for each word")
    return window + rows


def draw_rows(settings: Settings, chosen: Chosen) -> Stage:
    """Token, id and row of the embedding table."""
    up, words, t = settings.run.encoder, settings.example.src_words, chosen.word
    places = [place for place, word in enumerate(words) if word == words[t]]
    lines = [(place, word, int(id_)) for place, (word, id_) in enumerate(zip(words, up.ids, strict=True))]
    tokens = show_table.build(("place", "token", "id"), lines)
    said = f"“{words[t]}” has id {int(up.ids[t])}, so it takes row {int(up.ids[t])} of E. "
    if len(places) > 1:
        same = bool(np.all(up.E_rows[places] == up.E_rows[places[0]]))
        where = " and ".join(map(str, places))
        said += f"It stands at places {where}: these rows are {'equal' if same else 'different'}."
    else:
        said += "Nothing but the id chooses the row."
    display = tokens + table_window(settings, up, words, t) + sentence(said)
    return Stage(display, *shapes(settings, "encoder", "E_rows"), note=f"E: {len(settings.example.E)} rows, 37,000")


def lengths(M: np.ndarray) -> list[float]:
    """The length of every row."""
    return np.linalg.norm(M, axis=1).tolist()


def draw_scaling(settings: Settings, chosen: Chosen) -> Stage:
    """A row before and after it is multiplied by the root of its width, beside the position code it will meet."""
    up, words, t = settings.run.encoder, settings.example.src_words, chosen.word
    rows = np.stack([up.E_rows[t], up.E_scaled[t], up.PE[t]])
    table = chosen_matrix(rows, f"Row {words[t]}", ["E_rows", "E_scaled", "PE"], row=1, note="before, after, and PE")
    cells = [
        (word, *(fixed(value, 3, sign=False) for value in line))
        for word, *line in zip(words, lengths(up.E_rows), lengths(up.E_scaled), lengths(up.PE), strict=True)
    ]
    heads = ("length of row", "E_rows", "E_scaled", "PE")
    d = settings.sizes.d_model
    root = fixed(math.sqrt(d), 3, sign=False)
    ratio = np.mean(lengths(up.E_scaled)) / np.mean(lengths(up.PE))
    said = sentence(
        f"√d_model is {root} here and 22.627 in the paper. After scaling, a word's row is on average "
        f"{fixed(ratio, 2, sign=False)} times as long as the position code added to it; before, "
        f"{fixed(ratio / math.sqrt(d), 2, sign=False)} times. The paper gives no reason; this is one reading."
    )
    return Stage(table + show_table.build(heads, cells, align="lrrr") + said, *shapes(settings, "encoder", "E_scaled"))


def draw_adding(settings: Settings, chosen: Chosen) -> Stage:
    """E_scaled + PE = X, and what becomes of rows that were equal."""
    up, words = settings.run.encoder, settings.example.src_words
    labels = [label for label, _ in numbered(words)]
    table = show_elementwise.build(
        up.E_scaled, up.PE, ("E_scaled", "PE", "X"), labels, result=up.X, worked=(chosen.word, 0)
    )
    pairs = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words)) if words[i] == words[j]]
    if pairs:
        i, j = pairs[0]
        before, after = (float(np.abs(M[i] - M[j]).max()) for M in (up.E_scaled, up.X))
        said = (
            f"“{words[i]}” stands at places {i} and {j}. Its rows of E_scaled differ by at most "
            f"{fixed(before, sign=False)}, its rows of X by up to {fixed(after, sign=False)}."
        )
    else:
        said = "No word stands here twice. Type a sentence that repeats a word, and its equal rows become different."
    return Stage(table + sentence(said), *shapes(settings, "encoder", "X"))


def draw_decoder_input(settings: Settings, chosen: Chosen) -> Stage:
    """The decoder's rows: table rows, scaled, with the encoder's position codes added."""
    run, words, t = settings.run, settings.example.tgt_words, chosen.word
    down, up = run.decoder, run.encoder
    rows = np.stack([down.E_rows[t], down.E_scaled[t], down.PE[t], down.Y0[t]])
    one = chosen_matrix(
        rows, f"Row {words[t]}", ["E_rows", "E_scaled", "PE", "Y0"], row=3, note="the last line is the sum"
    )
    whole = chosen_matrix(down.Y0, "Y0", words, row=t)
    n = min(len(up.PE), len(down.PE))
    gap = float(np.abs(up.PE[:n] - down.PE[:n]).max())
    said = sentence(
        f"The first {n} rows of PE are {'the same' if gap == 0 else 'different'} in both stacks. "
        "Both read one table E and one formula for positions."
    )
    return Stage(one + whole + said, *shapes(settings, "decoder", "Y0"))


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
        draw_adding, (WORD,),
    ),
    Card(
        "decoder input", "decoder", 3, "The decoder's input", "What does the German side share with the English side?",
        "3.4, §3.5", draw_decoder_input, (POSITION,),
    ),
)  # fmt: skip
