"""What `byhand train` prints and writes."""

from dataclasses import replace

from helpers.course import commands, environment, training
from helpers.trained import model
from helpers.trained.report import Report
from helpers.trained.train import Recipe


def test_a_short_training_writes_a_model_elsewhere(tmp_path, capsys):
    shipped = model.FILE.read_bytes()
    training.train_and_save(tmp_path / "model.npz", replace(Recipe(), steps=20, warm_up=5, batch=2))
    sizes, arrays = model.load(tmp_path / "model.npz")
    assert sizes == model.trained_sizes()
    assert set(arrays) == set(model.weight_shapes(sizes))
    assert model.FILE.read_bytes() == shipped
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11
    assert lines[-2].startswith("byhand: step 20 of 20, loss ")
    assert "model.npz" in lines[-1]


def test_a_terminal_gets_one_line_that_changes(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    heard = training.progress_line(3)
    for step in (1, 2, 3):
        heard(step, 1.5)
    printed = capsys.readouterr().out
    assert printed.count("\r") == 3
    assert printed.count("\n") == 1


def test_report_prints_what_is_measured_and_trains_nothing(monkeypatch, capsys):
    monkeypatch.setattr("helpers.trained.report.report", lambda: Report((7, 8), (1, 4), (1, 3)))
    assert commands.run(["train", "--report"]) == 0
    shares = [line.split("(")[1] for line in capsys.readouterr().out.splitlines()]
    assert shares == ["87.5%)", "25.0%)", "33.3%)"]


def test_training_is_for_a_clone(monkeypatch, capsys):
    monkeypatch.setattr(environment, "project_folder", lambda: None)
    assert commands.run(["train"]) == 1
    assert "clone" in capsys.readouterr().err
