"""Reading what a card shows: its stage for chosen values, and the numbers on it."""

import re
from types import SimpleNamespace

from helpers.cards import find
from helpers.cards.settings import Settings
from helpers.displays.numbers import fixed, typeset


def settings(**changes):
    return Settings().changed(**changes)[0]


def stage(key, mine=None, **chosen):
    """The stage of a card with some of its values chosen."""
    card, mine = find(key), mine or Settings()
    values = SimpleNamespace(**(vars(card.start(mine)) | chosen))
    return card.draw(mine, card.fitted(mine, values))


def text(key, mine=None, **chosen):
    return " ".join(stage(key, mine, **chosen).display.text.split())


def html(key, mine=None, **chosen):
    return stage(key, mine, **chosen).display.body


def shows(body, values, decimals=3, sign=True):
    """Whether every value stands in a cell of a table."""
    cells = set(re.findall(r"<td[^>]*>(?:<b>)?([^<]*)", body))
    return all(typeset(fixed(value, decimals, sign)) in cells for value in values)


def lit(body):
    """Labels of the rows that are lit up."""
    return re.findall(r'<th scope="row" class="on">([^<]*)</th>', body)
