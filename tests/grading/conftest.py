"""The sandbox of a file's tests and a session for each; nbgrader's programs are those of this environment."""

import os
import sys
from pathlib import Path

import pytest
from rooms import opened, text_of


@pytest.fixture(autouse=True, scope="session")
def _nbgraders_surroundings():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        patch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        yield


@pytest.fixture(scope="module")
def sandbox():
    with opened() as sandbox:
        yield sandbox


@pytest.fixture
def session(sandbox):
    with sandbox.session() as session:
        yield session
    # Whatever was done to one session, the next is as new.
    with sandbox.session() as after:
        assert text_of(after.run("6 * 7", "cell 1")) == "42"
