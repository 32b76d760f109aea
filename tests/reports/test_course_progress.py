"""The course page while a batch runs."""

import contextlib
import re
import shutil
from dataclasses import replace

import pytest

from reports.course import progress as course_progress
from reports.course.progress import ProgressPage
from tests.console import softmark
from tests.reports.conftest import write_reports

REFRESH = '<meta http-equiv="refresh"'


@pytest.fixture
def page(tmp_path):
    return lambda: (tmp_path / "index.html").read_text()


@pytest.fixture
def at_once(monkeypatch):
    """Every Result is shown when it comes."""
    monkeypatch.setattr(course_progress, "SECONDS", 0.0)
    monkeypatch.setattr(course_progress, "SHARE", 0)


@pytest.mark.usefixtures("at_once")
def test_the_page_says_how_far_it_is(tmp_path, page, graded):
    with ProgressPage(tmp_path, "A course", total=3, stored=7) as progress:
        assert "Grading: 0 of 3" in page()
        assert "<h1>A course</h1>" in page()
        assert REFRESH in page()
        progress.add(graded)
        assert "Grading: 1 of 3" in page()
        assert re.search(r"About [\d.]+ (s|min|h) left\.", page())
        assert 'href="reports/ada.html"' in page()
        assert "7 more were graded before" in page()


@contextlib.contextmanager
def run(out, total=3, *, fault=None):
    """A run, which may be stopped by a fault."""
    expected = pytest.raises(fault) if fault else contextlib.nullcontext()
    with expected, ProgressPage(out, "A course", total=total) as progress:
        yield progress
        if fault:
            raise fault


def test_a_finished_page_reloads_no_more_whatever_comes_after(tmp_path, page, graded):
    """Nobody reads what the command prints at its end: `batch | head`."""
    with run(tmp_path, total=1) as progress:
        progress.add(graded)
        write_reports([graded], tmp_path)
    assert "refresh" not in page()
    assert "Grading:" not in page()
    with run(tmp_path, total=1, fault=BrokenPipeError):
        write_reports([graded], tmp_path)
    assert "Not finished" not in page()


def test_a_stopped_run_says_so_and_what_it_has(tmp_path, page, graded):
    with run(tmp_path, fault=KeyboardInterrupt) as progress:
        progress.add(graded)
    assert "Not finished: 1 of 3" in page()
    assert "This run was stopped before its end." in page()
    assert 'href="reports/ada.html"' in page()
    assert REFRESH not in page()


def test_a_page_that_cannot_be_written_does_not_hide_what_went_wrong(tmp_path):
    with run(tmp_path / "out", fault=ZeroDivisionError):
        shutil.rmtree(tmp_path / "out")


def test_the_page_is_not_written_for_every_result_and_not_for_none(tmp_path, page, graded):
    with ProgressPage(tmp_path, "A course", total=0, stored=2):
        pass
    assert list(tmp_path.iterdir()) == []
    with run(tmp_path, total=50) as progress:
        for name in range(50):
            progress.add(replace(graded, submission=replace(graded.submission, id=str(name))))
        assert "Grading: 0 of 50" in page(), "five seconds have not gone by"


@pytest.mark.parametrize(
    ("graded", "seconds", "left"),
    [
        (0, 9.0, ""),
        (60, 9.0, ""),
        (30, 60.0, "about 60 s left"),
        (1, 0.001, "about 1 s left"),
        (10, 60.0, "about 5 min left"),
        (1, 600.0, "about 9.8 h left"),
    ],
)
def test_time_left_in_words(graded, seconds, left):
    assert course_progress._left(graded, 60, seconds) == left


def batch(folder, uploads, out):
    options = ("--executor", "serial", "--only", "answer")
    return softmark("batch", folder, uploads, "--out", out, *options)


def test_a_batch_that_ends_early_leaves_a_page_that_says_so(tiny_folder, hand_in, tmp_path):
    """The check looks for the page as it grades, then the assignment is changed under it."""
    hand_in("ada", answer_txt="42")
    uploads, check = hand_in("bob", answer_txt="41").parent, tiny_folder / "checks.py"
    index = tmp_path / "out" / "index.html"
    look = f"import pathlib, shutil; shutil.copy({str(index)!r}, pathlib.Path(__file__).parent)"
    code = check.read_text()
    check.write_text(code.replace("    text =", f"    {look}\n    text =", 1))
    done = batch(tiny_folder, uploads, tmp_path / "out")
    assert done.returncode == 2
    assert "Grading: 0 of 2" in (tiny_folder / "index.html").read_text()
    assert "Not finished: 0 of 2" in index.read_text()
    check.write_text(code)
    assert batch(tiny_folder, uploads, tmp_path / "out").returncode == 0
    assert "Not finished" not in index.read_text()
