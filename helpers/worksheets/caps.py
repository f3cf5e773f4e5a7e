"""How large a worksheet may be: one forward pass stays a few pages of pen work."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ..boxes import Box, decoder_boxes, encoder_boxes
from ..counts import multiply_add_table
from ..errors import PlainError
from ..sizes import Sizes, shape_in, whole

# The largest of each size by itself: a row of boxes fits on a page.
LARGEST = {"n_src": 6, "n_tgt": 6, "d_model": 8, "heads": 4, "d_ff": 16, "layers": 1}
# And together: the multiplications of one pass.
MOST = {"encoder": 1500, "decoder": 4000}
# What a person with a pocket calculator takes, in seconds: one product added up, one entry written down.
SECONDS_A_PRODUCT, SECONDS_AN_ENTRY = 8, 12
# Where the sizes are too large together, the first of these that helps is cut.
CUT_FIRST = ("d_ff", "d_model", "n_tgt", "n_src", "heads")


def multiplications(sizes: Sizes, n_src: int, n_tgt: int | None = None) -> int:
    """Count the multiplications of one pass through one layer: the encoder's, and the decoder's when n_tgt is given.

    Only matrix products are counted. At the output the n_tgt words that must be predicted compete.
    """
    one = replace(sizes, layers=1)
    return sum(row.count for row in multiply_add_table(one, n_src, n_tgt, n_out=n_tgt))


def boxes_on(sizes: Sizes, n_tgt: int | None = None) -> tuple[Box, ...]:
    """The boxes of a sheet, the encoder's first."""
    decoder = decoder_boxes(sizes.heads, candidates=True) if n_tgt is not None else ()
    return encoder_boxes(sizes.heads) + decoder


def entries(sizes: Sizes, n_src: int, n_tgt: int | None = None) -> int:
    """Count the entries that are to be written down."""
    symbols = sizes.symbols(n_src, n_tgt) | {"n_out": n_tgt}
    return sum(prod(shape_in(symbols, box.step.shape)) for box in boxes_on(sizes, n_tgt))


def minutes(sizes: Sizes, n_src: int, n_tgt: int | None = None) -> int:
    """Estimate how long a sheet takes with a pocket calculator, in steps of five minutes."""
    seconds = SECONDS_A_PRODUCT * multiplications(sizes, n_src, n_tgt)
    seconds += SECONDS_AN_ENTRY * entries(sizes, n_src, n_tgt)
    return 5 * max(1, round(seconds / 300))


def check_caps(sizes: Sizes, n_src: int, n_tgt: int | None = None) -> None:
    """Raise PlainError where a sheet would be too long: which size, what it would cost, and the largest that fits.

    n_tgt: the words that the decoder reads, <sos> among them; None for a sheet that stops after the encoder.
    """
    asked = {"n_src": whole("n_src", n_src)}
    if n_tgt is not None:
        asked["n_tgt"] = whole("n_tgt", n_tgt)
    asked |= {name: getattr(sizes, name) for name in ("d_model", "heads", "d_ff", "layers")}
    too_large = [name for name, value in asked.items() if value > LARGEST[name]]
    if not too_large and _cost(asked) <= _most(asked):
        return
    name, fits = _first_cut(asked, too_large)
    raise PlainError(_sentence(asked, name, fits))


def _most(asked: dict[str, int]) -> int:
    return MOST["decoder" if "n_tgt" in asked else "encoder"]


def _cost(asked: dict[str, int]) -> int:
    sizes = Sizes(asked["d_model"], asked["heads"], asked["d_ff"], vocab=1, layers=1)
    return multiplications(sizes, asked["n_src"], asked.get("n_tgt")) * asked["layers"]


def _first_cut(asked: dict[str, int], too_large: list[str]) -> tuple[str, int]:
    """The size to cut, and the largest value of it that fits; a size above its own limit comes first."""
    for name in [*too_large, *(name for name in CUT_FIRST if name in asked)]:
        others = [n for n in too_large if n != name]
        for value in range(min(asked[name] - 1, LARGEST[name]), 0, -1):
            tried = asked | {name: value}
            # Other sizes that are too large are told of when this one is mended.
            tried |= {n: LARGEST[n] for n in others}
            if _go_together(tried) and _cost(tried) <= _most(tried):
                return name, value
    raise AssertionError(f"nothing fits: {asked}")


def _go_together(asked: dict[str, int]) -> bool:
    return asked["d_model"] % 2 == 0 and asked["d_model"] % asked["heads"] == 0


def _sentence(asked: dict[str, int], name: str, fits: int) -> str:
    cost = _cost(asked)
    return (
        f"{name} is {asked[name]}, too large for a worksheet: it would take {cost:,} multiplications by hand; "
        f"the largest that fits here is {fits}."
    )
