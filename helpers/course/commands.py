"""What can be typed after `byhand`, and what each command needs before it can run."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import helpers
from helpers.course import environment, sheets
from helpers.errors import PlainError

EXAMPLES = """\
examples:
  byhand lab                            open your own copy of the course in work/
  byhand lab encoder                    open one lesson of it
  byhand lab --no-browser -- --ip=::1   whatever follows -- goes to JupyterLab
  byhand keys --stack encoder           every step of the encoder, by key
  byhand mistakes                       every mistake that a check can name
  byhand worksheet                      the homework's encoder as a PDF, to be worked on paper
  byhand worksheet "a dog ran" --decoder "ein hund lief" --seed 7 --key separate
  byhand worksheet --roster class.csv   one sheet for every student, a print file, and the key
  byhand train --report                 measure the trained model that the cards use
  byhand notebooks                      execute the lessons and make the student release
  byhand notebooks --check              exit with 1 if either is stale
  byhand site                           build the web site in build/site
  byhand bundle                         write what students are given to dist/
  byhand release encoder                make the notebook that students get
  byhand collect encoder --from DIR     take in what they handed in: a folder, a zip file or the exchange
  byhand grade encoder                  mark what the class handed in
  byhand feedback encoder               write a page for each student
  byhand report encoder                 show what the class got wrong
  byhand export encoder --format csv    write the marks for a spreadsheet, Canvas or Moodle
  byhand doctor                         say what is installed here, and what to type

From a clone with nothing installed, type python3 -m helpers instead of byhand.
"""


def run(argv: list[str], more: Sequence[Callable[[Callable], None]] = ()) -> int:
    """Run the command that `argv` names and return its exit code: 0 done, 1 told why not, 2 wrong usage.

    `more` add commands of rooms above this one: each is called with the function that adds a command.
    """
    ours, passed_on = _split(argv)
    arguments = _parser(more).parse_args(ours)
    arguments.passed_on = passed_on
    if passed_on and arguments.command is not lab:
        _parser(more).error("only lab passes arguments on after --")
    try:
        code = arguments.command(arguments, argv) or 0
        sys.stdout.flush()
        return code
    except PlainError as error:
        print(f"byhand: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read what is printed has seen enough, as `| head` does; nothing more is to be said at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """What is ours, and what follows `--`."""
    cut = argv.index("--") if "--" in argv else len(argv)
    return argv[:cut], argv[cut + 1 :]


def _parser(more: Sequence[Callable[[Callable], None]] = ()) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="byhand",
        description="Transformer by Hand: one complete forward pass, every number printed.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {helpers.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(function, text, name=None):
        # A function cannot be called try, nor shadow a built-in: it ends in an underline.
        name = name or function.__name__.rstrip("_")
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        sub.set_defaults(command=function, name=name)
        return sub

    sub = command(lab, "copy the notebooks to work/ and open JupyterLab there")
    sub.add_argument("unit", nargs="?", help="the lesson to open (default: the page that leads to all)")
    sub.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    sub.add_argument("--port", type=int, help="the port to serve on")
    sub.epilog = "Whatever follows -- goes to JupyterLab. Files that are already in work/ are never overwritten."

    sub = command(keys, "print every step of the forward pass: key, symbol, title and shapes")
    sub.add_argument("--stack", choices=["encoder", "decoder"], help="one stack only")

    command(mistakes, "print every mistake that a check can name: label, what it shows, and where it happens")

    sheets.add_arguments(command(worksheet, "make worksheets: one forward pass on paper, with its key"))

    sub = command(train, "train the small English-German model that the cards use, and measure it")
    sub.add_argument("--report", action="store_true", help="train nothing; measure the model that is there")

    sub = command(notebooks, "execute the lessons in solutions/ and make the student release in notebooks/")
    sub.add_argument("units", nargs="*", metavar="unit", help="only these units (default: all)")
    sub.add_argument("--check", action="store_true", help="write nothing; exit with 1 if anything is stale")

    sub = command(setup, "make or update the project's environment, .venv")
    extras = sorted(environment.EXTRAS)
    sub.add_argument("extra", nargs="?", default="lab", choices=extras, help="what for (default: lab)")
    for add in more:
        add(command)
    return parser


# The commands; each gets its parsed arguments and, to start over in another environment, the raw ones


def lab(arguments: argparse.Namespace, argv: list[str]) -> None:
    """Copy the student release to work/ and open JupyterLab on it."""
    environment.enter("lab", argv)
    from helpers.course.lab import open_lab

    options = ["--no-browser"] if arguments.no_browser else []
    options += [f"--port={arguments.port}"] if arguments.port is not None else []
    open_lab(_release_folder(), Path.cwd() / "work", arguments.unit, options + arguments.passed_on)


def _release_folder() -> Path:
    folder = (environment.project_folder() or Path.cwd()) / "notebooks"
    if not folder.is_dir():
        raise PlainError(f"There are no notebooks to copy: they are expected in {folder}.")
    return folder


def keys(arguments: argparse.Namespace, argv: list[str]) -> None:
    """Print the table of steps."""
    if importlib.util.find_spec("numpy") is None:
        environment.enter("core", argv)
    from helpers.course.keys import key_table

    print(key_table([arguments.stack] if arguments.stack else ["encoder", "decoder"]))


def mistakes(arguments: argparse.Namespace, argv: list[str]) -> None:
    """Print the catalogue of mistakes."""
    if importlib.util.find_spec("numpy") is None:
        environment.enter("core", argv)
    from helpers.course.keys import mistake_table

    print(mistake_table())


def worksheet(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Make worksheets as PDFs."""
    environment.enter("lab", argv)
    return sheets.run(arguments, environment.project_folder())


def train(arguments: argparse.Namespace, argv: list[str]) -> None:
    """Make the trained model anew, or measure the one that is there."""
    if arguments.report:
        if importlib.util.find_spec("numpy") is None:
            environment.enter("core", argv)
        from helpers.course.training import print_report

        return print_report()
    if environment.project_folder() is None:
        raise PlainError("The trained model is made in the project's clone only: run this there.")
    environment.enter("train", argv)
    from helpers.course.training import train_and_save

    return train_and_save()


def notebooks(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Execute the lessons and regenerate the release, or say what is stale."""
    project = environment.project_folder()
    if project is None:
        raise PlainError("The lessons' sources are in the project's clone only: run this there.")
    environment.enter("instructor", argv)
    from helpers.course.notebooks import check, regenerate

    return (check if arguments.check else regenerate)(project, arguments.units)


def setup(arguments: argparse.Namespace, argv: list[str]) -> None:
    """Make or update the project's environment."""
    project = environment.project_folder()
    if project is None:
        raise PlainError(f'There is no clone here to set up; pip install "{environment.DISTRIBUTION}[lab]".')
    environment.setup(project, arguments.extra)
