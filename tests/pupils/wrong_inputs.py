"""Wrong ways from words to the input matrix. Each rule returns the list of forms in which it can come out."""

import math

from pupils.paper import minus, plus, times
from pupils.rules import position_codes, scaled


def _ids_by_position(desk):
    return [list(range(len(desk.given.words)))]


def _ids_from_1(desk):
    return [[i + 1 for i in desk.given.ids(desk.given.words)]]


def _ids_not_shifted(desk):
    return [desk.given.ids(desk.given.labels)]


def _rows_from_1(desk):
    (ids,) = desk.inputs()
    E = desk.given.E
    return [[list(E[i - 1]) for i in ids]] if all(1 <= i <= len(E) for i in ids) else []


def _rows_by_position(desk):
    return [[list(desk.given.E[t]) for t in range(len(desk.given.words))]]


def _one_wrong_row(desk):
    (ids,) = desk.inputs()
    E = desk.given.E
    if any(not 0 <= i < len(E) for i in ids):
        return []
    found = []
    for t, own in enumerate(ids):
        for other in range(len(E)):
            if other != own:
                rows = [list(E[i]) for i in ids]
                rows[t] = list(E[other])
                found.append(rows)
    return found


def _not_scaled(desk):
    if desk.box.family == "E_scaled":
        return [[list(row) for row in desk.see("E_rows")]]
    return [plus(desk.see("E_rows"), desk.see("PE"))]


def _times_d_model(desk):
    return [times(desk.see("E_rows"), desk.given.d_model)]


def _divided(desk):
    return [times(desk.see("E_rows"), 1 / math.sqrt(desk.given.d_model))]


def _scaled_after(desk):
    return [scaled(plus(desk.see("E_rows"), desk.see("PE")))]


def _codes(desk, angle=None, wave=None):
    return [position_codes(len(desk.given.words), desk.given.d_model, angle, wave)]


def _column_as_i(desk):
    d = desk.given.d_model
    return _codes(desk, lambda t, c: t / 10000 ** (2 * c / d))


def _cosine_next(desk):
    d = desk.given.d_model
    return _codes(desk, lambda t, c: t / 10000 ** (2 * (c // 2 + c % 2) / d))


def _base_1000(desk):
    d = desk.given.d_model
    return _codes(desk, lambda t, c: t / 1000 ** (2 * (c // 2) / d))


def _halves(desk):
    d = desk.given.d_model
    half = d // 2
    return _codes(desk, lambda t, c: t / 10000 ** (2 * (c % half) / d), lambda c: math.cos if c >= half else math.sin)


def _swapped(desk):
    return _codes(desk, wave=lambda c: math.sin if c % 2 else math.cos)


def _from_1(desk):
    d = desk.given.d_model
    return _codes(desk, lambda t, c: (t + 1) / 10000 ** (2 * (c // 2) / d))


def _degrees(desk):
    d = desk.given.d_model
    return _codes(desk, lambda t, c: math.radians(t / 10000 ** (2 * (c // 2) / d)))


def _no_pe(desk):
    return [[list(row) for row in desk.see("E_scaled")]]


def _subtracted(desk):
    return [minus(*desk.inputs())]


RULES = {
    "ids.by-position": _ids_by_position,
    "ids.counted-from-1": _ids_from_1,
    "ids.not-shifted": _ids_not_shifted,
    "rows.counted-from-1": _rows_from_1,
    "rows.by-position": _rows_by_position,
    "rows.wrong-row": _one_wrong_row,
    "embedding.not-scaled": _not_scaled,
    "embedding.times-d_model": _times_d_model,
    "embedding.divided": _divided,
    "embedding.scaled-after-pe": _scaled_after,
    "pe.column-as-i": _column_as_i,
    "pe.cosine-next": _cosine_next,
    "pe.base-1000": _base_1000,
    "pe.halves": _halves,
    "pe.swapped": _swapped,
    "pe.from-1": _from_1,
    "pe.degrees": _degrees,
    "input.no-pe": _no_pe,
    "sum.subtracted": _subtracted,
}
