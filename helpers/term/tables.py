"""CSV files as the term's commands write them: whole or not at all, and with no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from helpers.errors import PlainError

# What a spreadsheet takes for the start of a formula.
_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe(value: object) -> str:
    """A cell that no spreadsheet runs and no terminal obeys; `bare` gives a printable text back."""
    text = printable(str(value))
    return f"'{text}" if text.startswith((*_STARTS, "'")) else text


def bare(text: str) -> str:
    """The text that `safe` made a cell of."""
    return text[1:] if text[:1] == "'" else text


def csv_text(rows: Iterable[Sequence[object]], as_they_are: bool = False) -> str:
    """Rows as CSV, each cell safe; `as_they_are` for what another program wrote and is to read again."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow(row if as_they_are else [safe(cell) for cell in row])
    return out.getvalue()


def read_csv(file: Path, what: str) -> list[list[str]]:
    """The rows of a CSV file, separated by the sign its first line has most of; raises PlainError for what is none."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        separator = max(",;\t", key=first.count)
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if any(row)]
    except OSError as error:
        raise PlainError(f"{what} {file} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise PlainError(f"{what} {file} is not written in UTF-8.") from None
    except csv.Error as error:
        raise PlainError(f"{what} {file} is no CSV file: {error}.") from None


def write_whole(file: Path, text: str) -> None:
    """Write a file beside its place, then put it there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        new.write_text(text, encoding="utf-8", newline="")
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def printable(text: str) -> str:
    """A text without signs that steer a terminal: names of files are students' words."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)
