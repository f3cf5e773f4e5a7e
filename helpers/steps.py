"""The table of steps: the forward pass as rows, one for each thing a student can write down.

The trace, the shape notes, the checks, the counts, the worksheets and the marks are read from here.
A new step is one new row. The notation is that of the course's glossary; § is a section of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from . import transformer as tf
from .sizes import whole


@dataclass(frozen=True)
class Step:
    """One row of the table.

    key: name of the result, a Python name, unique in its stack.
    family: the name that steps doing the same thing share (Q0, Qm1 and Qc0 are all Q; N1, Z and Y2 are all norm).
    mark: the attention block it belongs to: "" none or the encoder's, "m" masked, "c" cross.
    stack, part: "encoder" or "decoder"; "input" (once), "layer" (in every layer) or "output" (once).
    head: the attention head it belongs to, or None.
    symbol: LaTeX. formula: plain text. shape: in symbols, () for a single number.
    kind: ids, matrix, vector, scalar.
    inputs, rule: result = rule(*inputs), where inputs are earlier rows, weights, masks or sizes.
    inner: the dimension that cancels when the step is a matrix product, else None.
    paper: section of the paper, "" where the paper is silent. hint: one line for whoever is stuck.
    written: whether a student writes it down on its own (see boxes.py).
    """

    key: str
    family: str
    mark: str
    stack: str
    part: str
    head: int | None
    symbol: str
    title: str
    formula: str
    shape: tuple[str, ...]
    kind: str
    inputs: tuple[str, ...]
    rule: Callable
    inner: str | None
    paper: str
    hint: str
    written: bool


def _row(key, title, formula, shape, inputs, rule, paper, hint, *, family=None, mark="", symbol=None, kind=None,
         inner=None, head=None, written=True):  # fmt: skip
    """Fill in what most rows share; stack and part are set by the table that the row stands in."""
    kind = kind or ("scalar", "vector", "matrix")[len(shape)]
    return dict(
        key=key, family=family or key, mark=mark, head=head, symbol=symbol or key, title=title, formula=formula,
        shape=shape, kind=kind, inputs=inputs, rule=rule, inner=inner, paper=paper, hint=hint,
        written=written,
    )  # fmt: skip


def _concat(*heads):
    return tf.merge_heads(heads)


# --- rows that both stacks share ---------------------------------------------------------------


def _input_rows(words, n, result):
    wide = (n, "d_model")
    return [
        _row("ids", "ids of the words", f"vocabulary[{words}]", (n,), (words, "vocabulary"), tf.token_ids,
             "3.4", "Look each word up in the vocabulary; a repeated word has one id.",
             symbol=r"\mathrm{ids}", kind="ids"),
        _row("E_rows", "embedding rows", "E[ids]", wide, ("ids", "E"), tf.lookup,
             "3.4", "An id is the number of a row of E, counted from 0.", symbol=r"E_{\mathrm{rows}}"),
        _row("E_scaled", "scaled embeddings", "E_rows · √d_model", wide, ("E_rows",), tf.scale_embeddings,
             "3.4", "Multiply every entry by the root of the row's width.", symbol=r"E_{\mathrm{scaled}}"),
        _row("PE", "position codes", "sin, cos(t / 10000^(2i/d_model))", wide, (n, "d_model"), tf.positional_encoding,
             "3.5", "Columns 2i and 2i+1 share one divisor: sine first, then cosine; the first word is position 0."),
        _row(result, f"{'encoder' if result == 'X' else 'decoder'} input", "E_scaled + PE", wide, ("E_scaled", "PE"),
             tf.add, "3.5", "Add entry by entry.", family="input", symbol=result if result == "X" else "Y_0"),
    ]  # fmt: skip


def _score_rows(m, i, n_q, n_k, x_q, x_kv, mask, write_blocked):
    """Rows of head i in one attention block; m marks the block: "" encoder, "m" masked, "c" cross."""
    Q, K, V, R, S, B, A, H = (f"{letter}{m}{i}" for letter in "QKVRSBAH")

    def at_head(family):
        return {"family": family, "mark": m, "head": i}

    def projection(key, role, words, x, n):
        W = f"W{role}{m}{i}"
        return _row(key, f"{words}, head {i}", f"{x} · {W}", (n, "d_k"), (x, W), tf.project, "3.2.2",
                    "Each row of the input meets each column of the weights.",
                    symbol=f"{role.upper()}_{i}", inner="d_model", **at_head(role.upper()))  # fmt: skip

    rows = [
        projection(Q, "q", "queries", x_q, n_q),
        projection(K, "k", "keys", x_kv, n_k),
        projection(V, "v", "values", x_kv, n_k),
        _row(R, f"raw scores, head {i}", f"{Q} · {K}ᵀ", (n_q, n_k), (Q, K), tf.raw_scores, "3.2.1",
             "One dot product for each query and each key.", symbol=f"R_{i}", inner="d_k", written=False,
             **at_head("R")),
        _row(S, f"scaled scores, head {i}", f"{R} / √d_k", (n_q, n_k), (R, "d_k"), tf.scale_scores, "3.2.1",
             "Divide every raw score by the root of the head's width.", symbol=f"S_{i}", **at_head("S")),
    ]  # fmt: skip
    weights = dict(symbol=f"A_{i}", **at_head("A"))
    if write_blocked:
        rows += [
            _row(B, f"masked scores, head {i}", f"{S}, blocked → −∞", (n_q, n_k), (S, mask), tf.block, "3.2.3",
                 "Blocked scores become −∞; −1e9 stands in for it.", symbol=f"B_{i}", **at_head("B")),
            _row(A, f"attention weights, head {i}", f"softmax({B})", (n_q, n_k), (B,), tf.softmax, "3.2.3",
                 "Each row on its own: exponentials, divided by their sum.", **weights),
        ]  # fmt: skip
    else:
        rows.append(
            _row(A, f"attention weights, head {i}", f"softmax({S})", (n_q, n_k), (S, mask), tf.masked_softmax, "3.2.1",
                 "Each row on its own: exponentials, divided by their sum.", **weights))  # fmt: skip
    rows.append(
        _row(H, f"output of head {i}", f"{A} · {V}", (n_q, "d_k"), (A, V), tf.mix, "3.2.1",
             "Each row averages the value rows by its weights.", symbol=f"H_{i}", inner=n_k,
             **at_head("H")))  # fmt: skip
    return rows


def _attention_rows(m, heads, n_q, n_k, x_q, x_kv, mask, write_blocked=False):
    rows = [row for i in range(heads) for row in _score_rows(m, i, n_q, n_k, x_q, x_kv, mask, write_blocked)]
    H = tuple(f"H{m}{i}" for i in range(heads))
    C, M, wide = f"C{m}", f"M{m}", (n_q, "d_model")
    joined = ", ".join(H) if heads <= 2 else f"{H[0]}, …, {H[-1]}"
    return [
        *rows,
        _row(C, "heads side by side", f"concat({joined})", wide, H, _concat, "3.2.2",
             "Head 0 fills the first block of columns, head 1 the next.", family="C", mark=m, symbol="C"),
        _row(M, "attention output", f"{C} · Wo{m}", wide, (C, f"Wo{m}"), tf.project, "3.2.2",
             "Every column of W_O mixes all heads.", family="M", mark=m, symbol="M", inner="d_model"),
    ]  # fmt: skip


def _norm_rows(k, n, x, sub, result, symbol):
    wide, res = (n, "d_model"), f"res{k}"
    return [
        _row(res, f"residual sum {k}", f"{x} + {sub}", wide, (x, sub), tf.add, "3.1",
             "Add the sub-layer's input to its output.", family="res", symbol=rf"\mathrm{{res}}_{k}"),
        _row(result, f"Add & Norm {k}", f"LN({res})", wide, (res, f"gamma{k}", f"beta{k}"), tf.layer_norm, "3.1",
             "Row by row: subtract the mean, divide by the root of the variance.", family="norm", symbol=symbol),
    ]  # fmt: skip


def _ffn_rows(n, x):
    return [
        _row("F_pre", "FFN, widened", f"{x} · W1 + b1", (n, "d_ff"), (x, "W1", "b1"), tf.project, "3.3",
             "Each row meets every column of W1; then its bias is added.", symbol=r"F_{\mathrm{pre}}", inner="d_model"),
        _row("F_relu", "FFN, after ReLU", "max(0, F_pre)", (n, "d_ff"), ("F_pre",), tf.relu, "3.3",
             "Negative entries become 0, the others stay.", symbol=r"F_{\mathrm{relu}}"),
        _row("F", "FFN output", "F_relu · W2 + b2", (n, "d_model"), ("F_relu", "W2", "b2"), tf.project, "3.3",
             "Each row meets every column of W2; then its bias is added.", inner="d_ff"),
    ]  # fmt: skip


# --- the two tables ----------------------------------------------------------------------------


def _table(stack, parts):
    return tuple(Step(stack=stack, part=part, **row) for part, rows in parts.items() for row in rows)


@lru_cache
def encoder_steps(heads: int) -> tuple[Step, ...]:
    """Every step of the encoder: its input once, then the rows of a layer. §3.1."""
    n = "n_src"
    layer = [
        *_attention_rows("", whole("heads", heads), n, n, "X", "X", "blocked"),
        *_norm_rows(1, n, "X", "M", "N1", "N_1"),
        *_ffn_rows(n, "N1"),
        *_norm_rows(2, n, "N1", "F", "Z", "Z"),
    ]
    return _table("encoder", {"input": _input_rows("src_words", n, "X"), "layer": layer})


@lru_cache
def decoder_steps(heads: int, candidates: bool = False) -> tuple[Step, ...]:
    """Every step of the decoder: its input once, the rows of a layer, then words and losses. §3.1, §3.4.

    candidates: a few words compete at the output instead of the whole vocabulary, as in the homework. Their rows
    of E are E_out (n_out, d_model).
    """
    n = "n_tgt"
    E, V = ("E_out", "n_out") if candidates else ("E", "V")
    layer = [
        *_attention_rows("m", whole("heads", heads), n, n, "Y0", "Y0", "blocked", write_blocked=True),
        *_norm_rows(1, n, "Y0", "Mm", "Y1", "Y_1"),
        *_attention_rows("c", heads, n, "n_src", "Y1", "Z", "cross_blocked"),
        *_norm_rows(2, n, "Y1", "Mc", "Y2", "Y_2"),
        *_ffn_rows(n, "Y2"),
        *_norm_rows(3, n, "Y2", "F", "Y3", "Y_3"),
    ]
    output = [
        _row("logits", "logits", f"Y3 · {E}ᵀ", (n, V), ("Y3", E), tf.logits, "3.4",
             "One dot product with each unscaled row of the table.", symbol=r"\mathrm{logits}", inner="d_model"),
        _row("P", "probabilities", "softmax(logits)", (n, V), ("logits",), tf.softmax, "3.4",
             "Each row on its own: exponentials, divided by their sum."),
        _row("losses", "loss of each row", "−ln P[t, label]", (n,), ("P", "labels"), tf.nll, "5.4",
             "Take the probability of the word that comes next; minus its natural logarithm.",
             symbol=r"\mathrm{losses}"),
        _row("loss", "mean loss", "mean(losses)", (), ("losses",), tf.mean_loss, "5.4",
             "Add the losses and divide by the number of rows.", symbol=r"\mathrm{loss}"),
        _row("next_word", "next word, greedy", "argmax of the last row of P", (), ("P",), tf.next_word, "",
             "The entry with the largest probability in the last row.", symbol=r"\mathrm{next}", kind="ids"),
    ]  # fmt: skip
    parts = {"input": _input_rows("tgt_words", n, "Y0"), "layer": layer, "output": output}
    return _table("decoder", parts)


def all_steps(heads: int) -> tuple[Step, ...]:
    """Both tables, encoder first."""
    return encoder_steps(heads) + decoder_steps(heads)
