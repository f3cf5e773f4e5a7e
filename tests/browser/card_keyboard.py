"""A reader without a mouse: Tab goes from control to control; Space, arrows and Enter change them."""

from helpers.cards.controls import Decimal, Line, Menu, Number, Press, Tick

# Of what has the focus: its place among the controls of a card that can be used now (-1: none of them), and whether
# the page draws a line around it (ipywidgets forbids that to some of its controls).
FOCUS = """card => {
    const all = [...card.querySelectorAll('.tbh-ctl :is(input, select, button, textarea)')].filter(e => !e.disabled);
    const style = getComputedStyle(document.activeElement);
    return [all.indexOf(document.activeElement), style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 2];
}"""
REMEMBER = "() => { window.cardFocus = document.activeElement; }"
KEPT = "() => window.cardFocus === document.activeElement && document.activeElement !== document.body"
BETWEEN = 8
"""Things that JupyterLab may put between a cell and its output for Tab to stop at: a toolbar, a border to drag."""


def places(cards, key):
    """(control, value) for everything that Tab must reach, in order: each of the choices side by side is one."""
    found = []
    for control in cards.mirror.cards[key].controls:
        if isinstance(control, Menu) and control.beside:
            found += [(control, value) for _, value in control.options(cards.mirror.settings)]
        else:
            found.append((control, None))
    return found


def come_in(cards, key):
    """Go to the first control of a card from outside, with Tab."""
    card, keyboard = cards.card(key), cards.page.keyboard
    card.locator(".tbh-ctl :is(input, select, button)").first.focus()
    keyboard.press("Shift+Tab")
    assert card.evaluate(FOCUS)[0] == -1, "Shift and Tab lead out again"
    for _ in range(BETWEEN):
        keyboard.press("Tab")
        if card.evaluate(FOCUS)[0] >= 0:
            break


def change_by_keys(cards, key, control, value):
    """Change the focused control with keys alone; return whether there was anything to change."""
    keyboard, settings = cards.page.keyboard, cards.mirror.settings
    if isinstance(control, Press) or (isinstance(control, Menu) and control.beside):
        keyboard.press("Space")
        cards.mirror.change(key, control.name, value)
        return True
    now = cards.mirror.value(key, control)
    if isinstance(control, Menu):
        values = [option for _, option in control.options(settings)]
        place = values.index(now)
        if len(values) == 1:
            return False
        down = place + 1 < len(values)
        # In a list that is closed JupyterLab takes the arrows for itself (jupyter-widgets/ipywidgets issue 3912).
        for pressed in ("Space", "ArrowDown" if down else "ArrowUp", "Enter"):
            keyboard.press(pressed)
        new = values[place + 1 if down else place - 1]
    elif isinstance(control, Number | Decimal):
        low, high = control.bounds(settings) if isinstance(control, Number) else (control.low, control.high)
        step = 1 if isinstance(control, Number) else control.step
        up = now + step <= high
        keyboard.press("ArrowUp" if up else "ArrowDown")
        new = round(now + step if up else max(now - step, low), 6)
    elif isinstance(control, Tick):
        keyboard.press("Space")
        new = not now
    else:
        assert isinstance(control, Line)
        new = " ".join(now[1:] if len(now) > 2 else (*now, *now))
        keyboard.press("ControlOrMeta+A")
        keyboard.type(new)
        keyboard.press("Enter")
    cards.mirror.change(key, control.name, new)
    return True
