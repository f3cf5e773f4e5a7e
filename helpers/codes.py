"""The code of a sheet: a short text from which a notebook makes the same numbers again.

E4-2-8-3-seed17-KQT: a sheet of the encoder (D: on through the decoder) with d_model 4, 2 heads, d_ff 8 and 3 decimals,
its numbers drawn from seed 17 (@ada: from the id of a student). Three letters check the code and its sentences.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from .errors import PlainError
from .examples import RESERVED, Example, stream
from .personal import SOURCE, TARGET, folded, sheet_example
from .settings import course_salt
from .sizes import HOMEWORK, Sizes, whole

# Without I and O, which are read as 1 and 0.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
# The largest prime below 24³, and a root of it: one wrong character, or two exchanged, always change the letters.
PRIME, ROOT = 13807, 4057
LONGEST_STUDENT = 40
LEAST_DECIMALS, MOST_DECIMALS = 2, 4
_FORM = re.compile(r"([ED])(\d{1,3})-(\d{1,2})-(\d{1,3})-(\d)-(?:SEED(\d{1,10})|@(.+))-([A-Z]{3})", re.IGNORECASE)


@dataclass(frozen=True)
class Recipe:
    """What a sheet is made from, its sentences apart: sizes, decimals, and a seed or the id of a student.

    decoder: whether the sheet goes on through the decoder. Raises PlainError for what cannot stand in a code.
    """

    sizes: Sizes = HOMEWORK
    decimals: int = 3
    decoder: bool = False
    seed: int = 0
    student: str | None = None

    def __post_init__(self):
        if not LEAST_DECIMALS <= whole("decimals", self.decimals) <= MOST_DECIMALS:
            raise PlainError(f"decimals is {self.decimals}; it must be {LEAST_DECIMALS} to {MOST_DECIMALS}.")
        if self.sizes.layers != 1:
            raise PlainError(f"A sheet has one layer; these sizes have {self.sizes.layers}.")
        stream(self.seed)
        if self.student is not None:
            object.__setattr__(self, "student", _spelt(self.student))

    def text(self) -> str:
        """Write the code, its check letters apart."""
        sizes = self.sizes
        owner = f"seed{self.seed}" if self.student is None else f"@{self.student}"
        return f"{'D' if self.decoder else 'E'}{sizes.d_model}-{sizes.heads}-{sizes.d_ff}-{self.decimals}-{owner}"

    def code(self, sentence=None, decoder_sentence=None, salt: str | None = None) -> str:
        """Write the code of a sheet with these sentences; without them they are the homework's."""
        source, target = self._sentences(sentence, decoder_sentence)
        return f"{self.text()}-{_letters(self._checked(source, target, salt))}"

    def example(self, sentence=None, decoder_sentence=None, salt: str | None = None) -> Example:
        """Make the numbers of a sheet with these sentences."""
        source, target = self._sentences(sentence, decoder_sentence)
        salt = course_salt() if salt is None and self.student is not None else salt or ""
        return sheet_example(source, target or None, self.sizes, self.seed, self.student, salt)

    def _sentences(self, sentence, decoder_sentence) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if decoder_sentence is not None and not self.decoder:
            raise PlainError("This is a sheet without a decoder: leave the decoder's sentence out.")
        source = SOURCE if sentence is None else words_of(sentence)
        if not self.decoder:
            return source, ()
        return source, TARGET if decoder_sentence is None else words_of(decoder_sentence)

    def _checked(self, source, target, salt: str | None) -> str:
        """What the letters check: of a student's sheet the salt too, since it changes the numbers."""
        parts = [self.text(), " ".join(source), " ".join(target)]
        if self.student is not None:
            salt = course_salt() if salt is None else salt
            parts.append(hashlib.sha256(salt.encode()).hexdigest()[:8])
        return "\n".join(parts)


