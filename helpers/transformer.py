"""The forward pass of the 2017 encoder-decoder Transformer, one plain function an equation.

"Attention Is All You Need", Vaswani et al. 2017; a § in a docstring is a section of that paper.
Arrays come in and go out; nothing is changed in place. A row is a token, a column a component.
`n_q` rows ask, `n_k` rows answer; `blocked` is a mask of booleans, True where a query may not look
(or None: it may look everywhere). Every function raises PlainError when shapes do not fit.
"""

from __future__ import annotations

import numpy as np

from .errors import PlainError
from .sizes import whole

EPS = 1e-5
# Stands in for −∞: its exponential is exactly 0 beside any real score, yet a row
# that is blocked throughout gives equal weights instead of 0/0.
BLOCKED = -1e9
PAD, SOS, EOS = 0, 1, 2


def shape_of(a) -> str:
    """Write the shape of an array as people do: "9 × 8"."""
    return " × ".join(str(n) for n in np.shape(a)) or "a single number"


def _same_shape(a, b, what: str) -> None:
    if np.shape(a) != np.shape(b):
        raise PlainError(f"{what} needs two arrays of one shape; these are {shape_of(a)} and {shape_of(b)}.")


def _product(a, b):
    if np.ndim(a) < 1 or np.ndim(b) < 2 or np.shape(a)[-1] != np.shape(b)[-2]:
        raise PlainError(f"{shape_of(a)} times {shape_of(b)} has no product: the inner sizes must be the same.")
    return a @ b


# --- words to vectors (§3.4, §3.5) -------------------------------------------------------------


def token_ids(words, vocabulary) -> np.ndarray:
    """Look up the id of every word: n words → (n,) integers. §3.4."""
    if isinstance(words, str) or len(words) == 0:
        raise PlainError(f"A list of at least one word is needed, not {words!r}.")
    unknown = [word for word in words if word not in vocabulary]
    if unknown:
        raise PlainError(f"{unknown[0]!r} is not in the vocabulary of {len(vocabulary)} entries.")
    return np.array([vocabulary[word] for word in words])


def lookup(ids, E) -> np.ndarray:
    """Pick one row of the table E (V, d_model) for each id: (n,) → (n, d_model). §3.4."""
    ids = np.asarray(ids)
    if ids.ndim != 1 or ids.size == 0 or not np.issubdtype(ids.dtype, np.integer):
        raise PlainError(f"ids must be a list of at least one whole number; this is {shape_of(ids)} of {ids.dtype}.")
    outside = ids[(ids < 0) | (ids >= len(E))]
    if outside.size:
        raise PlainError(f"Id {outside[0]} has no row in a table of {len(E)} rows.")
    return E[ids]


def scale_embeddings(E_rows) -> np.ndarray:
    """Multiply embedding rows (n, d_model) by √d_model. §3.4."""
    return E_rows * np.sqrt(np.shape(E_rows)[-1])


def embed(ids, E) -> np.ndarray:
    """Look up and scale: (n,) ids and E (V, d_model) → (n, d_model). §3.4."""
    return scale_embeddings(lookup(ids, E))


def pair_divisor(i, d_model):
    """What pair i of the columns divides a position by: 10000^(2i / d_model), a number or one for each i. §3.5."""
    return 10000 ** (2 * i / d_model)


