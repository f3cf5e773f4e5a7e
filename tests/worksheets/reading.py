"""Read a worksheet back out of its PDF: text page by page, given numbers and key as matrices."""

import re
import unicodedata
from io import BytesIO

import numpy as np
from pypdf import PdfReader

NUMBER = re.compile(r"[+−]?(?:\d+(?:\.\d+)?|∞)")


def pages(pdf):
    """The text of each page, letters of mathematics read as plain ones."""
    return [unicodedata.normalize("NFKC", page.extract_text()) for page in PdfReader(BytesIO(pdf)).pages]


def printed_name(key):
    """How the name of a matrix reads: E_rows is E with an index, γ1 is γ with one."""
    return key.replace("gamma", "γ").replace("beta", "β").replace("_", " " if key == "next_word" else "")


def value(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


class Lines:
    """The lines of some pages, walked from matrix to matrix."""

    def __init__(self, texts):
        self.lines = [line.strip() for text in texts for line in text.splitlines()]
        self.at = 0

    def matrix(self, key, rows, columns):
        """The numbers of the next matrix of this name, (rows, columns); what stands between is passed over."""
        name = printed_name(key)
        while not re.fullmatch(rf"{re.escape(name)}(?: .*)?", self.lines[self.at]):
            self.at += 1
        self.at += 1
        found = []
        while len(found) < rows:
            words = self.lines[self.at].split()
            self.at += 1
            numbers = words[-columns:]
            is_row = len(words) >= columns and all(NUMBER.fullmatch(word) for word in numbers)
            # The line of column numbers has no sign and no decimals.
            if is_row and not (not found and words == [str(k) for k in range(columns)]):
                found.append([value(word) for word in numbers])
        return np.array(found)


def split_at_key(texts):
    """The pages before the key, and those of the key."""
    first = next(k for k, text in enumerate(texts) if any(line == "Key" for line in text.splitlines()))
    return texts[:first], texts[first:]
