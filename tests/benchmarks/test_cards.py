"""How long a card takes to compute a new state: the largest run, every control moved.

Prints a table (run with -s).
"""

import random
import statistics
import time

from table import print_table

from helpers.cards import all_cards
from helpers.cards.controls import Decimal, Menu, Number, Press, Tick
from helpers.cards.settings import Settings

BUDGET_MS = 5
STEPS = 20
LARGEST = Settings(
    d_model=16,
    heads=4,
    layers=6,
    source=("the", "old", "cat", "sat", "on", "the", "red", "mat"),
    target=("die", "alte", "katze", "saß", "auf", "der", "matte"),
)


def moved(card, chance):
    """One state of a card with every control of its own at a random place."""
    chosen = card.start(LARGEST)
    for control in card.controls:
        if control.shared or isinstance(control, Press):
            continue
        if isinstance(control, Menu):
            setattr(chosen, control.name, chance.choice([value for _, value in control.options(LARGEST)]))
        elif isinstance(control, Number):
            setattr(chosen, control.name, chance.randint(*control.bounds(LARGEST)))
        elif isinstance(control, Decimal):
            setattr(chosen, control.name, chance.uniform(control.low, control.high))
        elif isinstance(control, Tick):
            setattr(chosen, control.name, chance.random() < 0.5)
    return card.fitted(LARGEST, chosen)


def milliseconds(do):
    start = time.perf_counter()
    do()
    return 1000 * (time.perf_counter() - start)


def test_a_new_state_is_computed_within_the_budget():
    chance = random.Random(5)
    assert LARGEST.run.decoder.layer(6)  # a sentence is computed once, its states are drawn many times
    rows = []
    for card in all_cards().values():
        card.draw(LARGEST, card.start(LARGEST))
        times = [milliseconds(lambda c=card: c.draw(LARGEST, moved(c, chance))) for _ in range(STEPS)]
        size = len(card.draw(LARGEST, card.start(LARGEST)).display.body) / 1000
        rows.append((f"{card.unit} {card.number}", card.title, statistics.median(times), max(times), f"{size:.0f} KB"))
    heads = ("card", "title", "ms (median)", "longest", "picture")
    print_table("A card's new state: 8 words, d_model 16, 6 layers", heads,
                [(*row[:2], f"{row[2]:.1f}", f"{row[3]:.1f}", row[4]) for row in rows])  # fmt: skip
    assert max(median for _, _, median, _, _ in rows) <= BUDGET_MS


def test_a_new_sentence_is_computed_in_the_time_of_a_few_states():
    """The whole run of 12 layers, once for all cards."""
    times = []
    for number in range(STEPS):
        words = (*LARGEST.source[:-1], f"mat{number}")
        new = LARGEST.changed(source=words)[0]
        times.append(milliseconds(lambda new=new: new.run.decoder))
    print_table("A new sentence", ("layers", "ms (median)", "longest"),
                [("6 + 6", f"{statistics.median(times):.1f}", f"{max(times):.1f}")])  # fmt: skip
    assert statistics.median(times) <= 10 * BUDGET_MS
