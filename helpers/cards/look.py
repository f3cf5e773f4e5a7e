"""The look of a card's frame: head, controls, stage and foot, with thin lines between."""

from __future__ import annotations

from ..displays.style import minified, style

CARD = """
.tbh-card > * { margin: 0; }
.tbh-card .widget-html-content,.tbh-card .jupyter-widgets.widget-html-content { line-height: normal; }
.tbh .tbh-head {
  display: grid; grid-template: "t n" auto "q q" auto/1fr auto; gap: 2px 12px; padding: 12px 16px;
  border-bottom: 1px solid var(--line);
}
.tbh .tbh-head h3 { grid-area: t; margin: 0; padding: 0; font: 600 16px/22px FACE; color: var(--fg); }
.tbh .tbh-head p { grid-area: q; margin: 0; font-size: 14px; line-height: 21px; color: var(--mute); }
.tbh .tbh-head span { grid-area: n; font: CODE; color: var(--mute); }
.tbh-ctl { flex-wrap: wrap !important; gap: 2px 4px; padding: 6px 12px; border-bottom: 1px solid rgb(128 128 128/.38); }
.tbh-ctl .widget-label { min-width: 0; width: auto; overflow: visible; text-overflow: clip; font-size: 13px; }
.tbh-ctl .widget-toggle-buttons {
  display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 4px; width: auto; overflow: visible;
}
.tbh-ctl .widget-toggle-buttons > div { display: flex; flex-wrap: wrap; }
.tbh-ctl .jupyter-button.mod-active.mod-active {
  border: 2px solid #2f74d0; background: rgb(47 116 208/.22); font-weight: 600; text-decoration: underline;
}
.tbh-ctl .jupyter-button:disabled { opacity: .6; }
.tbh .tbh-said {
  display: flex; flex-wrap: wrap; gap: 2px 20px; padding: 8px 16px; border-bottom: 1px solid var(--line);
}
.tbh-still { --line: rgb(128 128 128/.38); }
.tbh-still .tbh-said { display: flex; flex-wrap: wrap; gap: 2px 20px; padding: 8px 16px; font-size: 13px; }
.tbh .tbh-stage { box-sizing: border-box; padding: 12px 16px; min-height: 60px; }
.tbh .tbh-stage > p.say { margin: 8px 0 0; font-size: 14px; line-height: 21px; }
.tbh .tbh-stage > p.say + * { margin-top: 12px; }
.tbh .tbh-stage > p.say b { font-weight: 600; }
.tbh .tbh-no { padding: 2px 10px; border: 1px solid var(--line); border-left: 4px solid var(--off); }
.tbh .tbh-foot {
  display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding: 8px 16px;
  border-top: 1px solid var(--line);  font-size: 13px; line-height: 22px; color: var(--mute);
}
.tbh .tbh-foot .e { margin-left: auto; }
.tbh .tbh-foot b.pill { margin: 0 0 0 4px; font-weight: 400; font-size: 13px; }
@media print { .tbh-ctl { display: none; } .tbh-card,.tbh-still { break-inside: avoid; } }
"""


def card_style(rules: tuple[str, ...], extra: tuple[str, ...]) -> str:
    """The style element of a card: the frame, the named pieces of displays.style, and rules of its own picture."""
    return style(dict.fromkeys((*rules, "frame", "pills", "table")), (minified(CARD), *extra))
