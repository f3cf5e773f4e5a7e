"""Pages full of cards, and a reader's hands on them: every control is found by the name that a screen reader says."""

from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from card_mirror import Mirror, same
from running_lab import GRAVE, PALE_TEXT, THEMES, open_and_run, whole_page

from helpers.cards import all_cards
from helpers.cards.controls import Decimal, Line, Menu, Number, Press, Tick

# What a card shows, without what was said about the last change.
SHOWN = """card => {
    const stage = card.querySelector('.tbh-stage')?.cloneNode(true);
    if (!stage) return '';
    stage.querySelectorAll(':scope > [role=alert], :scope > [role=status]').forEach(said => said.remove());
    const walker = document.createTreeWalker(stage, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    return texts.join(' ');
}"""
ROLES = {Menu: "combobox", Number: "spinbutton", Decimal: "spinbutton", Tick: "checkbox", Line: "textbox"}
LONGEST_WAIT = 60
PALE = f"""() => [...document.querySelectorAll('.tbh-card')].at(-1).insertAdjacentHTML('beforeend', '{PALE_TEXT}')"""
CARD_OF = """selector => {
    const heading = document.querySelector(selector)?.closest('.tbh-card')?.querySelector('h3');
    return heading ? heading.textContent : '';
}"""
# Ground and text of VS Code's theme Dark Modern.
VS_CODE_DARK = {"--vscode-editor-background": "#1f1f1f", "--vscode-editor-foreground": "#cccccc"}
SET = "colours => Object.entries(colours).forEach(pair => document.documentElement.style.setProperty(...pair))"


def keys_of(unit):
    return [key for key, card in all_cards().items() if card.unit == unit]


class Cards:
    """A notebook with some cards in a browser, and their mirror."""

    def __init__(self, browser, lab, notebook, keys, theme=THEMES[0], settings=None, height=900, whole=True):
        lab.write_notebook(notebook, *(f"from helpers import card\ncard({key!r})" for key in keys))
        self.page = open_and_run(browser, lab, notebook, len(keys), theme, height=height, whole=whole)
        self.keys, self.mirror = keys, Mirror(keys, settings)
        # Another Python brings another NumPy.
        self.last_place = lab.version < 4

    def card(self, key):
        return self.page.locator(".tbh-card").nth(self.keys.index(key))

    def shown(self, key):
        return " ".join(self.card(key).evaluate(SHOWN).split())

    def settle(self, key):
        """Wait until a card shows what it should, and return that; else show where it differs."""
        expected, shown = self.mirror.stage(key), ""
        for _ in range(LONGEST_WAIT * 20):
            shown = self.shown(key)
            if same(shown, expected, self.last_place):
                return shown
            self.page.wait_for_timeout(50)
        assert shown == expected
        return shown

    def named(self, key, control, value=None):
        """The element of a control; of choices side by side the one that stands for a value."""
        card = self.card(key)
        if isinstance(control, Press):
            return card.get_by_role("button", name=control.label, exact=True)
        if isinstance(control, Menu) and control.beside:
            return card.get_by_role("button", name=self.label(control, value), exact=True)
        return card.get_by_role(ROLES[type(control)], name=control.label, exact=True)

    def label(self, control, value):
        return next(label for label, option in control.options(self.mirror.settings) if option == value)

    def change(self, key, name, value=None):
        """Set a control as a reader does, here and in the mirror; return what the card then shows."""
        control = self.mirror.control(key, name)
        element = self.named(key, control, value)
        if isinstance(control, Press) or (isinstance(control, Menu) and control.beside):
            element.click()
        elif isinstance(control, Menu):
            element.select_option(label=self.label(control, value))
        elif isinstance(control, Tick):
            element.set_checked(value)
        elif isinstance(control, Line):
            element.fill(value)
            element.press("Enter")
        else:
            element.fill(str(value))
            element.press("Tab")
        self.mirror.change(key, name, value)
        return self.settle(key)


@contextmanager
def vs_code_dark(page):
    """VS Code gives its own colours, and none of those that ipywidgets takes from JupyterLab's dark theme."""
    page.evaluate(SET, VS_CODE_DARK)
    try:
        yield
    finally:
        page.evaluate(SET, dict.fromkeys(VS_CODE_DARK, ""))


def told_by_axe(page):
    """What axe-core finds in the cards of a page that keeps people out: (card, rule, element, what is wrong).

    Text too pale is written below the last card; that axe finds it shows that it has looked at all above it.
    """
    with whole_page(page):
        page.evaluate(PALE)
        options = {"resultTypes": ["violations"]}
        found = Axe().run(page, context=".tbh-card", options=options).response["violations"]
        grave = [(rule["id"], node) for rule in found if rule["impact"] in GRAVE for node in rule["nodes"]]
        told = [
            (page.evaluate(CARD_OF, node["target"][-1]), rule, node["html"], node["failureSummary"])
            for rule, node in grave
            if node["html"] != PALE_TEXT
        ]
        page.evaluate("() => document.getElementById('pale').remove()")
    assert [rule for rule, node in grave if node["html"] == PALE_TEXT] == ["color-contrast"]
    return told
