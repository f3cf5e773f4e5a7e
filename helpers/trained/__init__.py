"""A tiny trained model of the engine's own shape, that translates simple English sentences into German.

sentences.py holds its language, model.npz its weights, train.py the program that makes them (`byhand train`).
One layer in each stack, d_model 16, 2 heads, d_ff 64. `byhand train --report` measures, with the engine:

    sentences of the training set translated exactly:    1450 of 1450 (100.0%)
    held-out sentences translated exactly:               343 of 343 (100.0%)
    held-out nouns that look most at their English noun: 637 of 637 (100.0%)
"""

from .model import trained_example, trained_sizes
from .report import translate
from .sentences import known_words

__all__ = ["known_words", "trained_example", "trained_sizes", "translate"]
