"""The code of a sheet: the same numbers again from a short text, and a slip in typing it is caught."""

import random
import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import plain_error

from helpers import HOMEWORK, Sizes, code_of, example_of, homework, homework_example, personal_example, sheet_example
from helpers.codes import LETTERS, PRIME, Recipe, read_code
from helpers.errors import PlainError

CODE = code_of(HOMEWORK, "the dog ran home", "der hund lief", seed=17)
SENTENCES = ("the dog ran home", "der hund lief")


def same(one, other):
    assert one.vocabulary == other.vocabulary
    assert (one.src_words, one.tgt_words, one.candidates) == (other.src_words, other.tgt_words, other.candidates)
    np.testing.assert_array_equal(one.E, other.E)
    for stack in ("encoder_layers", "decoder_layers"):
        for name, W in getattr(one, stack)[0].items():
            np.testing.assert_array_equal(W, getattr(other, stack)[0][name])


def test_codes_on_paper_stay_good():
    """A printed sheet is opened months later: what it says must not change."""
    assert code_of(HOMEWORK) == "E4-2-8-3-seed0-BYV"
    assert CODE == "D4-2-8-3-seed17-NLE"
    assert code_of(Sizes(6, 3, 12, 9), "ein Wort", student="Ada", decimals=2, salt="x") == "E6-3-12-2-@ada-DLY"


def test_a_code_opens_the_numbers_of_its_sheet():
    same(example_of(CODE, *SENTENCES), sheet_example(*[s.split() for s in SENTENCES], HOMEWORK, 17))
    same(example_of(CODE.lower(), "  the dog  ran home", ["der", "hund", "lief"]), example_of(CODE, *SENTENCES))
    same(example_of(CODE.replace("-", "–"), *SENTENCES), example_of(CODE, *SENTENCES))


def test_without_a_sentence_it_is_the_homework():
    for decoder in (False, True):
        assert example_of(code_of(HOMEWORK, decoder=decoder)) is homework_example()
        code = code_of(HOMEWORK, student=" Ada ", salt="s", decoder=decoder)
        assert example_of(code, salt="s") is personal_example("ada", "s")


