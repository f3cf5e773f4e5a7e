"""Worksheets: what is printed is read back out of the PDF and compared with the engine."""

import hashlib
import re
import subprocess
import sys
import unicodedata
from functools import cache
from io import BytesIO

import numpy as np
import pytest
from pypdf import PdfReader
from support import plain_error
from worksheets.reading import Lines, pages, printed_name, split_at_key, value
from worksheets.sheets import by_hand, random_sheet

from helpers import HOMEWORK, Sizes, course_example, homework, homework_example, personal_example
from helpers.boxes import decoder_boxes, encoder_boxes
from helpers.personal import sheet_example
from helpers.sizes import WEIGHTS
from helpers.trace import givens
from helpers.worksheets import make, worksheet
from helpers.worksheets.grids import HEIGHT

SEEDS = range(16)


def matrix_shape(array):
    return (1, 1) if np.ndim(array) == 0 else (len(array), 1) if np.ndim(array) == 1 else np.shape(array)


# The numbers


class Printed:
    """A sheet of random sizes with its key at the back, and its text."""

    def __init__(self, seed):
        self.example, self.decoder, self.decimals = random_sheet(seed)
        self.sheet = worksheet(self.example, decoder=self.decoder, decimals=self.decimals)
        self.before, self.key = split_at_key(pages(self.sheet.pdf))


# Reading a PDF takes longest: once for all tests.
printed = cache(Printed)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_given_number_is_printed(seed):
    it = printed(seed)
    lines = Lines(it.before[1:])
    np.testing.assert_allclose(lines.matrix("E", *it.example.E.shape), it.example.E, atol=1e-12)
    for stack in ["encoder", "decoder"][: 1 + it.decoder]:
        named = givens(it.example, stack, 1)
        for name in WEIGHTS[stack]:
            heads = [f"{name}{i}" for i in range(it.example.sizes.heads)]
            for key in heads if heads[0] in named else [name]:
                array = np.atleast_2d(named[key])
                np.testing.assert_allclose(lines.matrix(key, *array.shape), array, atol=1e-12, err_msg=key)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_of_the_key_is_that_of_a_pass_rounded_step_by_step(seed):
    it = printed(seed)
    lines = Lines(it.key)
    for (stack, key), written in by_hand(it.example, it.decoder, it.decimals).items():
        if key == "next_word":
            continue
        found = lines.matrix(key, *matrix_shape(written)).reshape(np.shape(written))
        expected = np.where(written <= -1e8, -np.inf, written)
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=f"{stack} {key}")


def numbers_on(texts, decimals):
    return {abs(value(n)) for n in re.findall(rf"(?<![\d.])\d+\.\d{{{decimals}}}(?!\d)", " ".join(texts))}


