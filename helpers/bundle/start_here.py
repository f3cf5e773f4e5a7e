"""The one page that says how to open the course and how to hand in: docs/students.md as a page for any browser."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from helpers.errors import PlainError

SOURCE = Path("docs", "students.md")
NAME = "START-HERE.html"
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 42rem; margin: 1.5rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }}
h1, h2 {{ line-height: 1.2; margin: 1.2em 0 .4em; }}
h2 {{ font-size: 1.2rem; }}
p, ol {{ margin: .5em 0; }}
code {{ font-size: .95em; overflow-wrap: anywhere; }}
@media print {{ body {{ max-width: none; margin: 0; font-size: 10pt; line-height: 1.35; }} }}
</style>
</head>
<body>
<main>
{body}</main>
</body>
</html>
"""


def start_here(project: Path, in_colab: Mapping[str, str]) -> bytes:
    """The page; in_colab: unit → the address that opens it in Colab, nothing where no target is set."""
    import mistune

    source = project / SOURCE
    if not source.is_file():
        raise PlainError(f"{source} is missing: it is the text of {NAME}.")
    text = source.read_text(encoding="utf-8")
    if in_colab:
        links = "\n".join(f"- [{unit}]({address})" for unit, address in in_colab.items())
        text = f"{text.rstrip()}\n\n## Open in Colab at once\n\n{links}\n"
    title = text.partition("\n")[0].lstrip("# ")
    return _PAGE.format(title=f"{escape(title)}: Transformer by Hand", body=mistune.html(text)).encode()