def positional_encoding(n, d_model) -> np.ndarray:
    """Sine on even columns, cosine on odd ones, one divisor a pair: (n, d_model). §3.5."""
    if whole("d_model", d_model) % 2:
        raise PlainError(f"d_model is {d_model}; it must be even, since sine and cosine come in pairs.")
    position = np.arange(whole("n", n))[:, None]
    angle = position / pair_divisor(np.arange(d_model // 2), d_model)
    PE = np.empty((n, d_model))
    PE[:, 0::2], PE[:, 1::2] = np.sin(angle), np.cos(angle)
    return PE


def shift_matrix(k, i, d_model) -> np.ndarray:
    """Rotation (2, 2) that turns pair i of any position's code into the pair of k positions later. §3.5.

    shift_matrix(k, i, d_model) @ PE[p, 2*i : 2*i + 2] is PE[p + k, 2*i : 2*i + 2], whatever p; k may be negative.
    """
    angle = k / pair_divisor(i, d_model)
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def add(a, b) -> np.ndarray:
    """Add entry by entry: position codes to embeddings (§3.5), a sub-layer's output to its input (§3.1)."""
    _same_shape(a, b, "Adding")
    return a + b


def input_vectors(ids, E) -> np.ndarray:
    """What a stack reads, X or Y0: scaled embeddings plus position codes, (n,) → (n, d_model). §3.4, §3.5."""
    vectors = embed(ids, E)
    return add(vectors, positional_encoding(*vectors.shape))


# --- attention (§3.2) --------------------------------------------------------------------------


def project(x, W, b=None) -> np.ndarray:
    """Multiply every row by one matrix: x (n, d) · W (d, m), plus b (m,) if given → (n, m). §3.2.2, §3.3."""
    out = _product(x, W)
    if b is None:
        return out
    if np.shape(b) != np.shape(out)[-1:]:
        raise PlainError(f"The bias has shape {shape_of(b)}, the rows it is added to have {out.shape[-1]} entries.")
    return out + b


def split_heads(M, h) -> np.ndarray:
    """Cut columns into h blocks, head by head: (n, d_model) → (h, n, d_k). §3.2.2."""
    if np.ndim(M) != 2:
        raise PlainError(f"Splitting needs one matrix, n × d_model; this is {shape_of(M)}.")
    n, d_model = np.shape(M)
    if d_model % whole("h", h):
        raise PlainError(f"{d_model} columns cannot be cut into {h} heads of one width.")
    return M.reshape(n, h, d_model // h).swapaxes(0, 1)


def merge_heads(H) -> np.ndarray:
    """Put the heads side by side again: (h, n, d_k) → (n, h · d_k). §3.2.2."""
    if np.ndim(H) != 3:
        raise PlainError(f"Merging needs one matrix for each head, h × n × d_k; this is {shape_of(H)}.")
    h, n, d_k = np.shape(H)
    return np.swapaxes(H, 0, 1).reshape(n, h * d_k)


def raw_scores(Q, K) -> np.ndarray:
    """Compare every query with every key: Q (n_q, d_k), K (n_k, d_k) → Q Kᵀ (n_q, n_k). §3.2.1."""
    return _product(Q, np.swapaxes(K, -1, -2))


def scale_scores(R, d_k) -> np.ndarray:
    """Divide raw scores by √d_k, which keeps their spread near 1. §3.2.1."""
    return R / np.sqrt(d_k)


def block(S, blocked=None) -> np.ndarray:
    """Put −1e9, in place of −∞, where a query may not look; S and blocked (n_q, n_k). §3.2.3."""
    if blocked is None:
        return S
    if np.shape(blocked) != np.shape(S)[-2:]:
        raise PlainError(f"The mask is {shape_of(blocked)}, the scores are {shape_of(S)}; the shapes must be the same.")
    return np.where(blocked, BLOCKED, S)


def softmax(s) -> np.ndarray:
    """Turn each row into positive shares that add up to 1: (…, n_k) → (…, n_k). §3.2.1."""
    # Subtracting the row's maximum changes no share and keeps the exponential from overflowing.
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def masked_softmax(S, blocked=None) -> np.ndarray:
    """Softmax over the keys that a query may see; S and blocked (n_q, n_k). §3.2.3."""
    return softmax(block(S, blocked))


def mix(A, V) -> np.ndarray:
    """Average value rows by weight: A (n_q, n_k) · V (n_k, d_k) → (n_q, d_k). §3.2.1."""
    return _product(A, V)


def attention(Q, K, V, blocked=None) -> tuple[np.ndarray, np.ndarray]:
    """Scaled dot-product attention, equation 1: the output H (n_q, d_v) and the weights A (n_q, n_k). §3.2.1."""
    S = scale_scores(raw_scores(Q, K), np.shape(Q)[-1])
    A = masked_softmax(S, blocked)
    return mix(A, V), A


def multi_head_attention(x_q, x_kv, Wq, Wk, Wv, Wo, h, blocked=None) -> np.ndarray:
    """Attend in h heads and mix them: x_q (n_q, d_model), x_kv (n_k, d_model) → (n_q, d_model). §3.2.2."""
    Q, K, V = (split_heads(project(x, W), h) for x, W in ((x_q, Wq), (x_kv, Wk), (x_kv, Wv)))
    H, _ = attention(Q, K, V, blocked)
    return project(merge_heads(H), Wo)


def causal_mask(n) -> np.ndarray:
    """Block every key to the right of its query: (n, n), True above the diagonal. §3.2.3."""
    return np.triu(np.ones((whole("n", n), n), dtype=bool), k=1)


def padding_mask(ids, pad=PAD) -> np.ndarray:
    """Mark the padding among ids (n,), True = blocked as a key. The paper describes no such mask."""
    return np.asarray(ids) == pad


# --- what surrounds it (§3.1, §3.3) ------------------------------------------------------------


def layer_norm(x, gamma, beta, eps=EPS) -> np.ndarray:
    """Shift and scale each row to mean 0 and deviation 1, then by gamma and beta (d_model,). §3.1."""
    if not np.shape(gamma) == np.shape(beta) == np.shape(x)[-1:]:
        raise PlainError(
            f"gamma is {shape_of(gamma)}, beta is {shape_of(beta)}; both need the {np.shape(x)[-1]} entries of a row."
        )
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta


def add_norm(x, sub, gamma, beta) -> np.ndarray:
    """Add the input back, then normalise: LN(x + sub), the post-norm of the paper. §3.1."""
    return layer_norm(add(x, sub), gamma, beta)


def relu(x) -> np.ndarray:
    """Replace every negative entry with 0. §3.3."""
    return np.maximum(x, 0)


def ffn(x, W1, b1, W2, b2) -> np.ndarray:
    """Widen, cut the negatives, narrow, row by row: (n, d_model) → (n, d_model), equation 2. §3.3."""
    return project(relu(project(x, W1, b1)), W2, b2)


# --- the two stacks (§3.1) ---------------------------------------------------------------------


def encoder_layer(X, w, h, blocked=None) -> np.ndarray:
    """Self-attention and FFN, each with Add & Norm: (n_src, d_model) → (n_src, d_model). §3.1.

    w: this layer's weights by name, Wq Wk Wv Wo gamma1 beta1 W1 b1 W2 b2 gamma2 beta2.
    """
    M = multi_head_attention(X, X, w["Wq"], w["Wk"], w["Wv"], w["Wo"], h, blocked)
    N1 = add_norm(X, M, w["gamma1"], w["beta1"])
    F = ffn(N1, w["W1"], w["b1"], w["W2"], w["b2"])
    return add_norm(N1, F, w["gamma2"], w["beta2"])


def encoder(X, layers, h, blocked=None) -> np.ndarray:
    """Send X (n_src, d_model) up a stack of layers, a list of weights; none at all returns X. §3.1."""
    for w in layers:
        X = encoder_layer(X, w, h, blocked)
    return X


def decoder_layer(Y, Z, w, h, blocked=None, cross_blocked=None) -> np.ndarray:
    """Masked self-attention, cross-attention to Z and FFN, each with Add & Norm: (n_tgt, d_model). §3.1.

    w: this layer's weights by name; an m marks the masked block (Wqm …), a c the cross block (Wqc …).
    blocked (n_tgt, n_tgt) is usually causal_mask(n_tgt); cross_blocked (n_tgt, n_src) hides padding of the source.
    """
    M = multi_head_attention(Y, Y, w["Wqm"], w["Wkm"], w["Wvm"], w["Wom"], h, blocked)
    Y1 = add_norm(Y, M, w["gamma1"], w["beta1"])
    M = multi_head_attention(Y1, Z, w["Wqc"], w["Wkc"], w["Wvc"], w["Woc"], h, cross_blocked)
    Y2 = add_norm(Y1, M, w["gamma2"], w["beta2"])
    F = ffn(Y2, w["W1"], w["b1"], w["W2"], w["b2"])
    return add_norm(Y2, F, w["gamma3"], w["beta3"])


def decoder(Y0, Z, layers, h, blocked=None, cross_blocked=None) -> np.ndarray:
    """Send Y0 (n_tgt, d_model) up the decoder; every layer reads the same Z (n_src, d_model). §3.1."""
    for w in layers:
        Y0 = decoder_layer(Y0, Z, w, h, blocked, cross_blocked)
    return Y0


# --- vectors to words (§3.4, §5.4) -------------------------------------------------------------


def shift_right(ids, sos=SOS, eos=EOS) -> tuple[np.ndarray, np.ndarray]:
    """Make decoder inputs (start token first) and labels (end token last), both (n + 1,), of n ids. §3.1."""
    return np.array([sos, *ids]), np.array([*ids, eos])


def logits(Y, E) -> np.ndarray:
    """Score every entry of the tied, unscaled table: Y (n, d_model), E (V, d_model) → Y Eᵀ (n, V). §3.4."""
    return _product(Y, np.swapaxes(E, -1, -2))


def _at_labels(M, labels) -> np.ndarray:
    """Entry of each row of M (n, V) at that row's label."""
    n, V = np.shape(M)
    if np.shape(labels) != (n,):
        raise PlainError(f"There are {n} rows and {np.size(labels)} labels; each row needs one.")
    outside = [label for label in labels if not 0 <= label < V]
    if outside:
        raise PlainError(f"Label {outside[0]} is none of the {V} ids, which count from 0.")
    return M[np.arange(n), labels]


def nll(P, labels) -> np.ndarray:
    """Minus the natural log of the probability of each row's label: P (n, V), labels (n,) → (n,). §5.4."""
    return -np.log(_at_labels(P, labels))


def log_softmax(logits) -> np.ndarray:
    """Natural log of softmax, row by row: (n, V) → (n, V). No probability is too small for it. §5.4."""
    shifted = logits - np.max(logits, axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def cross_entropy(logits, labels) -> np.ndarray:
    """Loss of each row, straight from logits (n, V) and labels (n,) → (n,); equal to nll(softmax(…)). §5.4."""
    return -_at_labels(log_softmax(logits), labels)


def smoothed_loss(logits, labels, eps) -> np.ndarray:
    """Loss of each row when the label has 1 − eps of the target and all V entries share eps: (n,). §5.4."""
    spread = -log_softmax(logits).mean(axis=-1)
    return (1 - eps) * cross_entropy(logits, labels) + eps * spread


def mean_loss(losses) -> np.float64:
    """Average the losses (n,) of all rows: one number. §5.4."""
    return np.mean(losses)


def next_word(P) -> np.intp:
    """Pick the likeliest entry of the last row of P (n, V), the greedy choice: one id. §3.1."""
    return np.argmax(P[-1])
