"""A card: a question, controls, a picture that follows them, and the shapes of this run beside the paper's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from ..displays.numbers import columns_of, symbol_html, wrap
from ..displays.output import Display
from ..sizes import HEAD_WEIGHTS, PAPER_BASE, WEIGHTS
from ..steps import decoder_steps, encoder_steps
from .controls import Chosen, Control, Press
from .look import card_style
from .settings import Settings


@dataclass(frozen=True)
class Stage:
    """What a card shows for one state.

    display: the picture. this, paper: what the two pills say, such as "6 × 8" and "6 × 512". note: a few words
    beside them. weights: whether weights were used, so that the card has to say whose.
    """

    display: Display
    this: str
    paper: str
    note: str = ""
    weights: bool = True


@dataclass(frozen=True)
class Card:
    """One card of a lesson.

    key: what `card(…)` is asked for. unit, number: "encoder" and 7. paper: its section of the paper, "" if silent.
    draw(settings, chosen): the Stage for the settings and the values of the card's own controls.
    """

    key: str
    unit: str
    number: int
    title: str
    question: str
    paper: str
    draw: Callable[[Settings, Chosen], Stage]
    controls: tuple[Control, ...] = field(default=())

    def start(self, settings: Settings) -> Chosen:
        """The values of its own controls at first."""
        own = [control for control in self.controls if not control.shared and not isinstance(control, Press)]
        return self.fitted(settings, Chosen(**{control.name: control.start for control in own}))

    def fitted(self, settings: Settings, chosen: Chosen) -> Chosen:
        """The same values where the settings allow them, else what is nearest."""
        values = dict(vars(chosen))
        for control in self.controls:
            if control.name in values:
                values[control.name] = control.fitted(settings, values[control.name])
        return Chosen(**values)

    # The four parts of a card, each HTML for itself.

    def head(self, rules: tuple[str, ...], extra: tuple[str, ...]) -> str:
        """Title, question and number, with the style of all parts."""
        return (
            f'<div class="tbh">{card_style(rules, extra)}<div class="tbh-head"><h3>{escape(self.title)}</h3>'
            f"<p>{escape(self.question)}</p><span>{self.unit} {self.number}</span></div></div>"
        )

    def foot(self, settings: Settings, stage: Stage) -> str:
        """The shapes of this run and of the paper, whose weights these are, and the paper's section."""
        note = f"<span>{symbol_html(stage.note)}</span>" if stage.note else ""
        return (
            f'<div class="tbh"><div class="tbh-foot"><span>this run <b class="pill">{symbol_html(stage.this)}</b>'
            f'</span> <span>paper <b class="pill p">{symbol_html(stage.paper)}</b></span>{note}'
            f"<span class=e>{escape(self.source(settings, stage))}</span></div></div>"
        )

    def source(self, settings: Settings, stage: Stage) -> str:
        """Whose weights these are, and where the paper says it."""
        weights = [settings.weights] if stage.weights else []
        return " · ".join([*weights, f"§{self.paper}" if self.paper else "not in the paper"])

    def still(self, settings: Settings, note: str = "") -> Display:
        """The first state as a display: for a page without a kernel, and as plain text. note: a sentence below."""
        chosen = self.start(settings)
        stage = self.draw(settings, chosen)
        shown = [control for control in self.controls if not isinstance(control, Press)]
        values = {c.name: getattr(settings if c.shared else chosen, c.name) for c in shown}
        said = [f"{c.label}: {c.said(settings, values[c.name])}" for c in shown]
        controls = "".join(f"<span>{escape(text)}</span>" for text in said)
        body = (
            f'<div class="tbh-still">{self.head(stage.display.rules, stage.display.extra)}'
            + (f'<div class="tbh-said">{controls}</div>' if said else "")
            + f"{stage_html(stage.display, (note,) if note else ())}{self.foot(settings, stage)}</div>"
        )
        title = f"{self.title} ({self.unit} {self.number})"
        text = [title, "-" * columns_of(title), *wrap(self.question), *(wrap(" · ".join(said)) if said else []), ""]
        foot = f"this run {stage.this} · paper {stage.paper}" + (f" · {stage.note}" if stage.note else "")
        text += [
            stage.display.text,
            "",
            *wrap(foot),
            *wrap(self.source(settings, stage)),
            *(wrap(note) if note else []),
        ]
        return _Still("\n".join(text), body)


class _Still(Display):
    """A display whose parts bring their own style."""

    @property
    def html(self) -> str:
        return self.body


def stage_html(display: Display, remarks: tuple[str, ...] = (), refused: str = "") -> str:
    """The picture, below what has to be said about the last change; without style, which stands in the head."""
    said = f'<p class="f tbh-no" role="alert">{escape(refused)}</p>' if refused else ""
    said += "".join(f'<p class="note" role="status">{escape(remark)}</p>' for remark in remarks)
    return f'<div class="tbh"><div class="tbh-stage">{said}{display.body}</div></div>'


def shapes(settings: Settings, stack: str, key: str) -> tuple[str, str]:
    """The shape of a step or a weight in this run and in the paper, with this run's lengths: ("6 × 8", "6 × 512")."""
    example = settings.example
    symbols = example.symbols
    paper = PAPER_BASE.symbols(symbols["n_src"], symbols["n_tgt"]) | {"n_out": PAPER_BASE.vocab}
    steps = encoder_steps(1) if stack == "encoder" else decoder_steps(1, example.candidates is not None)
    table = {step.key: step.shape for step in steps} | WEIGHTS[stack]
    table |= {f"{name}0": ("d_model", "d_k") for name in HEAD_WEIGHTS[stack]}
    shape = table[key] if key in table else table[key.rstrip("0123456789") + "0"]  # head 0 stands for all heads
    return tuple(" × ".join(f"{sizes[name]:,}" for name in shape) for sizes in (symbols, paper))
