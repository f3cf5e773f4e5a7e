"""A card as ipywidgets: the controls come to life, and the picture is a string of HTML that is sent again."""

from __future__ import annotations

import asyncio
from functools import partial

from ..errors import PlainError
from .card import Card, Stage, stage_html
from .controls import Chosen, Control, Decimal, Line, Menu, Number, Press, Tick
from .shared import Shared

SECONDS_A_STEP = 0.8


class Live:
    """A card at work: `box` is the widget to display, `chosen` the values of the card's own controls."""

    def __init__(self, card: Card, shared: Shared):
        import ipywidgets as widgets

        self.card, self.shared = card, shared
        self.chosen: Chosen = card.start(shared.settings)
        self._rules: dict[str, None] = {}
        self._extra: dict[str, None] = {}
        self._quiet = False
        self._timer = None
        self.head, self.stage, self.foot = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.widgets = {control.name: self._widget(widgets, control) for control in card.controls}
        parts = [self.head]
        if self.widgets:
            row = widgets.HBox(list(self.widgets.values()))
            row.add_class("tbh-ctl")
            parts.append(row)
        self.box = widgets.VBox([*parts, self.stage, self.foot])
        self.box.add_class("tbh-card")
        self.redraw(shared.take_remarks())
        shared.follow(card.key, self.redraw)

    # --- the controls -----------------------------------------------------------------------

    def _widget(self, widgets, control: Control):
        """The widget of one control; every version of ipywidgets has these kinds."""
        settings = self.shared.settings
        layout = widgets.Layout(width="auto", max_width="100%", margin="2px 12px 2px 4px")
        if isinstance(control, Press):
            button = widgets.Button(description=control.label, layout=layout)
            button.on_click(partial(self._play if control.plays else self._press, control))
            return button
        common = {"description": control.label, "style": {"description_width": "initial"}, "layout": layout}
        if isinstance(control, Menu):
            kind = widgets.ToggleButtons if control.beside else widgets.Dropdown
            if control.beside:
                common["style"] = {"description_width": "initial", "button_width": "auto"}
            widget = kind(options=list(control.options(settings)), value=self._value(control), **common)
        elif isinstance(control, Number):
            low, high = control.bounds(settings)
            layout.width = "150px"
            widget = widgets.BoundedIntText(value=self._value(control), min=low, max=high, **common)
        elif isinstance(control, Decimal):
            layout.width = "170px"
            limits = {"min": control.low, "max": control.high, "step": control.step}
            widget = widgets.BoundedFloatText(value=self._value(control), **limits, **common)
        elif isinstance(control, Tick):
            widget = widgets.Checkbox(value=self._value(control), indent=False, **common)
        else:
            layout.width = "420px" if control.wide else "200px"
            widget = widgets.Text(value=control.said(settings, self._value(control)), continuous_update=False, **common)
        widget.observe(partial(self._changed, control), "value")
        return widget

    def _value(self, control: Control):
        settings = self.shared.settings
        if control.of_the_model and settings.trained and hasattr(settings.sizes, control.name):
            return getattr(settings.sizes, control.name)
        return getattr(settings if control.shared else self.chosen, control.name)

    def _refresh(self, control: Control) -> None:
        """Let a widget show what is chosen now, and offer what can be chosen now."""
        widget, settings = self.widgets[control.name], self.shared.settings
        if control.of_the_model:
            widget.disabled = settings.trained
        if isinstance(control, Press):
            return
        value = self._value(control)
        if isinstance(control, Menu):
            options = list(control.options(settings))
            if list(widget.options) != options:
                widget.options = options
        if isinstance(control, Number):
            # The upper bound first where it rises, so that no value is cut on the way.
            low, high = control.bounds(settings)
            widget.max, widget.min = max(high, widget.min), low
            widget.max = high
        if isinstance(control, Line):
            value = control.said(settings, value)
        if widget.value != value:
            widget.value = value

    # --- what a reader does -----------------------------------------------------------------

    def _changed(self, control: Control, change) -> None:
        if not self._quiet:
            self.apply({control.name: change["new"]}, typed=control)

    def _press(self, control: Press, button) -> bool:
        changes = control.change(self.shared.settings, self.chosen)
        if changes is not None:
            self.apply(changes)
        return changes is not None

    def _play(self, control: Press, button) -> None:
        """Press once and again after a while; pressed while it plays, the button stops it."""
        if self._timer is not None:
            self._stop(control)
            return
        if control.change(self.shared.settings, self.chosen) is None:
            self.apply(control.rewind(self.shared.settings, self.chosen))
        self._play_on(control)

    def _play_on(self, control: Press) -> None:
        button = self.widgets[control.name]
        self._press(control, button)
        if control.change(self.shared.settings, self.chosen) is None:  # that was the last step
            self._stop(control)
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no loop outside a kernel: one step for one press
            return
        button.description = "Pause"
        self._timer = loop.call_later(SECONDS_A_STEP, self._play_on, control)

    def _stop(self, control: Press) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self.widgets[control.name].description = control.label

    def apply(self, changes: dict, typed: Control | None = None) -> None:
        """Change the card's own values and the shared settings by name; say in one sentence what cannot be had."""
        shared = {name: value for name, value in changes.items() if hasattr(self.shared.settings, name)}
        own = {name: value for name, value in changes.items() if name not in shared}
        before, settings = self.chosen, self.shared.settings
        self.chosen = Chosen(**(vars(self.chosen) | own))
        try:
            remarks = self.shared.change(self.redraw, **shared) if shared else ()
        except PlainError as error:
            self.chosen = before
            # What was typed stays where it was typed; any other control goes back to what holds.
            self.redraw(refused=str(error), leave=typed if isinstance(typed, Line) else None)
            return
        if remarks or self.shared.settings is settings:  # else it has been drawn already
            self.redraw(remarks)

    # --- the picture ------------------------------------------------------------------------

    def redraw(self, remarks: tuple[str, ...] = (), refused: str = "", leave: Control | None = None) -> None:
        """Draw the stage and the foot again, and let the controls follow."""
        settings = self.shared.settings
        self.chosen = self.card.fitted(settings, self.chosen)
        stage = self.card.draw(settings, self.chosen)
        self._keep_style(stage)
        self.stage.value = stage_html(stage.display, remarks, refused)
        self.foot.value = self.card.foot(settings, stage)
        for control in self.card.controls:
            if control is not leave:
                self._quietly(self._refresh, control)

    def _keep_style(self, stage: Stage) -> None:
        """Style stands in the head, which is sent again only when a picture needs a rule that is not there yet."""
        rules, extra = dict.fromkeys(stage.display.rules), dict.fromkeys(stage.display.extra)
        if self.head.value and rules.keys() <= self._rules.keys() and extra.keys() <= self._extra.keys():
            return
        self._rules |= rules
        self._extra |= extra
        self.head.value = self.card.head(tuple(self._rules), tuple(self._extra))

    def _quietly(self, do, *args) -> None:
        self._quiet = True
        try:
            do(*args)
        finally:
            self._quiet = False
