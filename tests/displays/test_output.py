import importlib
import subprocess
import sys

import numpy as np
import pytest

from helpers import PlainError, displays
from helpers.displays import Display, show_masked, show_matmul, show_matrix

NAMES = [name for name in displays.__all__ if name.startswith("show_")] + ["expand"]


@pytest.mark.parametrize("name", NAMES)
def test_every_display_has_a_builder_and_says_what_it_raises(name):
    show = getattr(displays, name)
    assert show.__name__ == name
    assert callable(show.build)
    assert "Args:" in show.__doc__


def test_without_ipython_the_text_is_printed(capsys):
    assert show_matrix(np.ones((1, 1)), "x") is None
    assert capsys.readouterr().out == "x  1 × 1\n          0\n0 |  +1.000\n"


def test_in_ipython_the_display_goes_to_the_notebook(capsys, monkeypatch):
    IPython = pytest.importorskip("IPython")
    display_module = importlib.import_module("IPython.display")
    sent = []
    monkeypatch.setattr(IPython, "get_ipython", lambda: object())
    monkeypatch.setattr(display_module, "display", sent.append)
    assert show_matrix(np.ones((1, 1)), "x") is None
    assert capsys.readouterr().out == ""
    (display,) = sent
    bundle = display._repr_mimebundle_()
    assert list(bundle) == ["text/plain", "text/html"]
    assert bundle["text/plain"] == repr(display) == display.text
    assert bundle["text/html"] == display.html


def test_displays_add_up_and_carry_each_rule_once():
    first = show_matmul.build(np.ones((2, 2)), np.ones((2, 2)))
    second = show_masked.build(np.ones((2, 2)), np.eye(2, dtype=bool), "S")
    both = first + second
    assert both.text == f"{first.text}\n\n{second.text}"
    assert both.html.count("<style>") == 1
    assert both.html.count(".tbh .scroll{position") == 1
    assert both.html.count(":has(") == 4
    assert "repeating-linear-gradient" in both.html
    with pytest.raises(TypeError):
        first + "text"


def test_a_display_is_its_text():
    assert repr(Display("the text", "<p>the text</p>")) == "the text"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="show_nothing"):
        displays.show_nothing  # noqa: B018


def test_a_wrong_call_shows_one_line_in_a_notebook():
    with pytest.raises(PlainError) as error:
        show_matmul(np.ones((9, 8)), np.ones((4, 9)), ("X", "W", "Q"))
    assert error.value._render_traceback_() == [f"PlainError: {error.value}"]


def test_the_room_is_cheap_to_enter():
    code = (
        "import sys; import helpers.displays as room; import helpers.displays.product, helpers.displays.rows; "
        "import helpers.displays.pictures; dir(room); "
        "print([name for name in ('matplotlib', 'IPython', 'ipywidgets') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
