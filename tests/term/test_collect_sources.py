"""Zips that mean harm, and folders with traps: what is read of them, and what never is."""

import io
import os
import stat
import struct
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from collecting import NOON, packed, saved
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import PlainError
from helpers.term import collect_sources
from helpers.term.collect_sources import TooLarge, opened, plain_path, zip_inside


def names(file):
    with opened(file) as source:
        return ["/".join(one.path) for one in source.files], source.notes


@pytest.mark.parametrize(
    "name",
    [
        "../out.ipynb",
        "a/../../out.ipynb",
        "/etc/passwd",
        "C:/out.ipynb",
        "..\\out.ipynb",
        "a\nb.ipynb",
        "x" * 300,
        "/".join("x" * 40),
    ],
)
def test_a_path_that_leads_out_is_left_out(tmp_path, name):
    assert plain_path(name) is None
    found, notes = names(saved(tmp_path, {name: b"x", "ada.ipynb": b"{}"}))
    assert found == ["ada.ipynb"]
    assert notes == [f"{name!r} is no path inside the zip, and was left out"]


@given(st.text(max_size=40))
def test_no_path_ever_leads_out(name):
    path = plain_path(name)
    if path is not None:
        place = Path("/course/x", *path)
        assert Path(os.path.normpath(place)) == place
        assert place.is_relative_to("/course/x")
        assert len(path) == len(place.parts) - 3
        assert all(sign.isprintable() for sign in "".join(path))


def test_links_pipes_and_locked_files_are_left_out(tmp_path):
    def entry(name, mode=0, flags=0):
        info = zipfile.ZipInfo(name, NOON)
        info.external_attr, info.flag_bits = mode << 16, flags
        return info

    file = saved(tmp_path, {entry("link.ipynb", stat.S_IFLNK | 0o777): b"/etc/passwd", entry("pipe", stat.S_IFIFO): b"",
                            entry("ada.ipynb", stat.S_IFREG | 0o644): b"{}", "locked.ipynb": b"x"})  # fmt: skip
    raw = bytearray(file.read_bytes())
    at = raw.rindex(b"locked.ipynb") - 46
    assert raw[at : at + 4] == b"PK\x01\x02"
    raw[at + 8] |= 1
    file.write_bytes(raw)
    found, notes = names(file)
    assert found == ["ada.ipynb"]
    assert sorted(notes) == [
        "'link.ipynb' is a link or no ordinary file, and was left out",
        "'locked.ipynb' is locked with a password, and was left out",
        "'pipe' is a link or no ordinary file, and was left out",
    ]


def test_what_systems_leave_behind_is_passed_over(tmp_path):
    junk = ["__MACOSX/._a.ipynb", "a/.ipynb_checkpoints/a.ipynb", ".DS_Store", "a/Thumbs.db", "._a.ipynb", "a/.git/x"]
    found, notes = names(saved(tmp_path, {**dict.fromkeys(junk, b"x"), "a/a.ipynb": b"{}", "b/": b""}))
    assert (found, notes) == (["a/a.ipynb"], [])


