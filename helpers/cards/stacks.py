"""Encoder 18 and 19, decoder 10: the towers of layers, any matrix of which can be opened, and how far words move."""

from __future__ import annotations

from html import escape

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.numbers import fixed, wrap
from ..displays.output import Display
from ..steps import Step, decoder_steps, encoder_steps
from .bars import sentence, svg
from .card import Card, Stage
from .controls import TRAINED, Chosen, Menu, Press, numbered
from .settings import Settings

FLOOR, WIDE = 44, 134


# --- the towers ---------------------------------------------------------------------------------


def steps_of(settings: Settings, stack: str) -> tuple[Step, ...]:
    """The rows of the table that every layer of a stack walks through."""
    table = (encoder_steps if stack == "encoder" else decoder_steps)(settings.sizes.heads)
    return tuple(step for step in table if step.part == "layer")


def draw_stack(settings: Settings, chosen: Chosen, stack: str) -> Stage:
    """The tower with the layer that is reached, and the matrix of it that is opened."""
    run, example, N = settings.run, settings.example, settings.sizes.layers
    first, last = ("X", "Z") if stack == "encoder" else ("Y0", "Y3")
    tower = _tower(N, chosen.layer, first, "Z" if stack == "encoder" else "logits", stack == "decoder")
    values = run.encoder if stack == "encoder" else run.decoder
    sides = {"n_src": example.src_words, "n_tgt": example.tgt_words}
    if chosen.layer == 0:
        opened = chosen_matrix(values[first], first, sides["n_src" if stack == "encoder" else "n_tgt"], heat=True,
                               note="what layer 1 reads")  # fmt: skip
    else:
        step = next(step for step in steps_of(settings, stack) if step.key == chosen.open)
        opened = _opened(values.layer(chosen.layer)[step.key], step, sides, chosen.layer)
    reads = {0: "nothing", 1: first}.get(chosen.layer, f"the {last} of layer {chosen.layer - 1}")
    said = (
        f"Layer {chosen.layer} of {N} reads {reads}, with weights of its own." if chosen.layer else "Not started yet."
    )
    if stack == "decoder" and chosen.layer:
        said += f" Its cross-attention reads Z, the output of encoder layer {N}, as every layer's does."
    size = " × ".join(str(n) for n in opened_shape(values, chosen, first))
    return Stage(tower.beside(opened) + sentence(said), f"N {N}", "N 6", size)


def opened_shape(values, chosen: Chosen, first: str) -> tuple[int, ...]:
    """The shape of the matrix that is shown."""
    return np.shape(values[first] if chosen.layer == 0 else values.layer(chosen.layer)[chosen.open])


def _opened(M: np.ndarray, step: Step, sides: dict, layer: int) -> Display:
    rows, cols = sides.get(step.shape[0]), sides.get(step.shape[1])
    blocked = M <= -1e8 if step.family == "B" else None
    weights = step.family == "A"
    return chosen_matrix(
        M, step.key, rows, cols, heat=True, weights=weights, blocked=blocked, note=f"layer {layer}, {step.title}"
    )


def _tower(N: int, reached: int, first: str, after: str, crossed: bool) -> Display:
    """Layers from the bottom up: done, here, and still to come; in a decoder Z enters at every one."""
    left = 46 if crossed else 4
    height, width = FLOOR * N + 70, left + WIDE + 60
    parts, said = [], []
    for k in range(1, N + 1):
        y = 34 + FLOOR * (N - k)
        state = "here" if k == reached else "done" if k < reached else "to come"
        said.append(f"layer {k} {state}")
        look = {
            "here": 'fill="#2f74d0" fill-opacity=".26" stroke="#2f74d0" style="stroke:var(--acc)" stroke-width="2.5"',
            "done": 'fill="#2f74d0" fill-opacity=".18" stroke="currentColor"',
            "to come": 'fill="none" stroke="#808080" stroke-dasharray="4 3"',
        }[state]
        bold = ' font-weight="700"' if state == "here" else ""
        middle = left + WIDE // 2
        parts.append(
            f'<rect x="{left}" y="{y}" width="{WIDE}" height="32" rx="3" {look}/>'
            f'<text x="{middle}" y="{y + 21}" text-anchor="middle"{bold}>layer {k}</text>'
            f'<path d="M{middle} {y + FLOOR}V{y + 34}m-4 5l4 -5l4 5" fill="none" stroke="currentColor"/>'
        )
        if state == "here":
            parts.append(f'<text x="{left + WIDE + 8}" y="{y + 21}" font-weight="700">here</text>')
        if crossed:
            parts.append(f'<path d="M16 {y + 16}H{left - 2}m-5 -4l5 4l-5 4" fill="none" stroke="currentColor"/>')
    if crossed:
        bottom = 34 + FLOOR * (N - 1) + 16
        parts.append(f'<path d="M16 50V{bottom + 20}" stroke="currentColor"/><text x="10" y="{bottom + 36}">Z</text>')
        said.append("Z enters at every layer")
    middle = left + WIDE // 2
    parts.append(f'<text x="{middle}" y="14" text-anchor="middle">{escape(after)}</text>')
    parts.append(f'<path d="M{middle} 32V20" stroke="currentColor"/>')
    parts.append(f'<text x="{middle}" y="{height - 12}" text-anchor="middle">{escape(first)}</text>')
    title = f"A stack of {N} layers" if N > 1 else "A stack of 1 layer"
    picture = svg(width, height, title, ", ".join(said), "".join(parts))
    return Display("\n".join(wrap(f"{title}: {', '.join(said)}")), picture, ("side", "picture"))


