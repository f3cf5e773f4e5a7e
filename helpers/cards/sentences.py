"""What a reader types as a sentence: cut into words, tidied, or refused in one plain sentence."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from ..errors import PlainError

MOST = {"English": 8, "German": 7}
"""Words a sentence may have, so that every matrix stays readable."""
LONGEST = 20
"""Characters of a word: a longer one would push the numbers off the page."""
MOST_NAMED = 10
"""Characters that are named when they are left out."""
INSIDE_A_WORD = "'’-"
JOINER = "\u200d"
JOINERS = JOINER + "\ufe0e\ufe0f"
"""Invisible characters that belong to an emoji."""
SKIN_TONES = "".join(map(chr, range(0x1F3FB, 0x1F400)))
FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


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
    small = tuple(unicodedata.normalize("NFC", word.lower()) for word in words)
    _check(small, language)
    remarks = []
    if dropped:
        remarks.append(f"Left out, as the cards read words only: {' '.join(list(dict.fromkeys(dropped))[:MOST_NAMED])}")
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
    clusters = _clusters(chunk)
    kinds = [_kind(cluster) for cluster in clusters]
    words = [""]
    for place, (cluster, kind) in enumerate(zip(clusters, kinds, strict=True)):
        inside = cluster in INSIDE_A_WORD and words[-1] and kinds[place + 1 : place + 2] == ["letter"]
        if kind == "letter" or inside:
            words[-1] += cluster
        elif kind == "emoji":
            words += [cluster, ""]
        else:
            words.append("")
            dropped.append(cluster)
    return [word for word in words if word]


def _clusters(chunk: str) -> list[str]:
    """Characters with what belongs to them: accents, skin tones, the parts of a joined emoji, the halves of a flag."""
    clusters: list[str] = []
    for character in chunk:
        if clusters and (_follows(character) or clusters[-1].endswith(JOINER) or _is_flag(clusters[-1], character)):
            clusters[-1] += character
        elif not _follows(character):
            clusters.append(character)
    return clusters


def _follows(character: str) -> bool:
    return character in JOINERS or unicodedata.category(character) in ("Mn", "Mc", "Me") or character in SKIN_TONES


def _is_flag(before: str, character: str) -> bool:
    return len(before) == 1 and before in FLAG_LETTERS and character in FLAG_LETTERS


def _kind(cluster: str) -> str:
    """What a cluster is by its first character: "letter" (digits too), "emoji" or "mark"."""
    kind = unicodedata.category(cluster[0])
    return "letter" if kind[0] in "LN" else "emoji" if kind == "So" else "mark"
