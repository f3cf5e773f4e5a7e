"""What the tests of notebooks share: the environment that nbgrader's own commands need, and the units."""

import os
import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _nbgraders_surroundings():
    """nbgrader starts programs by name and kernels by name; both must be those of this environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        patch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        yield
