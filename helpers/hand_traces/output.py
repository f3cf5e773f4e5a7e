"""Steps from the decoder's last row to a loss: logits, softmax over the vocabulary, loss in two ways."""

from __future__ import annotations

import math

import numpy as np

from ..decoding import rank_of
from ..displays.numbers import fixed
from .inputs import heading
from .place import Place
from .sheet import Column, Sheet

TOP = 6
"""How many of the likeliest tokens are listed."""


def token_name(place: Place, token: int) -> str:
    """Return the word of an id, or "token 5" where the id has no word."""
    return {id: word for word, id in place.run.vocabulary.items()}.get(token, f"token {token}")


def logits(place: Place, sheet: Sheet) -> None:
    """Meet the row with rows of the table: the label's and the favourite's, or the candidates asked for."""
    heading(place, sheet, f"Logits of {place.word}", "logits")
    y, E, array = place.at("Y3"), place.run.E, place["logits"]
    label, favourite = int(place.at("labels")), int(np.argmax(place.at("logits")))
    length = _length(y)
    sheet.say(f"Length of the row Y3[{place.word}]: {sheet.number(length, sign=False)}")
    for token in place.candidates if place.candidates is not None else dict.fromkeys((label, favourite)):
        notes = [note for note, wanted in (("the label", label), ("the favourite", favourite)) if token == wanted]
        name = token_name(place, token)
        known = f" ({', '.join([*([name] if name in place.run.vocabulary else []), *notes])})".replace(" ()", "")
        title = f"logits[{place.word}, {token}] = row {place.word} of Y3 · row {token} of E{known}"
        sheet.product(place["Y3"], E.T, (place.row, token), ("Y3", "Eᵀ", "logits"), array, title=title)
        size = _length(E[token])
        cosine = array[place.row, token] / (length * size) if length * size else 0.0
        sheet.say(f"cosine {sheet.number(cosine)}, length of row {token} of E {sheet.number(size, sign=False)}")
    sheet.compare(f"entries of logits[{place.word}] and Y3 · Eᵀ", E @ y, array[place.row])


def vocabulary_shares(place: Place, sheet: Sheet) -> None:
    """Softmax over the whole vocabulary: maximum, total of the exponentials, the top and the label."""
    heading(place, sheet, f"Probabilities after {place.word}", "P")
    row, label = place.at("logits"), int(place.at("labels"))
    m, exponentials, total = _exponentials(row)
    sheet.say(
        f"m = {sheet.number(m)}, the largest logit, of id {int(np.argmax(row))}",
        f"total = sum of {len(row)} exponentials = {sheet.number(total, sign=False)}",
        f"ln(total) = {sheet.number(math.log(total))}",
        f"log-sum-exp = m + ln(total) = {sheet.number(m + math.log(total))}",
    )
    listed = [int(token) for token in np.argsort(-row, kind="stable")[:TOP]]
    listed = list(dict.fromkeys([*listed, label]))
    marks = [token_name(place, token) + (" (label)" if token == label else "") for token in listed]
    sheet.table(
        f"the likeliest {min(TOP, len(row))} of {len(row)}, and the label",
        {"rank": [rank_of(row, token) for token in listed], "id": listed, "token": marks},
        [
            Column("logit", row[listed]),
            Column("less m", row[listed] - m),
            Column("exp", exponentials[listed], sign=False),
            Column("/ total = P", exponentials[listed] / total, place.at("P")[listed], sign=False),
        ],
    )
    worked = exponentials / total
    sheet.compare(f"entries of P[{place.word}] and exp / total", worked, place.at("P"))
    sheet.say(f"The {len(row)} probabilities add up to {sheet.number(math.fsum(worked), sign=False)}.")


def loss(place: Place, sheet: Sheet) -> None:
    """The loss of the row from its probability, and again from the logits without one."""
    label, array = int(place.at("labels")), float(place.at("losses"))
    name = token_name(place, label)
    heading(place, sheet, f"Loss at {place.word}: the next word is {name}", "losses")
    row = place.at("logits")
    m, _, total = _exponentials(row)
    p = float(place.at("P")[label])
    # A probability too small for float64 is 0 and its loss infinite; the second way still gives the true number.
    direct = -math.log(p) if p else math.inf
    sheet.opened(f"from the probability: -ln P[{place.word}, {name}]",
                 f"-ln({_small(p)})", direct, array, sign=False)  # fmt: skip
    second = -(row[label] - m - math.log(total))
    sheet.opened(
        "from the logits: -(logit - m - ln(total))",
        f"-(({sheet.number(row[label])}) - ({sheet.number(m)}) - ({sheet.number(math.log(total))}))",
        second,
        array if p else None,
        sign=False,
    )
    even = sheet.number(math.log(len(row)), sign=False)
    sheet.say(
        f"For comparison: {len(row)} equal probabilities give ln({len(row)}) = {even}; "
        f"a probability of 1 gives {sheet.number(0, sign=False)}."
    )


def _exponentials(row: np.ndarray) -> tuple[float, np.ndarray, float]:
    m = float(row.max())
    exponentials = np.exp(row - m)
    return m, exponentials, math.fsum(exponentials)


def _length(values: np.ndarray) -> float:
    return math.sqrt(math.fsum(values**2))


def _small(p: float) -> str:
    return fixed(p, 8, sign=False)
