"""What a submission showed, made fit for the instructor's eyes: a student's page must not act in their browser.

nbgrader's formgrader shows outputs as they are, beside the buttons that change marks. So only known kinds of output
are kept, and of HTML and SVG only tags and attributes that show something.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

from helpers.grading.wire import WireError, clean, whole

STREAMS = {"stdout", "stderr"}
PICTURE = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")
_TAGS = """
    a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4
    h5 h6 hr i img ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td
    tfoot th thead tr u ul var wbr svg g defs path use text tspan rect circle ellipse line polyline polygon
    clippath title desc image lineargradient radialgradient stop marker symbol style
"""
TAGS = frozenset(_TAGS.split())
_ATTRIBUTES = """
    class id title role tabindex scope rowspan colspan style width height alt lang dir start open span align
    valign border headers viewbox xmlns xmlns:xlink version preserveaspectratio x y x1 x2 y1 y2 dx dy cx cy r rx
    ry d points transform fill stroke clip-path clip-rule fill-rule fill-opacity opacity stroke-width
    stroke-linejoin stroke-linecap stroke-dasharray stroke-opacity stroke-miterlimit stroke-dashoffset font-size
    font-family font-weight font-style text-anchor dominant-baseline offset stop-color stop-opacity
    gradientunits gradienttransform markerwidth markerheight refx refy orient spreadmethod
"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
# Where a browser writes them with capitals.
CAPITALS = {
    "clippath": "clipPath",
    "lineargradient": "linearGradient",
    "radialgradient": "radialGradient",
    "viewbox": "viewBox",
    "preserveaspectratio": "preserveAspectRatio",
    "gradientunits": "gradientUnits",
    "gradienttransform": "gradientTransform",
    "markerwidth": "markerWidth",
    "markerheight": "markerHeight",
    "refx": "refX",
    "refy": "refY",
    "spreadmethod": "spreadMethod",
}
EMPTY = {"br", "hr", "img", "col", "wbr"}
# Their content is no text to be shown.
DROPPED = {"script", "iframe", "object", "embed", "noscript", "template", "textarea", "select", "noembed", "noframes"}
# In a style: what fetches, leaves the cell, or lies over the buttons of the page.
STYLE_HARM = re.compile(r"url\s*\(|@|expression|behavior|binding|\\|<|position\s*:\s*(?:fixed|sticky)|image-set", re.I)
STYLE_FINE = re.compile(r"@(?:media|supports|container|layer)\b", re.I)


def checked(found, cap: int) -> list[dict]:
    """nbformat's output dicts from what a student's process sent; raises WireError when it is nothing of the kind."""
    if not isinstance(found, list) or len(found) > 10_000:
        raise WireError("outputs in no known form")
    kept, left = [], 4 * cap + 200_000
    for output in found:
        output = _checked(output)
        left -= _size(output)
        if left < 0:
            raise WireError("more output than its limit")
        kept.append(output)
    return kept


def _size(output: dict) -> int:
    texts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", ())]
    return sum(map(len, [*texts, *output.get("data", {}).values()]))


def _checked(output) -> dict:
    kind = output.get("output_type") if isinstance(output, dict) else None
    if kind == "stream" and output.get("name") in STREAMS:
        return {"output_type": kind, "name": output["name"], "text": _text(output.get("text"))}
    if kind == "error":
        lines = output.get("traceback")
        if not isinstance(lines, list):
            raise WireError("outputs in no known form")
        texts = {key: _text(output.get(key)) for key in ("ename", "evalue")}
        return {"output_type": kind, **texts, "traceback": [_text(line) for line in lines]}
    if kind in ("display_data", "execute_result") and isinstance(output.get("data"), dict):
        shown = {"output_type": kind, "data": _data(output["data"]), "metadata": {}}
        if kind == "execute_result":
            count = output.get("execution_count")
            shown["execution_count"] = count if whole(count) and count < 10**6 else None
        return shown
    raise WireError("outputs in no known form")


def _text(value) -> str:
    if not isinstance(value, str):
        raise WireError("outputs in no known form")
    return clean(value)


def _data(data: dict) -> dict[str, str]:
    """The kinds of content that a notebook shows, each made harmless; others are left out."""
    kept = {}
    for kind, value in data.items():
        if kind == "text/plain":
            kept[kind] = _text(value)
        elif kind in ("image/png", "image/jpeg") and PICTURE.fullmatch(_text(value)):
            kept[kind] = value
        elif kind in ("text/html", "image/svg+xml"):
            kept[kind] = harmless(_text(value))
        elif kind in ("text/latex", "text/markdown") and not re.search(r"[<>]|\]\s*[(\[:]|&#?\w|\\href", _text(value)):
            kept[kind] = clean(value)
    return kept


def harmless(html: str) -> str:
    """HTML or SVG with only the tags and attributes that show something; every tag that is opened is closed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.result()


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.open: list[str] = []
        self.dropped: list[str] = []

    def result(self) -> str:
        return "".join([*self.parts, *(f"</{_spelled(tag)}>" for tag in reversed(self.open))])

    def handle_starttag(self, tag, attrs):
        if tag in DROPPED:
            self.dropped.append(tag)
        if self.dropped or tag not in TAGS:
            return
        self.parts.append(f"<{_spelled(tag)}{''.join(map(_attribute, dict(attrs).items()))}>")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag in DROPPED:
            return
        self.handle_starttag(tag, attrs)
        if tag in TAGS and tag not in EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self.dropped:
            if tag == self.dropped[-1]:
                self.dropped.pop()
            return
        # A stray end would close what is not the student's.
        if tag in self.open:
            while self.open:
                last = self.open.pop()
                self.parts.append(f"</{_spelled(last)}>")
                if last == tag:
                    break

    def handle_data(self, data):
        if self.dropped:
            return
        if self.open and self.open[-1] == "style":
            self.parts.append("" if STYLE_HARM.search(STYLE_FINE.sub("", data)) else data)
        else:
            self.parts.append(escape(data, quote=False))


def _spelled(name: str) -> str:
    return CAPITALS.get(name, name)


def _attribute(pair: tuple[str, str | None]) -> str:
    name, value = pair
    value = value or ""
    known = name in ATTRIBUTES or re.fullmatch(r"aria-[a-z]+", name)
    if name in ("xlink:href", "href"):
        # Only to a place in the same picture, or a picture that is part of it.
        known = re.fullmatch(r"#[\w.-]+|data:image/png;base64,[A-Za-z0-9+/=\s]*", value)
    elif name == "src":
        known = re.fullmatch(r"data:image/(?:png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*", value)
    elif name == "style":
        known = not STYLE_HARM.search(value)
    elif name == "clip-path":
        known = re.fullmatch(r"url\(#[\w.-]+\)|none", value)
    elif name in ("fill", "stroke"):
        known = re.fullmatch(r"url\(#[\w.-]+\)|[\w#.,%()\s-]*", value) and "url" not in value.replace("url(#", "")
    return f' {_spelled(name)}="{escape(value)}"' if known else ""
