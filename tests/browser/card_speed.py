"""From an input to the changed picture, measured inside the page: what a reader waits for.

The clock starts where the browser tells the control of its new value, and stops at the frame that shows the picture
which the kernel has sent back.
"""

import json
import statistics
from dataclasses import asdict

from card_pages import Cards

from helpers.cards.remembered import FORMAT, NAME
from helpers.cards.settings import Settings

STEPS = 20
LARGEST = Settings(
    d_model=16,
    heads=4,
    layers=6,
    source=("the", "old", "cat", "sat", "on", "the", "red", "mat"),
    target=("die", "alte", "katze", "saß", "auf", "der", "matte"),
)
# The stack, the card with the most numbers and the one that computes most: key and the label of what is changed.
HEAVIEST = {"stack": "open", "cross mix": "position", "generation": "words written"}
STEP = """([card, label, step]) => new Promise(done => {
    const named = [...card.querySelectorAll('.tbh-ctl label')].find(e => e.textContent.trim() === label);
    const input = document.getElementById(named.htmlFor);
    const watcher = new MutationObserver(changes => {
        if (!changes.some(change => change.target.querySelector?.('.tbh-stage'))) return;
        watcher.disconnect();
        requestAnimationFrame(() => done(performance.now() - start));
    });
    watcher.observe(card, {childList: true, subtree: true});
    if (input.tagName === 'SELECT') input.selectedIndex = (input.selectedIndex + 1) % input.options.length;
    else input.value = 1 + step % 7;
    const start = performance.now();
    input.dispatchEvent(new Event('change', {bubbles: true}));
})"""


def waits(browser, lab):
    """Milliseconds of every step, by card, with the largest run; the first steps warm up and are not counted."""
    folder = lab.work / "speed" / "units"
    folder.mkdir(parents=True, exist_ok=True)
    kept = {"format": FORMAT} | asdict(LARGEST)
    (folder / NAME).write_text(json.dumps(kept), encoding="utf-8")
    cards = Cards(browser, lab, "speed/units/cards.ipynb", list(HEAVIEST), settings=LARGEST, whole=False)
    measured = {}
    for key, label in HEAVIEST.items():
        assert cards.settle(key)
        card = cards.card(key).element_handle()
        times = [cards.page.evaluate(STEP, [card, label, step]) for step in range(STEPS + 5)]
        measured[key] = times[5:]
    cards.page.close()
    lab.end_kernels()
    return measured


def median(times):
    return statistics.median(times)


def ninety_fifth(times):
    """The value that 95 of 100 do not exceed: of 20, the last but one."""
    return sorted(times)[-(-95 * len(times) // 100) - 1]
