"""Limits and their sentences."""

import pytest

from helpers.errors import PlainError
from helpers.grading.limits import Limits


def test_settings_change_limits():
    limits = Limits().changed(["cell_seconds=2.5", "memory_mb=64"])
    assert (limits.cell_seconds, limits.memory_mb, limits.call_seconds) == (2.5, 64, 5)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("seconds=2", "There is no limit 'seconds'"),
        ("memory_mb=much", "The limit memory_mb is 'much'"),
        ("memory_mb=", "The limit memory_mb is ''"),
        ("depth=2.5", "The limit depth is '2.5'"),
        ("processes=0", "The limit processes is 0"),
        ("cell_seconds=nan", "The limit cell_seconds is nan"),
        ("cell_seconds=inf", "The limit cell_seconds is inf"),
    ],
)
def test_odd_settings_are_named(setting, message):
    with pytest.raises(PlainError, match=message.replace("(", r"\(")):
        Limits().changed([setting])


def test_every_limit_has_its_sentence():
    limits = Limits()
    assert limits.cell_time("cell 14") == "cell 14 ran longer than 10 s"
    assert limits.notebook_time() == "the notebook ran longer than 120 s"
    assert limits.call_time("attention") == "attention took longer than 5 s"
    assert limits.memory("cell 3") == "cell 3 asked for more than 1024 MB of memory"
    assert limits.output("cell 3") == "cell 3 showed more than 256 kB; the rest was left out"
    assert limits.files("cell 3") == "cell 3 wrote more than 32 MB of files"
    assert limits.many("cell 3") == "cell 3 started more than 32 processes or threads"
    assert limits.uses("decode") == "decode called the function it was given more than 1000 times"
