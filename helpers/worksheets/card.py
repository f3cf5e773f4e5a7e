"""The card that makes a worksheet: sentence and sizes in, a PDF to download out."""

from __future__ import annotations

import base64
import sys
from html import escape
from importlib.util import find_spec
from types import SimpleNamespace

from ..codes import MOST_DECIMALS
from ..displays.output import Display
from ..displays.style import style
from ..errors import PlainError
from ..personal import SOURCE, TARGET
from .orders import Order, file_name, order

TITLE = "Your own worksheet"
QUESTION = "Can you do the whole pass with a pen?"
ABOUT = (
    "Choose a sentence and small sizes. You get a PDF with every number you need, an empty box for each answer, a hint "
    "under every step, and the key at the back or in a file of its own. Its code opens the same numbers in a homework."
)
# What is typed where a download link is not followed, or where no kernel runs.
CALLS = ("from helpers import make_worksheets", "make_worksheets()")
NO_WIDGETS = "To choose here, install ipywidgets with  pip install ipywidgets"
# As the page, and underlined: colour alone marks nothing.
LINK = "color:inherit;text-decoration:underline"
# In VS Code an output knows no style but its own.
FRAMED = ("frame",)
ONLY, ON = "encoder only", "encoder and decoder"


def worksheet_card(decoder: bool = False) -> None:
    """Show the card that makes worksheets; decoder: begin with a sheet that goes on through the decoder.

    Outside a notebook it says what to call instead.
    """
    ipython = sys.modules.get("IPython")
    live = ipython is not None and ipython.get_ipython() is not None
    missing = live and find_spec("ipywidgets") is None
    introduction(decoder, NO_WIDGETS if missing else "").show()
    if live and not missing:
        ipython.display.display(Card(decoder).box)


def introduction(decoder: bool, note: str = "") -> Display:
    """What the card says where it cannot be played with: as text, and on a page without a kernel; note: below it."""
    call = "make_worksheets(decoder=True)" if decoder else CALLS[1]
    code = "\n".join((CALLS[0], call))
    body = (
        f'<p class="f">{TITLE}<i>{QUESTION}</i></p><p class="note">{ABOUT}</p>'
        f'<p class="note">The same as a call: <code>{escape("; ".join((CALLS[0], call)))}</code></p>'
    ) + (f'<p class="note">{escape(note)}</p>' if note else "")
    below = f"\n{note}" if note else ""
    return Display(f"{TITLE}: {QUESTION}\n" + _wrapped(ABOUT) + f"\nThe same as a call:\n{code}{below}", body)


def _wrapped(text: str) -> str:
    from ..displays.numbers import wrap

    return "\n".join(wrap(text))


class Card:
    """The controls, and below them the PDF or one sentence on why there is none."""

    def __init__(self, decoder: bool = False):
        import ipywidgets as widgets

        self.controls = controls = _controls(widgets, decoder)
        self.button = widgets.Button(description="Make the PDF")
        self.said = widgets.HTML(style(FRAMED))
        self.button.on_click(self.make)
        controls.stack.observe(self._greet_the_decoder, "value")
        self._greet_the_decoder()
        rows = [
            (controls.sentence, controls.stack, controls.decoder),
            (controls.d_model, controls.heads, controls.d_ff),
            (controls.seed, controls.student),
            (controls.decimals, controls.key, controls.paper, self.button),
        ]
        wrapping = widgets.Layout(flex_flow="row wrap")
        boxes = [widgets.HBox(row, layout=wrapping) for row in rows]
        self.box = widgets.VBox([*boxes, self.said], layout=widgets.Layout(padding="8px 12px"))
        self.box.add_class("tbh-card")

    def _greet_the_decoder(self, change=None) -> None:
        """A sentence for the decoder can be typed only when there is one."""
        self.controls.decoder.disabled = self.controls.stack.value == ONLY

    def wanted(self) -> Order:
        """What the controls ask for; PlainError for what cannot be had."""
        chosen = self.controls
        student = chosen.student.value.strip()
        return order(
            chosen.sentence.value,
            chosen.decoder.value if chosen.stack.value == ON else None,
            d_model=chosen.d_model.value,
            heads=chosen.heads.value,
            d_ff=chosen.d_ff.value,
            seed=0 if student else chosen.seed.value,
            student=student or None,
            decimals=chosen.decimals.value,
            key=chosen.key.value,
            paper=chosen.paper.value,
        )

    def make(self, button=None) -> None:
        """Make the sheet and offer it."""
        self.button.disabled = True
        self.said.value = _note("Making the sheet …")
        try:
            self.said.value = _offer(self.wanted())
        except PlainError as error:
            self.said.value = _note(escape(str(error)), role="alert")
        finally:
            self.button.disabled = False


def _controls(widgets, decoder: bool) -> SimpleNamespace:
    """Controls that every version of ipywidgets has, and that assistive technology can name."""

    def labelled(kind, label, width, **settings):
        style = {"description_width": "initial"}
        layout = widgets.Layout(width=width, max_width="calc(100% - 18px)", margin="2px 16px 2px 2px")
        return kind(description=label, style=style, layout=layout, **settings)

    def number(label, value, most, width="150px"):
        return labelled(widgets.BoundedIntText, label, width, value=value, min=0, max=most)

    def choice(label, value, options, width="auto"):
        return labelled(widgets.Dropdown, label, width, value=value, options=options)

    places = [("at the back", "back"), ("a file of its own", "separate"), ("none", "none")]
    return SimpleNamespace(
        sentence=labelled(widgets.Text, "Sentence", "300px", value=" ".join(SOURCE)),
        stack=choice("Stop after", ON if decoder else ONLY, [("the encoder", ONLY), ("the decoder", ON)]),
        decoder=labelled(widgets.Text, "The decoder writes", "320px", value=" ".join(TARGET)),
        d_model=number("d_model", 4, 512),
        heads=number("heads", 2, 64),
        d_ff=number("d_ff", 8, 999),
        seed=number("Seed", 0, 2**32 - 1, "200px"),
        student=labelled(widgets.Text, "or your id", "260px", value=""),
        decimals=choice("Decimals", 3, [(str(k), k) for k in range(2, MOST_DECIMALS + 1)]),
        key=choice("Key", "back", places),
        paper=choice("Paper", "a4", [("A4", "a4"), ("Letter", "letter")]),
    )


def _offer(wanted: Order) -> str:
    """Links to the sheet, and to its key where that is a file of its own; and what opens its numbers again."""
    made = wanted.make(name=wanted.recipe.student or "")
    stem = f"worksheet-{file_name(wanted.code)}"
    links = [_link(f"{stem}.pdf", "Download the worksheet", made.pdf)]
    if made.key_pdf is not None:
        links.append(_link(f"{stem}-key.pdf", "Download its key", made.key_pdf))
    pages = "1 page" if made.pages == 1 else f"{made.pages} pages"
    calls = "".join(f"<br><code>{escape(call)}</code>" for call in made.data["calls"])
    return _note(f"{' · '.join(links)} · {pages}", f"To check what you wrote on paper:{calls}")


def _link(name: str, said: str, pdf: bytes) -> str:
    data = base64.b64encode(pdf).decode("ascii")
    return f'<a download="{escape(name)}" href="data:application/pdf;base64,{data}" style="{LINK}">{said}</a>'


def _note(html: str, more: str = "", role: str = "status") -> str:
    more = f'<p class="note">{more}</p>' if more else ""
    return Display("", f'<div role="{role}"><p class="f">{html}</p>{more}</div>', FRAMED).html
