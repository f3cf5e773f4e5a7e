"""The command line as a reader meets it."""

import os
import re
import shlex
import subprocess
import sys

import pytest

import helpers
from helpers.bundle import commands as bundle
from helpers.course import commands, environment
from helpers.course.keys import key_table
from helpers.grading import commands as grading
from helpers.house import commands as house
from helpers.mistakes import LABELS
from helpers.site import commands as site
from helpers.steps import decoder_steps, encoder_steps
from helpers.term import commands as term

ROOMS = [room.add_to for room in (bundle, grading, term, site, house)]
COMMANDS = (
    "lab", "keys", "mistakes", "worksheet", "notebooks", "bundle", "site", "setup", "doctor",
    "release", "collect", "grade", "feedback", "report", "export", "forget", "update", "reset", "try",
)  # fmt: skip


def byhand(*arguments, cwd=environment.PACKAGE.parent):
    return subprocess.run(
        [sys.executable, "-m", "helpers", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_version():
    assert byhand("--version").stdout == f"byhand {helpers.__version__}\n"


def test_help_shows_examples_of_every_command():
    text = byhand("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^    {command}\b", text, re.M), command
    for example in re.findall(r"^  byhand (.*?)(?:  |$)", commands.EXAMPLES, re.M):
        ours, _ = commands._split(shlex.split(example))
        assert commands._parser(ROOMS).parse_args(ours).name == ours[0]


@pytest.mark.parametrize("argv", [[], ["knit"], ["setup", "everything"], ["keys", "--", "x"]])
def test_wrong_usage_is_exit_code_2(argv, capsys):
    with pytest.raises(SystemExit) as caught:
        commands.run(argv)
    assert caught.value.code == 2
    assert "usage: byhand" in capsys.readouterr().err


def test_keys_lists_every_step_of_both_stacks():
    printed = byhand("keys").stdout
    for step in (*encoder_steps(2), *decoder_steps(2)):
        assert re.search(rf"{step.stack} +{step.key} ", printed), (step.stack, step.key)


def test_mistakes_lists_every_label():
    printed = byhand("mistakes").stdout
    assert set(LABELS) <= set(printed.split())
    assert "Does not divide the scores by √d_k." in printed


def test_keys_give_the_shapes_of_this_run_and_of_the_paper():
    rows = {line.split()[1]: line for line in key_table(["encoder"]).splitlines() if line.startswith("encoder")}
    assert re.search(r"9 × 4 +9 × 64$", rows["Q0"].rstrip())
    assert re.search(r"9 × 32 +9 × 2048$", rows["F_pre"].rstrip())
    assert "decoder" not in key_table(["encoder"])


def test_importing_the_command_line_loads_nothing_but_the_standard_library():
    code = (
        "import sys; import helpers.course.commands, helpers.course.lab; "
        "heavy = {'numpy', 'nbformat', 'nbgrader', 'jupyterlab', 'matplotlib'} & set(sys.modules); "
        "print(sorted(heavy))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=environment.PACKAGE.parent, capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == ("[]\n", "")


@pytest.mark.skipif(os.name != "posix", reason="a shell of Unix closes the pipe")
def test_whoever_stops_reading_gets_no_traceback():
    command = f"{sys.executable} -m helpers keys | (exec 0<&-; sleep 1); exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=environment.PACKAGE.parent, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
