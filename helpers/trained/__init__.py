"""A tiny trained model of the engine's own shape, that translates simple English sentences into German."""

from .model import trained_example, trained_sizes
from .sentences import known_words

__all__ = ["known_words", "trained_example", "trained_sizes"]
