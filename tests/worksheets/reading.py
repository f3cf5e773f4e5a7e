"""Read a worksheet back out of its PDF: text page by page, given numbers and key as matrices."""

import re
import unicodedata

import numpy as np
import pypdfium2

NUMBER = re.compile(r"[+−]?(?:\d+(?:\.\d+)?|∞)")


def pages(pdf):
    """The text of each page, letters of mathematics read as plain ones."""
    with pypdfium2.PdfDocument(pdf) as document:
        texts = [page.get_textpage().get_text_range() for page in document]
    return [unicodedata.normalize("NFKC", text).replace("\r\n", "\n") for text in texts]


def printed_name(key):
    """How the name of a matrix reads: E_rows is E with an index, γ1 is γ with one."""
    return key.replace("gamma", "γ").replace("beta", "β").replace("_", " " if key == "next_word" else "")


def value(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


def row_in(words, columns):
    """So many numbers after a label of no word, one or two; text may follow, since slips stand beside a matrix."""
    for start in (1, 0, 2):
        numbers, rest = words[start : start + columns], words[start + columns :]
        if len(numbers) == columns and all(map(NUMBER.fullmatch, numbers)) and not any(map(NUMBER.fullmatch, rest[:1])):
            return [value(number) for number in numbers]
    return None


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
        # Behind a name with an index its shape is a line of its own.
        if self.lines[self.at - 1] == name and re.fullmatch(r"\d+(?: × \d+)?(?: .*)?", self.lines[self.at]):
            self.at += 1
        found = []
        while len(found) < rows:
            words = self.lines[self.at].split()
            self.at += 1
            # The line of column numbers is no row.
            if found or words != [str(k) for k in range(columns)]:
                numbers = row_in(words, columns)
                found += [numbers] if numbers else []
        return np.array(found)


def split_at_key(texts):
    """The pages before the key, and those of the key."""
    first = next(k for k, text in enumerate(texts) if any(line == "Key" for line in text.splitlines()))
    return texts[:first], texts[first:]
