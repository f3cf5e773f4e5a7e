"""Decoder 15: every step with its shape, and the one place where the two sides meet."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from ..counts import summary_table
from ..displays.notes import show_table
from ..displays.numbers import symbol_html, wrap
from ..displays.output import Display
from ..sizes import PAPER_BASE
from ..steps import Step, decoder_steps, encoder_steps
from .bars import sentence
from .card import Card, Stage
from .controls import Chosen, Menu
from .settings import Settings

SIDES = {"n_src": "n", "n_tgt": "m"}


def side(step: Step) -> str:
    """Which lengths a step's result, or what is added up for it, has: "n", "m", "n and m", or "" for neither."""
    return " and ".join(letter for name, letter in SIDES.items() if name in (*step.shape, step.inner))


def meeting(steps: tuple[Step, ...]) -> list[Step]:
    """The steps in which both lengths meet."""
    return [step for step in steps if side(step) == "n and m"]


def draw_summary(settings: Settings, chosen: Chosen) -> Stage:
    """The way through both stacks, the steps of one with their shapes here and in the paper, and where both meet."""
    sizes, n, m = settings.sizes, len(settings.source), len(settings.example.tgt_words)
    candidates = settings.example.candidates
    n_out = None if candidates is None else len(candidates)
    tables = {"encoder": encoder_steps(sizes.heads), "decoder": decoder_steps(sizes.heads, n_out is not None)}
    rows = summary_table(sizes, n, m, chosen.stack, n_out)
    sides = {step.key: side(step) for step in tables[chosen.stack]}
    lines = [(row.key, row.title, sides[row.key], row.this, row.paper) for row in rows]
    caption = f"The {chosen.stack}: {len(rows)} steps; head 0 stands for all heads, one layer for all"
    table = _lit(
        show_table.build(("name", "step", "n or m", "this run", "paper"), lines, caption, align="lllll"),
        [key for key, rows_of in sides.items() if rows_of == "n and m"],
    )
    said = sentence(f"{_where(tables)} {_how_often(settings, chosen.stack, sides)}")
    return Stage(
        _way(settings, n, m) + said + table,
        f"n {n}, m {m}, {_layers(settings)}", f"any n, any m, {PAPER_BASE.layers} layers", weights=False,
    )  # fmt: skip


def _where(tables: dict[str, tuple[Step, ...]]) -> str:
    """Where the lengths meet, read off both tables; heads, being alike, count once."""
    met = [step for steps in tables.values() for step in meeting(steps) if step.head in (None, 0)]
    names = ", ".join(step.key for step in met)
    place = "all in cross-attention" if all(step.mark == "c" for step in met) else "in more than one place"
    return f"n and m meet in {len(met)} steps, {place}: {names}."


def _how_often(settings: Settings, stack: str, sides: dict[str, str]) -> str:
    if "n and m" not in sides.values():
        return f"No step of the {stack} knows how long the other sentence is."
    times = settings.sizes.layers * settings.sizes.heads
    return f"That is once a head in every layer, {times} times in this run; every other step keeps to one side."


def _lit(table: Display, keys: list[str]) -> Display:
    """The table with the names of some rows lit up; what lights them up is also said in words in their row."""
    body = table.body
    for key in keys:
        body = body.replace(f'<th scope="row">{key}</th>', f'<th scope="row" class="on">{key}</th>')
    return replace(table, body=body, rules=(*table.rules, "chosen"))


def _layers(settings: Settings) -> str:
    N = settings.sizes.layers
    return f"{N} layer" + "s" * (N > 1)


def _way(settings: Settings, n: int, m: int) -> Display:
    """The way of both sentences as two chains of boxes with the shape of what they hand on."""
    d = settings.sizes.d_model
    times = _layers(settings)
    out = len(settings.example.candidates or settings.example.vocabulary)
    chains = {
        "English, n": [("", f"{n} words"), ("input", f"X {n} × {d}"), (f"encoder, {times}", f"Z {n} × {d}")],
        "German, m": [
            ("", f"{m} words"), ("input", f"Y0 {m} × {d}"), (f"decoder, {times}", f"Y3 {m} × {d}"),
            ("output", f"logits {m} × {out}"),
        ],
        "both": [("", f"queries {m} rows"), ("", f"keys of Z {n} rows"), ("meet", f"scores {m} × {n}")],
    }  # fmt: skip
    body = "".join(_chain(label, boxes) for label, boxes in chains.items())
    text = [
        line
        for label, boxes in chains.items()
        for line in wrap(
            f"{label:<10}  " + " ".join((f"-- {how} --> " if how else "") + f"[{box}]" for how, box in boxes)
        )
    ]
    return Display("\n".join(text), body, ("flow",))


def _chain(label: str, boxes: list[tuple[str, str]]) -> str:
    parts = [f'<i style="min-width:84px">{escape(label)}</i>']
    for how, box in boxes:
        parts += [f"<em><small>{escape(how)}</small> →</em>"] if how else []
        parts.append(f'<span class="{"now" if how == "meet" else "was"}">{symbol_html(box)}</span>')
    return f'<div class="flow" role="group" aria-label="{escape(label)}">{" ".join(parts)}</div>'


STACKS = [("decoder", "decoder"), ("encoder", "encoder")]

CARDS = (
    Card(
        "summary", "decoder", 15, "The whole way", "Where do the two sentences meet?", "3", draw_summary,
        (Menu("stack", "side", "decoder", options=lambda settings: STACKS, beside=True),),
    ),
)  # fmt: skip
