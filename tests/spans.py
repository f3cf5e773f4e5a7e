"""`make test-all`: the suite on the oldest and the newest NumPy, on the oldest and the newest Python found, and the
notebooks that work alone with NumPy alone and with what Google Colab ships.

Says which Pythons are missing; fails if the two ends cannot really run. tox does the rest (pyproject.toml).
"""

import subprocess
import sys
from pathlib import Path

from interpreters import SUPPORTED, interpreters

NUMPY_1_26_ENDS_WITH = (3, 12)


def main():
    found = interpreters()
    for version in SUPPORTED:
        print(f"Python {version[0]}.{version[1]}: {found.get(version, 'missing, so not tested')}")
    usable = {version: path for version, path in found.items() if version in SUPPORTED}
    if not usable or min(usable) > NUMPY_1_26_ENDS_WITH:
        print("NumPy 1.26 needs a Python from 3.10 to 3.12, and none was found: install one.", file=sys.stderr)
        return 1
    if min(usable) == max(usable):
        print("Only one Python was found, so both ends run on it.")
    sys.stdout.flush()
    project = Path(__file__).resolve().parents[1]
    # The notebooks that tox's environments without the course run.
    if code := subprocess.call([sys.executable, "-m", "helpers", "bundle", "--out", ".tox/bundle"], cwd=project):
        return code
    paths = [str(path) for path in usable.values()]
    # Two at a time: while one installs its packages, the other one counts.
    tox = [sys.executable, "-m", "tox", "run-parallel", "--parallel", "2", "--parallel-no-spinner"]
    tox += ["--discover", *paths, "--colored", "no"]
    return subprocess.call(tox, cwd=project)


if __name__ == "__main__":
    sys.exit(main())
