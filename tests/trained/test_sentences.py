"""The grammar of the trained model: its German against pairs written by hand and against the rules of articles."""

import pytest
from support import plain_error

from helpers.trained import known_words
from helpers.trained import sentences as sn

GRAMMAR = dict(sn.grammar())

# Written by hand, not by the grammar: every gender in every case, every adjective, every kind of verb.
PAIRS = """
the cat sat = die katze saß
the dog slept = der hund schlief
the horse stood = das pferd stand
a bird danced = ein vogel tanzte
a woman ran = eine frau lief
a child slept = ein kind schlief
the cat sat on the mat = die katze saß auf der matte
the man slept on the bed = der mann schlief auf dem bett
the mouse danced on the table = die maus tanzte auf dem tisch
the bird stood on the old table = der vogel stand auf dem alten tisch
a cat slept on the small mat = eine katze schlief auf der kleinen matte
the child sat on the big bed = das kind saß auf dem großen bett
the small cat slept = die kleine katze schlief
the old man ran = der alte mann lief
the big horse stood = das große pferd stand
the dog bites the man = der hund beißt den mann
the man bites the dog = der mann beißt den hund
the woman saw the bird = die frau sah den vogel
the horse likes the mouse = das pferd mag die maus
the bird hears the child = der vogel hört das kind
a dog saw a man = ein hund sah einen mann
the mouse likes a woman = die maus mag eine frau
the woman hears a horse = die frau hört ein pferd
the old woman saw the small dog = die alte frau sah den kleinen hund
the child likes the big cat = das kind mag die große katze
the man hears the old horse = der mann hört das alte pferd
the dog has bitten the man = der hund hat den mann gebissen
the cat has seen a bird = die katze hat einen vogel gesehen
the small child has heard the mouse = das kleine kind hat die maus gehört
today the cat slept = heute schlief die katze
yesterday the old dog ran = gestern lief der alte hund
today the dog bites the man = heute beißt der hund den mann
today a woman has seen the dog = heute hat eine frau den hund gesehen
the cat sat and the dog slept = die katze saß und der hund schlief
a bird danced and the child ran = ein vogel tanzte und das kind lief
the dog slept on the horse = der hund schlief auf dem pferd
the mouse sat on a table = die maus saß auf einem tisch
a man stood on a mat = ein mann stand auf einer matte
the cat saw the table = die katze sah den tisch
a child likes the small bed = ein kind mag das kleine bett
the old cat has seen a mat = die alte katze hat eine matte gesehen
dog bites man = hund beißt mann
"""
ARTICLES = {
    "m": {"nominative": {"der", "ein"}, "accusative": {"den", "einen"}, "dative": {"dem", "einem"}},
    "f": {"nominative": {"die", "eine"}, "accusative": {"die", "eine"}, "dative": {"der", "einer"}},
    "n": {"nominative": {"das", "ein"}, "accusative": {"das", "ein"}, "dative": {"dem", "einem"}},
}
GENDER = dict(katze="f", hund="m", maus="f", vogel="m", pferd="n", mann="m", frau="f", kind="n")
GENDER |= dict(matte="f", tisch="m", bett="n")


@pytest.mark.parametrize("line", PAIRS.strip().splitlines())
def test_pairs_written_by_hand(line):
    english, german = line.split(" = ")
    assert GRAMMAR[english] == german


def case_of(words, t):
    """Case that the noun at place t must have: dative after auf, accusative for the second of two beings."""
    before = words[:t]
    if "auf" in before:
        return "dative"
    beings_before = [word for word in before if word in GENDER]
    return "accusative" if beings_before and "und" not in words else "nominative"


def test_every_article_and_adjective_fits_its_noun():
    for _, german in sn.grammar():
        words = german.split()
        for t, noun in enumerate(words):
            if noun not in GENDER or words[0] in GENDER:
                continue  # no noun, or a headline, which has no articles
            case = case_of(words, t)
            described = words[t - 1] not in ARTICLES[GENDER[noun]][case]
            assert words[t - 1 - described] in ARTICLES[GENDER[noun]][case], german
            if described:
                ends_in_en = case == "dative" or words[t - 2] == "den"
                assert words[t - 1].endswith("en") is ends_in_en, german
                assert not words[t - 2].startswith("ein"), german


def test_no_english_sentence_stands_for_two_german_ones():
    assert len(GRAMMAR) == len(sn.grammar())
    assert all(GRAMMAR[english] == german for english, german in sn.sentences())


def test_sentences_keep_to_the_longest_lengths():
    assert max(len(english.split()) for english, _ in sn.grammar()) <= 8
    assert max(len(german.split()) for _, german in sn.grammar()) == 7


def test_the_split_is_a_fifth_and_its_words_all_occur_in_training():
    seen = {word for pair in sn.training() for sentence in pair for word in sentence.split()}
    unseen = {word for pair in sn.held_out() for sentence in pair for word in sentence.split()}
    assert unseen <= seen == set(known_words("english")) | set(known_words("german"))
    assert not set(sn.training()) & set(sn.held_out())
    assert len(sn.training()) + len(sn.held_out()) == len(sn.sentences())
    assert 0.17 < len(sn.held_out()) / len(sn.sentences()) < 0.23


def test_named_sentences_are_trained_on():
    assert set(sn.NAMED) <= set(sn.training())


def test_no_word_belongs_to_both_languages_and_each_has_an_id():
    english, german = known_words("english"), known_words("german")
    assert len(set(english + german)) == len(english) + len(german)
    assert list(sn.word_ids()) == ["<pad>", "<sos>", "<eos>", *english, *german]
    assert list(sn.word_ids().values()) == list(range(len(sn.word_ids())))


def test_nouns_translate_each_other():
    assert sn.NOUNS["katze"] == "cat"
    assert set(sn.NOUNS) == set(GENDER)


def test_another_language_is_refused():
    with plain_error("'latin'", "'english'"):
        known_words("latin")
