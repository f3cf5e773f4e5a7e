"""The one error a reader meets: a plain sentence instead of a traceback."""


class PlainError(ValueError):
    """A call that makes no sense, told in one sentence: what was given and what was expected."""

    def _render_traceback_(self):
        # IPython asks an exception for these lines instead of printing its own traceback.
        return [f"PlainError: {self}"]