def test_names_that_differ_by_case_or_spelling_alone_do_not_meet_on_a_disk(tmp_path):
    entries = {"Ada/a.ipynb": b"1", "ada/a.ipynb": b"2", "Zoë/a": b"1", "Zoe\u0308/a": b"2"}
    found, notes = names(saved(tmp_path, entries))
    assert found == ["Ada/a.ipynb", "Zoë/a"]
    assert notes[0] == "'ada/a.ipynb' differs from 'Ada/a.ipynb' by case alone, and the second was left out"
    assert len(notes) == 2


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_counts_once(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.ipynb", "1")
        archive.writestr("a.ipynb", "2")
    (tmp_path / "in.zip").write_bytes(out.getvalue())
    found, notes = names(tmp_path / "in.zip")
    assert (found, notes) == (["a.ipynb"], ["'a.ipynb' stands in the zip twice, and the second was left out"])


def test_names_in_utf8_that_do_not_say_so_are_read(tmp_path):
    raw = packed({"Müller.ipynb": b"{}"})
    # Without the flag that says UTF-8, in both places.
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = raw.index(sign) + at
        (flags,) = struct.unpack_from("<H", raw, place)
        raw = raw[:place] + struct.pack("<H", flags & ~0x800) + raw[place + 2 :]
    (tmp_path / "in.zip").write_bytes(raw)
    assert names(tmp_path / "in.zip")[0] == ["Müller.ipynb"]


def test_a_bomb_is_read_up_to_the_limit_and_no_further(tmp_path):
    file = saved(tmp_path, {"ada.ipynb": bytes(30 * 2**20)})
    assert file.stat().st_size < 100_000
    with opened(file) as source:
        (one,) = source.files
        with pytest.raises(TooLarge):
            one.read(2**20)
        assert len(one.read(30 * 2**20)) == 30 * 2**20


def test_a_zip_that_lies_about_its_sizes_is_no_help(tmp_path):
    raw = packed({"ada.ipynb": b"x" * 5000})
    for sign, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = raw.index(sign) + at
        raw = raw[:place] + struct.pack("<I", 10) + raw[place + 4 :]
    (tmp_path / "in.zip").write_bytes(raw)
    # Ten bytes are promised, and no more are taken; their checksum then does not fit.
    with opened(tmp_path / "in.zip") as source, pytest.raises(OSError, match="CRC"):
        source.files[0].read(1000)


def test_a_damaged_entry_is_an_error_of_that_file_alone(tmp_path):
    raw = bytearray(packed({"ada.ipynb": os.urandom(3000), "bob.ipynb": b"{}"}))
    raw[200:220] = bytes(20)
    (tmp_path / "in.zip").write_bytes(raw)
    with opened(tmp_path / "in.zip") as source:
        ada, bob = source.files
        with pytest.raises(OSError, match=r"CRC|invalid"):
            ada.read(10_000)
        assert bob.read(10_000) == b"{}"


def test_too_many_files_and_no_zip_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(collect_sources, "MOST_FILES", 3)
    with (
        pytest.raises(PlainError, match="holds more than 3 files"),
        opened(saved(tmp_path, {f"{n}": b"" for n in range(4)})),
    ):
        pass
    (tmp_path / "no.zip").write_bytes(b"PK nothing")
    with pytest.raises(PlainError, match=r"no\.zip is no zip that can be read"), opened(tmp_path / "no.zip"):
        pass
    with pytest.raises(PlainError, match="There is nothing at"), opened(tmp_path / "nowhere"):
        pass


def test_times_are_those_of_the_entries_and_the_oldest_stands_for_none(tmp_path):
    file = saved(tmp_path, {"a": (b"", NOON), "b": (b"", (1980, 1, 1, 0, 0, 0))})
    with opened(file) as source:
        assert [one.time for one in source.files] == [datetime(2027, 3, 1, 12, 0), None]


def test_a_students_own_zip_is_opened_once(tmp_path):
    inner = packed({"encoder.ipynb": b"{}", "../out": b"x", "deeper.zip": packed({"x": b""})})
    with opened(saved(tmp_path, {"ada/work.zip": inner, "bob/work.zip": b"no zip"})) as source:
        notes = []
        found = [one for offered in source.files for one in zip_inside(offered, notes)]
    assert ["/".join(one.path) for one in found] == ["ada/encoder.ipynb", "ada/deeper.zip"]
    assert notes == ["'../out' is no path inside the zip, and was left out",
                     "bob/work.zip is no zip that can be read: File is not a zip file"]  # fmt: skip


def test_a_folders_links_are_not_followed(tmp_path):
    (tmp_path / "secret").write_text("x")
    top = tmp_path / "in"
    (top / "ada").mkdir(parents=True)
    (top / "ada" / "encoder.ipynb").write_text("{}")
    (top / "ada" / "link.ipynb").symlink_to(tmp_path / "secret")
    (top / "all").symlink_to(tmp_path)
    os.mkfifo(top / "pipe")
    os.utime(top / "ada" / "encoder.ipynb", (0, datetime(2027, 3, 1, 12, 0).timestamp()))
    with opened(top) as source:
        assert [("/".join(one.path), one.time) for one in source.files] == [
            ("ada/encoder.ipynb", datetime(2027, 3, 1, 12))
        ]
        assert len(source.notes) == 3
        # A file that became a link after it was found is refused.
        (top / "ada" / "encoder.ipynb").unlink()
        (top / "ada" / "encoder.ipynb").symlink_to(tmp_path / "secret")
        with pytest.raises(OSError, match=r"encoder\.ipynb"):
            source.files[0].read(10_000)
