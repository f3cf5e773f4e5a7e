"""What is found in the folders of students, and what is not followed, waited for or copied."""

import os
from pathlib import Path

import pytest

from helpers.errors import PlainError
from helpers.grading.autograded import Shelf, digest
from helpers.grading.submissions import STUDENT, Finder, read_regular


def finder(root, structure=f"submitted/{STUDENT}/encoder", **wishes):
    return Finder("encoder", f"{root}/{structure}", (".ipynb_checkpoints", "*.pyc"), **wishes)


def folder(root, student="ada", **files):
    place = root / "submitted" / student / "encoder"
    place.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (place / name.replace("__", ".")).write_text(content)
    return place


def only(root, **wishes):
    (found,) = finder(root, **wishes).find()
    return found


def test_every_student_with_a_folder_of_the_unit_is_found_in_order(tmp_path):
    for student in ("bob", "ada", "élise", "a b", "+1"):
        folder(tmp_path, student, encoder__ipynb="{}")
    (tmp_path / "submitted" / "carl" / "decoder").mkdir(parents=True)
    (tmp_path / "submitted" / ".hidden" / "encoder").mkdir(parents=True)
    found = finder(tmp_path).find()
    assert [one.student for one in found] == ["+1", "a b", "ada", "bob", "élise"]
    assert {one.notebook for one in found} == {Path("encoder.ipynb")}


@pytest.mark.parametrize("structure", ["encoder/of-{}/files", "encoder/{}-encoder", "submitted/encoder/{}"])
def test_other_structures_of_nbgrader_are_understood(tmp_path, structure):
    place = tmp_path / structure.format("ada")
    place.mkdir(parents=True)
    (place / "encoder.ipynb").write_text("{}")
    found = finder(tmp_path, structure.format(STUDENT)).find()
    assert [(one.student, one.folder) for one in found] == [("ada", place)]


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["encoder.ipynb", "encoder-Copy1.ipynb"], "encoder.ipynb"),
        (["Encoder (2).ipynb"], "Encoder (2).ipynb"),
        (["ENCODER.IPYNB"], "ENCODER.IPYNB"),
        (["scratch.ipynb", "my encoder.ipynb"], "my encoder.ipynb"),
    ],
)
def test_the_notebook_is_found_under_other_names(tmp_path, names, chosen):
    folder(tmp_path, **{name.replace(".", "__"): "{}" for name in names})
    found = only(tmp_path)
    assert found.notebook == Path(chosen)
    assert bool(found.notes) == (chosen != "encoder.ipynb")


def test_among_strangers_the_one_with_the_units_cells_is_taken(tmp_path):
    folder(tmp_path, encoders__ipynb="{}", homework__ipynb='{"grade_id": "softmax"}')
    found = only(tmp_path, names=["softmax"])
    assert found.notebook == Path("homework.ipynb")
    assert "2 notebooks were handed in, none of them called encoder.ipynb" in found.notes


def test_a_notebook_deeper_down_is_found_and_a_checkpoint_is_not(tmp_path):
    place = folder(tmp_path)
    (place / "encoder").mkdir()
    (place / "encoder" / "encoder.ipynb").write_text("{}")
    (place / ".ipynb_checkpoints").mkdir()
    (place / ".ipynb_checkpoints" / "encoder-checkpoint.ipynb").write_text("{}")
    assert only(tmp_path).notebook == Path("encoder/encoder.ipynb")


def test_no_notebook_and_too_large_a_one_are_told(tmp_path):
    place = folder(tmp_path, notes__txt="hello")
    assert only(tmp_path).reason == "no notebook was handed in"
    with (place / "encoder.ipynb").open("wb") as file:
        file.truncate(51 * 2**20)
    assert only(tmp_path).reason == "encoder.ipynb is larger than 50 MB"


