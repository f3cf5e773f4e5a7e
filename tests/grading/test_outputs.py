"""Outputs of a submission: what a lesson shows stays as it is, what would act in the instructor's browser goes."""

import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rooms import opened

from helpers.displays.style import hover_rule, style
from helpers.grading.limits import Limits
from helpers.grading.outputs import checked, harmless
from helpers.grading.wire import WireError

SOLUTIONS = Path(__file__).parents[2] / "solutions"


def shown_by_lessons():
    for path in sorted(SOLUTIONS.glob("*/*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                if "text/html" in output.get("data", {}):
                    yield "".join(output["data"]["text/html"])


class Seen(HTMLParser):
    """An independent look at a page: its tags, its attributes, its style sheets."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.sheets = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.last = tag

    def handle_data(self, data):
        if self.tags and self.last == "style":
            self.sheets.append(data)


def test_what_lessons_show_keeps_every_tag():
    # Cards have a sheet of their own and are left out while a notebook is marked.
    found = [html for html in shown_by_lessons() if "tbh-still" not in html]
    assert len(found) > 100
    for html in found:
        kept = harmless(html)
        assert kept.count("<td") == html.count("<td")
        assert re.findall(r' class="([^"]*)"', kept) == re.findall(r' class="([^"]*)"', html)
        assert kept.count("style=") == html.count("style=")
        assert len(kept) > 0.97 * len(html)
        assert harmless(kept) == kept


@pytest.mark.parametrize(
    "html",
    [
        "<script>fetch('/formgrader/api/score')</script>",
        "<ScRiPt src=//evil.example></sCrIpT>",
        "<img src=x onerror=alert(1)>",
        "<img src='javascript:alert(1)'>",
        "<img src='http://evil.example/x.png'>",
        "<svg onload=alert(1)><set attributeName=href to=javascript:alert(1)></svg>",
        "<svg><script>alert(1)</script></svg>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<style><img src=x onerror=alert(1)></style>",
        "<style>@import 'http://evil.example/x.css'</style>",
        "<style>td{background:url(http://evil.example/x)}</style>",
        "<style>td{background:\\75rl(http://evil.example/x)}</style>",
        "<a href=javascript:alert(1)>x</a>",
        "<a href='&#106;avascript:alert(1)'>x</a>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<form action=/formgrader><input name=score><button>x</button></form>",
        "<math><mi xlink:href=javascript:alert(1)>x</mi></math>",
        "<object data=x></object><embed src=x>",
        "<base href=http://evil.example>",
        "<meta http-equiv=refresh content='0;url=http://evil.example'>",
        "<div style='background:url(javascript:alert(1))'>x</div>",
        "<div style='position:fixed;top:0'>x</div>",
        "<use xlink:href='http://evil.example/x.svg#a'></use>",
        "<use href='data:image/svg+xml;base64,AAAA#x'></use>",
        "<svg><animate attributeName=href values=javascript:alert(1)></animate></svg>",
        "<svg><foreignObject><iframe></iframe></foreignObject></svg>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<textarea><img title='</textarea><img src=x onerror=alert(1)>'></textarea>",
        "<!--><img src=x onerror=alert(1)>-->",
        "<xmp><p title='</xmp><img src=x onerror=alert(1)>'></xmp>",
        "<p fill='url(http://evil.example)'>",
        "<x/onclick=alert(1)>",
        "<img/onerror=alert(1)/src=x>",
        "<title><img src=x onerror=alert(1)></title>",
        "<plaintext><img src=x onerror=alert(1)>",
    ],
)
def test_nothing_that_acts_is_kept(html):
    kept = harmless(html)
    seen = Seen()
    seen.feed(kept)
    assert not seen.tags & {"script", "iframe", "form", "input", "button", "object", "embed", "base", "meta", "animate"}
    assert not seen.tags & {"set", "foreignobject", "math", "noscript", "textarea", "xmp", "plaintext"}
    for name, value in seen.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "href", "xlink:href", "srcdoc", "action")
        assert "url(" not in value
        assert "fixed" not in value
    assert "".join(seen.sheets) == ""
    assert harmless(kept) == kept


@pytest.mark.parametrize(
    "sheet",
    [
        "@import 'http://evil.example/x.css'",
        "td{background:url(http://evil.example/x)}",
        "td{background:\\75rl(http://evil.example/x)}",
        "body{display:none}",
        ".tbh .x,body{display:none}",
        ".tbh .x:is(a,b),body{display:none}",
        ".tbh .x{}body{display:none}",
        ".tbh{color:red}",
        ".tbh .x{position:absolute}",
        ".tbh .x{posi/**/tion:absolute}",
        ".score," + style([])[7:-8],
        style([])[7:-8] + ".score,",
        "@media all{" + style([])[7:-8] + "}",
    ],
)
def test_a_sheet_that_reaches_out_is_emptied(sheet):
    assert harmless(f"<style>{sheet}</style>x") == "<style></style>x"


def test_parts_of_the_page_cannot_be_imitated():
    html = '<div class="m score extra-credit" id="score-1">x</div><b id="tbh1">y</b>'
    assert harmless(html) == '<div class="m">x</div><b id="tbh1">y</b>'


def test_our_own_sheets_are_kept():
    sheet = style(["table", "product", "heat"], [hover_rule([1, 2], [0]), ".tbh .own{color:red}"])
    assert harmless(sheet) == sheet


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<![CDATA[", "<?", "&#", "</", "<", "<a b='", "<b>", "<style>", "<b></i>"]
)
def test_a_long_page_takes_its_length(piece):
    started = time.process_time()
    harmless(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 5


def test_stray_ends_close_nothing_and_open_tags_are_closed():
    assert harmless("</div></div><b>x<i>y") == "<b>x<i>y</i></b>"


def display(**data):
    return [{"output_type": "display_data", "data": {key.replace("_", "/"): value for key, value in data.items()}}]


def test_known_kinds_are_kept_and_others_left_out():
    data = {"text/plain": "x", "image/png": "aGk=\n", "application/javascript": "alert(1)", "text/html": "<b>x</b>"}
    kept = checked([{"output_type": "display_data", "data": data, "metadata": {"x": 1}}], 1000)
    assert kept == [
        {
            "output_type": "display_data",
            "data": {"text/plain": "x", "image/png": "aGk=\n", "text/html": "<b>x</b>"},
            "metadata": {},
        }
    ]


def test_a_picture_that_leaves_its_attribute_is_left_out():
    assert checked(display(**{"image_png": 'aGk="><script>'}), 1000)[0]["data"] == {}


def test_formulas_with_tags_are_left_out():
    assert checked(display(text_latex="$x$<script>"), 1000)[0]["data"] == {}
    assert checked(display(text_latex="$\\style{position:fixed}{x}$"), 1000)[0]["data"] == {
        "text/latex": "$\\ style{position:fixed}{x}$"
    }
    assert checked(display(text_latex="$x^2$"), 1000)[0]["data"] == {"text/latex": "$x^2$"}
    assert checked(display(text_markdown="[x](javascript:alert(1))"), 1000)[0]["data"] == {}


@pytest.mark.parametrize(
    "found",
    [
        None,
        {},
        [1],
        [{}],
        [{"output_type": "stream", "name": "stdout"}],
        [{"output_type": "stream", "name": "x", "text": ""}],
        [{"output_type": "stream", "name": ["stdout"], "text": ""}],
        [{"output_type": "error", "ename": 1, "evalue": "", "traceback": []}],
        [{"output_type": "error", "ename": "", "evalue": "", "traceback": "x"}],
        [{"output_type": "display_data", "data": {"text/plain": ["x"]}}],
        [{"output_type": "update_display_data", "data": {}}],
        [{"output_type": ["stream"]}],
        [{"output_type": "stream", "name": "stdout", "text": "x" * 10**6}],
        [{"output_type": "stream", "name": "stdout", "text": ""}] * 20_000,
    ],
)
def test_forged_outputs_are_refused(found):
    with pytest.raises(WireError):
        checked(found, 1000)


@pytest.mark.parametrize(
    "html",
    [
        r"<b>$\href{javascript:alert(1)}{x}$</b>",
        r"$\hre<wbr>f{javascript:alert(1)}{x}$",
        r"$\hre<!-- -->f{javascript:alert(1)}{x}$",
        r"$\hre<what>f{javascript:alert(1)}{x}$",
        r"$\hre&#102;{javascript:alert(1)}{x}$",
        r"$&#92;href{javascript:alert(1)}{x}$",
    ],
)
def test_formulas_in_html_do_not_reach_into_the_page(html):
    """The page of marks writes formulas wherever they stand."""
    assert "\\href" not in harmless(html)
    assert "\\ href" in harmless(html)


def test_what_reading_outputs_takes_is_the_notebooks_time():
    """Thousands of cells that show long pages would keep the marker busy without end."""
    page = "from IPython.display import HTML\nHTML('<style>' + '.tbh a{}' * 30_000 + '</style>')"
    limits = Limits(notebook_seconds=1)
    with opened(limits) as sandbox, sandbox.session() as session:
        for number in range(40):
            if session.run(page, f"cell {number}").limit == limits.notebook_time():
                break
        assert not session.alive
