"""The project's own virtual environment: made on first use, reused while nothing that matters has changed.

Only the standard library is used here, since this runs before anything is installed.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

from helpers.course.alone import alone
from helpers.errors import PlainError

DISTRIBUTION = "transformer-by-hand"
PACKAGE = Path(__file__).resolve().parents[1]
MARKER = "byhand.json"
LOG = "byhand-pip.log"

# Which extras an extra brings along (pyproject.toml says so too; a test compares them).
EXTRAS = {
    "core": set(),
    "lab": {"core"},
    "train": {"core"},
    "instructor": {"core", "lab"},
    "postgres": {"core"},
    "hub": {"core", "lab", "instructor"},
    "site": {"core", "lab", "instructor"},
    "test": {"core", "lab", "train", "instructor"},
    "dev": {"core", "lab", "train", "instructor", "postgres", "hub", "site", "test"},
}

# What pip writes when it cannot reach an index.
OFFLINE = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError"
    r"|Temporary failure in name resolution|Network is unreachable|getaddrinfo failed|Connection refused"
)
DISK_FULL = re.compile(r"No space left on device|not enough space on the disk", re.IGNORECASE)


def say(line: str) -> None:
    """Tell the reader what happens, in a line of its own."""
    print(f"byhand: {line}", flush=True)


def project_folder() -> Path | None:
    """The clone this package lies in, or None when it was installed from a wheel."""
    folder = PACKAGE.parent
    pyproject = folder / "pyproject.toml"
    if pyproject.is_file() and f'name = "{DISTRIBUTION}"' in pyproject.read_text(encoding="utf-8"):
        return folder
    return None


def enter(extra: str, argv: list[str]) -> None:
    """Return once the running Python has all that `extra` promises; else go on in the project's environment.

    An active environment that holds this package and the extra is used as it is. Raises PlainError when
    there is neither such an environment nor a project to make one in.
    """
    project = project_folder()
    inside = project is not None and _same(Path(sys.prefix), project / ".venv")
    ours = inside and (project / ".venv" / MARKER).exists()
    if not ours and installed_here(extra):
        return
    if project is None:
        raise PlainError(f'This needs more than is installed here: pip install "{DISTRIBUTION}[{extra}]".')
    # What needs no more than the core is no reason to throw away an environment that another Python made.
    ready = extra == "core" and _is_whole(project)
    python = venv_python(project / ".venv") if ready else setup(project, extra)
    if not inside:
        hand_over([str(python), "-m", "helpers", *argv])


def hand_over(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Let `command` take this process's place, and its exit code."""
    environment = dict(os.environ) if environment is None else environment
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(command[0], command, environment)
    # Windows has no true exec: the shell would get its prompt back while the command still runs.
    try:
        sys.exit(subprocess.call(command, env=environment))
    except KeyboardInterrupt:
        sys.exit(130)


# What is installed


def installed_here(extra: str) -> bool:
    """Whether the running Python has this very package installed, with everything `extra` asks for."""
    try:
        distribution = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return False
    if not _same(_installed_from(distribution), PACKAGE.parent):
        return False
    return all(_has(name) for name in _required_names(distribution, extra))


def _installed_from(distribution: importlib.metadata.Distribution) -> Path:
    """The folder that `import helpers` finds the package in: site-packages, or a clone installed as editable."""
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        return Path(url2pathname(urlparse(origin["url"]).path))
    return Path(str(distribution.locate_file("")))


def _required_names(distribution: importlib.metadata.Distribution, extra: str) -> set[str]:
    """Names of the distributions that the package needs, with `extra` and all it brings along."""
    wanted = {extra} | EXTRAS[extra]
    names = set()
    for line in distribution.requires or []:
        requirement, _, condition = line.partition(";")
        asked_by = re.search(r"""extra\s*==\s*['"]([\w-]+)['"]""", condition)
        if asked_by is None or asked_by[1] in wanted:
            names.add(re.match(r"[\w.-]+", requirement)[0])
    return names - {DISTRIBUTION}