def _levels(settings: Settings) -> list[tuple[str, int]]:
    return [("none yet", 0), *((str(k), k) for k in range(1, settings.sizes.layers + 1))]


def _matrices(stack: str):
    last = "Z" if stack == "encoder" else "Y3"

    def options(settings: Settings) -> list[tuple[str, str]]:
        steps = [step for step in steps_of(settings, stack) if len(step.shape) == 2]
        steps.sort(key=lambda step: step.key != last)  # the output first
        return [(f"{step.key}: {step.title}", step.key) for step in steps]

    return options


def _up(settings: Settings, chosen: Chosen) -> dict | None:
    return {"layer": chosen.layer + 1} if chosen.layer < settings.sizes.layers else None


def _down(settings: Settings, chosen: Chosen) -> dict:
    return {"layer": max(chosen.layer - 1, 0)}


def _controls(stack: str) -> tuple:
    return (
        Press("play", "Play", plays=True, change=_up, rewind=lambda settings, chosen: {"layer": 0}),
        Press("step", "Up", change=_up),
        Press("back", "Back", change=_down),
        Menu("layer", "layer", 1, options=_levels),
        Menu("open", "open", "Z" if stack == "encoder" else "Y3", options=_matrices(stack)),
    )


def draw_encoder_stack(settings: Settings, chosen: Chosen) -> Stage:
    """The sentence on its way up the encoder."""
    return draw_stack(settings, chosen, "encoder")


def draw_decoder_stack(settings: Settings, chosen: Chosen) -> Stage:
    """The translation on its way up the decoder, with Z entering at every layer."""
    return draw_stack(settings, chosen, "decoder")


# --- how far words move -------------------------------------------------------------------------


def cosines(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The cosine between each row of A and the same row of B."""
    return np.sum(A * B, axis=1) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1)


def draw_movement(settings: Settings, chosen: Chosen) -> Stage:
    """Each word's vector after every layer against its row of the table."""
    up, words, N = settings.run.encoder, settings.example.src_words, settings.sizes.layers
    states = {"X": up.X} | {f"layer {k}": up.layer(k).Z for k in range(1, N + 1)}
    table = np.stack([cosines(up.E_rows, state) for state in states.values()], axis=1)
    labels = [label for label, _ in numbered(words)]
    matrix = chosen_matrix(table, "cosine with the table row", labels, list(states), heat=True,
                           note="1: the same direction, 0: a right angle")  # fmt: skip
    angles = np.degrees(np.arccos(np.clip(table[:, -1], -1, 1)))
    far, near = int(np.argmax(angles)), int(np.argmin(angles))
    said = f"“{words[far]}” has turned furthest from its table row, by {fixed(angles[far], 1, sign=False)} degrees"
    said += f"; “{words[near]}” least, by {fixed(angles[near], 1, sign=False)}." if far != near else "."
    pairs = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words)) if words[i] == words[j]]
    if pairs:
        i, j = pairs[0]
        gap = fixed(np.abs(up.output[i] - up.output[j]).max(), sign=False)
        said += f" The two rows “{words[i]}” began equal; in Z they differ by up to {gap}."
    if not settings.trained:
        said += " Random weights turn words for no reason."
    return Stage(
        matrix + sentence(said), f"{len(words)} × {settings.sizes.d_model}", f"{len(words)} × 512", f"N {N} and 6"
    )


CARDS = (
    Card(
        "stack", "encoder", 18, "The stack", "What does each layer read, and with whose weights?", "3.1",
        draw_encoder_stack, _controls("encoder"),
    ),
    Card(
        "movement", "encoder", 19, "How far each word moved", "What is left of the row that you looked up?", "3.1",
        draw_movement, (TRAINED,),
    ),
    Card(
        "decoder stack", "decoder", 10, "The decoder's stack", "What does every layer read, beside the layer below?",
        "3.1", draw_decoder_stack, _controls("decoder"),
    ),
)  # fmt: skip
