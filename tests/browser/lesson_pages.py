"""A unit's release in JupyterLab as a student meets it: written into, run, read, made narrow and read by axe-core."""

import re

from axe_playwright_python.sync_playwright import Axe
from course_units import release
from running_lab import GRAVE, PALE_TEXT, open_and_run, until, whole_page

# A window of 1280 px at 400 %.
NARROW = {"width": 320, "height": 800}
# JupyterLab 4 keeps a notebook's cells in a shared model, which is what typing into a cell changes too.
WRITE = """sources => jupyterapp.shell.currentWidget.content.model.sharedModel.cells.map(cell => {
    const name = cell.getMetadata('nbgrader')?.grade_id;
    if (name in sources) cell.setSource(sources[name]);
    return name;
}).filter(name => name in sources)"""
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"
CHANGE_THEME = "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})"
# While the theme changes, JupyterLab's own picture covers the page.
THEME_IS = """light => document.body.dataset.jpThemeLight === light
    && !document.querySelector('#jupyterlab-splash, #main-logo')"""
# grade_id of a check → what kind of feedback stands below it, all that it says, and what it asks.
CHECKS = """() => Object.fromEntries(jupyterapp.shell.currentWidget.content.widgets
    .map(cell => [cell.model.sharedModel.getMetadata('nbgrader'), cell.node.querySelector('.tbh .fb')])
    .filter(([graded]) => graded?.grade && !graded.solution)
    .map(([graded, said]) => [graded.grade_id, {
        kind: said?.classList[1], text: said?.textContent, question: said?.querySelector('.q')?.textContent ?? '',
    }]))"""
COLOURS = """selector => [...document.querySelectorAll(selector)].map(box => {
    const ground = box.closest('.tbh');
    return [getComputedStyle(box).color, getComputedStyle(ground).backgroundColor];
})"""
# What is ours on the page: the text of the lesson and what its cells show. The rest is JupyterLab's own: menus, bars,
# editors and prompts.
OURS = [[".jp-RenderedMarkdown"], [".jp-OutputArea-output"]]
# Of what is ours by its place, JupyterLab makes these: the mark behind a heading that links to it, and the formulas.
THEIRS = [[".jp-InternalAnchorLink"]]
# axe-core needs minutes for the 30,000 elements of a lesson. Of what is alike, made of the same classes, one stays; of
# a matrix two rows and four columns; no cell that is then empty. The cards are read in test_cards.py.
THINNED = """() => {
    const all = selector => document.querySelectorAll(`.jp-Notebook ${selector}`), seen = new Set();
    const drop = selector => all(selector).forEach(one => one.remove());
    drop(':is(.jp-InputArea-editor, .jp-InputPrompt, .jp-OutputPrompt, .jp-OutputArea-promptOverlay, mjx-container)');
    drop('.jp-OutputArea-child:has(.tbh-card)');
    const text = '.jp-RenderedMarkdown :is(p, h1, h2, h3, ul, ol, li, table, pre)';
    for (const box of all(`:is(.jp-OutputArea-child, ${text}, .tbh .scroll)`)) {
        const kinds = [box, ...box.querySelectorAll('*')].flatMap(one => [one.tagName, ...one.classList]);
        const key = [...new Set(kinds)].filter(kind => !/^[ij]\\d+$/i.test(kind)).sort().join(' ');
        if (seen.has(key)) box.remove();
        seen.add(key);
    }
    drop('.tbh :is(tbody tr:nth-child(n+3), .m:not(.t) tr > :nth-child(n+5))');
    for (const cell of all('.jp-Cell')) if (!cell.querySelector('.jp-RenderedMarkdown *, .tbh')) cell.remove();
}"""
PALE = f"""() => [...document.querySelectorAll('.jp-OutputArea-output')].at(-1)
    .insertAdjacentHTML('beforeend', '{PALE_TEXT}')"""
TOO_WIDE = """() => ['html', 'body', '.jp-NotebookPanel', '.jp-WindowedPanel-outer']
    .map(name => [name, document.querySelector(name)])
    .filter(([_, e]) => e.scrollWidth > e.clientWidth + 1)
    .map(([name, e]) => `${name}: ${e.scrollWidth} > ${e.clientWidth}`)"""
SIDEWAYS = """box => box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0
    && ['auto', 'scroll'].includes(getComputedStyle(box).overflowX)"""
