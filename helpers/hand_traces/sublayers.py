"""Steps that stand around attention: the mixing product, residual sums, LayerNorm, the feed-forward network."""

from __future__ import annotations

import math

import numpy as np

from ..transformer import EPS
from .inputs import heading, symbols
from .place import Place
from .sheet import Column, Sheet


def combine(place: Place, sheet: Sheet, result: str) -> None:
    """Mix the heads with W_O: M of one block, one component written out."""
    x, W = place.steps[result].inputs
    heading(place, sheet, "Mix the heads", result)
    names = (x, symbols(W), result)
    sheet.product(place[x], place[W], (place.row, place.component), names, place[result], place.words)
    d = place.run.sizes.d_model
    sheet.table(f"all {d} components", {"c": range(d)}, [Column(result, place.at(x) @ place[W], place.at(result))])


def residual(place: Place, sheet: Sheet, result: str) -> None:
    """Add the input of a block back to its output."""
    x, sub = place.steps[result].inputs
    heading(place, sheet, f"Add {x} back", result)
    a, b, c = place.at(x), place.at(sub), place.component
    sheet.opened(
        f"{result}[{place.word}, {c}] = {x}[{place.word}, {c}] + {sub}[{place.word}, {c}]",
        f"({sheet.number(a[c])}) + ({sheet.number(b[c])})",
        a[c] + b[c],
        place.at(result)[c],
    )
    columns = [Column(x, a), Column(sub, b), Column(f"{x} + {sub}", a + b, place.at(result))]
    sheet.table(f"{result}, all {len(a)} components", {"c": range(len(a))}, columns)


def norm(place: Place, sheet: Sheet, result: str) -> None:
    """Normalise the row: mean, variance, divisor, each written out, then every component."""
    x, gamma, beta = place.steps[result].inputs
    heading(place, sheet, f"Normalise {x}", result)
    r, d = place.at(x), place.run.sizes.d_model
    mean = sheet.total(f"sum of the {d} entries of {x}[{place.word}]", r, sign=True) / d
    sheet.say(f"mean = sum / {d} = {sheet.number(mean)}")
    less = r - mean
    variance = sheet.total("sum of the squared distances from the mean", less**2) / d
    divisor = math.sqrt(variance + EPS)
    sheet.say(
        f"variance = sum / {d} = {sheet.number(variance, sign=False)}",
        f"divisor = √({sheet.number(variance, sign=False)} + 0.00001) = {sheet.number(divisor, sign=False)}",
    )
    scaled = less / divisor
    columns = [Column(x, r), Column("less mean", less), Column("squared", less**2, sign=False)]
    sheet.table(f"{result}, all {d} components", {"c": range(d)}, columns + _last(place, scaled, result, gamma, beta))
    deviation = math.sqrt(math.fsum(scaled**2) / d)
    sheet.say(f"After the division: mean {sheet.number(math.fsum(scaled) / d)}, "
              f"standard deviation {sheet.number(deviation, sign=False)}.")  # fmt: skip


def _last(place: Place, scaled: np.ndarray, result: str, gamma: str, beta: str) -> list[Column]:
    """The columns that end in the result; gamma and beta are shown where they do something."""
    g, b, array = place[gamma], place[beta], place.at(result)
    if np.all(g == 1) and np.all(b == 0):
        return [Column("/ divisor", scaled, array)]
    return [
        Column("/ divisor", scaled),
        Column(gamma, g),
        Column(beta, b),
        Column(result, g * scaled + b, array),
    ]


def feed_forward(place: Place, sheet: Sheet) -> None:
    """Widen, cut, narrow: a unit that lives, one that does not, and a component of the output."""
    x, W1, b1 = place.steps["F_pre"].inputs
    heading(place, sheet, "Widen and cut", "F_pre", "F_relu")
    pre, after = place.at("F_pre"), place.at("F_relu")
    for unit in _units(place.unit, pre):
        sheet.product(place[x], place[W1], (place.row, unit), (x, W1, "F_pre"), place["F_pre"], place.words,
                      bias=place[b1], bias_name=b1)  # fmt: skip
        fate = "the unit lives" if pre[unit] > 0 else "ReLU cuts it to 0"
        sheet.opened(f"unit {unit}: {fate}", f"max(0, {sheet.number(pre[unit])})", max(0.0, pre[unit]), after[unit])
    wide = len(pre)
    sheet.compare(f"entries of F_pre[{place.word}] and {x} · {W1} + {b1}", place.at(x) @ place[W1] + place[b1], pre)
    sheet.compare(f"entries of F_relu[{place.word}] and max(0, F_pre)", np.maximum(0, pre), after)
    live = np.flatnonzero(after > 0)
    sheet.say(f"ReLU sets {wide - len(live)} of {wide} units to 0; {len(live)} live{_listed(live)}")
    heading(place, sheet, "Narrow", "F")
    _narrowed(place, sheet, live)


def _narrowed(place: Place, sheet: Sheet, live: np.ndarray) -> None:
    """Write out one component of F with the live units only, then tabulate all."""
    _, W2, b2 = place.steps["F"].inputs
    c, d = place.component, place.run.sizes.d_model
    title = f"F[{place.word}, {c}] = live units of F_relu · their rows of column {c} of {W2} + {b2}"
    if len(live):
        sheet.product(place["F_relu"][:, live], place[W2][live], (place.row, c), ("F_relu", W2, "F"), place["F"],
                      bias=place[b2], bias_name=b2, title=title)  # fmt: skip
    else:
        sheet.opened(f"No unit lives: F[{place.word}, {c}] = {b2}[{c}]", f"({sheet.number(place[b2][c])})",
                     place[b2][c], place.at("F")[c])  # fmt: skip
    worked = place.at("F_relu") @ place[W2] + place[b2]
    sheet.table(f"all {d} components", {"c": range(d)}, [Column("F", worked, place.at("F"))])


def _units(chosen: int | None, pre: np.ndarray) -> list[int]:
    """The unit that was asked for, else the liveliest and the deadest, where there is one."""
    if chosen is not None:
        return [chosen]
    largest, least = int(np.argmax(pre)), int(np.argmin(pre))
    return [unit for unit, wanted in ((largest, pre[largest] > 0), (least, pre[least] <= 0)) if wanted]


def _listed(live: np.ndarray, most: int = 40) -> str:
    if not len(live):
        return "."
    return f": {', '.join(str(unit) for unit in live[:most])}{' …' if len(live) > most else '.'}"
