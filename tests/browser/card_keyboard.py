"""A reader without a mouse: Tab goes from control to control, arrows, Space and Enter change them."""

from helpers.cards.controls import Decimal, Line, Menu, Number, Press, Tick

# The controls of a card that can be used now, in the order of the page.
IN_ORDER = (
    "card => [...card.querySelectorAll('.tbh-ctl :is(input, select, button, textarea)')].filter(e => !e.disabled)"
)
HOW_MANY = f"card => ({IN_ORDER})(card).length"
# Which control of the card has the focus; -1 for none.
FOCUS = f"card => ({IN_ORDER})(card).indexOf(document.activeElement)"
REMEMBER = "() => { window.cardFocus = document.activeElement; }"
KEPT = "() => window.cardFocus === document.activeElement && document.activeElement !== document.body"
# Does the page draw something around what has the focus?
RING = """() => {
    const style = getComputedStyle(document.activeElement);
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
}"""


def places(cards, key):
    """(control, value) for everything that Tab must reach, in order: each of the choices side by side is one."""
    found = []
    for control in cards.mirror.cards[key].controls:
        if isinstance(control, Menu) and control.beside:
            found += [(control, value) for _, value in control.options(cards.mirror.settings)]
        else:
            found.append((control, None))
    return found


def walk(cards, key):
    """Come in from outside with Tab and go on until the focus leaves; return where it was after each Tab."""
    card = cards.card(key)
    card.locator(".tbh-ctl :is(input, select, button)").first.focus()
    cards.page.keyboard.press("Shift+Tab")
    seen = [card.evaluate(FOCUS)]
    for _ in range(card.evaluate(HOW_MANY) + 1):
        cards.page.keyboard.press("Tab")
        seen.append(card.evaluate(FOCUS))
    return seen


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
        keyboard.press("ArrowDown" if down else "ArrowUp")
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
