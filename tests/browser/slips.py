"""Typical slips as a student types them: functions into a lesson's cells, matrices into a homework's boxes."""

from test_homework import PEN, boxes_of, the_homework, typed

from helpers.mistakes import CATALOGUE, mistakes_in

# grade_id → what is typed, and the label of the catalogue's mistake. Each stands on its own feet, so that one slip
# does not hide another.
FUNCTIONS = {
    "embed": ("def embed(ids, E):\n    return E[ids]", "embedding.not-scaled"),
    "softmax": (
        "def softmax(s):\n"
        "    e = np.exp(s - s.max(axis=0, keepdims=True))\n"
        "    return e / e.sum(axis=0, keepdims=True)",
        "softmax.columns",
    ),
    "layer_norm": (
        "def layer_norm(x, gamma, beta, eps=1e-5):\n"
        "    return gamma * x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta",
        "norm.mean-kept",
    ),
    "attention": (
        "def attention(Q, K, V):\n"
        "    S = Q @ K.T\n"
        "    e = np.exp(S - S.max(axis=-1, keepdims=True))\n"
        "    A = e / e.sum(axis=-1, keepdims=True)\n"
        "    return A @ V, A",
        "scores.not-scaled",
    ),
    "self_attention": (
        "def self_attention(X, Wq, Wk, Wv, Wo, h):\n"
        "    heads, d_k = [], X.shape[1] // h\n"
        "    for i in range(h):\n"
        "        own = slice(i * d_k, (i + 1) * d_k)\n"
        "        S = X @ Wq[:, own] @ (X @ Wk[:, own]).T / np.sqrt(d_k)\n"
        "        e = np.exp(S - S.max(axis=-1, keepdims=True))\n"
        "        heads.append(e / e.sum(axis=-1, keepdims=True) @ X @ Wv[:, own])\n"
        "    return np.hstack(heads)",
        "output.no-wo",
    ),
}
BOXES = {"S0": "scores.not-scaled", "A1": "softmax.columns", "M": "output.no-wo", "N1": "norm.mean-kept"}


def typical_slips(unit):
    """(grade_id → what is typed, grade_id → the label of its mistake); what is not among them stays as released."""
    if unit == "encoder":
        return {name: source for name, (source, _) in FUNCTIONS.items()}, {
            name: label for name, (_, label) in FUNCTIONS.items()
        }
    return _homework(unit), BOXES


def questions(label):
    """All that the catalogue asks for one mistake."""
    return {mistake.question for mistake in CATALOGUE if mistake.label == label}


def _homework(unit):
    """Every box up to the last slip, worked out from those before it, slips and all."""
    given = the_homework(unit).given
    values = {name: given[name] for box in boxes_of(unit).values() for name in box.inputs if name in given}
    values |= {
        name: value for name, value in the_homework(unit).example.symbols.items() if name in ("d_k", "d_model", "h")
    }
    sources, slips = {}, dict(BOXES)
    for key, box in boxes_of(unit).items():
        if key in slips:
            label = slips.pop(key)
            mistake = next(one for one in mistakes_in(box) if one.label == label)
            values[key] = mistake.variants(box, values)[0].round(PEN)
        else:
            values[key] = box.work_out(values)
            if values[key].dtype.kind == "f":
                values[key] = values[key].round(PEN)
        sources[key] = typed(key, values[key])
        if not slips:
            return sources
    raise AssertionError(f"no box {[*slips]}")
