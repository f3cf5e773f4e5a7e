"""nbgrader's programs are those of this environment; one class of the homework is marked once for all tests."""

import os
import shutil
import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _nbgraders_surroundings():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        patch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        yield


@pytest.fixture(scope="session")
def marked_class(tmp_path_factory):
    """The class of pen_class.py, marked; to be looked at only."""
    from pen_class import make_class

    return make_class(tmp_path_factory.mktemp("class") / "course")


@pytest.fixture
def own_class(marked_class, tmp_path):
    """A copy of it, to be changed."""
    return Path(shutil.copytree(marked_class, tmp_path / "course"))
