"""What a submission showed, made fit for the instructor's eyes: a student's page must not act in their browser.

nbgrader's formgrader shows outputs as they are, beside the buttons that change marks. So only known kinds of output
are kept, and of HTML and SVG only tags and attributes that show something.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape, unescape

from helpers.grading.wire import WireError, clean, parse, whole

STREAMS = ("stdout", "stderr")
PICTURE = re.compile(r"[A-Za-z0-9+/\s]*={0,2}")
_TAGS = """
    a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4
    h5 h6 hr i img ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td
    tfoot th thead tr u ul var svg g defs path use text tspan rect circle ellipse line polyline polygon
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
EMPTY = {"br", "hr", "img", "col"}
# Their content is no text to be shown.
DROPPED = {"script", "iframe", "object", "embed", "noscript", "template", "textarea", "select", "noembed", "noframes"}
# A tag reaches to the next ">" outside quotes and never past another "<", so that no text is looked at twice.
TAG = re.compile(r"""<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""")
ATTRIBUTE = re.compile(r"""([a-zA-Z_][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")
# Commands of the formula writer that reach into the page; it reads formulas in HTML too.
REACHING = re.compile(
    r"\\(?=(?:href|require|style|class|cssId|html\w*|data|url|def|let|unicode|mmlToken|bbox|(?:re)?new\w+)\b)"
)
DEEPEST = 200
# Classes by which the page of marks finds its own parts.
PAGE = re.compile(
    r"score|extra|comment|nbgrader|btn|form|panel|modal|nav|alert|tooltip|max|tabb|help|prev|next|live", re.IGNORECASE
)
# In a style: what fetches, or lies over the buttons of the page.
STYLE_HARM = re.compile(r"url|image-set|@|expression|behavior|binding|\\|<|/\*|position\s*:", re.IGNORECASE)


def read(raw: bytes, cap: int) -> list[dict]:
    """`checked` for JSON; what is much longer than `cap` is not even read."""
    if len(raw) > 6 * cap + 200_000:
        raise WireError("more output than its limit")
    return checked(parse(raw), cap)


def checked(found, cap: int) -> list[dict]:
    """nbformat's output dicts from what a student's process sent; raises WireError when it is nothing of the kind."""
    if not isinstance(found, list) or len(found) > 10_000:
        raise WireError("outputs in no known form")
    kept, left = [], 4 * cap + 200_000
    for output in found:
        output = _checked(output)
        left -= size_of(output)
        if left < 0:
            raise WireError("more output than its limit")
        kept.append(output)
    return kept


def size_of(output: dict) -> int:
    """The letters that one output holds."""
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
        elif kind in ("image/png", "image/jpeg") and PICTURE.fullmatch(_text(value).rstrip()):
            kept[kind] = value
        elif kind in ("text/html", "image/svg+xml"):
            kept[kind] = harmless(_text(value))
        elif kind in ("text/latex", "text/markdown") and not re.search(r"[<>]|\]\s*[(\[:]|&#?\w", _text(value)):
            kept[kind] = out_of_reach(clean(value))
    return kept


def harmless(html: str) -> str:
    """HTML or SVG with only the tags and attributes that show something; every tag that is opened is closed.

    Its time is linear in the length: Python's own parser can be kept busy for hours by a page of 200 kB.
    """
    parts: list[str] = []
    is_open: list[str] = []
    at = 0
    while (start := html.find("<", at)) >= 0:
        parts.append(_text_of(html[at:start]))
        tag = TAG.match(html, start)
        if tag is None:
            at = _past_markup(html, start, parts)
            continue
        at, name = tag.end(), tag[2].lower()
        if tag[1]:
            _close(name, is_open, parts)
        elif name in DROPPED or name == "style":
            # What stands inside is no page. Without an end it goes on to the end.
            ending = re.compile(f"</{name}", re.IGNORECASE).search(html, at)
            end = ending.start() if ending else len(html)
            if name == "style":
                parts.append(f"<style>{html[at:end] if _is_ours(html[at:end]) else ''}</style>")
            at = _past(html, end)
        elif name in TAGS and len(is_open) < DEEPEST:
            parts.append(f"<{_spelled(name)}{_attributes(tag[3])}>")
            if tag[3].endswith("/") and name not in EMPTY:
                parts.append(f"</{_spelled(name)}>")
            elif name not in EMPTY:
                is_open.append(name)
    parts.append(_text_of(html[at:]))
    return out_of_reach("".join([*parts, *(f"</{_spelled(name)}>" for name in reversed(is_open))]))


def out_of_reach(text: str) -> str:
    """A text in whose formulas no command reaches into the page."""
    return REACHING.sub(r"\\ ", text)


def _text_of(text: str) -> str:
    return escape(unescape(text), quote=False)


def _past_markup(html: str, start: int, parts: list[str]) -> int:
    """Where reading goes on after a "<" that opens no tag: past a comment or the like, or it is a character."""
    if html.startswith("<!--", start):
        end = html.find("-->", start)
        return len(html) if end < 0 else end + 3
    if html[start + 1 : start + 2] in ("!", "?", "/"):
        return _past(html, start)
    parts.append("&lt;")
    return start + 1


def _past(html: str, start: int) -> int:
    end = html.find(">", start)
    return len(html) if end < 0 else end + 1


def _close(name: str, is_open: list[str], parts: list[str]) -> None:
    """Close what is open down to the tag of this name; a stray end would close what is not the student's."""
    while name in is_open:
        last = is_open.pop()
        parts.append(f"</{_spelled(last)}>")
        if last == name:
            return


def _attributes(text: str) -> str:
    found: dict[str, str] = {}
    for one in ATTRIBUTE.finditer(text):
        found.setdefault(one[1].lower(), unescape(next(filter(None, one.groups()[1:]), "")))
    return "".join(map(_attribute, found.items()))


@cache
def _known() -> re.Pattern:
    """Our own rules; what a display adds to them stands between."""
    from helpers.displays.style import known_pieces

    return re.compile("|".join(map(re.escape, sorted(known_pieces(), key=len, reverse=True))))


def _is_ours(sheet: str) -> bool:
    """Whether a style sheet is made of our rules and of whole ones that reach into a display only."""
    return all(_stays_inside(rest) for rest in _known().split(sheet))


def _stays_inside(rules: str) -> bool:
    """Whether rules are whole, harmless, and begin below a display."""
    if STYLE_HARM.search(rules.replace("@container (", "")):
        return False
    *chunks, rest = rules.split("}")
    return not rest and all(map(_is_rule, chunks))


def _is_rule(chunk: str) -> bool:
    """Whether this is a rule up to its closing brace; the end of a group of rules is an empty one."""
    if chunk.startswith("@container ("):
        head, _, chunk = chunk.partition("{")
        if not re.fullmatch(r"@container \([\w:-]{1,40}\)", head):
            return False
    selector, brace, body = chunk.partition("{")
    if not brace:
        return not selector
    for _ in range(8):
        # What stands in brackets only narrows.
        selector = re.sub(r"\([^()]{0,2000}\)", "", selector)
    return (
        "{" not in body
        and not {"(", ")"} & set(selector)
        and all(part.startswith(".tbh ") for part in selector.split(","))
    )


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
    elif name == "id":
        known = value.startswith("tbh")
    elif name == "class":
        value = " ".join(word for word in value.split() if len(word) <= 12 and not PAGE.match(word))
    elif name == "style":
        known = not STYLE_HARM.search(value)
    elif name == "clip-path":
        known = re.fullmatch(r"url\(#[\w.-]+\)|none", value)
    elif name in ("fill", "stroke"):
        known = re.fullmatch(r"url\(#[\w.-]+\)|[\w#.,%()\s-]*", value) and "url" not in value.replace("url(#", "")
    return f' {_spelled(name)}="{escape(value)}"' if known else ""
