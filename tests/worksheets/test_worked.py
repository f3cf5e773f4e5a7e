"""The encoder sheet is worked out from what is printed on it, with a calculator that rounds at each step."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
from pupils.honest import Pass, numeric_boxes
from pupils.paper import Givens
from worksheets.reading import Lines, pages

FOLDER = Path(__file__).parents[2] / "worksheets"
ROWS, WIDTH, HEADS, FF = 9, 4, 2, 8


def read(name):
    return pages((FOLDER / name).read_bytes())


def on_the_desk(texts):
    """What the sheet gives: the words from its first page, the table and the weights from the page after it."""
    words = texts[0].split("“")[1].split("”")[0].split()
    lines = Lines(texts[1:])
    # A row of the table: a word, its number, its four entries.
    vocabulary = {
        line.split()[0]: int(line.split()[1])
        for line in texts[1].splitlines()
        if line.count("+0.") and len(line.split()) == 6
    }
    E = lines.matrix("E", ROWS, WIDTH)
    layer = {}
    for name in ("Wq", "Wk", "Wv"):
        layer[name] = np.hstack([lines.matrix(f"{name}{i}", WIDTH, WIDTH // HEADS) for i in range(HEADS)])
    shapes = {"Wo": (WIDTH, WIDTH), "W1": (WIDTH, FF), "b1": (1, FF), "W2": (FF, WIDTH), "b2": (1, WIDTH)}
    shapes |= {f"{name}{k}": (1, WIDTH) for k in (1, 2) for name in ("gamma", "beta")}
    for name, shape in shapes.items():
        layer[name] = lines.matrix(name, *shape)
        if shape[0] == 1:
            layer[name] = layer[name][0]
    return SimpleNamespace(
        encoder_layers=[layer], E=E, vocabulary=vocabulary, src_words=words, label_words=[], candidates=None
    )


def test_every_value_matches_the_key():
    given = Givens(on_the_desk(read("homework-encoder.pdf")), "encoder")
    worked = Pass(given, "rounds", 3, np.random.default_rng(0)).fill().written
    key = read("homework-encoder-key.pdf")
    compared = 0
    assert Lines(key).matrix("ids", 3, 1).ravel().tolist() == worked["ids"]
    for box in numeric_boxes("encoder"):
        mine = np.array(worked[box.key])
        assert np.abs(Lines(key).matrix(box.key, *mine.shape) - mine).max() < 1e-9, box.key
        compared += mine.size
    assert compared == 264
