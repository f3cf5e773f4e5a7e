"""How large a sheet may be, and what is said of one that is too large."""

import re

import pytest
from support import plain_error

from helpers import HOMEWORK, Sizes, encoder_multiply_adds, homework_example
from helpers.boxes import decoder_boxes, encoder_boxes
from helpers.errors import PlainError
from helpers.trace import forward_pass
from helpers.worksheets import check_caps, multiplications
from helpers.worksheets.caps import LARGEST, entries, minutes


def sizes(d_model=4, heads=2, d_ff=8, layers=1):
    return Sizes(d_model, heads, d_ff, vocab=9, layers=layers)


def test_the_homework_fits():
    check_caps(HOMEWORK, 3)
    check_caps(HOMEWORK, 3, 4)


def test_the_counts_are_those_of_the_run():
    run = forward_pass(homework_example())
    assert multiplications(HOMEWORK, 3) == encoder_multiply_adds(HOMEWORK, 3) == 456
    # Four words compete at the output, not the nine of the table: 4 · 4 · 4 products.
    assert multiplications(HOMEWORK, 3, 4) == 1480
    boxes = sum(run.encoder[box.key].size for box in encoder_boxes(2))
    assert entries(HOMEWORK, 3) == boxes == 267
    assert entries(HOMEWORK, 3, 4) == 267 + sum(run.decoder[b.key].size for b in decoder_boxes(2, True)) == 877
    assert minutes(HOMEWORK, 3) == 115


@pytest.mark.parametrize(
    ("large", "words", "name", "fits"),
    [
        (sizes(d_model=16), (3,), "d_model", 8),
        (sizes(d_ff=99), (3,), "d_ff", 16),
        (sizes(layers=2), (3,), "layers", 1),
        (sizes(d_model=6, heads=6), (3,), "heads", 3),
        (sizes(), (9,), "n_src", 6),
        (sizes(), (3, 12), "n_tgt", 6),
        # None is too large by itself; together they are.
        (sizes(d_model=8, d_ff=16), (4,), "d_ff", 3),
    ],
)
def test_the_sentence_names_size_cost_and_what_fits(large, words, name, fits):
    cost = multiplications(large, *words) * large.layers
    with plain_error(f"{name} is ", f"{cost:,} multiplications", f"the largest that fits here is {fits}."):
        check_caps(large, *words)


def every_size():
    for d_model in (2, 4, 6, 8, 10):
        for heads in (h for h in range(1, 6) if d_model % h == 0):
            for d_ff in (1, 8, 16, 20):
                for words in ((1,), (4,), (6,), (8,), (2, 2), (6, 6), (3, 9)):
                    yield Sizes(d_model, heads, d_ff, vocab=9), words


def test_what_is_said_to_fit_does_when_nothing_else_is_too_large():
    told = 0
    for large, words in every_size():
        try:
            check_caps(large, *words)
        except PlainError as error:
            name, fits = re.match(r"(\w+) is", str(error))[1], int(re.search(r"here is (\d+)", str(error))[1])
            asked = {"d_model": large.d_model, "heads": large.heads, "d_ff": large.d_ff}
            asked |= dict(zip(("n_src", "n_tgt"), words, strict=False))
            too_large = [n for n, v in asked.items() if v > LARGEST[n]]
            assert fits < asked[name]
            if set(too_large) <= {name}:
                told += 1
                asked[name] = fits
                lengths = [asked[n] for n in ("n_src", "n_tgt") if n in asked]
                check_caps(Sizes(asked["d_model"], asked["heads"], asked["d_ff"], 9), *lengths)
    assert told > 100
