"""Zip files of the same bytes whenever and wherever they are made: sorted, of one time, of one owner's rights."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

TIME = (2020, 2, 2, 0, 0, 0)
"""When everything in an archive was changed: the time that hatchling gives a wheel's files too."""
_FILE = 0o100644 << 16
_UNIX = 3


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files, by their path in the archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr, entry.create_system = _FILE, _UNIX
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def unzipped(archive: bytes | Path) -> dict[str, bytes]:
    """Every file of an archive, by its path there."""
    with zipfile.ZipFile(io.BytesIO(archive) if isinstance(archive, bytes) else archive) as opened:
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}
