"""The right way to make each box, in loops, with whatever the pen rounds on the way."""

import math

from pupils.paper import Desk, plus, times, transpose

EPS = 1e-5
BLOCKED = -math.inf


class Stuck(Exception):
    """The student cannot go on: the logarithm of nothing, or sizes that do not multiply."""


def scaled(rows):
    """√d_model · rows."""
    return times(rows, math.sqrt(len(rows[0])))


def position_codes(n, width, angle=None, wave=None):
    """(n, width) position codes; angle(t, column) and wave(column) can be put wrong."""
    angle = angle or (lambda t, c: t / 10000 ** (2 * (c // 2) / width))
    wave = wave or (lambda c: math.cos if c % 2 else math.sin)
    return [[wave(c)(angle(t, c)) for c in range(width)] for t in range(n)]


def project(desk, x, W, b=None):
    """x (n, d) · W (d, m) + b (m,)."""
    product = desk.pen.matmul(x, W)
    if product is None:
        raise Stuck("the inner sizes differ")
    return product if b is None else [[p + q for p, q in zip(row, b, strict=True)] for row in product]


def raw_scores(desk, Q, K):
    """Q Kᵀ, each entry noted."""
    return [[desk.pen.note(desk.pen.dot(q, k)) for k in K] for q in Q]


def scores(desk, Q, K):
    root = desk.pen.note(math.sqrt(desk.given.d_k))
    return [[r / root for r in row] for row in raw_scores(desk, Q, K)]


def masked(S, blocked=lambda t, j: j > t, filled=BLOCKED):
    """Scores with the blocked ones replaced: by default the future, by −∞."""
    return [[filled if blocked(t, j) else s for j, s in enumerate(row)] for t, row in enumerate(S)]


def exponentials(desk, row):
    return [0.0 if math.isinf(s) else desk.pen.note(math.exp(s)) for s in row]


def softmax_row(desk, row):
    """Exponentials over their sum; a row with nothing left gets equal weights."""
    powers = exponentials(desk, row)
    total = desk.pen.note(sum(powers))
    if total == 0:
        powers = [0.0 if math.isinf(s) else math.exp(s) for s in row]
        total = sum(powers)
    if total == 0:
        return [1 / len(row)] * len(row)
    return [power / total for power in powers]


def softmax(desk, S):
    return [softmax_row(desk, row) for row in S]


def norm_parts(desk, row, less=0):
    """Mean, deviations and variance of a row, each noted; less=1 for the sample variance."""
    pen = desk.pen
    mean = pen.note(sum(row) / len(row))
    off = [pen.note(x - mean) for x in row]
    squares = [pen.note(d * d) for d in off]
    variance = pen.note(sum(squares) / (len(row) - less))
    if variance == 0:
        variance = sum((x - sum(row) / len(row)) ** 2 for x in row) / (len(row) - less)
    return mean, off, variance


def layer_norm(desk, M, less=0, gamma=None, beta=None):
    """LN of every row of M (n, d_model)."""
    found = []
    for row in M:
        _, off, variance = norm_parts(desk, row, less)
        root = desk.pen.note(math.sqrt(variance + EPS)) or math.sqrt(variance + EPS)
        found.append([d / root for d in off])
    return affine(found, gamma, beta)


def affine(M, gamma, beta):
    """γ and β, entry by entry; here they are 1 and 0."""
    if gamma is None:
        return M
    return [[x * g + b for x, g, b in zip(row, gamma, beta, strict=True)] for row in M]


def own_norm(desk, M):
    """LN with the γ and β of this box."""
    k = norm_number(desk)
    return layer_norm(desk, M, gamma=desk.weight(f"gamma{k}"), beta=desk.weight(f"beta{k}"))


def norm_number(desk):
    return int(desk.box.inputs[0][-1])


def relu(M):
    return [[max(0.0, x) for x in row] for row in M]


def candidate_rows(desk):
    return desk.given.rows(desk.given.candidates)


def label_columns(desk):
    """The column of P where each row's label stands."""
    return [desk.given.candidates.index(word) for word in desk.given.labels]


def minus_log(p, base=math.e):
    if p <= 0:
        raise Stuck("no logarithm of zero")
    return -math.log(p) / math.log(base)


def losses(desk, P, columns=None):
    columns = columns or label_columns(desk)
    return [minus_log(row[c]) for row, c in zip(P, columns, strict=True)]


def mean(desk, numbers):
    return desk.pen.note(sum(numbers)) / len(numbers)


def largest(row):
    return max(range(len(row)), key=lambda j: row[j])


# --- one rule for each family --------------------------------------------------------------------


def _ids(desk):
    return desk.given.ids(desk.given.words)


def _rows(desk):
    (ids,) = desk.inputs()
    E = desk.given.E
    if any(not 0 <= i < len(E) for i in ids):
        return desk.given.rows(desk.given.words)  # no such row: the words are looked up again
    return [list(E[i]) for i in ids]


def _projection(desk):
    (x,) = desk.inputs()
    b = desk.box
    return project(desk, x, desk.given.columns(desk.weight(f"W{b.family.lower()}{b.mark}"), b.head))


def _concat(desk):
    left, right = desk.inputs()
    return [a + b for a, b in zip(left, right, strict=True)]


def _mix(desk):
    A, V = desk.inputs()
    return project(desk, A, V)


def _next_word(desk):
    (P,) = desk.inputs()
    return desk.given.candidates[largest(P[-1])]


RIGHT = {
    "ids": _ids,
    "E_rows": _rows,
    "E_scaled": lambda desk: scaled(*desk.inputs()),
    "PE": lambda desk: position_codes(len(desk.given.words), desk.given.d_model),
    "input": lambda desk: plus(*desk.inputs()),
    "Q": _projection,
    "K": _projection,
    "V": _projection,
    "S": lambda desk: scores(desk, *desk.inputs()),
    "B": lambda desk: masked(*desk.inputs()),
    "A": lambda desk: softmax(desk, *desk.inputs()),
    "H": _mix,
    "C": _concat,
    "M": lambda desk: project(desk, *desk.inputs(), desk.weight(f"Wo{desk.box.mark}")),
    "res": lambda desk: plus(*desk.inputs()),
    "norm": lambda desk: own_norm(desk, *desk.inputs()),
    "F_pre": lambda desk: project(desk, *desk.inputs(), desk.weight("W1"), desk.weight("b1")),
    "F_relu": lambda desk: relu(*desk.inputs()),
    "F": lambda desk: project(desk, *desk.inputs(), desk.weight("W2"), desk.weight("b2")),
    "logits": lambda desk: project(desk, *desk.inputs(), transpose(candidate_rows(desk))),
    "P": lambda desk: softmax(desk, *desk.inputs()),
    "losses": lambda desk: losses(desk, *desk.inputs()),
    "loss": lambda desk: mean(desk, *desk.inputs()),
    "next_word": _next_word,
}


def right(desk: Desk):
    """Make the box as it should be made, before it is rounded for writing."""
    return RIGHT[desk.box.family](desk)
