"""What a reader types as a sentence: cut into words, tidied, or refused in one plain sentence."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from ..errors import PlainError

MOST = {"English": 8, "German": 7}
"""Words a sentence may have, so that every matrix stays readable."""
LONGEST = 20
"""Characters of a word: a longer one would push the numbers off the page."""
INSIDE_A_WORD = "'’-"
JOINERS = "\u200d\ufe0e\ufe0f"
"""Invisible characters that belong to an emoji."""


@dataclass(frozen=True)
class Sentence:
    """The words that were read, and what was changed on the way, each change a plain sentence."""

    words: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def read_sentence(text: str, language: str) -> Sentence:
    """Cut a text into words: capitals become small, punctuation goes, an emoji is a word of its own.

    language: "English" or "German", which sets how many words are allowed. Raises PlainError for a text without
    words, for too many of them and for one that is too long.
    """
    text = "".join(character for character in unicodedata.normalize("NFC", text) if _visible(character))
    dropped: list[str] = []
    words = [word for chunk in text.split() for word in _words(chunk, dropped)]
    small = tuple(word.lower() for word in words)
    _check(small, language)
    remarks = []
    if dropped:
        remarks.append(f"Left out, as the cards read words only: {' '.join(dict.fromkeys(dropped))}")
    if small != tuple(words):
        remarks.append("Capital letters became small, so that “The” and “the” are one word.")
    if any(unicodedata.bidirectional(character) in ("R", "AL") for word in small for character in word):
        remarks.append("Words keep the order in which they are read, first word first, whatever way they are written.")
    return Sentence(small, tuple(remarks))


def _check(words: tuple[str, ...], language: str) -> None:
    most = MOST[language]
    if not words:
        raise PlainError(f"There is no word in the {language} sentence yet: type one to {most} words.")
    if len(words) > most:
        raise PlainError(f"The {language} sentence has {len(words)} words; the cards take up to {most}.")
    for word in words:
        if len(word) > LONGEST:
            start = word[: LONGEST // 2]
            raise PlainError(f"“{start}…” has {len(word)} characters; the cards take words of up to {LONGEST}.")


def _visible(character: str) -> bool:
    """Whether a character may stay: control characters, marks of direction and broken halves go."""
    kind = unicodedata.category(character)
    return character.isspace() or character in JOINERS or kind not in ("Cc", "Cf", "Cs", "Co")


def _words(chunk: str, dropped: list[str]) -> list[str]:
    """The words of a text without blanks; what is neither letter, digit nor emoji is added to `dropped`."""
    words, word = [], ""
    for position, character in enumerate(chunk):
        kind = unicodedata.category(character)
        if character in JOINERS or kind in ("Sk", "Mn", "Me", "Mc"):
            # Accents, skin tones and joiners belong to what stands before them.
            word, words = (word + character, words) if word or not words else ("", [*words[:-1], words[-1] + character])
        elif kind[0] in "LN" or (character in INSIDE_A_WORD and word and _letter_follows(chunk, position)):
            word += character
        else:
            if word and word[-1] in JOINERS:  # a joined emoji goes on
                word += character
                continue
            words, word = [*words, word], ""
            if kind == "So":
                word = character
                continue
            dropped.append(character)
        if word and unicodedata.category(word[0]) == "So" and kind[0] in "LN" and len(word) > 1:
            words, word = [*words, word[:-1]], word[-1]
    return [word for word in [*words, word] if word.strip(JOINERS)]


def _letter_follows(chunk: str, position: int) -> bool:
    return position + 1 < len(chunk) and unicodedata.category(chunk[position + 1])[0] in "LN"