def _has(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _same(a: Path, b: Path) -> bool:
    return a.exists() and b.exists() and a.samefile(b)


# Making it


def setup(project: Path, extra: str) -> Path:
    """Return the Python of the project's environment, made or brought up to date first if need be.

    Raises PlainError, in one sentence, when that cannot be done.
    """
    folder = project / ".venv"
    with alone(folder, say), _plain_failures(folder):
        wanted = _fingerprint(project)
        marker = _read_marker(folder)
        if marker is None or _must_be_remade(folder, marker, wanted):
            _create(folder, wanted)
            marker = {}
        extras = set(marker.get("extras", []))
        up_to_date = marker.get("pyproject") == wanted["pyproject"]
        if not (up_to_date and any(extra in {had} | EXTRAS[had] for had in extras)):
            extras = _without_implied(extras | {extra})
            _install(folder, project, extras)
            _write_marker(folder, {**wanted, "extras": sorted(extras)})
            say(f"{folder} is ready")
    return venv_python(folder)


def _is_whole(project: Path) -> bool:
    """Whether the project's environment was made to its end, whichever Python made it."""
    folder = project / ".venv"
    marker = _read_marker(folder) or {}
    return marker.get("project") == str(project) and "extras" in marker and venv_python(folder).exists()


def venv_python(folder: Path) -> Path:
    """Where a virtual environment keeps its interpreter."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


def _fingerprint(project: Path) -> dict[str, str]:
    """What an environment depends on: where it lies, which Python made it, what the project asks for."""
    return {
        "project": str(project),
        "python": f"{platform.python_implementation()} {platform.python_version()} in {sys.base_prefix}",
        "pyproject": hashlib.sha256((project / "pyproject.toml").read_bytes()).hexdigest(),
    }


def _read_marker(folder: Path) -> dict | None:
    """What setup noted when it made the folder; None when there is no folder yet."""
    if not folder.exists() or not any(folder.iterdir()):
        return None
    try:
        marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PlainError(
            f"{folder} was not made by this command: activate it and run pip install -e '.[lab]', "
            "or move it away and start again."
        ) from None
    except ValueError:  # cut off in the middle of writing
        return {}
    return marker if isinstance(marker, dict) else {}


def _write_marker(folder: Path, marker: dict) -> None:
    """Write in one step, so that an interrupted setup never looks like a finished one."""
    folder.mkdir(exist_ok=True)
    unfinished = folder / f"{MARKER}.new"
    unfinished.write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(folder / MARKER)


def _must_be_remade(folder: Path, marker: dict, wanted: dict) -> bool:
    """Whether an environment has to go, saying why."""
    if "extras" not in marker or not venv_python(folder).exists():
        reason = "is only half made"
    elif marker.get("project") != wanted["project"]:
        reason = f"belongs to {marker.get('project')}"
    elif marker.get("python") != wanted["python"]:
        reason = f"was made by {marker.get('python')}"
    else:
        return False
    say(f"{folder} {reason}: making it anew")
    _remove(folder)
    return True


def _remove(folder: Path) -> None:
    """Remove an environment, its marker last: what an interruption leaves is still known to be ours."""
    _write_marker(folder, {})
    for path in folder.iterdir():
        if path.name == MARKER:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    shutil.rmtree(folder)


def _create(folder: Path, wanted: dict) -> None:
    say(f"making {folder} with Python {platform.python_version()}")
    try:
        import venv
    except ImportError:
        raise PlainError(_no_venv()) from None
    with_pip = importlib.util.find_spec("ensurepip") is not None
    if not with_pip and not _outer_pip_can_install():
        raise PlainError(_no_venv())
    # The marker comes first and without extras: what is interrupted from here on is known to be ours and half made.
    _write_marker(folder, {"project": wanted["project"], "python": wanted["python"]})
    builder = venv.EnvBuilder(with_pip=with_pip, symlinks=os.name != "nt", prompt=DISTRIBUTION)
    builder.create(folder)


def _outer_pip_can_install() -> bool:
    """Whether the running Python has a pip that can install into another environment (22.3 or newer)."""
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        return False
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2]) >= (22, 3)


def _no_venv() -> str:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return (
        f"{sys.executable} cannot make virtual environments: "
        f"on Debian and Ubuntu, sudo apt install {name}-venv, then start again."
    )


def _install(folder: Path, project: Path, extras: set[str]) -> None:
    """Install the project as editable with its extras; pip's own words go to a log in the environment."""
    named = ",".join(sorted(extras - {"core"}))
    target = f"{project}[{named}]" if named else str(project)
    say(f"installing {DISTRIBUTION}{f'[{named}]' if named else ''}; the first time takes a minute or two")
    python = venv_python(folder)
    inner = subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode == 0
    pip = [str(python), "-m", "pip"] if inner else [sys.executable, "-m", "pip", "--python", str(python)]
    command = [
        *pip,
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--progress-bar=off",
        "--retries=2",
        "--timeout=30",
        "--editable",
        target,
    ]
    log = folder / LOG
    with log.open("w", encoding="utf-8") as output:
        code = subprocess.call(command, stdout=output, stderr=subprocess.STDOUT, env=_pip_environment())
    if code:
        raise PlainError(_why_pip_failed(log))


def _pip_environment() -> dict[str, str]:
    """The caller's environment without what would send packages, or imports, somewhere else."""
    elsewhere = {"PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV", "PYTHONHOME", "PYTHONPATH"}
    return {key: value for key, value in os.environ.items() if key not in elsewhere}


def _why_pip_failed(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")
    if DISK_FULL.search(text):
        return _disk_full(log.parent)
    if OFFLINE.search(text):
        return "The packages could not be fetched: check the network connection, then start again."
    errors = [line for line in text.splitlines() if line.startswith("ERROR: ")] or text.splitlines()[-1:]
    return f"pip failed ({' '.join(errors[:1])}); all it said is in {log}."


def _disk_full(folder: Path) -> str:
    return f"The disk that holds {folder} is full: make room for about 1 GB, then start again."


@contextmanager
def _plain_failures(folder: Path):
    """Turn what the operating system refuses into one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise PlainError(_disk_full(folder)) from error
        raise PlainError(f"{folder} could not be made: {error.strerror or error}.") from error
    except subprocess.CalledProcessError as error:  # ensurepip, run by venv
        output = error.output or ""
        output = output.decode(errors="replace") if isinstance(output, bytes) else output
        if DISK_FULL.search(output):
            raise PlainError(_disk_full(folder)) from error
        said = (output.strip().splitlines() or [str(error)])[-1]
        raise PlainError(f"{folder} could not be made: {said}") from error


def _without_implied(extras: set[str]) -> set[str]:
    """Drop the extras that another one brings along."""
    return extras - set().union(*(EXTRAS[extra] for extra in extras))