def test_links_and_pipes_are_neither_read_nor_copied(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the key")
    place = folder(tmp_path, encoder__ipynb="{}", words__txt="hello")
    (place / "link.txt").symlink_to(secret)
    (place / "folder").symlink_to(tmp_path)
    os.mkfifo(place / "pipe")
    found = only(tmp_path)
    assert found.kept == (Path("words.txt"),)
    assert sum("is a link or no ordinary file" in note for note in found.notes) == 3
    (place / "encoder.ipynb").unlink()
    (place / "encoder.ipynb").symlink_to(secret)
    assert only(tmp_path).notebook is None
    with pytest.raises(OSError, match=r"link\.txt"):
        read_regular(place / "link.txt")
    with pytest.raises(OSError, match="no ordinary file"):
        read_regular(place / "pipe")


def test_a_large_file_beside_the_notebook_is_left_out(tmp_path):
    folder(tmp_path, encoder__ipynb="{}", data__csv="x" * 2000)
    found = only(tmp_path, largest_file=1000)
    assert found.kept == ()
    assert "data.csv is larger than" in found.notes[0]


def test_the_fingerprint_changes_with_all_that_was_handed_in(tmp_path):
    place = folder(tmp_path, encoder__ipynb="{}", timestamp__txt="2024-03-01 UTC\n")
    prints = [only(tmp_path).fingerprint("a"), only(tmp_path).fingerprint("b")]
    for name, content in (("encoder.ipynb", "{ }"), ("timestamp.txt", "2024-03-02 UTC"), ("more.txt", "")):
        (place / name).write_text(content)
        prints.append(only(tmp_path).fingerprint("a"))
    assert len(set(prints)) == 5
    assert only(tmp_path).fingerprint("a") == prints[-1]
    assert only(tmp_path).timestamp() == "2024-03-02 UTC"


def test_names_and_patterns_choose(tmp_path):
    for student in ("ada", "bea", "bob"):
        folder(tmp_path, student, encoder__ipynb="{}")
    assert [one.student for one in finder(tmp_path).find(["b*", "bob"])] == ["bea", "bob"]
    with pytest.raises(PlainError, match="encoder was not handed in by carl"):
        finder(tmp_path).find(["ada", "carl"])


# Where marked notebooks go


def shelf(root, **files):
    master = root / "source"
    master.mkdir(exist_ok=True)
    for name, content in files.items():
        (master / name.replace("__", ".")).write_text(content)
    pairs = tuple((path.relative_to(master), path) for path in sorted(master.rglob("*")) if path.is_file())
    return Shelf(f"{root}/autograded/{STUDENT}/encoder", "encoder.ipynb", pairs)


def test_a_folder_is_filled_and_replaced_as_a_whole(tmp_path):
    place = folder(tmp_path, encoder__ipynb="{}", words__txt="mine", own__txt="kept")
    rack = shelf(tmp_path, words__txt="the course's")
    assert rack.digest("ada") == ""
    rack.put(only(tmp_path), b"first")
    target = tmp_path / "autograded" / "ada" / "encoder"
    assert {path.name: path.read_text() for path in target.iterdir()} == {
        "encoder.ipynb": "first", "words.txt": "the course's", "own.txt": "kept",
    }  # fmt: skip
    assert {path.stat().st_mode & 0o777 for path in target.iterdir()} == {0o444}
    (place / "own.txt").unlink()
    rack.put(only(tmp_path), b"second")
    assert {path.name for path in target.iterdir()} == {"encoder.ipynb", "words.txt"}
    assert rack.digest("ada") == digest(b"second")
    assert [path.name for path in target.parent.iterdir()] == ["encoder"]


@pytest.mark.parametrize("left", [".encoder.new", ".encoder.old"])
def test_what_a_killed_run_left_is_cleared_away(tmp_path, left):
    folder(tmp_path, encoder__ipynb="{}")
    rest = tmp_path / "autograded" / "ada" / left
    rest.mkdir(parents=True)
    (rest / "encoder.ipynb").write_text("half")
    shelf(tmp_path).put(only(tmp_path), b"whole")
    assert [path.name for path in rest.parent.iterdir()] == ["encoder"]
    assert shelf(tmp_path).digest("ada") == digest(b"whole")


def test_a_students_folder_in_the_place_of_a_file_makes_room(tmp_path):
    place = folder(tmp_path, data="a file where the course has a folder")
    (place / "mine").mkdir()
    (place / "mine" / "encoder.ipynb").write_text("{}")
    (place / "words.txt").mkdir()
    (place / "words.txt" / "x").write_text("x")
    rack = shelf(tmp_path, words__txt="the course's")
    (tmp_path / "source" / "data").mkdir()
    (tmp_path / "source" / "data" / "table.csv").write_text("1")
    shelf(tmp_path).put(only(tmp_path), b"marked")
    target = rack.place("ada")
    assert (target / "words.txt").read_text() == "the course's"
    assert (target / "data" / "table.csv").read_text() == "1"
    assert (target / "encoder.ipynb").read_bytes() == b"marked"