def given_numbers(it):
    """Numbers with the decimals of the answers that may stand on a sheet: sines, cosines and two roots."""
    roots = [np.sqrt(it.example.sizes.d_model), np.sqrt(it.example.sizes.d_k)]
    divisors = [10000 ** (2 * i / it.example.sizes.d_model) for i in range(it.example.sizes.d_model // 2)]
    given = {abs(value(n)) for line in it.sheet.data["sines"] for n in line} | {0.00001}
    return given | {round(float(x), d) for x in [*roots, *divisors] for d in (3, it.decimals)}


@pytest.mark.parametrize("seed", SEEDS)
def test_no_answer_stands_before_the_key(seed):
    it = printed(seed)
    assert numbers_on(it.before, it.decimals) <= given_numbers(it)
    assert len(numbers_on(it.key, it.decimals)) > 5


def test_without_a_key_nothing_of_it_is_there():
    it = printed(SEEDS[0])
    texts = pages(worksheet(it.example, decoder=it.decoder, decimals=it.decimals, key="none").pdf)
    # The same pages, but for how many there are, and for a blank one that keeps the key off the back of a step.
    before = [text for text in it.before if len(text.splitlines()) > 2]
    assert [text.rsplit("/", 1)[0] for text in texts] == [text.rsplit("/", 1)[0] for text in before]


def test_sheet_key_and_homework_agree_to_the_digit():
    for example, student in ((homework_example(), None), (personal_example("ada"), "ada")):
        hw = homework("encoder", student=student)
        lines = Lines(pages(worksheet(example, key="separate").key_pdf))
        for box in hw.boxes:
            shape = matrix_shape(hw._marker.exact[box.key])
            found = lines.matrix(box.key, *shape).reshape(np.shape(hw._marker.exact[box.key]))
            assert hw.check(**{box.key: found.tolist()}).kind == "right", box.key


@pytest.mark.parametrize("decimals", [3, 6])
def test_words_of_wide_letters_break_no_row(decimals):
    words = ["WWWWWWWWWWWW", "ЩЩЩЩЩЩЩЩЩЩ", "Donaudampfschiff", "MMMMMM"]
    example = sheet_example(words, words[:2], Sizes(4, 2, 6, vocab=4), seed=1)
    key = Lines(pages(worksheet(example, decoder=True, decimals=decimals, key="separate").key_pdf))
    for (stack, box), written in by_hand(example, True, decimals).items():
        if box != "next_word":
            found = key.matrix(box, *matrix_shape(written)).reshape(np.shape(written))
            expected = np.where(written <= -1e8, -np.inf, written)
            np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=f"{stack} {box}")


def heights(page):
    """How high each piece of text stands on a page, with the text."""
    found = []
    page.extract_text(visitor_text=lambda text, matrix, *_: found.append((matrix[5], text.strip())))
    return [(y, text) for y, text in found if text]


@pytest.mark.parametrize("seed", SEEDS[:5])
def test_notes_end_above_the_next_matrix(seed):
    """Their height is estimated: whatever is broken into lines, nothing runs into what comes below."""
    it = printed(seed)
    sheet = worksheet(it.example, decoder=it.decoder, decimals=it.decimals, key="separate")
    names = {" × ".join(box.step.shape) for stack in ("encoder", "decoder") for box in boxes_of(it, stack)}
    for page in PdfReader(BytesIO(sheet.key_pdf)).pages:
        above = []
        for y, text in heights(page):
            if text in names:
                # The name of the matrix stands in this line already.
                assert all(other > y + 8 for other in above if abs(other - y) > 4), text
            above.append(y)


def boxes_of(it, stack):
    heads = it.example.sizes.heads
    return encoder_boxes(heads) if stack == "encoder" else decoder_boxes(heads, candidates=True)


# What a sheet says


def test_the_first_page_says_what_it_asks_for():
    first = pages(worksheet(homework_example(), code="E4-2-8-3-seed0-BYV", name="Ada").pdf)[0]
    for text in (
        "456 multiplications",
        "267 entries",
        "about 1 h 55 min",
        "“the cat sat”",
        "Name Ada",
        "E4-2-8-3-seed0-BYV",
    ):
        assert text in first
    assert 'homework("encoder", code="E4-2-8-3-seed0-BYV", sentence="the cat sat")' in first


@pytest.mark.parametrize("decoder", [False, True])
def test_every_step_has_its_boxes_formula_shape_and_hint(decoder):
    sheet = worksheet(homework_example(), decoder=decoder, key="none")
    text = " ".join(" ".join(pages(sheet.pdf)).split())
    boxes = [box for part in sheet.data["parts"] for step in part["steps"] for box in step["boxes"]]
    assert len(boxes) == (26 + 49 if decoder else 26)
    assert text.count("Shape in symbols:") == len(boxes)
    for part in sheet.data["parts"]:
        for step in part["steps"]:
            assert f"{step['number']}. {step['title']}" in text
            assert f"Hint: {step['hint']}" in text
            assert all(printed_name(box["key"]) in text for box in step["boxes"])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_box_is_large_enough_for_a_hand_and_a_row_fits_on_the_page(seed):
    assert HEIGHT >= 7
    for part in printed(seed).sheet.data["parts"]:
        for step in part["steps"]:
            for box in step["boxes"]:
                for grid in (box["grid"], box["notes"]):
                    assert grid is None or (grid["width"] >= 9 and grid["total"] <= 180)


def test_the_widest_sheet_has_boxes_large_enough():
    sizes = Sizes(2, 1, 16, vocab=4)
    sheet = worksheet(sheet_example(["Donaudampfschiff", "b"], None, sizes), key="none")
    widths = [b["grid"]["width"] for p in sheet.data["parts"] for s in p["steps"] for b in s["boxes"]]
    assert min(widths) >= 9


def test_a_step_stands_on_one_page():
    sheet = worksheet(homework_example(), decoder=True, key="none")
    texts = [" ".join(text.split()) for text in pages(sheet.pdf)]
    for part in sheet.data["parts"]:
        for step in part["steps"]:
            page = next(text for text in texts if f"{step['number']}. {step['title']}" in text)
            rest = page[page.index(f"{step['number']}. {step['title']}") :]
            assert f"Hint: {step['hint']}" in rest


# The file


def test_made_twice_it_is_the_same_to_the_byte():
    def once():
        sheet = worksheet(homework_example(), decoder=True, key="separate", name="Ada", code="x")
        return sheet.pdf, sheet.key_pdf

    first = once()
    worksheet(personal_example("somebody else"))
    assert once() == first


def test_what_was_made_before_leaves_no_trace():
    """The compiler keeps what it has set: in whatever order sheets are made, each is the one made alone."""
    names = ["ada", "ben", "chloë"]

    def made(name, **more):
        return worksheet(personal_example(name), key="separate", name=name, code=name, **more)

    alone = {}
    for name in names:
        make._compiler.cache_clear()
        alone[name] = made(name)
    worksheet(homework_example(), decoder=True, decimals=4, paper="letter")
    for name in [*names, *reversed(names)]:
        again = made(name)
        assert (again.pdf, again.key_pdf) == (alone[name].pdf, alone[name].key_pdf)
    script = (
        "import hashlib; from helpers import personal_example; from helpers.worksheets import worksheet;"
        "w = worksheet(personal_example('ben'), key='separate', name='ben', code='ben');"
        "print(hashlib.sha256(w.pdf + w.key_pdf).hexdigest())"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    assert said == hashlib.sha256(alone["ben"].pdf + alone["ben"].key_pdf).hexdigest()


def test_it_is_tagged_and_names_its_language_and_title():
    pdf = worksheet(homework_example()).pdf
    assert b"<pdfuaid:part>1</pdfuaid:part>" in pdf
    assert b"One forward pass by hand" in pdf
    assert b"/Lang(en-GB)" in pdf


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_paper(paper, size):
    sheet = worksheet(homework_example(), paper=paper)
    found = PdfReader(BytesIO(sheet.pdf)).pages
    assert len(found) == sheet.pages
    assert {(round(page.mediabox.width), round(page.mediabox.height)) for page in found} == {size}


@pytest.mark.parametrize("words", ["Äpfel für Öl", "ığdır şimşek çay", "ψυχή καὶ σοφία", "кот сидел ёж", "d’été naïve"])
def test_words_of_many_languages_are_printed(words):
    sizes = Sizes(2, 1, 2, vocab=4)
    text = " ".join(pages(worksheet(sheet_example(words.split(), None, sizes), key="none").pdf))
    assert all(unicodedata.normalize("NFKC", word) in text for word in words.split())


@pytest.mark.parametrize("word", ["😀", "漢字"])
def test_what_has_no_letter_in_the_fonts_is_refused(word):
    with plain_error(word[0], "cannot be printed"):
        worksheet(sheet_example([word, "x"], None, Sizes(2, 1, 2, vocab=4)))


@pytest.mark.parametrize("text", ['a"b\\c', "#let x", "$x$", "@ref", "*bold*", "<label>", "// no"])
def test_words_and_names_are_no_markup(text):
    word = text.replace(" ", "")
    sheet = worksheet(sheet_example([word], None, Sizes(2, 1, 2, vocab=4)), name=text, key="none")
    assert f"Name {text}" in pages(sheet.pdf)[0]
    assert f"“{word}”" in pages(sheet.pdf)[0]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (dict(key="front"), "key"),
        (dict(paper="a5"), "paper"),
        (dict(decimals=9), "decimals"),
        (dict(decimals="3"), "decimals"),
        (dict(name="a\nb"), "name"),
        (dict(name="x" * 100), "name"),
        (dict(code=7), "code"),
    ],
)
def test_a_wrong_call_is_one_sentence(wrong, named):
    with plain_error(named):
        worksheet(homework_example(), **wrong)


def test_what_cannot_be_a_sheet_is_one_sentence():
    with plain_error("example"):
        worksheet("the cat sat")
    with plain_error("n_src"):
        worksheet(course_example())
    with plain_error("candidates"):
        worksheet(course_example(), decoder=True)


def test_the_homework_has_the_sizes_that_the_sheet_says():
    rows = {name: number for _, name, number, _ in worksheet(homework_example(), key="none").data["sizes"]}
    assert rows["d_model"] == str(HOMEWORK.d_model)
    assert rows["d_ff"] == str(HOMEWORK.d_ff)
