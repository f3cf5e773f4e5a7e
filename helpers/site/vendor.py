"""What the site needs from npm: pinned packages, fetched once, checked, and copied into the site."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import tarfile
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from helpers.errors import PlainError

REGISTRY = "https://registry.npmjs.org"
SECONDS = 60


@dataclass(frozen=True)
class Package:
    """One pinned package: what its tarball must hash to, its licence, and the files that the site serves.

    `files` maps the start of a path in the tarball to the start of its path in the site.
    """

    name: str
    version: str
    integrity: str
    licence: str
    files: dict[str, str] = field(hash=False)

    @property
    def tarball(self) -> str:
        """The file's name in the registry."""
        return f"{self.name.rpartition('/')[2]}-{self.version}.tgz"

    @property
    def address(self) -> str:
        """Where the registry keeps it."""
        registry = os.environ.get("NPM_CONFIG_REGISTRY") or REGISTRY
        return f"{registry.rstrip('/')}/{self.name}/-/{self.tarball}"


PACKAGES = (
    Package(
        "mathjax", "3.2.2",
        "sha512-Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsjKPZGJvtRZM1vO+geW0OhGw==",
        "Apache-2.0",
        {"es5/tex-chtml.js": "mathjax/tex-chtml.js", "LICENSE": "mathjax/LICENSE",
         "es5/output/chtml/fonts/woff-v2/": "mathjax/output/chtml/fonts/woff-v2/"},
    ),
    Package(
        "requirejs", "2.3.8",
        "sha512-7/cTSLOdYkNBNJcDMWf+luFvMriVm7eYxp4BcFCsAX0wF421Vyce5SXP17c+Jd5otXKGNehIonFlyQXSowL6Mw==",
        "MIT",
        {"require.js": "widgets/require.js"},
    ),
    Package(
        "@jupyter-widgets/html-manager", "1.0.15",
        "sha512-5thBIV6ymNgmPVOHvzx+gGy8ZSKmSazhtGw4/c4xJDVzRhG9PTeQsRjF3FUTopvFi//SABeNz1yp47bCrJ3CQA==",
        "BSD-3-Clause",
        {"dist/embed-amd.js": "widgets/embed-amd.js"},
    ),
)  # fmt: skip


def vendor(folder: Path, cache: Path | None = None) -> None:
    """Copy what the site serves of every package into `folder`.

    Raises PlainError when a package cannot be fetched, or is not the very one that is pinned here.
    """
    for package in PACKAGES:
        _copy(package, _tarball(package, cache or cache_folder()), folder)


def cache_folder() -> Path:
    """Where tarballs are kept between builds."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "byhand" / "npm"


def _tarball(package: Package, cache: Path) -> bytes:
    """The package's tarball, checked: from the cache, or else from the registry."""
    kept = cache / package.tarball
    if kept.is_file() and _is_pinned(package, content := kept.read_bytes()):
        return content
    content = _fetched(package)
    if not _is_pinned(package, content):
        raise PlainError(
            f"{package.address} is not the file that is pinned: its SHA-512 is {_integrity(content)[:20]}…, "
            f"{package.integrity[:20]}… is expected."
        )
    cache.mkdir(parents=True, exist_ok=True)
    unfinished = kept.with_name(f"{kept.name}.{os.getpid()}.new")
    unfinished.write_bytes(content)
    unfinished.replace(kept)
    return content


def _fetched(package: Package) -> bytes:
    try:
        with urllib.request.urlopen(package.address, timeout=SECONDS) as answer:
            return answer.read()
    except (urllib.error.URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise PlainError(f"{package.name} {package.version} could not be fetched from npm: {reason}.") from error


def _is_pinned(package: Package, content: bytes) -> bool:
    return _integrity(content) == package.integrity


def _integrity(content: bytes) -> str:
    return f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"


def _copy(package: Package, content: bytes, folder: Path) -> None:
    """Write the files that the site serves, each below `folder`."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as tar:
        for member in tar.getmembers():
            path = member.name.partition("/")[2]  # npm puts all into one folder, package/
            start = next((start for start in package.files if path.startswith(start)), None)
            if start is None or not member.isfile():
                continue
            target = folder / (package.files[start] + path.removeprefix(start))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(tar.extractfile(member).read())
