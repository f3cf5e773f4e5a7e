"""Steps from a word to its row: lookup and scale, position code, or the row that the layer below hands on."""

from __future__ import annotations

import math
import re

import numpy as np

from ..transformer import pair_divisor
from .place import Place
from .sheet import Column, Sheet


def lookup(place: Place, sheet: Sheet) -> None:
    """Look the word up in the table and scale its row: E_rows, E_scaled."""
    heading(place, sheet, f"Look {place.word} up and scale", "E_rows", "E_scaled")
    token, d = int(place.at("ids")), place.run.sizes.d_model
    row, root, c = place.run.E[token], math.sqrt(d), place.component
    sheet.say(f"{place.word} has the id {token}: row {token} of E. Every entry is multiplied by √{d}.")
    sheet.opened(
        f"E_scaled[{place.word}, {c}] = E[{token}, {c}] · √d_model",
        f"({sheet.number(row[c])}) * {sheet.number(root, sign=False)}",
        row[c] * root,
        place.at("E_scaled")[c],
    )
    sheet.table(
        f"row {token} of E, scaled",
        {"c": range(d)},
        [
            Column(f"E[{token}, c]", row, place.at("E_rows")),
            Column(f"√{d}", [root] * d, sign=False),
            Column("E_scaled", row * root, place.at("E_scaled")),
        ],
    )


def position(place: Place, sheet: Sheet, result: str) -> None:
    """Add the position code: PE and X, or PE and Y0."""
    heading(place, sheet, f"Add the code of position {place.row}", "PE", result)
    t, d, c = place.row, place.run.sizes.d_model, place.component
    omega = [1 / pair_divisor(column // 2, d) for column in range(d)]
    names = ["cos" if column % 2 else "sin" for column in range(d)]
    code = np.array([getattr(math, name)(t * speed) for name, speed in zip(names, omega, strict=True)])
    scaled = place.at("E_scaled")
    sheet.opened(
        f"PE[{t}, {c}] = {names[c]}({t} · ω)",
        f"{names[c]}({t} * {sheet.number(omega[c], sign=False)})",
        code[c],
        place.at("PE")[c],
    )
    sheet.opened(
        f"{result}[{place.word}, {c}] = E_scaled[{place.word}, {c}] + PE[{t}, {c}]",
        f"({sheet.number(scaled[c])}) + ({sheet.number(code[c])})",
        scaled[c] + code[c],
        place.at(result)[c],
    )
    sheet.table(
        f"{place.word} at position {t}: pair i turns by ω = 1 / 10000^(2i/{d}) a step",
        {"c": range(d), "i": [column // 2 for column in range(d)], "wave": names},
        [
            Column("ω", omega, sign=False),
            Column("PE", code, place.at("PE")),
            Column("E_scaled", scaled),
            Column(result, scaled + code, place.at(result)),
        ],
    )


def received(place: Place, sheet: Sheet, result: str, source: str) -> None:
    """Take over the row of the layer below, from layer 2 on: X is the Z below, Y0 the Y3 below."""
    below = place.layer - 1
    sheet.title(f"The row that layer {below} hands on", f"{result} of layer {place.layer} = {source} of layer {below}")
    row = getattr(place.run, place.side).layer(below)[source][place.row]
    sheet.table(
        f"{place.word} enters layer {place.layer}",
        {"c": range(place.run.sizes.d_model)},
        [Column(f"{source}, layer {below}", row, place.at(result))],
    )


def symbols(text: str) -> str:
    """Write the names of projections as the lessons do: Wq is W_Q, Wom is W_Om, Wq0 is W_Q0."""
    return re.sub(r"\bW([qkvo])([mc]?\d*)\b", lambda name: f"W_{name[1].upper()}{name[2]}", text)


def heading(place: Place, sheet: Sheet, title: str, *keys: str) -> None:
    """Write a title with the formulas and the section of the table's steps beside it."""
    steps = [place.steps[key] for key in keys]
    formulas = ",  ".join(f"{step.key} = {symbols(step.formula)}" for step in steps)
    papers = dict.fromkeys(step.paper for step in steps if step.paper)
    sheet.title(title, formulas + (f"   ({', '.join(f'§{paper}' for paper in papers)})" if papers else ""))
