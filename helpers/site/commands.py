"""What `byhand site` takes and does; light to load, since every command loads it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from helpers.course import environment
from helpers.errors import PlainError

EPILOG = """\
examples:
  byhand site                   build the site in build/site; open its index.html
  byhand site --out /srv/www    build it somewhere else

The pages come from docs/, solutions/ (as they are released) and worksheets/. Nothing is executed, and no answer is
shown. MathJax and the widget manager are fetched from the npm registry once, checked, and kept; the site itself loads
nothing from elsewhere.

Exit codes: 0 built, 1 told why not, 2 wrong usage.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(site, "build the course's web site, to be read without Jupyter")
    sub.add_argument("--out", type=Path, metavar="DIR", help="the folder to write (default: build/site in the clone)")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def site(arguments: argparse.Namespace, argv: list[str]) -> None:
    """Build the site."""
    project = environment.project_folder()
    if project is None:
        raise PlainError("The site's pages are in the project's clone only: run this there.")
    environment.enter("site", argv)
    from helpers.site.build import build

    page = build(project, (arguments.out or project / "build" / "site").resolve())
    environment.say(f"the site is built: open {page}")