def code_of(sizes: Sizes, sentence=None, decoder_sentence=None, *, decoder: bool | None = None, seed: int = 0,
            student: str | None = None, decimals: int = 3, salt: str | None = None) -> str:  # fmt: skip
    """Write the code of a sheet: of a seed, or of a student with the salt of the course.

    sentence, decoder_sentence: texts or lists of words; None is the homework's. decoder: whether the sheet goes on
    through the decoder; by default it does when there is a sentence for it.
    """
    decoder = decoder_sentence is not None if decoder is None else decoder
    return Recipe(sizes, decimals, decoder, seed, student).code(sentence, decoder_sentence, salt)


def example_of(code: str, sentence=None, decoder_sentence=None, salt: str | None = None) -> Example:
    """Make the numbers of the sheet with this code; without sentences it is the homework's.

    Raises PlainError when the code cannot be read, or when code and sentences do not belong together.
    """
    recipe, letters = read_code(code)
    right = recipe.code(sentence, decoder_sentence, salt)
    if letters != right[-len(letters) :]:
        raise PlainError(_mistyped(recipe, letters, sentence, decoder_sentence))
    return recipe.example(sentence, decoder_sentence, salt)


def read_code(code: str) -> tuple[Recipe, str]:
    """Read a code as it was typed; its check letters, which are not looked at yet, come second."""
    text = unicodedata.normalize("NFC", code).strip() if isinstance(code, str) else ""
    # The dashes of an id stay as they are; those that a word processor has made longer are read too.
    found = _FORM.fullmatch(text) or _FORM.fullmatch(re.sub("[‐‑‒–—−]", "-", text))
    if not found:
        raise PlainError(f"{code!r} is no code of a sheet; it looks like E4-2-8-3-seed17-KQT.")
    stack, d_model, heads, d_ff, decimals, seed, student, letters = found.groups()
    sizes = Sizes(int(d_model), int(heads), int(d_ff), len(RESERVED) + 1)
    return Recipe(sizes, int(decimals), stack.upper() == "D", int(seed or 0), student), letters.upper()


def words_of(sentence) -> tuple[str, ...]:
    """Split a sentence into its words; PlainError without any, for a reserved word and for what cannot be printed."""
    words = sentence.split() if isinstance(sentence, str) else sentence
    if not isinstance(words, (list, tuple)) or not words or not all(isinstance(word, str) for word in words):
        raise PlainError(f"A sentence of at least one word is needed, not {sentence!r}.")
    words = tuple(unicodedata.normalize("NFC", word) for word in words)
    for word in words:
        if word in RESERVED:
            raise PlainError(f"{word} is a reserved word: it cannot stand in a sentence.")
        if not word.isprintable() or word.split() != [word]:
            raise PlainError(f"The word {word!r} cannot stand in a sentence: it has a character that is not printed.")
    return words


def _spelt(student: str) -> str:
    """Spell an id as it stands in a code."""
    name = folded(student)
    if len(name) > LONGEST_STUDENT or not name.isprintable() or "  " in name:
        raise PlainError(
            f"The id {name[:LONGEST_STUDENT]!r} cannot stand in a code: that takes at most {LONGEST_STUDENT} "
            "characters that are printed, and no two blanks in a row."
        )
    return name


def _letters(text: str) -> str:
    """Three letters that change with any character of a text."""
    value = 0
    for character in text:
        value = (value * ROOT + ord(character) + 1) % PRIME
    return "".join(LETTERS[value // len(LETTERS) ** place % len(LETTERS)] for place in (2, 1, 0))


def _mistyped(recipe: Recipe, letters: str, sentence, decoder_sentence) -> str:
    """Say what to look at again."""
    missing = []
    if sentence is None:
        missing.append('sentence="…"')
    if recipe.decoder and decoder_sentence is None:
        missing.append('decoder_sentence="…"')
    code = f"{recipe.text()}-{letters}"
    if missing:
        return f"The code {code} is mistyped, or its sheet has another sentence: add {' and '.join(missing)} from it."
    also = ", or the course has another salt here" if recipe.student is not None else ""
    return f"The code {code} and the sentence do not belong together: one of them is mistyped{also}."
