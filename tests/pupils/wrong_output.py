"""Wrong ways from Y3 to the loss and the next word; each rule returns the list of forms it can come out in."""

import math

from pupils.paper import times, transpose
from pupils.rules import candidate_rows, label_columns, largest, losses, mean, minus_log, project


def _scaled_table(desk):
    table = times(candidate_rows(desk), math.sqrt(desk.given.d_model))
    return [project(desk, desk.inputs()[0], transpose(table))]


def _input_rows(desk):
    return [project(desk, desk.inputs()[0], transpose(desk.given.rows(desk.given.words)))]


def _wrong_stream(desk):
    return [project(desk, desk.see(name), transpose(candidate_rows(desk))) for name in ("Y2", "Y1")]


def _label_probabilities(desk):
    return [row[c] for row, c in zip(desk.see("P"), label_columns(desk), strict=True)]


def _other_base(base):
    return lambda desk: [[minus_log(p, base) for p in _label_probabilities(desk)]]


def _no_minus(desk):
    if desk.box.family == "loss":
        return [-mean(desk, *desk.inputs())]
    return [[-minus_log(p) for p in _label_probabilities(desk)]]


def _not_logged(desk):
    return [[1 - p for p in _label_probabilities(desk)]]


def _wrong_row(desk):
    """The label of the row before, or of the row after; the ends are joined."""
    columns = label_columns(desk)
    P = desk.see("P")
    return [losses(desk, P, columns[-1:] + columns[:-1]), losses(desk, P, columns[1:] + columns[:1])]


def _of_largest(desk):
    return [[minus_log(max(row)) for row in desk.see("P")]]


def _sum(desk):
    return [desk.pen.note(sum(desk.see("losses")))]


def _of_mean_probability(desk):
    return [minus_log(desk.pen.note(mean(desk, _label_probabilities(desk))))]


def _first_row(desk):
    return [desk.given.candidates[largest(desk.see("P")[0])]]


def _smallest(desk):
    return [desk.given.candidates[largest([-p for p in desk.see("P")[-1]])]]


def _column(desk):
    return [desk.given.candidates[largest([row[-1] for row in desk.see("P")])]]


RULES = {
    "logits.scaled-table": _scaled_table,
    "logits.input-rows": _input_rows,
    "logits.wrong-stream": _wrong_stream,
    "loss.log10": _other_base(10),
    "loss.log2": _other_base(2),
    "loss.no-minus": _no_minus,
    "loss.not-logged": _not_logged,
    "loss.wrong-row": _wrong_row,
    "loss.of-largest": _of_largest,
    "loss.sum": _sum,
    "loss.perplexity": lambda desk: [math.exp(mean(desk, *desk.inputs()))],
    "loss.of-mean-probability": _of_mean_probability,
    "next.first-row": _first_row,
    "next.smallest": _smallest,
    "next.column": _column,
}
