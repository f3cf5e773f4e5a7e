"""What is fetched from npm is the file that is pinned, or nothing is built."""

import io
import tarfile
import urllib.error

import pytest
from support import plain_error

from helpers.site import vendor as room


@pytest.fixture
def package():
    """A package of two files, of which the site serves one, and its tarball."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in ("package/lib/a.js", "package/other.js"):
            info = tarfile.TarInfo(name)
            info.size = 4
            tar.addfile(info, io.BytesIO(b"a();"))
    content = buffer.getvalue()
    return room.Package("@some/thing", "1.2.3", room._integrity(content), "MIT", {"lib/": "thing/"}), content


@pytest.fixture
def served(package, monkeypatch):
    """The registry: what it gives, and the addresses it was asked for."""
    answers, asked = {"content": package[1]}, []

    def urlopen(address, timeout):
        asked.append(address)
        if answers["content"] is None:
            raise urllib.error.URLError("Name or service not known")
        return io.BytesIO(answers["content"])

    monkeypatch.setattr(room.urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(room, "PACKAGES", (package[0],))
    monkeypatch.delenv("NPM_CONFIG_REGISTRY", raising=False)
    return answers, asked


def test_what_the_site_serves_is_copied_and_no_more(served, tmp_path):
    room.vendor(tmp_path / "out", tmp_path / "cache")
    assert [str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.js")] == ["thing/a.js"]
    assert served[1] == ["https://registry.npmjs.org/@some/thing/-/thing-1.2.3.tgz"]


def test_it_is_fetched_once(served, tmp_path):
    for number in range(2):
        room.vendor(tmp_path / str(number), tmp_path / "cache")
    assert len(served[1]) == 1


def test_a_damaged_copy_is_fetched_again(served, package, tmp_path):
    (tmp_path / "thing-1.2.3.tgz").write_bytes(b"cut off")
    room.vendor(tmp_path / "out", tmp_path)
    assert (tmp_path / "thing-1.2.3.tgz").read_bytes() == package[1]


def test_another_file_than_the_pinned_one_is_refused(served, tmp_path):
    served[0]["content"] += b"!"
    with plain_error("thing-1.2.3.tgz", "SHA-512"):
        room.vendor(tmp_path / "out", tmp_path / "cache")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "cache").exists()


def test_no_network_is_one_sentence(served, tmp_path):
    served[0]["content"] = None
    with plain_error("@some/thing 1.2.3", "Name or service not known"):
        room.vendor(tmp_path / "out", tmp_path / "cache")


def test_another_registry_can_be_named(served, monkeypatch, tmp_path):
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "https://npm.example/")
    room.vendor(tmp_path / "out", tmp_path / "cache")
    assert served[1] == ["https://npm.example/@some/thing/-/thing-1.2.3.tgz"]


def test_licences_are_free():
    assert {package.licence for package in room.PACKAGES} <= {"MIT", "BSD-3-Clause", "Apache-2.0"}
