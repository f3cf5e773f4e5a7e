"""The small formulas of a text, `$Q_0$`, as HTML that needs no program: letters, signs, what is set high or low."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"\$(?=\S)([^$\n<>]{1,80})(?<=\S)\$")
_SIGNS = {
    "cdot": "·", "times": "×", "sqrt": "√", "gamma": "γ", "beta": "β", "sigma": "σ", "mu": "μ", "infty": "∞",
    "top": "ᵀ", "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈", "sum": "Σ", "ln": "ln", "exp": "exp", "quad": " ",
    "ldots": "…",
}  # fmt: skip
_NAMED = re.compile(r"\\(?:text|mathrm|mathbf|operatorname)\{([^{}]*)\}")
_SIGN = re.compile(r"\\([A-Za-z]+)(?![A-Za-z]) ?")
_BESIDE = re.compile(r"([_^])(?:\{([^{}]*)\}|([^\s{}_^\\]))")


def with_formulas(html: str) -> str:
    """HTML with its small formulas set; one that needs more than this stays as it was written."""
    return _FORMULA.sub(lambda found: _set(found[1]) or found[0], html)


def _set(formula: str) -> str:
    text = _NAMED.sub(r"\1", formula)
    text = _SIGN.sub(lambda sign: _SIGNS.get(sign[1], sign[0]), text)
    text = _BESIDE.sub(_beside, text)
    return "" if re.search(r"[\\{}]", text.replace("√{", "√").replace("}", "", text.count("√{"))) else _whole(text)


def _whole(text: str) -> str:
    return f"<i>{text.replace('√{', '√').replace('}', '')}</i>"


def _beside(found: re.Match) -> str:
    tag = "sub" if found[1] == "_" else "sup"
    return f"<{tag}>{found[2] or found[3]}</{tag}>"