# What scrolls sideways in an output, and neither is nor holds what the keyboard reaches.
UNREACHED = f"""() => [...document.querySelectorAll('.jp-OutputArea-output, .jp-OutputArea-output *')]
    .filter({SIDEWAYS})
    .filter(box => box.tabIndex < 0 && !box.querySelector('a, button, input, select, [tabindex="0"]'))
    .map(box => box.outerHTML.slice(0, 160))"""
# Running text that has to be scrolled to be read: paragraphs, lists, headings, and what feedback says. JupyterLab
# breaks no word of a text cell; in a heading a name of more than 13 letters is wider than its column of 189 px.
HIDDEN_TEXT = """() => [...document.querySelectorAll(
        '.jp-RenderedMarkdown :is(p, li, h1, h2, h3), .tbh :is(.note, .said, .v, dd, .sum, .hint p)')]
    .filter(box => !box.querySelector('mjx-container, .scroll, pre') && box.clientWidth > 0)
    .filter(box => box.closest('.tbh') || box.textContent.split(/\\s+/).every(word => word.length <= 13))
    .filter(box => box.scrollWidth > box.clientWidth + 1 || box.getBoundingClientRect().right > innerWidth + 1)
    .map(box => box.outerHTML.slice(0, 160))"""


def open_lesson(browser, lab, unit, theme, sources=None, **size):
    """A page on the release of a unit: `sources` (grade_id → what is typed) in its cells, all of them executed."""
    code = [cell for cell in release(unit).cells if cell.cell_type == "code" and cell.source.strip()]

    def write(page):
        assert {*page.evaluate(WRITE, sources or {})} == {*(sources or {})}

    return open_and_run(browser, lab, f"{unit}/{unit}.ipynb", len(code), theme, prepare=write, **size)


def change_theme(page, theme):
    """Another theme, as the menu changes it."""
    page.evaluate(CHANGE_THEME, theme)
    until(page, THEME_IS, str("Light" in theme).lower())


def saved(page, lab, unit):
    """Save the notebook from its page; return the file's bytes."""
    page.evaluate(SAVE)
    return (lab.work / unit / f"{unit}.ipynb").read_bytes()


def unreadable_at_400_percent(page):
    """What cannot be read in a window of 320 px without scrolling the page sideways, or without a mouse."""
    size = page.viewport_size
    page.set_viewport_size(NARROW)
    page.wait_for_timeout(500)
    found = {
        "page": page.evaluate(TOO_WIDE), "text": page.evaluate(HIDDEN_TEXT), "unreached": page.evaluate(UNREACHED),
    }  # fmt: skip
    page.set_viewport_size(size)
    return {name: said for name, said in found.items() if said}


def grave(page):
    """What axe-core finds in the text and the outputs of a thinned page: (rule, where, what is wrong).

    Text too pale is written into the last output; that axe finds it shows that it has looked at all above it.
    """
    with whole_page(page):
        page.evaluate(PALE)
        context = {"include": OURS, "exclude": THEIRS}
        found = Axe().run(page, context=context, options={"resultTypes": ["violations"]}).response["violations"]
        page.evaluate("() => document.getElementById('pale').remove()")
    told = [
        (rule["id"], node["html"][:200], node["failureSummary"])
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
    ]
    assert [rule for rule, html, _ in told if html == PALE_TEXT] == ["color-contrast"]
    return [one for one in told if one[1] != PALE_TEXT]


def contrasts(page, selector):
    """Of the text of all elements against their display's ground, each pair of colours once: pair → contrast."""
    return {pair: _contrast(*pair) for pair in {tuple(pair) for pair in page.evaluate(COLOURS, selector)}}


def _contrast(foreground, ground):
    fg, bg = map(_channels, (foreground, ground))
    alpha = fg[3] if len(fg) > 3 else 1.0
    mixed = [alpha * a + (1 - alpha) * b for a, b in zip(fg[:3], bg[:3], strict=True)]
    light, dark = sorted((_luminance(mixed), _luminance(bg[:3])), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _channels(colour):
    """Red, green and blue from 0 to 255, and how opaque, from rgb(…), rgba(…) or the color(srgb …) of a mixture."""
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)]
    return [255 * part for part in parts[:3]] + parts[3:] if colour.startswith("color(srgb") else parts


def _luminance(rgb):
    channels = [value / 255 for value in rgb]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
