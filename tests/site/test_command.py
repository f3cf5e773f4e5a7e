"""`byhand site` as it is typed."""

import subprocess
import sys
from pathlib import Path

from support import plain_error

from helpers.course import environment
from helpers.site.build import build

PROJECT = Path(__file__).resolve().parents[2]


def test_help_gives_examples_and_exit_codes():
    command = [sys.executable, "-m", "helpers", "site", "--help"]
    text = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    assert "byhand site --out" in text
    assert "Exit codes: 0 built, 1 told why not, 2 wrong usage." in text


def test_what_is_not_a_site_is_never_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with plain_error(tmp_path, "--out"):
        build(PROJECT, tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_the_extra_brings_what_the_build_needs():
    assert {"lab", "instructor"} < environment.EXTRAS["site"]
    assert "site" in environment.EXTRAS["dev"]