def test_a_students_code_and_the_homework_agree_under_the_salt_of_the_course(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[tool.byhand]\nsalt = "autumn"\n')
    monkeypatch.chdir(tmp_path)
    code = code_of(HOMEWORK, student="ada")
    same(homework("encoder", code=code).example, homework("encoder", student="ada").example)
    (tmp_path / "pyproject.toml").write_text('[tool.byhand]\nsalt = "spring"\n')
    with plain_error("another salt"):
        homework("encoder", code=code, sentence="the cat sat")


@given(
    st.sampled_from([(2, 1, 4), (4, 2, 8), (6, 3, 6), (4, 1, 16)]),
    st.lists(st.text("abcäößığΩж😀'.", min_size=1, max_size=6), min_size=1, max_size=5),
    st.one_of(st.integers(0, 2**32 - 1), st.text("abc-@ 07éß", min_size=1, max_size=12).filter(str.strip)),
    st.integers(2, 4),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_every_code_is_read_as_it_was_written(sizes, words, owner, decimals, decoder):
    sizes = Sizes(*sizes, 9)
    student = owner if isinstance(owner, str) and "  " not in owner.strip() else None
    seed = owner if isinstance(owner, int) else 0
    recipe = Recipe(sizes, decimals, decoder, seed, student)
    code = recipe.code(words, words if decoder else None, salt="")
    again, letters = read_code(code)
    assert again.text() == recipe.text()
    assert (again.student, again.seed, again.decimals) == (recipe.student, recipe.seed, decimals)
    assert letters == code[-3:]


def slips(text, rng):
    """One wrong character, two exchanged, one too many and one too few, at every place."""
    letters = string.ascii_lowercase + string.digits + "äß "
    for k, character in enumerate(text):
        yield text[:k] + rng.choice([c for c in letters if c != character]) + text[k + 1 :]
        yield text[:k] + text[k + 1 :]
        yield text[:k] + rng.choice(letters) + text[k:]
        if k and text[k - 1] != character:
            yield text[: k - 1] + character + text[k - 1] + text[k + 1 :]


def opens(code, *sentences):
    try:
        example_of(code, *sentences)
    except PlainError:
        return False
    return True


def means_the_same(one, other):
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def test_a_slip_in_the_code_or_in_a_sentence_is_caught():
    rng = random.Random(1)
    for slip in slips(CODE, rng):
        assert means_the_same(slip, CODE) or not opens(slip, *SENTENCES), slip
    for k, sentence in enumerate(SENTENCES):
        for slip in slips(sentence, rng):
            given_ = [*SENTENCES]
            given_[k] = slip
            assert " ".join(slip.split()) == sentence or not opens(CODE, *given_), slip
    assert not opens(CODE, *reversed(SENTENCES))
    assert not opens(CODE, "The dog ran home", SENTENCES[1])


def test_the_check_letters_can_hold_every_remainder():
    assert len(set(LETTERS)) == len(LETTERS)
    assert len(LETTERS) ** 3 >= PRIME
    assert all(PRIME % k for k in range(2, 118))


@pytest.mark.parametrize(
    ("sentences", "named"),
    [((), "sentence="), ((SENTENCES[0],), "decoder_sentence="), ((SENTENCES[0], "die hund lief"), "mistyped")],
)
def test_what_is_missing_is_named(sentences, named):
    with plain_error(CODE, named):
        example_of(CODE, *sentences)


@pytest.mark.parametrize("code", ["", "E4-2", "hello", None, 7, CODE + "X", "F" + CODE[1:], "E4-2-8-3-@-ABC"])
def test_what_is_no_code_is_one_sentence(code):
    with plain_error("no code of a sheet"):
        example_of(code)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (dict(sentence=""), "at least one word"),
        (dict(sentence="a <sos>"), "reserved"),
        (dict(sentence=["a b"]), "cannot stand"),
        (dict(sentence="a\u200bb"), "not printed"),
        (dict(seed=-1), "seed"),
        (dict(seed=2**32), "seed"),
        (dict(decimals=1), "decimals"),
        (dict(decimals=True), "decimals"),
        (dict(student=""), "1 to 200"),
        (dict(student="x" * 41), "at most 40"),
        (dict(student="a\nb"), "cannot stand in a code"),
        (dict(decoder_sentence="a", decoder=False), "without a decoder"),
        (dict(sizes=Sizes(4, 2, 8, 9, layers=2)), "one layer"),
    ],
)
def test_what_cannot_stand_in_a_code_is_one_sentence(wrong, named):
    with plain_error(named):
        code_of(**dict(sizes=HOMEWORK) | wrong)


# The notebook


def test_a_sheet_of_other_heads_is_checked_too():
    code = code_of(Sizes(6, 3, 6, 9), "one two two", "eins zwei", seed=5)
    for unit, keys in (("encoder", ("Q2", "C", "Z")), ("translation", ("Sm2", "Y2", "P", "next_word"))):
        hw = homework(unit, code=code, sentence="one two two", decoder_sentence="eins zwei")
        right = dict(hw._marker.exact)
        right["next_word"] = hw.example.candidates[right["next_word"]] if unit == "translation" else None
        feedback = hw.check(**{key: right[key] for key in keys})
        assert [part.points for part in feedback] == [2] * len(keys)
        assert f"{len(keys)} of {len(hw.boxes)} steps right" in hw.progress().text
        with plain_error("two heads"):
            hw.check_shapes(F="3 × 512")


def test_a_sheet_of_two_heads_counts_as_the_homework():
    hw = homework("encoder", code=CODE, sentence=SENTENCES[0], decoder_sentence=SENTENCES[1])
    assert hw.unit == "homework_encoder"
    assert hw.check_shapes(ids="4").verdict


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (dict(student="ada", code=CODE), "leave student out"),
        (dict(sentence="the cat sat"), "code"),
        (dict(code=CODE), "add sentence="),
    ],
)
def test_a_call_that_makes_no_sense_is_one_sentence(wrong, named):
    with plain_error(named):
        homework("encoder", **wrong)


def test_a_sheet_that_ends_at_z_has_no_translation():
    code = code_of(HOMEWORK, "a dog", seed=1)
    with plain_error("ends at Z"):
        homework("translation", code=code, sentence="a dog")
    assert homework("translation", code=code_of(HOMEWORK)).unit == "homework_translation"
