"""What the cards of a notebook should show: the same changes once more, in the process of the test."""

import math
import re
from html.parser import HTMLParser

from helpers.cards import all_cards
from helpers.cards.controls import Chosen, Control, Press
from helpers.cards.settings import FIELDS, Settings
from helpers.displays.numbers import MINUS

NUMBER = re.compile(rf"[+{MINUS}-]?\d[\d,]*(?:\.\d+)?")


class Mirror:
    """The shared settings of a notebook, and what each of its cards has chosen for itself."""

    def __init__(self, keys, settings=None):
        self.settings = settings or Settings()
        self.cards = {key: all_cards()[key] for key in keys}
        self.chosen = {key: card.start(self.settings) for key, card in self.cards.items()}

    def control(self, key, name) -> Control:
        return next(control for control in self.cards[key].controls if control.name == name)

    def value(self, key, control):
        return getattr(self.settings if control.shared else self.chosen[key], control.name)

    def change(self, key, name, value=None):
        """Follow what a reader does: a control gets a value, a button is pressed."""
        control = self.control(key, name)
        changes = {name: value}
        if isinstance(control, Press):
            changes = control.change(self.settings, self.chosen[key])
            if changes is None and control.plays:
                changes = control.rewind(self.settings, self.chosen[key])
        own = {name: value for name, value in (changes or {}).items() if name not in FIELDS}
        shared = {name: value for name, value in (changes or {}).items() if name in FIELDS}
        self.chosen[key] = Chosen(**(vars(self.chosen[key]) | own))
        self.settings = self.settings.changed(**shared)[0]
        self.chosen = {key: card.fitted(self.settings, self.chosen[key]) for key, card in self.cards.items()}

    def stage(self, key):
        """What the picture of a card says, its drawings' titles and descriptions included."""
        return text_of(self.cards[key].draw(self.settings, self.chosen[key]).display.body)


class _Texts(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.texts = []

    def handle_data(self, data):
        self.texts.append(data)


def text_of(html):
    """The text of some HTML, one blank between any two words."""
    reader = _Texts()
    reader.feed(html)
    reader.close()
    return " ".join(" ".join(reader.texts).split())


def numbers(text):
    """Every number of a text, as it is written."""
    return NUMBER.findall(text)


def same(shown, expected, last_place=False):
    """Whether two texts agree: in every word, and in every number, if asked for but for its last place.

    NumPy versions round the 16th digit differently, which now and then is seen in the 3rd.
    """
    if not last_place or shown == expected:
        return shown == expected
    if NUMBER.sub("#", shown) != NUMBER.sub("#", expected):
        return False
    return all(_near(a, b) for a, b in zip(numbers(shown), numbers(expected), strict=True))


def _near(a, b):
    unit = 10.0 ** -max(len(text.partition(".")[2]) for text in (a, b))
    x, y = (float(text.replace(MINUS, "-").replace(",", "")) for text in (a, b))
    return math.isclose(x, y, abs_tol=1.01 * unit if "." in a else 0)
