"""A course's own settings, read without a reader of TOML."""

from support import plain_error

from helpers.settings import course_salt, course_setting


def test_the_salt_is_found_above_the_notebook(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.ruff]\nline-length = 9\n[tool.byhand]\nsalt = "wise 2027"  # ours\n[x]\na = 1\n'
    )
    inner = tmp_path / "work" / "homework"
    inner.mkdir(parents=True)
    assert course_salt(inner) == "wise 2027"


def test_a_bundled_notebook_brings_its_salt_along(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[tool.byhand]\nsalt = "wise 2027"\ncolab = "https://a.b"\n')
    monkeypatch.chdir(tmp_path)
    assert course_salt() == "wise 2027"
    monkeypatch.setenv("BYHAND_SALT", "autumn")
    assert course_salt() == "autumn"
    assert course_salt(tmp_path) == "wise 2027", "a folder that is named is what counts"
    assert course_setting("colab", tmp_path) == "https://a.b"
    assert course_setting("other", tmp_path) == ""


def test_a_table_without_salt_is_no_salt(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.byhand]\nname = "x"\n')
    assert course_salt(tmp_path) == ""


def test_a_salt_that_cannot_be_read_is_one_plain_error(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.byhand]\nsalt = 7\n")
    with plain_error("salt"):
        course_salt(tmp_path)
