"""What is typed becomes words, or one plain sentence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.cards.sentences import LONGEST, MOST, read_sentence
from helpers.errors import PlainError

READ = [
    ("the cat sat", "the cat sat"),
    ("  The \t CAT,\nsat! ", "the cat sat"),
    ("don't stop", "don't stop"),
    ("a well-known 'quoted' word", "a well-known quoted word"),
    ("3,5 is 100%", "3 5 is 100"),
    ("<script>alert(1)</script>", "script alert 1 script"),
    ("cat🐱dog 👍🏽", "cat 🐱 dog 👍🏽"),
    ("👨‍👩‍👧 in 🇩🇪🇫🇷", "👨‍👩‍👧 in 🇩🇪 🇫🇷"),
    ("e\u0301te\u0301", "été"),
    ("die Straße", "die straße"),
    ("שלום עולם", "שלום עולם"),
    ("\u200fمرحبا\u200f بالعالم", "مرحبا بالعالم"),
    ("हिन्दी 日本語", "हिन्दी 日本語"),
    ("a\u0000b\ud800c", "abc"),
]


@pytest.mark.parametrize(("typed", "words"), READ)
def test_words_are_read(typed, words):
    assert list(read_sentence(typed, "English").words) == words.split()


@pytest.mark.parametrize(
    ("typed", "language", "said"),
    [
        ("", "English", "There is no word in the English sentence yet: type one to 8 words."),
        (" …!? ", "German", "There is no word in the German sentence yet: type one to 7 words."),
        ("a b c d e f g h i", "English", "The English sentence has 9 words; the cards take up to 8."),
        ("a b c d e f g h", "German", "The German sentence has 8 words; the cards take up to 7."),
        ("x" * 21, "English", "“xxxxxxxxxx…” has 21 characters; the cards take words of up to 20."),
    ],
)
def test_what_cannot_be_read_is_one_sentence(typed, language, said):
    with pytest.raises(PlainError) as error:
        read_sentence(typed, language)
    assert str(error.value) == said


def test_what_was_changed_is_said():
    assert read_sentence("the cat", "English").remarks == ()
    dropped, small = read_sentence("The cat, sat; so, there.", "English").remarks
    assert dropped.endswith(": , ; .")
    assert "Capital" in small
    (order,) = read_sentence("שלום", "English").remarks
    assert "order" in order


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=60), st.sampled_from(sorted(MOST)))
def test_any_text_becomes_words_that_stay_as_they_are(text, language):
    try:
        sentence = read_sentence(text, language)
    except PlainError:
        return
    assert 1 <= len(sentence.words) <= MOST[language]
    for word in sentence.words:
        assert 1 <= len(word) <= LONGEST
        assert not set(word) & set(' \t\n<>&"')
    assert read_sentence(" ".join(sentence.words), language).words == sentence.words
