"""The writer of notebooks: the bytes that `json.dumps` gives, for any notebook."""

import copy
import json

import pytest
from handing_in import UNITS, answered, release
from hypothesis import given
from hypothesis import strategies as st

from helpers.grading.written import Writer

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
TREES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
)


def as_json(notebook):
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize("name", UNITS)
def test_a_notebook_is_written_as_json_writes_it(name):
    writer = Writer(release(name))
    for notebook in (release(name), answered(name)):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        assert writer.write(notebook) == as_json(notebook)
    shown = copy.deepcopy(notebook)
    shown["cells"][1] |= {"outputs": [{"output_type": "stream", "name": "stdout", "text": 'é "\n'}], "metadata": {}}
    assert writer.write(shown) == as_json(shown)


@given(st.dictionaries(st.text(max_size=5), TREES, max_size=3), st.lists(st.dictionaries(st.text(max_size=5), TREES)))
def test_any_tree_is_written_as_json_writes_it(rest, cells):
    notebook = {**rest, "cells": cells}
    assert Writer({"cells": []}).write(notebook) == as_json(notebook)
