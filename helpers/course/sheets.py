"""What `byhand worksheet` takes and does: it makes worksheets, and says what it made and what it could not use."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from helpers.errors import PlainError

# Beside 0 (all was made), 1 (nothing was made) and 2 (wrong usage).
SOME_LEFT_OUT = 3
WIDTH = 40
# The print file grows in one process: more hands than these would wait for it.
MOST_PROCESSES = 4


def add_arguments(parser: ArgumentParser) -> None:
    """Tell the options of the command."""
    add = parser.add_argument
    add("sentence", nargs="?", metavar="SENTENCE", help='the words to encode (default: "the cat sat", the homework\'s)')
    add("--decoder", nargs="?", const=True, metavar="SENTENCE",
        help='carry on through a decoder layer that is to write this sentence (default: "die katze saß")')  # fmt: skip
    add("--d-model", type=int, default=4, metavar="N", help="width of every word's vector (default: 4)")
    add("--heads", type=int, default=2, metavar="N", help="attention heads (default: 2)")
    add("--d-ff", type=int, default=8, metavar="N", help="inner width of the feed-forward network (default: 8)")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--seed", type=int, default=0, metavar="N", help="whose numbers: those of a seed (default: 0)")
    whose.add_argument("--student", metavar="ID", help="those of a student, as in the homework")
    whose.add_argument("--roster", metavar="CSV", help="one sheet for every student of a list, and a print file of all")
    whose.add_argument("--ready-made", action="store_true", help="rebuild the sheets in worksheets/")
    add("--check", action="store_true", help="with --ready-made: write nothing; exit with 1 if any is stale")
    add("--decimals", type=int, default=3, choices=(2, 3, 4), help="decimals to be written (default: 3)")
    add(
        "--key",
        choices=("back", "separate", "none"),
        help="where the key goes (default: back; with a roster: separate)",
    )
    add("--paper", choices=("a4", "letter"), default="a4", help="size of the paper (default: a4)")
    add("--out", metavar="PATH", help="the folder to write to, or the name of one PDF (default: here)")
    add("--force", action="store_true", help="overwrite files that are there already")
    parser.epilog = (
        "Exit codes: 0 all was made, 1 nothing was made, 2 wrong usage, 3 lines of the roster had a problem."
    )


def run(arguments: Namespace, project: Path | None) -> int:
    """Make what is asked for."""
    if arguments.check and not arguments.ready_made:
        print("byhand worksheet: error: --check goes with --ready-made", file=sys.stderr)
        return 2
    if arguments.ready_made:
        return _ready_made(project, arguments.check)
    from helpers.worksheets import make_worksheets

    passed = ("sentence", "decoder", "d_model", "heads", "d_ff", "seed", "student", "decimals", "key", "paper")
    passed += ("roster", "out", "force")
    made = make_worksheets(
        progress=_bar,
        processes=min(MOST_PROCESSES, os.cpu_count() or 1),
        **{name: getattr(arguments, name) for name in passed},
    )
    if arguments.roster:
        return _report_class(made, arguments.roster)
    for file in made.files:
        print(file)
    print(f"Its code is {made.codes[0]}.")
    return 0


def _report_class(made, roster: str) -> int:
    whole = [file for file in made.files if file.name in ("class-print.pdf", "class-key.pdf")]
    print(f"{len(made.files) - len(whole)} sheets in {whole[0].parent}, all of them in {whole[0].name}", end="")
    print(f", their keys in {whole[1].name}." if len(whole) > 1 else ".")
    for problem in made.problems:
        print(f"{roster}, {problem}", file=sys.stderr)
    return SOME_LEFT_OUT if made.problems else 0


def _bar(done: int, of: int) -> None:
    """Draw how far a class is, on a terminal."""
    if sys.stderr.isatty():
        filled = WIDTH * done // of
        end = "\n" if done == of else ""
        print(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {done} of {of}", end=end, file=sys.stderr, flush=True)


def _ready_made(project: Path | None, check: bool) -> int:
    """Rebuild the sheets that the course brings along, or say which are stale."""
    if project is None:
        raise PlainError("The ready-made sheets are in the project's clone only: run this there.")
    from helpers.worksheets import ready_made

    return (ready_made.check if check else ready_made.rebuild)(project / "worksheets")
