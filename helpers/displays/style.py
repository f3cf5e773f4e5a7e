"""The look: style rules in named pieces, so that an output carries the pieces it needs and no more.

Ground and text colour come as a pair from the host (JupyterLab, VS Code, or plain white). Everything else is
a transparent overlay or a mid tone, so no rule has to know whether the theme is light or dark.

Selectors carry two classes, one more than the rules with which notebooks style bare tables. A page holds the rules
of all its outputs, so a piece that changes what TABLE says carries three: its order among them must not matter.
A class named twice outweighs what JupyterLab says of lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

FACE = "var(--jp-content-font-family,system-ui,sans-serif)"
GROUND = "var(--vscode-editor-background,var(--jp-layout-color0,#fff))"
TEXT = "var(--vscode-editor-foreground,var(--jp-content-font-color1,#1f1f1f))"
CODE = "var(--jp-code-font-size,13px)/20px var(--jp-code-font-family,ui-monospace,Menlo,Consolas,monospace)"

BASE = """
.tbh {
  --bg: GROUND;
  --fg: TEXT;
  --mute: var(--fg); --pos: 47 116 208; --neg: 191 100 0; --acc: #2f74d0; --off: #bf6400;
  --line: rgb(128 128 128/.38); --edge: #808080;
  container-type: inline-size; background: var(--bg); color: var(--fg);
  font: var(--jp-content-font-size1,14px)/1.5 FACE;
  -webkit-print-color-adjust: exact; print-color-adjust: exact;
}
@supports (color:color-mix(in srgb,red,red)) {
  .tbh { --mute: color-mix(in srgb,var(--fg) 74%,var(--bg)); }
}
.tbh .f { margin: 0; font: 600 15px/24px FACE; color: var(--fg); }
.tbh .f i { margin-left: 8px; font: 13px/24px FACE; color: var(--mute); }
.tbh sub { font-size: 12px; line-height: 0; vertical-align: -.3em; }
.tbh .note { margin: 0; font-size: 13px; line-height: 24px; color: var(--mute); overflow-wrap: anywhere; }
@media print {
  .tbh {
    --bg: #fff; --fg: #000; --mute: #333; --pos: 90 90 90; --neg: 90 90 90; --acc: #000; --off: #000;
    --line: #999; --edge: #555;
  }
}
"""

TABLE = """
.tbh .scroll { position: relative; overflow-x: auto; max-width: 100%; margin: 0 0 8px; }
.tbh .scroll:focus-visible { outline: 2px solid var(--acc); outline-offset: -2px; }
.tbh .m {
  width: auto; margin: 0; border: 0; border-collapse: separate; border-spacing: 0; table-layout: auto;
  color: var(--fg); font: CODE; font-variant-numeric: tabular-nums;
}
.tbh .m caption {
  contain: inline-size; padding: 0 0 2px; caption-side: top; text-align: left; white-space: nowrap;
  color: var(--fg); font: 600 14px/24px FACE;
}
.tbh .m.one caption { contain: none; }
.tbh .m caption i { margin-left: 8px; font: 13px/24px FACE; color: var(--mute); }
.tbh .m thead,.tbh .m tbody tr:nth-child(n),.tbh .m tr:hover { background: none; border: 0; }
.tbh .m :is(th,td) {
  box-sizing: border-box; position: relative; min-width: var(--w,8ch); max-width: none; height: 24px;
  padding: 2px 4px; border: 0; background: none; line-height: 20px; font-weight: 400;
  text-align: right; vertical-align: middle; white-space: nowrap;
}
.tbh .m th { color: var(--mute); }
.tbh .m tbody th {
  position: sticky; left: 0; z-index: 1; min-width: 0; padding-right: 10px; background: var(--bg);
  text-align: left;
}
.tbh .m thead td { min-width: 0; }
@media print {
  .tbh .scroll { overflow: visible; break-inside: avoid; }
  .tbh .m tbody th { position: static; }
  .tbh .m { font-size: 12px; }
}
"""

BRACKET = """
.tbh .brk tbody td:first-of-type { border-left: 1.5px solid var(--fg); }
.tbh .brk tbody td:last-child { border-right: 1.5px solid var(--fg); }
.tbh .brk tbody tr:first-child td:is(:first-of-type,:last-child)::before,
.tbh .brk tbody tr:last-child td:is(:first-of-type,:last-child)::after {
  content: ""; position: absolute; top: 0; left: 0; width: 5px; border-top: 1.5px solid var(--fg);
}
.tbh .brk tbody tr:last-child td:is(:first-of-type,:last-child)::after { top: auto; bottom: 0; }
.tbh .brk tbody tr:nth-child(n) td:last-child:nth-child(n)::before,
.tbh .brk tbody tr:nth-child(n) td:last-child:nth-child(n)::after { left: auto; right: 0; }
.tbh .brk.one tbody tr:nth-child(n) td:last-child:nth-child(n)::before,
.tbh .brk.one tbody tr:nth-child(n) td:last-child:nth-child(n)::after {
  left: 0; width: auto; height: 1.5px; border: 0;
  background: linear-gradient(90deg,var(--fg) 5px,transparent 0 calc(100% - 5px),var(--fg) 0);
}
"""

CUT = """
.tbh .m td.cut { border-left: 1px dotted var(--edge); }
"""

PRODUCT = """
.tbh .prod {
  display: grid; grid-template: "k b" auto "a c" auto/minmax(300px,max-content) max-content; gap: 14px 6px;
  overflow-x: auto;
}
.tbh .prod .k { grid-area: k; align-self: end; box-sizing: border-box; width: 0; min-width: 100%; padding-right: 12px; }
.tbh .prod .a { grid-area: a; }
.tbh .prod .b { grid-area: b; justify-self: end; align-self: end; }
.tbh .prod .c { grid-area: c; justify-self: end; }
.tbh .prod .b .m.brk { margin-left: auto; }
.tbh .prod .scroll { margin: 0; max-width: none; }
.tbh .prod .c tbody th { padding: 0; font-size: 0; }
.tbh .prod .c tbody td { cursor: default; outline: 0; }
.tbh .prod .c tbody td:is(:hover,:focus) { box-shadow: inset 0 0 0 2px var(--acc); font-weight: 700; }
@media (hover:hover) {
  .tbh .prod .k::after {
    content: "Point at an entry of the result."; font-size: 13px; line-height: 24px; color: var(--mute);
  }
}
@media print { .tbh .prod .k::after { content: none; } }
"""

STACKED = """
@container (max-width:WIDTHpx) {
  .tbh .prod.wWIDTH { grid-template: "k" "a" "b" "c"/minmax(0,1fr); }
  .tbh .prod.wWIDTH :is(.b,.c) { justify-self: stretch; }
  .tbh .prod.wWIDTH .b .m.brk { margin-left: 0; }
  .tbh .prod.wWIDTH .scroll { max-width: 100%; }
  .tbh .prod.wWIDTH .c tbody th { padding: 2px 10px 2px 4px; font-size: inherit; }
}
"""

HIGHLIGHT = """
{
  background-image: linear-gradient(rgb(var(--pos)/.26),rgb(var(--pos)/.26)); color: var(--fg);
  font-weight: 600;
}
"""

HEAT = """
.tbh .m.heat { border-spacing: 2px; }
.tbh .m.heat :is(thead th,td) { text-align: center; }
.tbh .m.heat td {
  border-radius: 2px;
  background-image: linear-gradient(rgb(var(--pos)/var(--a,0)),rgb(var(--pos)/var(--a,0)));
}
.tbh .m.heat td.n { background-image: linear-gradient(rgb(var(--neg)/var(--a,0)),rgb(var(--neg)/var(--a,0))); }
.tbh .m.heat td.top { font-weight: 700; text-decoration: underline; text-underline-offset: 2px; }
.tbh .key {
  display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; margin: 0 0 8px; font-size: 13px;
  line-height: 20px; color: var(--mute);
}
.tbh .key i {
  --k: .6; box-sizing: border-box; width: 140px; height: 12px; border: 1px solid var(--line); border-radius: 2px;
}
.tbh .key i.s {
  background: linear-gradient(90deg,rgb(var(--neg)/var(--k)),rgb(var(--neg)/calc(var(--k)*.7)) 25%,
    rgb(var(--neg)/0) 50%,rgb(var(--pos)/0) 50%,rgb(var(--pos)/calc(var(--k)*.7)) 75%,rgb(var(--pos)/var(--k)));
}
.tbh .key i.w { background: linear-gradient(90deg,rgb(var(--pos)/0),rgb(var(--pos)/.3) 25%,rgb(var(--pos)/.6)); }
.tbh .key .gap { margin-left: 8px; }
"""

BLOCKED = """
.tbh .m td.x:nth-child(n),.tbh .key i.x {
  background-image: repeating-linear-gradient(135deg,transparent 0 4px,var(--line) 4px 5px);
}
.tbh .m td.x { color: var(--mute); }
.tbh .m td.x span { padding: 0 3px; background: var(--bg); }
.tbh .key i.x { width: 26px; margin-left: 8px; }
"""

GROUPS = """
.tbh .m.g tbody tr:first-child :is(th,td) { border-top: 1px solid var(--line); }
.tbh .m.g tbody th[rowspan] { font-weight: 600; color: var(--fg); }
.tbh .m.g tbody th + th { position: static; }
.tbh .m.g.many tbody th:not([rowspan]) { padding-left: 16px; }
.tbh .m.g tfoot :is(th,td) { border-top: 1px solid var(--edge); font-weight: 600; color: var(--fg); }
.tbh .m.g tfoot th { text-align: left; }
"""

PLAIN = """
.tbh .m.t :is(th,td) {
  min-width: 0; padding: 2px 16px 2px 4px; font-family: FACE; font-size: 14px; text-align: left;
  white-space: normal; border-bottom: 1px solid var(--line);
}
.tbh .m.t thead th { font-weight: 600; vertical-align: bottom; border-bottom-color: var(--edge); }
.tbh .m.t tbody th { color: var(--fg); }
.tbh .m.t :is(th,td).r { text-align: right; font-variant-numeric: tabular-nums; }
.tbh .m.t td.r { font: CODE; white-space: nowrap; }
"""

WORKED = """
.tbh .scroll pre {
  margin: 0; padding: 2px 4px; border: 0; overflow: visible; background: none; color: var(--fg); font: CODE;
  white-space: pre;
}
"""

PILLS = """
.tbh .pill {
  padding: 1px 8px; border: 1px solid var(--acc); border-radius: 10px; background: rgb(var(--pos)/.22);
  color: var(--fg); font: CODE; white-space: nowrap;
}
.tbh .pill.p { border: 1px dashed var(--edge); background: none; }
.tbh .note b { margin-right: 8px; color: var(--fg); font-size: 14px; }
.tbh .pill + span { margin-left: 12px; }
"""

SIDE = """
.tbh .side { display: flex; flex-wrap: wrap; gap: 8px 24px; }
.tbh .side > .scroll { margin: 0 0 8px; }
.tbh .side > div { max-width: 100%; }
.tbh .side > div .m caption { contain: none; }
"""

FLOW = """
.tbh .flow {
  display: flex; flex-wrap: wrap; align-items: center; gap: 6px; margin: 0 0 8px; font-size: 13px; line-height: 18px;
}
.tbh .flow > * {
  padding: 2px 8px; border: 1px solid var(--edge); border-radius: 4px; text-align: center; font-weight: 400;
}
.tbh .flow > :is(i,em) { padding: 0; border: 0; font-style: normal; }
.tbh .flow > i { min-width: 64px; text-align: left; color: var(--mute); }
.tbh .flow .was { background: rgb(var(--pos)/.22); border-color: var(--fg); }
.tbh .flow .to { border-style: dashed; }
.tbh .flow .make { font-weight: 600; }
.tbh .flow .now {
  padding: 1px 7px; border: 2.5px solid var(--acc); background: rgb(var(--pos)/.22); font-weight: 600;
}
.tbh .flow small { display: block; font-size: 12px; }
"""

PICTURE = """
.tbh .scroll svg { display: block; max-width: none; color: var(--fg); }
.tbh .scroll svg text { fill: currentColor; }
@media print { .tbh .scroll svg image { filter: grayscale(1); } }
"""

FEEDBACK = """
.tbh .fb {
  max-width: 760px; box-sizing: border-box; margin: 4px 0; padding: 12px 16px; border: 1px solid var(--line);
  border-left: 4px solid var(--edge); border-radius: 4px;
}
.tbh .fb.right { border-left-color: var(--acc); }
.tbh .fb.off { border-left-color: var(--off); }
.tbh .fb .v { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: baseline; margin: 0; }
.tbh .fb .v b { font-size: 15px; font-weight: 600; overflow-wrap: anywhere; }
.tbh .fb .v i { font-style: normal; font-size: 13px; color: var(--mute); overflow-wrap: anywhere; }
.tbh .fb .v span { margin-left: auto; font: CODE; }
.tbh .fb .said { margin: 8px 0 0; font-size: 14px; overflow-wrap: anywhere; }
.tbh .fb dl {
  display: grid; grid-template-columns: max-content 1fr; gap: 4px 14px; margin: 8px 0 0; font-size: 14px;
}
.tbh .fb dt {
  float: none; width: auto; margin: 0; padding: 0; color: var(--mute); font-weight: 400; font-size: 13px;
  line-height: 21px;
}
.tbh .fb dd { float: none; width: auto; margin: 0; padding: 0; overflow-wrap: anywhere; }
.tbh .fb dd.q { font-weight: 600; }
.tbh .fb summary { margin: 0; padding: 0; cursor: pointer; }
.tbh .fb summary:focus-visible { outline: 2px solid var(--acc); outline-offset: 1px; }
.tbh .fb pre {
  margin: 0; padding: 0; border: 0; background: none; color: var(--fg); font: CODE; white-space: pre-wrap;
  overflow-wrap: anywhere;
}
@container (max-width:480px) {
  .tbh .fb dl { grid-template-columns: minmax(0,1fr); gap: 0; }
  .tbh .fb dd { margin: 0 0 8px; }
  .tbh .fb .v span { flex-basis: 100%; margin-left: 0; }
}
@media print { .tbh .fb { break-inside: avoid; } }
"""

MAP = """
.tbh .fb .note { margin: 8px 0 0; line-height: 20px; }
.tbh .fb .note b { color: var(--fg); text-decoration: underline; }
.tbh .fb .scroll { margin: 8px 0 0; }
.tbh .fb .m.map { border-spacing: 3px; }
.tbh .fb .m td.o {
  border: 2px solid var(--off); border-radius: 2px; padding: 0 2px; font-weight: 700; text-decoration: underline;
  text-underline-offset: 2px;
}
.tbh .fb .m td.e { border: 1.5px dashed var(--edge); border-radius: 2px; padding: 0 2px; text-align: center; }
.tbh .fb .m td.first { font-weight: 700; background-image: linear-gradient(rgb(var(--neg)/.22),rgb(var(--neg)/.22)); }
.tbh .fb .hid { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
"""

PROGRESS = """
.tbh .sum { margin: 0; font-size: 13px; color: var(--mute); }
.tbh .sum b { font-size: 14px; font-weight: 600; color: var(--fg); }
.tbh ul.prog.prog { display: flex; flex-wrap: wrap; gap: 8px 16px; margin: 8px 0; padding: 0; list-style: none; }
.tbh .prog li { margin: 0; padding: 0; list-style: none; }
.tbh .prog span { display: block; font-size: 12px; line-height: 18px; color: var(--mute); }
.tbh .prog.prog ol { display: flex; flex-wrap: wrap; gap: 3px; margin: 0; padding: 0; list-style: none; }
.tbh .prog ol li {
  position: relative; box-sizing: border-box; width: 16px; height: 16px; border: 1px solid var(--edge);
  border-radius: 3px;
}
.tbh .prog ol li.right { border-color: var(--acc); background: var(--acc); }
.tbh .prog ol li.off {
  border: 1.5px solid var(--off);
  background: linear-gradient(135deg,transparent 46%,var(--off) 46% 54%,transparent 54%);
}
.tbh .prog ol li.begun { background: linear-gradient(90deg,rgb(var(--pos)/.5) 50%,transparent 50%); }
.tbh .prog ol li[aria-current] { outline: 2px solid var(--fg); outline-offset: 2px; }
.tbh .prog ol li span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media print { .tbh .prog { break-inside: avoid; } }
"""

HINT = """
.tbh .hint { margin: 4px 0; }
.tbh .hint summary { margin: 0; padding: 0; font-size: 14px; cursor: pointer; }
.tbh .hint summary:focus-visible { outline: 2px solid var(--acc); outline-offset: 1px; }
.tbh .hint p { margin: 4px 0 0 16px; font-size: 14px; white-space: pre-line; overflow-wrap: anywhere; }
.tbh .hint > div { margin: 4px 0 12px 16px; }
@media print { .tbh .hint::details-content { content-visibility: visible; } }
"""

CHOSEN = """
.tbh .m.m :is(th,td).on {
  color: var(--fg); background-image: linear-gradient(rgb(var(--pos)/.26),rgb(var(--pos)/.26));
}
.tbh .m.m th.on { font-weight: 600; }
.tbh .m.m td.hit { box-shadow: inset 0 0 0 2px var(--acc); font-weight: 700; }
"""

PART = """
.tbh .part {
  margin: 16px 0 6px; padding: 6px 0 0; border-top: 1px solid var(--line); font-size: 13px; line-height: 20px;
  color: var(--mute);
}
.tbh .part:first-of-type { margin-top: 0; padding-top: 0; border: 0; }
@media print { .tbh .part { break-after: avoid; } }
"""

# A box of ipywidgets. These take their colours from variables of JupyterLab, which VS Code does not set: black words
# would stand on its dark ground. The arrow of a menu is black everywhere.
FRAME = """
.tbh-card,.tbh-still {
  box-sizing: border-box; width: 100%; max-width: 1080px; margin: 8px 0; overflow: hidden;
  border: 1px solid rgb(128 128 128/.38); border-radius: 6px;
}
.tbh-card {
  --text: TEXT;
  --jp-widgets-color: var(--text); --jp-widgets-label-color: var(--text); --jp-widgets-readout-color: var(--text);
  --jp-widgets-input-color: var(--text); --jp-widgets-input-border-color: #808080;
  --jp-widgets-input-background-color: var(--vscode-editor-background,var(--jp-layout-color1,#fff));
  --jp-widgets-dropdown-arrow: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'
    viewBox='0 0 18 18'%3E%3Cpath d='M5 7l4 4 4-4' fill='none' stroke='%23808080' stroke-width='2'/%3E%3C/svg%3E");
  background: GROUND;
}
.tbh-card .jupyter-button.jupyter-button {
  height: 28px; padding: 0 10px; border: 1px solid #808080; border-radius: 4px; background: transparent;
  color: var(--text); box-shadow: none;
}
.tbh-card.tbh-card :is(input,select,button):focus-visible {
  outline: 2px solid #2f74d0 !important; outline-offset: 1px !important;
}
"""

_PIECES = {name.lower(): text for name, text in list(globals().items()) if name.isupper() and "{" in str(text)}


def style(pieces: Iterable[str], extra: Iterable[str] = ()) -> str:
    """Return a style element with the base rules, the named pieces in their order here, and `extra` rules."""
    return f"<style>{_rules(frozenset(pieces))}{''.join(extra)}</style>"


@cache
def _rules(pieces: frozenset[str]) -> str:
    """The base rules and the named pieces, in their order here."""
    return "".join(minified(_PIECES[name]) for name in _PIECES if name == "base" or name in pieces)


def known_pieces() -> list[str]:
    """Return every whole piece of our rules as it stands in a style element."""
    return [minified(_PIECES[name]) for name in _PIECES if name not in ("highlight", "stacked")]


def hover_rule(rows: Iterable[int], cols: Iterable[int]) -> str:
    """Return the one rule that lights up row i of A and column j of B when entry (i, j) of C is pointed at."""
    selectors = [f".tbh .prod:has(.c .i{i}:is(:hover,:focus)) .a .i{i}" for i in rows]
    selectors += [f".tbh .prod:has(.c .j{j}:is(:hover,:focus)) :is(.b,.c thead) .j{j}" for j in cols]
    return ",".join(selectors) + minified(HIGHLIGHT)


def stacked_rule(width: int) -> str:
    """Return the rule that puts the tables of a product below one another where less than `width` px are free."""
    return minified(STACKED).replace("WIDTH", str(width))


@cache
def minified(rules: str) -> str:
    """Return rules without needless blanks, with the fonts and colours that FACE, CODE, GROUND and TEXT stand for."""
    text = rules.replace("FACE", FACE).replace("CODE", CODE).replace("GROUND", GROUND).replace("TEXT", TEXT)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s*([{};,])\s*", r"\1", text)
    return re.sub(r"(?<=[a-z]): ", ":", text).replace(";}", "}").strip()
