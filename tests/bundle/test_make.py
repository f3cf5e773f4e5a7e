"""What the bundle holds, that it is the same whenever and wherever it is made, and what is written of it."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import mistune
import nbformat
import pytest
from course_units import PROJECT, UNITS, release
from support import plain_error
from test_registry import FLOORS

from helpers.bundle import make
from helpers.bundle.archives import TIME, unzipped, zipped
from helpers.bundle.make import ALONE, ZIP, bundle, colab_addresses, ready
from helpers.bundle.package import LEFT_OUT, carried, wheel
from helpers.course.execute import to_bytes

ROOT = "transformer-by-hand/"
ADDRESS = "https://colab.research.google.com/github/me/course/blob/main/stand-alone"


@pytest.fixture(scope="module")
def files(made):
    """Path below the unzipped folder → content."""
    return {name.removeprefix(ROOT): content for name, content in unzipped(made[ZIP]).items()}


@pytest.fixture
def clone(tmp_path):
    """What the bundle is made from, in another folder, written now and by somebody with other habits."""
    return copied(tmp_path / "clone")


def copied(target):
    skipped = shutil.ignore_patterns("__pycache__", "*.pyc", "*.png")
    for name in ("helpers", "notebooks", "solutions", "worksheets", "docs"):
        shutil.copytree(PROJECT / name, target / name, copy_function=shutil.copyfile, ignore=skipped)
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copyfile(PROJECT / name, target / name)
    return target


def set_up(project, **settings):
    lines = "".join(f'{name} = "{value}"\n' for name, value in settings.items())
    with (project / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[tool.byhand]\n{lines}")


# What it holds


def test_there_is_one_zip_and_a_notebook_of_each_unit_that_stands_alone(made):
    assert set(made) == {ZIP, *(f"{ALONE}/{unit}.ipynb" for unit in UNITS)}


def test_the_zip_holds_notebooks_wheel_worksheets_one_page_and_vs_codes_folder(files):
    wheels = [name for name in files if name.endswith(".whl")]
    sheets = {f"worksheets/{path.name}" for path in (PROJECT / "worksheets").glob("*.pdf") if "-key" not in path.stem}
    assert len(wheels) == 1
    notebooks = {"index.ipynb", *(f"{unit}/{unit}.ipynb" for unit in UNITS)}
    others = {"START-HERE.html", "LICENSE", "worksheets/README.md", ".vscode/extensions.json", ".vscode/settings.json"}
    assert set(files) == {*others, *wheels, *notebooks, *sheets}
    assert len(sheets) == 7


@pytest.mark.parametrize("unit", UNITS)
def test_a_notebook_is_the_release_with_cells_before_its_first_code(made, files, unit):
    given = [dict(cell) for cell in release(unit).cells]
    for content, added in ((files[f"{unit}/{unit}.ipynb"], 1), (made[f"{ALONE}/{unit}.ipynb"], 2)):
        cells = [dict(cell) for cell in nbformat.reads(content.decode(), as_version=nbformat.NO_CONVERT).cells]
        first = next(n for n, cell in enumerate(given) if cell["cell_type"] == "code")
        assert cells[:first] + cells[first + added :] == given
        assert [cell["id"] for cell in cells[first : first + added]] == ["bundle-first", "bundle-copy"][:added]


def test_the_page_is_the_text_for_students_and_fits_one_page(files):
    page, text = files["START-HERE.html"].decode(), (PROJECT / "docs" / "students.md").read_text(encoding="utf-8")
    assert mistune.html(text) in page
    assert len(text.split()) < 400
    assert not re.search(r"(src|href)=", page), "it is one file, and works without a network"
    for said in ("JupyterLab", "VS Code", "Colab", "One file", "hand in", *UNITS):
        assert said in text


def test_links_of_the_worksheets_page_lead_somewhere(files):
    text = files["worksheets/README.md"].decode()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) == 7
    assert {f"worksheets/{link}" for link in links} <= files.keys()
    assert "key)" not in text
    assert re.findall(r"^## (.*)", text, re.M) == ["From paper to notebook", "Make more"]


def test_links_of_the_index_lead_somewhere(files):
    cells = json.loads(files["index.ipynb"])["cells"]
    links = re.findall(r"\]\(([^)#]+)\)", "\n".join("".join(cell["source"]) for cell in cells))
    assert links
    assert {link for link in links if "://" not in link} <= files.keys()


def test_the_wheel_is_whole_and_asks_for_numpy_alone(files):
    content = next(content for name, content in files.items() if name.endswith(".whl"))
    inner = unzipped(content)
    sources = {path.relative_to(PROJECT).as_posix() for path in (PROJECT / "helpers").rglob("*.py")}
    assert {name for name in inner if name.endswith(".py")} == sources
    metadata = next(text.decode() for path, text in inner.items() if path.endswith("METADATA"))
    asked = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert asked == ["Requires-Dist: numpy>=1.26"]


def test_a_notebook_carries_every_room_below_the_command_line():
    """The map of the tests says which rooms stand above: no notebook calls them."""
    course = next(n for n, floor in enumerate(FLOORS) if "course" in floor)
    above = {room for floor in FLOORS[course:] for room in floor}
    below = {room for floor in FLOORS[:course] for room in floor}
    left_out = {name.removesuffix("/").removesuffix(".py") for name in LEFT_OUT}
    assert above <= left_out
    assert not below & left_out
    inner = unzipped(carried(wheel(PROJECT)[1]))
    rooms = {name.split("/")[1].removesuffix(".py") for name in inner}
    assert rooms == below | {"__init__"}
    data = {path.relative_to(PROJECT).as_posix() for path in (PROJECT / "helpers").rglob("*.[nt][py][zp]")}
    assert data
    assert data <= inner.keys()


def test_every_public_name_is_in_what_a_notebook_carries(tmp_path):
    for name, content in unzipped(carried(wheel(PROJECT)[1])).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    code = "import helpers; [getattr(helpers, name) for name in helpers.__all__]; print(helpers.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / "helpers" / "__init__.py")


# The same bytes


def test_two_folders_at_two_times_give_the_same_bytes(made, clone, tmp_path):
    for path in (clone / "helpers").rglob("*.py"):
        path.chmod(0o600)
        os.utime(path, (1_900_000_000, 1_900_000_000))
    (clone / "helpers" / "__pycache__").mkdir()
    (clone / "helpers" / "__pycache__" / "steps.cpython-311.pyc").write_bytes(b"old")
    again = bundle(clone)
    assert again.keys() == made.keys()
    for name, content in made.items():
        assert again[name] == content, name


def test_archives_do_not_depend_on_order_time_or_rights():
    one = zipped({"b.txt": b"2", "a/x.py": b"1"})
    assert one == zipped({"a/x.py": b"1", "b.txt": b"2"})
    assert unzipped(one) == {"a/x.py": b"1", "b.txt": b"2"}
    for entry in zipfile.ZipFile(io.BytesIO(one)).infolist():
        assert entry.date_time == TIME
        assert entry.external_attr >> 16 == 0o100644
        assert entry.create_system == 3


# The course's own settings


def test_without_a_target_there_is_no_badge(made, files):
    for content in (*made.values(), *files.values()):
        assert b"Open in Colab" not in content or b"badge_cell" in content
    assert colab_addresses(PROJECT) == {}


def test_one_line_of_the_settings_gives_every_notebook_its_badge_and_the_salt(clone):
    set_up(clone, colab=f"{ADDRESS}/", salt="autumn 2027")
    made = bundle(clone)
    inside = unzipped(made[ZIP])
    page = inside[f"{ROOT}START-HERE.html"].decode()
    for unit in UNITS:
        target = f"{ADDRESS}/{unit}.ipynb"
        assert f'href="{target}"' in page
        for content in (made[f"{ALONE}/{unit}.ipynb"], inside[f"{ROOT}{unit}/{unit}.ipynb"]):
            first, *others = json.loads(content)["cells"]
            assert "".join(first["source"]).endswith(f"({target})")
            code = next("".join(cell["source"]) for cell in others if cell["cell_type"] == "code")
            assert "os.environ['BYHAND_SALT'] = 'autumn 2027'" in code


@pytest.mark.parametrize("target", ["colab.research.google.com/x", "http://a.b", "https://a b", "https://a)(b", "x"])
def test_a_target_that_is_no_address_is_one_plain_sentence(clone, target):
    set_up(clone, colab=target)
    with plain_error("colab", target):
        colab_addresses(clone)


# On the disk


def test_writing_checking_and_what_is_left_over(made, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(make, "bundle", lambda project: made)
    out = tmp_path / "dist"
    assert make.check(PROJECT, out) == 1
    assert not out.exists(), "a check writes nothing"
    assert "is missing" in capsys.readouterr().out
    assert make.write(PROJECT, out) == 0
    assert f"wrote {out / ZIP} (" in capsys.readouterr().out
    assert make.check(PROJECT, out) == 0
    assert make.write(PROJECT, out) == 0
    assert "was up to date" in capsys.readouterr().out
    (out / ALONE / "gone.ipynb").write_text("{}")
    (out / ALONE / "encoder.ipynb").write_text("{}")
    (out / "mine.txt").write_text("kept")
    assert make.check(PROJECT, out) == 1
    told = capsys.readouterr().out
    assert f"{out / ALONE / 'encoder.ipynb'} is stale" in told
    assert f"{out / ALONE / 'gone.ipynb'} is stale" in told
    assert make.write(PROJECT, out) == 0
    assert not (out / ALONE / "gone.ipynb").exists()
    assert (out / ALONE / "encoder.ipynb").read_bytes() == made[f"{ALONE}/encoder.ipynb"]
    assert (out / "mine.txt").read_text() == "kept"


def test_a_release_that_gives_an_answer_away_is_refused(clone):
    path = clone / "notebooks" / "encoder" / "encoder.ipynb"
    shutil.copyfile(clone / "solutions" / "encoder" / "encoder.ipynb", path)
    with plain_error("encoder/encoder.ipynb", "the release"):
        bundle(clone)


@pytest.mark.parametrize(
    ("gone", "named"),
    [("notebooks/decoder/decoder.ipynb", "run byhand notebooks first"), ("docs/students.md", "START-HERE.html")],
)
def test_what_is_missing_is_named(clone, gone, named):
    (clone / gone).unlink()
    with plain_error(named):
        bundle(clone)


def test_a_wheel_that_cannot_be_built_says_why(clone):
    (clone / "README.md").unlink()
    with plain_error("The wheel cannot be built", "README.md"):
        wheel(clone)


def test_a_notebook_without_code_gets_its_cell_at_the_end():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title", id="title")])
    assert [cell["id"] for cell in ready(notebook).cells] == ["title", "bundle-first"]
    assert len(notebook.cells) == 1
    assert to_bytes(ready(notebook)) == to_bytes(ready(notebook))
