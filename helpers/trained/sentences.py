"""The small language of the trained model: a grammar, written by hand, that gives English sentences with their German.

All words are lower case, also the German nouns, and a sentence is split at its blanks. German changes an article and
an adjective with gender and case; the grammar knows the three genders and three cases: the subject stands in the
nominative, the object in the accusative, a place after "auf" in the dative.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..errors import PlainError
from ..examples import RESERVED

Pair = tuple[str, str]
LONGEST = {"english": 8, "german": 7}

# English, German, gender. No noun here changes with its case.
BEINGS = (
    ("cat", "katze", "f"),
    ("dog", "hund", "m"),
    ("mouse", "maus", "f"),
    ("bird", "vogel", "m"),
    ("horse", "pferd", "n"),
    ("man", "mann", "m"),
    ("woman", "frau", "f"),
    ("child", "kind", "n"),
)
PLACES = (("mat", "matte", "f"), ("table", "tisch", "m"), ("bed", "bett", "n"))
THE = {
    "nominative": {"m": "der", "f": "die", "n": "das"},
    "accusative": {"m": "den", "f": "die", "n": "das"},
    "dative": {"m": "dem", "f": "der", "n": "dem"},
}
A = {
    "nominative": {"m": "ein", "f": "eine", "n": "ein"},
    "accusative": {"m": "einen", "f": "eine", "n": "ein"},
    "dative": {"m": "einem", "f": "einer", "n": "einem"},
}
ADJECTIVES = (("small", "klein"), ("big", "groß"), ("old", "alt"))
INTRANSITIVE = (("sat", "saß"), ("slept", "schlief"), ("stood", "stand"), ("danced", "tanzte"), ("ran", "lief"))
# Running has no place: "lief auf dem tisch" would be another thing than "lief auf den tisch".
AT_A_PLACE = INTRANSITIVE[:4]
TRANSITIVE = (("bites", "beißt"), ("saw", "sah"), ("likes", "mag"), ("hears", "hört"))
# German sends the participle to the end: "hat den mann gesehen".
PARTICIPLES = (("bitten", "gebissen"), ("seen", "gesehen"), ("heard", "gehört"))
# A time in front pulls the German verb forward: "heute schlief die katze".
TIMES = (("today", "heute"), ("yesterday", "gestern"))

# In the training set whatever the draw says.
NAMED = (
    ("the cat sat", "die katze saß"),
    ("the cat sat on the mat", "die katze saß auf der matte"),
    ("the dog bites the man", "der hund beißt den mann"),
    ("the man bites the dog", "der mann beißt den hund"),
    ("the small cat slept", "die kleine katze schlief"),
    ("the dog saw the cat", "der hund sah die katze"),
    ("dog bites man", "hund beißt mann"),
    ("man bites dog", "mann beißt hund"),
)


# --- phrases -----------------------------------------------------------------------------------


class Phrase(NamedTuple):
    """An article, perhaps an adjective, and a noun: the English words, and the German ones by case."""

    english: str
    german: dict[str, str]
    noun: str

    @property
    def bare(self) -> bool:
        """Whether there is no adjective."""
        return len(self.english.split()) == 2


def weak_ending(gender: str, case: str) -> str:
    """Ending of an adjective after der, die or das: -en in the dative and after den, else -e."""
    return "e" if case == "nominative" or (case == "accusative" and gender != "m") else "en"


def _phrases(nouns) -> list[Phrase]:
    """Every phrase of some nouns: with "the", with "the" and each adjective, with "a".

    There is none with "a" and an adjective: "ein kleiner", "ein kleines" would need more words.
    """
    found = []
    for english, german, gender in nouns:
        found.append(Phrase(f"the {english}", {case: f"{THE[case][gender]} {german}" for case in THE}, english))
        found.append(Phrase(f"a {english}", {case: f"{A[case][gender]} {german}" for case in A}, english))
        for adjective, stem in ADJECTIVES:
            forms = {case: f"{THE[case][gender]} {stem}{weak_ending(gender, case)} {german}" for case in THE}
            found.append(Phrase(f"the {adjective} {english}", forms, english))
    return found


# --- sentences: each as (k, English, German), of which one in k is kept --------------------------


def _with_a_subject(s: Phrase) -> Iterator[tuple[int, str, str]]:
    """Sentences of a subject and an intransitive verb."""
    subject = s.german["nominative"]
    for verb, verb_de in INTRANSITIVE:
        yield 1 if s.bare else 3, f"{s.english} {verb}", f"{subject} {verb_de}"
        for time, time_de in TIMES:
            yield 2 if s.bare else 6, f"{time} {s.english} {verb}", f"{time_de} {verb_de} {subject}"


def _at_a_place(s: Phrase, place: Phrase) -> Iterator[tuple[int, str, str]]:
    """Sentences of a subject, an intransitive verb and a place."""
    k = 7 if s.bare and place.bare else 24
    for verb, verb_de in AT_A_PLACE:
        german = f"{s.german['nominative']} {verb_de} auf {place.german['dative']}"
        yield k, f"{s.english} {verb} on {place.english}", german


def _with_an_object(s: Phrase, o: Phrase) -> Iterator[tuple[int, str, str]]:
    """Sentences of a subject, a transitive verb and an object. Nobody hears a mat."""
    subject, object_ = s.german["nominative"], o.german["accusative"]
    (today, heute), _ = TIMES
    silent = o.noun in {english for english, _, _ in PLACES}
    k = 6 if s.bare and o.bare else 24
    for verb, verb_de in TRANSITIVE[:-1] if silent else TRANSITIVE:
        yield k, f"{s.english} {verb} {o.english}", f"{subject} {verb_de} {object_}"
        yield 2 * k, f"{today} {s.english} {verb} {o.english}", f"{heute} {verb_de} {subject} {object_}"
    for verb, verb_de in PARTICIPLES[:-1] if silent else PARTICIPLES:
        yield k, f"{s.english} has {verb} {o.english}", f"{subject} hat {object_} {verb_de}"
        yield 2 * k, f"{today} {s.english} has {verb} {o.english}", f"{heute} hat {subject} {object_} {verb_de}"


def _with_two_subjects(a: Phrase, b: Phrase) -> Iterator[tuple[int, str, str]]:
    """Two short sentences with "and" between them."""
    for verb, verb_de in INTRANSITIVE:
        for other, other_de in INTRANSITIVE:
            german = f"{a.german['nominative']} {verb_de} und {b.german['nominative']} {other_de}"
            yield 30, f"{a.english} {verb} and {b.english} {other}", german


def _headlines() -> Iterator[tuple[int, str, str]]:
    """A subject, a transitive verb and an object without any article, as newspapers write."""
    for subject, subject_de, _ in BEINGS:
        for object_, object_de, _ in BEINGS:
            if object_ != subject:
                for verb, verb_de in TRANSITIVE:
                    yield 2, f"{subject} {verb} {object_}", f"{subject_de} {verb_de} {object_de}"


def _grammar() -> Iterator[tuple[int, str, str]]:
    """Every sentence. No being meets itself: "himself" would be another word."""
    beings = _phrases(BEINGS)
    yield from _headlines()
    for s in beings:
        yield from _with_a_subject(s)
        for other in _phrases(BEINGS + PLACES):
            if other.noun != s.noun:
                yield from _at_a_place(s, other)
                yield from _with_an_object(s, other)
        for other in beings:
            if other.noun != s.noun:
                yield from _with_two_subjects(s, other)


def _draw(english: str, purpose: str, sides: int) -> int:
    """A number below `sides` that depends on the sentence alone, the same on every machine."""
    return int(hashlib.sha256(f"{purpose}: {english}".encode()).hexdigest(), 16) % sides


def _short_enough(english: str, german: str) -> bool:
    return len(english.split()) <= LONGEST["english"] and len(german.split()) <= LONGEST["german"]


@lru_cache(maxsize=1)
def grammar() -> tuple[Pair, ...]:
    """Every (English, German) pair that the grammar gives within the longest lengths, about 28,000."""
    return tuple((english, german) for _, english, german in _grammar() if _short_enough(english, german))


@lru_cache(maxsize=1)
def sentences() -> tuple[Pair, ...]:
    """The pairs kept for training and testing: a fixed draw of the grammar, and NAMED."""
    kept = {
        english: german
        for k, english, german in _grammar()
        if _short_enough(english, german) and (_draw(english, "keep", k) == 0 or (english, german) in NAMED)
    }
    return tuple(kept.items())


def is_held_out(english: str) -> bool:
    """Whether a sentence is kept from training, to test on: one in five, never one of NAMED."""
    return english not in dict(NAMED) and _draw(english, "split", 5) == 0


def training() -> list[Pair]:
    """The pairs that the model is trained on."""
    return [pair for pair in sentences() if not is_held_out(pair[0])]


def held_out() -> list[Pair]:
    """The pairs that the model never saw."""
    return [pair for pair in sentences() if is_held_out(pair[0])]


# --- words -------------------------------------------------------------------------------------


def _english_words() -> tuple[str, ...]:
    small = ("the", "a", "on", "and", "has")
    rest = (BEINGS, PLACES, ADJECTIVES, INTRANSITIVE, TRANSITIVE, PARTICIPLES, TIMES)
    return small + tuple(row[0] for rows in rest for row in rows)


def _german_words() -> tuple[str, ...]:
    articles = [word for table in (THE, A) for forms in table.values() for word in forms.values()]
    adjectives = [stem + ending for _, stem in ADJECTIVES for ending in ("e", "en")]
    rest = (INTRANSITIVE, TRANSITIVE, PARTICIPLES, TIMES)
    nouns = [row[1] for rows in (BEINGS, PLACES) for row in rows]
    words = [*articles, "auf", "und", "hat", *nouns, *adjectives, *(row[1] for rows in rest for row in rows)]
    return tuple(dict.fromkeys(words))


@lru_cache
def known_words(language: str) -> tuple[str, ...]:
    """The words of "english" or "german" that the model knows: small words first, then nouns, adjectives, verbs."""
    if language not in LONGEST:
        raise PlainError(f"There is no language {language!r} here; there are 'english' and 'german'.")
    return _english_words() if language == "english" else _german_words()


@lru_cache(maxsize=1)
def word_ids() -> dict[str, int]:
    """Id of every word of both languages in the one shared table: the reserved ids, English, then German."""
    words = (*known_words("english"), *known_words("german"))
    return RESERVED | {word: k for k, word in enumerate(words, start=len(RESERVED))}


NOUNS = {german: english for english, german, _ in BEINGS + PLACES}
