"""From what is asked for to files: one worksheet, or one for every student of a class."""

from __future__ import annotations

import gc
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from ..codes import Recipe, words_of
from ..errors import PlainError
from ..examples import RESERVED
from ..personal import SOURCE, TARGET, folded
from ..settings import course_salt
from ..sizes import HOMEWORK, Sizes
from .caps import check_caps
from .make import KEYS, PAPERS, Worksheet, worksheet
from .printing import Print
from .roster import Problem, Student, read_roster

PRINT, KEY = "class-print.pdf", "class-key.pdf"
# So many sheets of a class wait, for each process, to be put into the print file.
AHEAD = 4
# For fewer students it takes longer to start processes than they save.
MANY = 12


@dataclass(frozen=True)
class Order:
    """A worksheet that is asked for: what it is made from, its sentences, and how it is printed.

    decoder_words: None for a sheet that stops at Z. Raises PlainError for what cannot be had.
    """

    recipe: Recipe
    words: tuple[str, ...]
    decoder_words: tuple[str, ...] | None
    key: str
    paper: str
    salt: str

    def __post_init__(self):
        for what, value, allowed in (("key", self.key, KEYS), ("paper", self.paper, tuple(PAPERS))):
            if value not in allowed:
                raise PlainError(f"{what} is {value!r}; it must be one of {', '.join(map(repr, allowed))}.")
        # Before any number is drawn: what is too large would be drawn for a long time.
        translates = self.decoder_words is not None
        check_caps(self.recipe.sizes, len(self.words), len(self.decoder_words) + 1 if translates else None)

    @property
    def code(self) -> str:
        """What opens the same numbers in the notebook."""
        return self.recipe.code(self.words, self.decoder_words, self.salt)

    def of(self, student: str) -> Order:
        """The same for a student."""
        return replace(self, recipe=replace(self.recipe, student=student))

    def make(self, name: str = "") -> Worksheet:
        """Make the sheet."""
        return worksheet(
            self.recipe.example(self.words, self.decoder_words, self.salt),
            decoder=self.recipe.decoder,
            decimals=self.recipe.decimals,
            key=self.key,
            paper=self.paper,
            code=self.code,
            name=name,
        )


@dataclass(frozen=True)
class Made:
    """What was made: the files, those that hold a whole class last, and the lines of the roster with a problem."""

    files: tuple[Path, ...]
    problems: tuple[Problem, ...] = ()
    codes: tuple[str, ...] = ()


def order(sentence=None, decoder=None, *, d_model: int = HOMEWORK.d_model, heads: int = HOMEWORK.heads,
          d_ff: int = HOMEWORK.d_ff, seed: int = 0, student: str | None = None, decimals: int = 3, key: str = "back",
          paper: str = "a4") -> Order:  # fmt: skip
    """Ask for one worksheet; the arguments are those of `make_worksheets`."""
    words = SOURCE if sentence is None else words_of(sentence)
    translates = decoder is not None and decoder is not False
    decoder_words = None
    if translates:
        decoder_words = TARGET if decoder is True else words_of(decoder)
    sizes = Sizes(d_model, heads, d_ff, vocab=len(RESERVED) + 1)
    return Order(Recipe(sizes, decimals, translates, seed, student), words, decoder_words, key, paper, course_salt())


def make_worksheets(sentence=None, decoder=None, *, roster: str | Path | None = None, out: str | Path | None = None,
                    force: bool = False, key: str | None = None, student: str | None = None,
                    progress: Callable[[int, int], None] | None = None, processes: int = 1,
                    **asked) -> Made:  # fmt: skip
    """Make a worksheet as a PDF, or one for every student of a roster, and write the files.

    sentence: what the encoder reads; by default the homework's. decoder: the sentence that the decoder is to write,
    True for the homework's, None for a sheet that stops after the encoder. d_model, heads, d_ff: the sizes.
    seed or student: whose numbers they are. decimals: of every written number. key: "back", "separate" or "none";
    a class has its key in a file of its own unless asked otherwise. paper: "a4" or "letter".
    out: a folder, or the name of one PDF. force: overwrite files. progress: told how many of how many are made.
    processes: how many make the sheets of a class; more than one needs a main program that can be imported.

    Raises PlainError for what cannot be made and, before anything is made, for files that would be overwritten.
    """
    if roster is None:
        wanted = order(sentence, decoder, key=key or "back", student=student, **asked)
        return _one(wanted, out, force)
    if student is not None or asked.get("seed"):
        raise PlainError("A roster says whose numbers they are: leave student and seed out.")
    wanted = order(sentence, decoder, key=key or "separate", **asked)
    return _class(wanted, Path(roster), out, force, progress or (lambda done, of: None), processes)


