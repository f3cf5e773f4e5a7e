"""What a step of the sheet says: what to do, in words, and one entry written out with blanks.

In these texts {Q0} is set as the symbol of Q0, {d_k} as that of a size, and ____ as a blank to write on. A blank stands
for a number of the reader's own; numbers that are given are printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..boxes import Box
from ..displays.numbers import typeset
from ..transformer import pair_divisor

BLANK = "____"
NO_BREAK = "\u00a0"


@dataclass(frozen=True)
class Told:
    """What a text is written from: the box, the values by name, words of its rows and columns, written decimals."""

    box: Box
    values: Mapping
    rows: Sequence[str]
    columns: Sequence[str]
    decimals: int

    def __getitem__(self, place: int):
        return self.values[self.box.inputs[place]]


def quoted(words: Sequence[str]) -> str:
    """Name some words, as in "die", "katze" and "saß"."""
    named = [f"“{word}”" for word in words]
    return named[0] if len(named) == 1 else ", ".join(named[:-1]) + " and " + named[-1]


def short(value: float, decimals: int = 3) -> str:
    """A number without needless zeros and without a plus: 2, 1.414, −0.3."""
    return typeset(f"{round(float(value), decimals) + 0.0:.{decimals}f}".rstrip("0").rstrip("."))


def _factor(value: float) -> str:
    text = short(value)
    return f"({text})" if value < 0 else text


def _blanks_times(numbers: Sequence[float]) -> str:
    return " + ".join(f"{BLANK} · {_factor(v)}" for v in numbers)


def _pairs(count: int) -> str:
    return " + ".join([f"{BLANK} · {BLANK}"] * count)


# --- what to do --------------------------------------------------------------------------------


def _do_ids(told: Told) -> str:
    return (
        "Find each word in the first column of {E}, on the page of given numbers, and write its number, the id. "
        "Then copy the row of that id into {E_rows}."
    )


def _do_scaled(told: Told) -> str:
    d = told[0].shape[-1]
    return f"Multiply every entry of {{E_rows}} by √{{d_model}} = √{d}{_about(d, told.decimals)}."


def _about(n: int, decimals: int) -> str:
    """The root of a whole number, where it is none itself: " (about 1.414)"."""
    root = math.isqrt(n)
    return f" = {root}" if root * root == n else f" (about {short(math.sqrt(n), decimals)})"


def _do_codes(told: Told) -> str:
    d = told.values["d_model"]
    pairs = [
        f"columns {2 * i} and {2 * i + 1}: angle t / {short(pair_divisor(i, d), 3)}"
        if i
        else "columns 0 and 1: angle t"
        for i in range(d // 2)
    ]
    return (
        f"The first word has the position t = 0, the next one t = 1. {_capital('; '.join(pairs))}. "
        "The even column gets the sine of the angle, the odd one its cosine; the table of sines and cosines has them."
    )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _do_add(told: Told) -> str:
    a, b = told.box.inputs
    return f"Add {{{a}}} and {{{b}}} entry by entry."


def _do_projections(told: Told) -> str:
    head, mark, (x, _) = told.box.head, told.box.mark, told.box.inputs
    if mark == "c":
        return (
            f"Queries ask for the decoder: rows of {{{x}}} times {{Wqc{head}}}. Keys and values come from the encoder: "
            f"rows of {{Z}} times {{Wkc{head}}} and {{Wvc{head}}}. Each entry is a row times a column, added up."
        )
    names = [f"{{W{role}{mark}{head}}}" for role in "qkv"]
    return (
        f"Multiply {{{x}}} by {names[0]}, {names[1]} and {names[2]}. "
        "Each entry is a row of the left matrix times a column of the right one, term by term, added up."
    )


def _do_product(told: Told) -> str:
    x, W, *bias = told.box.inputs
    added = f", plus the entry of {{{bias[0]}}} for that column" if bias else ""
    return f"Each entry is a row of {{{x}}} times a column of {{{W}}}, term by term, added up{added}."


def _do_scores(told: Told) -> str:
    Q, K, _ = told.box.inputs
    d_k = told.values["d_k"]
    return (
        f"Each entry is a row of {{{Q}}} times a row of {{{K}}} (a row, since K is transposed), added up and divided "
        f"by √{{d_k}} = √{d_k}{_about(d_k, told.decimals)}. "
        "The word of the row asks, the word of the column is looked at."
    )


def _do_masked(told: Told) -> str:
    S = told.box.inputs[0]
    return f"Copy {{{S}}}, but write −∞ wherever the word of the column comes later than the word of the row."


def _do_shares(told: Told) -> str:
    S = told.box.inputs[0]
    blocked = " A blocked score gives 0." if told.box.mark == "m" else ""
    return (
        f"Row by row: raise e to each entry of {{{S}}} (notes, dashed), add up the row, and divide each power by that "
        f"sum.{blocked} Check: each row adds up to 1."
    )


def _do_concat(told: Told) -> str:
    names = ", ".join(f"{{{name}}}" for name in told.box.inputs)
    return f"Nothing to work out: copy {names} side by side, in this order." if len(told.box.inputs) > 1 else (
        f"Nothing to work out: with one head this is a copy of {names}."
    )  # fmt: skip


def _do_norm(told: Told) -> str:
    x, gamma, beta = told.box.inputs
    plain = (told.values[gamma] == 1).all() and (told.values[beta] == 0).all()
    end = (
        f"{{{gamma}}} is 1 and {{{beta}}} is 0 in every column, so that is the result."
        if plain
        else f"Multiply by the entry of {{{gamma}}} for that column and add that of {{{beta}}}."
    )
    return (
        f"Row by row: the mean μ of the entries x of {{{x}}}; the variance σ², which is the mean of the squared "
        f"(x − μ); the root √(σ²{NO_BREAK}+{NO_BREAK}0.00001) (notes, dashed). "
        f"Then each entry is (x − μ) divided by that root. {end} "
        "Check: each row has mean 0 and deviation (the root of its own σ²) 1" + ("." if plain else ", before γ and β.")
    )


def _do_relu(told: Told) -> str:
    return "Copy {F_pre}, but write 0 for every negative entry."


def _do_logits(told: Told) -> str:
    return (
        f"Each entry is a row of {{Y3}} times the row of {{E}} that belongs to the word of the column, added up. The "
        f"words that compete are {quoted(told.columns)}. The rows of {{E}} are used as they are, not scaled."
    )


def _do_losses(told: Told) -> str:
    labels = [
        f"after “{word}” comes “{label}”" for word, label in zip(told.rows, told.values["label_words"], strict=True)
    ]
    return (
        f"In each row, take the probability of the word that comes next: {', '.join(labels)}. Its loss is minus the "
        "natural logarithm (ln). The mean loss is their sum divided by their number. The next word is the one with the "
        "largest probability in the last row."
    )


_DO: dict[str, Callable[[Told], str]] = {
    "ids": _do_ids, "E_scaled": _do_scaled, "PE": _do_codes, "input": _do_add, "res": _do_add,
    "Q": _do_projections, "S": _do_scores, "B": _do_masked, "A": _do_shares, "P": _do_shares, "C": _do_concat,
    "norm": _do_norm, "F_relu": _do_relu, "logits": _do_logits, "losses": _do_losses,
    **dict.fromkeys(("H", "M", "F_pre", "F"), _do_product),
}  # fmt: skip


def what_to_do(told: Told) -> str:
    """What a step asks for, in words; told of its first box."""
    return _DO[told.box.family](told)


# --- one entry, written out --------------------------------------------------------------------


def _one_of_input(told: Told, r: int, c: int) -> str:
    return f"{BLANK} + {BLANK}"


def _one_scaled(told: Told, r: int, c: int) -> str:
    return f"{BLANK} · √{told[0].shape[-1]}"


def _one_code(told: Told, r: int, c: int) -> str:
    d = told.values["d_model"]
    name = "sin" if c % 2 == 0 else "cos"
    return f"{name}({BLANK} / {short(pair_divisor(c // 2, d))})"


def _one_product(told: Told, r: int, c: int) -> str:
    # The second matrix is given where it is a matrix of weights, and one's own where it is not.
    given = told.box.inputs[1].startswith("W")
    bias = f" + {_factor(told[2][c])}" if len(told.box.inputs) > 2 else ""
    return (_blanks_times(told[1][:, c]) if given else _pairs(len(told[1]))) + bias


def _one_score(told: Told, r: int, c: int) -> str:
    d_k = told.values["d_k"]
    return f"({_pairs(d_k)}) / √{d_k}"


def _one_share(told: Told, r: int, c: int) -> str:
    seen = [k for k, score in enumerate(told[0][r]) if score > -1e8]
    return f"e^{BLANK} / ({' + '.join([f'e^{BLANK}'] * len(seen))})"


def _one_norm(told: Told, r: int, c: int) -> str:
    return f"({BLANK} − {BLANK}) / √({BLANK} + 0.00001)"


def _one_relu(told: Told, r: int, c: int) -> str:
    return f"max(0, {BLANK})"


def _one_logit(told: Told, r: int, c: int) -> str:
    return _blanks_times(told[1][c])


def _one_loss(told: Told, r: int, c: int) -> str:
    return f"−ln {BLANK}"


_ONE: dict[str, Callable[[Told, int, int], str]] = {
    "E_scaled": _one_scaled, "PE": _one_code, "input": _one_of_input, "res": _one_of_input, "S": _one_score,
    "A": _one_share, "P": _one_share, "norm": _one_norm, "F_relu": _one_relu, "logits": _one_logit,
    "losses": _one_loss, **dict.fromkeys(("Q", "H", "M", "F_pre", "F"), _one_product),
}  # fmt: skip


def one_entry(told: Told) -> str:
    """One entry written out with blanks; "" where there is nothing to write out. Told of the first box of a step."""
    if told.box.family not in _ONE:
        return ""
    # The last row has most to show: a later position, and no word that is blocked.
    r, c = len(told.rows) - 1, 1 if len(told.columns) > 1 else 0
    place = f"row “{told.rows[r]}”" + (f", column {_name(told.columns[c])}" if len(told.columns) > 1 else "")
    return f"{{{told.box.key}}}, {place}:  {_unbroken(f'{_ONE[told.box.family](told, r, c)} = {BLANK}')}"


def _unbroken(line: str) -> str:
    """A line that is broken behind a plus only: factors stay together, and so do the last term and the result."""
    return line.replace(" ", NO_BREAK).replace(f"+{NO_BREAK}", "+ ")


def _name(column: str) -> str:
    return column if column.isdigit() else f"“{column}”"
