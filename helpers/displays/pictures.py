"""Pictures of position codes: matplotlib drawings turned into SVG that follows the theme of the page.

matplotlib is imported when a picture is asked for, never before. It draws with stand-in colours; they are replaced
by `currentColor` and the page's own blue and orange, and text stays text in the page's own font.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.util import find_spec

import numpy as np

from ..errors import PlainError
from . import given
from .heat import key_html
from .numbers import fixed, shape_text, symbol_html, typeset_within, wrap
from .output import Display, shown
from .style import FACE
from .table import scroll

INK, BLUE, ORANGE, GREY = "#010203", "#2f74d0", "#bf6400", "#808080"
WIDTH_PX = 760
STRONGEST = 0.85
"""Opacity of the largest value: no text stands on a picture, so it may be stronger than in a heat map."""
SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "transformer-by-hand",
    "svg.image_inline": True,
    "font.family": ["DejaVu Sans"],
    "font.size": 13,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}
NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
DASHES = ("-", "--", ":", "-.")
NO_PICTURE = "To see the picture, install matplotlib with  pip install matplotlib"


@shown
def show_encoding_picture(PE: object, name: str = "PE", title: str | None = None) -> Display:
    """Show a position code as a picture: one line of cells for each position, blue positive, orange negative.

    Args:
        PE: positions × columns, such as 50 × 512.
        name: its symbol.
        title: a few words behind name and shape.

    Raises:
        PlainError: `PE` is not a matrix.
    """
    PE = given.matrix(PE, name)
    largest = float(np.max(np.abs(PE)))
    height = int(min(420, max(140, 5 * PE.shape[0]))) + 60

    def draw(axes: object) -> None:
        axes.imshow(_tinted(PE, largest), aspect="auto", interpolation="none")
        axes.set(xlabel="column", ylabel="position")
        for spine in axes.spines.values():
            spine.set_visible(True)

    described = (
        f"Each line is one position, each column one of the {PE.shape[1]} numbers of its code, "
        f"from {fixed(PE.min(), 2)} (orange) to {fixed(PE.max(), 2)} (blue)."
    )
    caption = shape_text(PE.shape) + (f" · {title}" if title else "")
    key = key_html(largest).replace('class="s"', f'class="s" style="--k:{STRONGEST}"')
    return _picture(draw, height, name, caption, described, key)


@shown
def show_waves(PE: object, columns: Sequence[int] = (0, 2, 4, 6), name: str = "PE") -> Display:
    """Show some columns of a position code as curves over the positions.

    Args:
        PE: positions × columns.
        columns: up to four column numbers.
        name: its symbol.

    Raises:
        PlainError: `PE` is not a matrix, or a column lies outside it.
    """
    PE = given.matrix(PE, name)
    columns = [given.entry((0, column), PE.shape, name)[1] for column in columns]
    if not 1 <= len(columns) <= len(DASHES):
        raise PlainError(f"show_waves draws 1 to {len(DASHES)} columns, not {len(columns)}.")

    def draw(axes: object) -> None:
        for number, column in enumerate(columns):
            colour = (BLUE, ORANGE, INK, GREY)[number]
            axes.plot(PE[:, column], color=colour, linestyle=DASHES[number], linewidth=1.8, label=f"column {column}")
        axes.axhline(0, color=GREY, linewidth=0.6)
        axes.set(xlabel="position", ylabel="value")
        axes.margins(x=0.01)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)

    described = "; ".join(
        f"column {column} runs from {fixed(PE[:, column].min(), 2)} to {fixed(PE[:, column].max(), 2)}, "
        f"sign changes: {_sign_changes(PE[:, column])}"
        for column in columns
    )
    caption = f"{len(columns)} columns over {PE.shape[0]} positions"
    return _picture(draw, 280, name, caption, f"{described[0].upper()}{described[1:]}.")


@shown
def show_wavelengths(d_models: Sequence[int] = (8, 512)) -> Display:
    """Show the wavelengths of the sine and cosine pairs, 2π · 10000^(2i/d_model), on a scale of powers of ten.

    Args:
        d_models: up to four even widths.

    Raises:
        PlainError: a width is not an even number of at least 2.
    """
    widths = [int(width) for width in ([d_models] if isinstance(d_models, int) else d_models)]
    if not 1 <= len(widths) <= len(DASHES) or any(width < 2 or width % 2 for width in widths):
        raise PlainError(f"show_wavelengths takes 1 to {len(DASHES)} even widths, not {d_models!r}.")
    waves = {width: [2 * math.pi * 10000 ** (2 * i / width) for i in range(width // 2)] for width in widths}

    def draw(axes: object) -> None:
        for number, (width, lengths) in enumerate(waves.items()):
            shares = [2 * i / width for i in range(len(lengths))]
            few = len(lengths) <= 16
            look = {"marker": "osD^"[number], "linestyle": "none", "markersize": 8} if few else {"linewidth": 1.8}
            colour = (BLUE, ORANGE, INK, GREY)[number]
            axes.plot(shares, lengths, color=colour, zorder=2 + few, label=f"d_model {width}", **look)
        axes.set(xlabel="2i / d_model", ylabel="positions per turn", yscale="log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.legend(loc="upper left", frameon=False)

    described = "; ".join(
        f"d_model {width}: {len(lengths)} wavelengths from {fixed(lengths[0], 2, sign=False)} "
        f"to {fixed(lengths[-1], 2, sign=False)} positions"
        for width, lengths in waves.items()
    )
    return _picture(draw, 300, "Wavelengths", "positions until a pair is back where it was", described + ".")


@shown
def show_curves(
    x: Sequence[float], curves: Mapping[str, Sequence[float]], name: str, xlabel: str, ylabel: str
) -> Display:
    """Show up to four curves over the same numbers, such as the cost of two methods over length.

    Args:
        x: the numbers along the bottom. curves: label → as many numbers. name: what the picture shows.
        xlabel, ylabel: what the axes count.

    Raises:
        PlainError: there are no curves or more than four, or a curve does not fit x.
    """
    if not 1 <= len(curves) <= len(DASHES):
        raise PlainError(f"show_curves draws 1 to {len(DASHES)} curves, not {len(curves)}.")
    x = given.vector(x, "x")
    lines = {label: given.vector(y, label, x.size, "(one for each x)") for label, y in curves.items()}

    def draw(axes: object) -> None:
        for number, (label, y) in enumerate(lines.items()):
            colour = (BLUE, ORANGE, INK, GREY)[number]
            axes.plot(x, y, color=colour, linestyle=DASHES[number], linewidth=1.8, label=label)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.margins(x=0.01)
        axes.legend(loc="upper left", frameon=False)

    described = "; ".join(f"{label} goes from {y[0]:,.0f} to {y[-1]:,.0f}" for label, y in lines.items())
    return _picture(draw, 280, name, f"over {xlabel}", f"{described[0].upper()}{described[1:]}.")


def _sign_changes(values: np.ndarray) -> int:
    signs = np.sign(np.where(np.abs(values) < 1e-12, 0, values))
    signs = signs[signs != 0]
    return int(np.sum(signs[1:] != signs[:-1]))


def _tinted(values: np.ndarray, largest: float) -> np.ndarray:
    """Return an RGBA picture: the hue says the sign, the opacity the size, in 32 levels, on any ground."""
    share = np.sqrt(np.abs(values) / largest) if largest else np.zeros_like(values)
    picture = np.empty((*values.shape, 4), dtype=np.uint8)
    picture[..., :3] = np.where((values < 0)[..., None], _rgb(ORANGE), _rgb(BLUE))
    picture[..., 3] = (np.round(share * 31) * (STRONGEST * 255 / 31)).astype(np.uint8)
    return picture


def _rgb(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def _picture(
    draw: Callable[[object], None], height: int, name: str, caption: str, described: str, key: str = ""
) -> Display:
    """Draw on fresh axes of fixed pixel size and wrap the SVG with its title, description and note.

    Without matplotlib the words alone are shown, and what to install: a lesson's cells all run to the end.
    """
    head = f'<p class="f">{symbol_html(name)} <i>{escape(caption)}</i></p>'
    if find_spec("matplotlib") is None:
        text = [*wrap(f"{name}  {caption}", indent="  "), *wrap(described, indent="  "), NO_PICTURE]
        notes = f"{escape(typeset_within(described))}<br>{NO_PICTURE}"
        return Display("\n".join(text), f'{head}<p class="note">{notes}</p>', ("table",))
    svg = _themed(_svg(draw, height), f"{name}, {caption}", described)
    body = f'{head}{scroll(svg, f"{name}, {caption}")}{key}<p class="note">{escape(typeset_within(described))}</p>'
    text = [*wrap(f"{name}  {caption} (picture)", indent="  "), *wrap(described, indent="  ")]
    rules = ("table", "heat", "picture") if key else ("table", "picture")
    return Display("\n".join(text), body, rules)


def _svg(draw: Callable[[object], None], height: int) -> str:
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH_PX / 72, height / 72), dpi=72, layout="constrained")
        canvas = FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        file = io.StringIO()
        canvas.print_svg(file, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return file.getvalue()


def _themed(svg: str, title: str, described: str) -> str:
    """Return the drawing as inline SVG in the page's colours and font, with a title and a description."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", " ", svg)
    svg = re.sub(r'(<g) id="[^"]*"', r"\1", svg).replace("> <", "><").replace("<defs></defs>", "")
    svg = re.sub(r"font: (?:\d+ )?(\d+)px [^;\"]*", rf"font: \1px {FACE}", svg)
    svg = re.sub(r"font-family: [^;\"]*", f"font-family: {FACE}", svg)
    svg = re.sub(r"(\.\d\d)\d+", r"\1", svg)  # a hundredth of a pixel is enough
    svg = svg.replace(INK, "currentColor").replace(BLUE, f"var(--acc,{BLUE})").replace(ORANGE, f"var(--off,{ORANGE})")
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    svg, mark = _renamed(svg)
    opening = (
        f'<svg width="{size[1]}" height="{size[2]}" viewBox="0 0 {size[1]} {size[2]}" stroke-linejoin="round" '
        f'role="img" aria-labelledby="{mark}t {mark}d" {NAMESPACES}>'
        f'<title id="{mark}t">{escape(title)}</title><desc id="{mark}d">{escape(described)}</desc>'
    )
    return re.sub(r"<svg[^>]*>", lambda _: opening, svg, count=1).strip()


def _renamed(svg: str) -> tuple[str, str]:
    """Return the drawing with ids of our own, and what they begin with: a digest of the drawing itself.

    matplotlib's ids hash the repr of NumPy numbers, which differs between versions of NumPy.
    """
    for number, name in enumerate(dict.fromkeys(re.findall(r'(?<= id=")[^"]+', svg))):
        svg = re.sub(rf'(?<=[#"]){re.escape(name)}(?=[")])', f"tbh-{number}", svg)
    mark = "tbh" + hashlib.sha1(svg.encode()).hexdigest()[:8]
    return re.sub(r'(?<=[#"])tbh-(?=\d+[")])', f"{mark}-", svg), mark
