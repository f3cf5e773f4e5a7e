"""nbgrader starts programs by name; they must be those of this environment."""

import os
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
