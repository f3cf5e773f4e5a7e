"""What VS Code reads in the folder that a student opens: which extensions it needs, and which signs are no mistake."""

from __future__ import annotations

import json
from collections.abc import Iterable

from nbformat import NotebookNode

EXTENSIONS = ("ms-python.python", "ms-toolsai.jupyter")
SIGNS = "editor.unicodeHighlight.allowedCharacters"


def vscode_files(notebooks: Iterable[NotebookNode]) -> dict[str, bytes]:
    """Path in the folder → content.

    VS Code frames each sign in code that looks like another, such as × beside x, as if somebody had been tricked.
    """
    code = (cell.source for notebook in notebooks for cell in notebook.cells if cell.cell_type == "code")
    signs = sorted({sign for source in code for sign in source if not sign.isascii()})
    contents = {
        "extensions": {"recommendations": list(EXTENSIONS)},
        "settings": {SIGNS: dict.fromkeys(signs, True)},
    }
    return {f".vscode/{name}.json": _json(content) for name, content in contents.items()}


def _json(content: dict) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
