"""A page that stands alone: one HTML file, no script, nothing fetched, light or dark, on a phone, on paper.

What students wrote comes in as escaped text or through `students_html`. Should something get past that, the page's own
policy still keeps it from running or fetching anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from helpers.displays.style import minified, style
from helpers.grading.outputs import TAG, harmless
from helpers.grading.texts import harmless_text, with_pictures
from helpers.term.formulas import with_formulas

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
PIECES = ("table", "bracket", "heat", "blocked", "plain", "picture", "feedback", "map", "progress")
# Longer texts are shown as they were written: what turns Markdown into HTML was not made for books.
LONGEST = 20_000

RULES = """
:root { color-scheme: light dark; --jp-layout-color0: #fff; --jp-content-font-color1: #1f1f1f; }
@media (prefers-color-scheme:dark) { :root { --jp-layout-color0: #111; --jp-content-font-color1: #fff; } }
@media print { :root { color-scheme: light; --jp-layout-color0: #fff; --jp-content-font-color1: #000; } }
html { background: var(--jp-layout-color0); -webkit-text-size-adjust: 100%; }
body.tbh { box-sizing: border-box; max-width: 920px; margin: 0 auto; padding: 16px; overflow-wrap: break-word; }
.tbh h1 { margin: 0 0 4px; font: 600 22px/28px FACE; }
.tbh h2 { margin: 32px 0 8px; padding: 12px 0 0; border-top: 1px solid var(--line); font: 600 17px/24px FACE; }
.tbh h3 { margin: 24px 0 4px; font: 600 15px/22px FACE; }
.tbh h4 { margin: 8px 0 2px; font: 600 14px/20px FACE; }
.tbh p.par { margin: 4px 0 8px; max-width: 72ch; }
.tbh p.big { margin: 8px 0; font-size: 17px; }
.tbh p.big b { font: 600 22px/28px FACE; font-variant-numeric: tabular-nums; }
.tbh ul.says { margin: 4px 0 8px; padding: 0 0 0 20px; max-width: 76ch; }
.tbh ul.says li { margin: 2px 0; }
.tbh a { color: inherit; text-decoration: underline; text-underline-offset: 2px; }
.tbh :is(a,summary,.scroll):focus-visible { outline: 2px solid var(--acc); outline-offset: 1px; }
.tbh summary { cursor: pointer; }
.tbh .m.t { width: 100%; }
.tbh .m.t .sub { color: var(--mute); font-size: 13px; font-weight: 400; }
.tbh .m.t caption { white-space: normal; contain: none; }
.tbh .m.t .wide { min-width: 22ch; }
.tbh .m.t tfoot :is(th,td) { border-bottom: 0; font-weight: 600; color: var(--fg); }
.tbh .m.t tfoot tr:first-child :is(th,td) { border-top: 1px solid var(--edge); }
.tbh pre {
  margin: 4px 0; padding: 6px 8px; border: 1px solid var(--line); border-radius: 2px; background: none;
  color: var(--fg); font: CODE; white-space: pre-wrap; overflow-wrap: anywhere;
}
.tbh .fb { max-width: none; margin: 8px 0; }
.tbh .fb pre { padding: 0; border: 0; }
.tbh .words {
  margin: 4px 0 8px; padding: 2px 12px; border: 1px solid var(--line); border-radius: 4px; overflow: hidden;
}
.tbh .words :is(p,ul,ol) { margin: 6px 0; }
.tbh .words img { max-width: 100%; height: auto; }
.tbh .words table { border-collapse: collapse; }
.tbh .words :is(th,td) { padding: 2px 8px; border: 1px solid var(--line); }
.tbh .hand { margin: 4px 0 8px; padding: 2px 12px; border-left: 4px double var(--edge); }
.tbh .hand p { margin: 4px 0; white-space: pre-line; }
.tbh .pair { display: flex; flex-wrap: wrap; gap: 12px; }
.tbh .pair > * { flex: 1 1 300px; min-width: 0; max-width: 100%; }
.tbh .pair.hist > * { flex-basis: 340px; }
.tbh .bars rect { stroke: var(--edge); stroke-width: 1; }
.tbh .bars .full { fill: var(--acc); }
.tbh .bars .bare { fill: none; stroke-dasharray: 2 2; }
.tbh .bars .none { fill: rgb(var(--neg)/.32); stroke: var(--off); }
.tbh .bars .part { fill: rgb(var(--pos)/.22); }
.tbh .bars path { stroke: var(--edge); stroke-width: 1; fill: none; }
.tbh .bars text { font: 13px FACE; fill: currentColor; }
.tbh .keys { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 4px 0 8px; padding: 0; list-style: none; }
.tbh .keys li { display: flex; align-items: center; gap: 6px; font-size: 13px; color: var(--mute); }
.tbh .skip { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@container (max-width:480px) { .tbh .m.t :is(th,td) { padding-right: 10px; } }
@media print {
  body.tbh { max-width: none; padding: 0; }
  .tbh :is(h2,h3,h4) { break-after: avoid; }
  .tbh :is(pre,.words,.hand) { break-inside: avoid; }
  .tbh details::details-content { content-visibility: visible; display: block; }
  .tbh .m.t thead { display: table-header-group; }
  .tbh .m.t tfoot { display: table-row-group; }
  .tbh .m.t tr { break-inside: avoid; }
  .tbh .scroll.long { break-inside: auto; }
}
@page { margin: 14mm; }
"""


def page(title: str, body: str, marks: Mapping[str, str] | None = None) -> str:
    """A whole page. body: its main part, harmless. marks: name → content of what a program reads back."""
    metas = "".join(
        f'<meta name="{escape(name)}" content="{escape(value)}">\n' for name, value in (marks or {}).items()
    )
    sheet = style(PIECES, (minified(RULES),))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{metas}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n{sheet}\n</head>\n"
        f'<body class="tbh">\n<main>\n{body}\n</main>\n</body>\n</html>\n'
    )


def paragraph(text: str) -> str:
    """One paragraph of plain text."""
    return f'<p class="par">{escape(text)}</p>'


def listed(sentences: Sequence[str]) -> str:
    """A list of plain sentences, "" for none."""
    return f'<ul class="says">{"".join(f"<li>{escape(one)}</li>" for one in sentences)}</ul>' if sentences else ""


def table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = (), foot=(), long=False
) -> str:
    """A table whose first column heads its rows; all cells are HTML already.

    numbers: columns that are set to the right. foot: rows below a line. long: it may go on over several printed pages.
    """

    def cell(kind: str, column: int, html: str, more: str = "") -> str:
        mark = ' class="r"' if column in numbers else ""
        return f"<{kind}{more}{mark}>{html}</{kind}>"

    def line(row: Sequence[str]) -> str:
        first, *rest = row
        cells = "".join(cell("td", k, html) for k, html in enumerate(rest, start=1))
        return f"<tr>{cell('th', 0, first, rows_head)}{cells}</tr>"

    rows_head = ' scope="row"'
    top = "".join(cell("th", k, html, ' scope="col"') for k, html in enumerate(head))
    below = f"<tfoot>{''.join(map(line, foot))}</tfoot>" if foot else ""
    return (
        f'<div class="scroll{" long" if long else ""}" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="m t"><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead>'
        f"<tbody>{''.join(map(line, rows))}</tbody>{below}</table></div>"
    )


# What students wrote

_LINE_TAGS = {f"h{n}" for n in range(1, 7)}
_KEPT = {"colspan", "rowspan", "alt", "src", "start"}
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
_PASTED, _PLACE = re.compile("attachment:"), "pasted/"
_ANCHOR = re.compile(r'<a class="anchor-link"[^>]*>[^<]*</a>')
_DROPPED = re.compile(r"<(style|svg|title)\b.*?</\1>", re.DOTALL)


def students_text(markdown: str, pictures: Mapping[str, str] | None = None) -> str:
    """A student's words as HTML that only says something; pasted pictures are part of it."""
    if len(markdown) > LONGEST:
        return f"<pre>{escape(markdown[:LONGEST])}\n…</pre>"
    from nbconvert.filters import markdown2html

    # The reader puts a sign behind each heading that leads to it, and stops at a picture that is not there.
    text, known = with_pictures(harmless_text(markdown), pictures or {})
    html = _ANCHOR.sub("", markdown2html(_PASTED.sub(_PLACE, text)))
    for name, address in known.items():
        html = html.replace(f'src="{_PLACE}{name}"', f'src="{address}"')
    return f'<div class="words">{with_formulas(students_html(html))}</div>'


def students_html(html: str) -> str:
    """HTML of a student without anything that could act, or look like a part of the page."""
    return TAG.sub(_bare, _DROPPED.sub("", harmless(html)))


def _bare(tag: re.Match) -> str:
    name = tag[2].lower()
    # A heading of a student's is no heading of the page.
    name = "p" if name in _LINE_TAGS else name
    if name in ("details", "summary", "a", "mark"):
        name = "span" if name != "details" else "div"
    if tag[1]:
        return f"</{name}>"
    kept = dict(pair for pair in _ATTRIBUTE.findall(tag[3]) if pair[0].lower() in _KEPT)
    if name == "img":
        kept.setdefault("alt", "A picture of the answer")
        if "src" not in kept:
            return ""
    attributes = "".join(f' {key}="{value}"' for key, value in kept.items())
    return f"<{name}{attributes}>"