def _one(wanted: Order, out, force: bool) -> Made:
    out = Path.cwd() if out is None else Path(out)
    named = out.suffix.casefold() == ".pdf"
    sheet = out if named else out / f"worksheet-{file_name(wanted.code)}.pdf"
    files = [sheet] + ([sheet.with_name(f"{sheet.stem}-key{sheet.suffix}")] if wanted.key == "separate" else [])
    _refuse_to_overwrite(files, force)
    made = wanted.make(name=wanted.recipe.student or "")
    for file, content in zip(files, (made.pdf, made.key_pdf), strict=False):
        write(file, content)
    return Made(tuple(files), codes=(wanted.code,))


def _class(wanted: Order, roster: Path, out, force: bool, progress: Callable[[int, int], None], processes: int) -> Made:
    students, problems = read_roster(roster)
    folder = Path(f"worksheets-{roster.stem}" if out is None else out)
    if folder.suffix.casefold() == ".pdf" or folder.is_file():
        raise PlainError(f"The sheets of a class need a folder; {folder} is a file.")
    whole = [folder / PRINT] + ([folder / KEY] if wanted.key == "separate" else [])
    files = dict(zip(students, _files(folder, students), strict=True))
    _refuse_to_overwrite([*files.values(), *whole], force)
    prints, codes, written = [Print() for _ in whole], [], []
    for done, (student, theirs, pdfs, problem) in enumerate(_each(wanted, students, processes)):
        progress(done, len(students))
        problems += [problem] if problem else []
        if pdfs:
            write(files[student], pdfs[0])
            written.append(files[student])
            codes.append(theirs.code)
            for print_, pdf in zip(prints, pdfs, strict=False):
                print_.add(f"{student.name}, {theirs.code}", pdf)
    progress(len(students), len(students))
    problems.sort(key=lambda problem: problem.line)
    if not written:
        raise PlainError(f"No sheet could be made of {roster}: {problems[0]}")
    for file, print_ in zip(whole, prints, strict=True):
        write(file, print_.pdf())
    return Made((*written, *whole), tuple(problems), tuple(codes))


def _each(wanted: Order, students: Sequence[Student], processes: int) -> Iterator:
    """Make the sheets in order, a few ahead of the one that is written and put into the print file."""
    waiting = deque((student, wanted.of(student.id)) for student in students)
    # Processes are started afresh: a compiler's threads do not survive a fork.
    processes = processes if len(students) >= MANY else 1
    pool = (
        ThreadPoolExecutor(1)
        if processes < 2
        else ProcessPoolExecutor(processes, get_context("spawn"), initializer=_settle)
    )
    coming = deque()
    with pool:
        try:
            while waiting or coming:
                while waiting and len(coming) < AHEAD * processes:
                    student, theirs = waiting.popleft()
                    coming.append((student, theirs, pool.submit(_made, theirs, student)))
                student, theirs, made = coming.popleft()
                yield student, theirs, *made.result()
        finally:
            for _, _, made in coming:
                made.cancel()


def _settle() -> None:
    """Look for waste more rarely, and not in what a process has imported: it took a tenth of the time."""
    gc.freeze()
    gc.set_threshold(100_000)


def _made(wanted: Order, student: Student) -> tuple[tuple[bytes, bytes | None] | None, Problem | None]:
    """Make a student's sheet and key; with an empty name line when only the name cannot be printed."""
    try:
        made = wanted.make(name=student.name)
        return (made.pdf, made.key_pdf), None
    except PlainError as error:
        why = str(error)
    try:
        made = wanted.make()
    except PlainError:
        return None, Problem(student.line, why)
    return (made.pdf, made.key_pdf), Problem(student.line, f"its sheet has an empty name line: {why}")


def file_name(text: str) -> str:
    """Make a text safe as the name of a file on every system."""
    return re.sub(r"[^\w.@+-]+", "_", text).strip(".") or "_"


def _files(folder: Path, students: Sequence[Student]) -> list[Path]:
    """A file for every student, none of them twice and none that holds the class."""
    taken, files = {PRINT.casefold(), KEY.casefold()}, []
    for student in students:
        stem, number = file_name(folded(student.id)), 1
        name = f"{stem}.pdf"
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}.pdf"
        taken.add(name.casefold())
        files.append(folder / name)
    return files


def _refuse_to_overwrite(files: Sequence[Path], force: bool) -> None:
    there = [file for file in files if file.exists()]
    if there and not force:
        count = f"{len(there)} files are there already, {there[0]} first" if len(there) > 1 else f"{there[0]} is there"
        raise PlainError(f"{count}: nothing was made; --force (force=True) overwrites, --out (out=…) writes elsewhere.")
    for file in there:
        if file.is_dir():
            raise PlainError(f"{file} is a folder; a worksheet cannot be written over it.")


def write(file: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    part = file.with_name(f".{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        os.replace(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise PlainError(f"{file} cannot be written: {error.strerror or error}.") from error
