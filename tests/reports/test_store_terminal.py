"""The changes by a regrade, in the terminal and on the page."""

from dataclasses import replace

import pytest

from graders.course.preview import Preview
from graders.errors import StorageError
from graders.model import CheckChange, Difference, Regraded
from reports.course.regrade import write_regrade_page
from reports.submission_files import have_files, remove_files, write_submission_files
from reports.terminal import results
from reports.terminal import store as store_terminal
from tests.reports.conftest import CODE, FILES, check_result, criterion_result

WHY = CheckChange("answer", "answer", "passed", "partial (25%)", "Your points count.")
ATTACK = "<script>alert(1)</script><img src=//x.test>\x1b[31m"


@pytest.fixture
def regraded():
    """One gains, one loses, one could not be graded."""
    differences = (
        Difference("ada", 1.0, 2.0, "graded", ()),
        Difference("bob", 5.0, 4.5, "graded", (WHY,)),
        Difference("cyd", 5.0, None, "incomplete", ()),
    )
    return Regraded("Tiny", 1, 2, 100, ("ada",) * 99, ("answer",), differences)


def test_regrade_names_gain_loss_and_reason_in_the_terminal_and_on_the_page(
    capsys, tmp_path, regraded
):
    store_terminal.show_regraded(regraded, tmp_path)
    output = capsys.readouterr().out
    assert "1 up, 1 down, 97 unchanged; 1 scored in only one of the two" in output
    assert "cyd  5 -> -  Not fully graded" in output
    assert output.index("bob  5 -> 4.5  -0.5") < output.index("ada  1 -> 2  +1")
    assert "answer: passed -> partial (25%): The points count." in output
    page = write_regrade_page(regraded, tmp_path).read_text()
    assert page.index(">bob<") < page.index(">cyd<") < page.index(">ada<"), "the largest loss first"
    assert "passed → partial (25%): <bdi>The points count.</bdi>" in page
    assert "Not fully graded" in page
    assert '<td class="num">–</td>' in page, "a score that is gone is no difference of 0"
    assert "<dt>Scored in only one of the two</dt><dd>1</dd>" in page
    assert '<a href="reports/bob.html"><bdi>bob</bdi></a>' in page
    page = write_regrade_page(regraded, tmp_path).read_text()
    write_regrade_page(replace(regraded, before=2, differences=()), tmp_path)
    assert (tmp_path / "regrade.html").read_text() == page


def test_a_maximum_that_changed_is_told_and_many_differences_are_cut(capsys, tmp_path, regraded):
    risen = replace(regraded, max_before=6.0, max_after=9.5)
    store_terminal.show_regraded(risen, tmp_path)
    store_terminal.show_regraded(regraded, tmp_path)
    assert capsys.readouterr().out.count("maximum: 6 -> 9.5 points") == 1
    assert "<dd>6 → 9.5</dd>" in write_regrade_page(risen, tmp_path).read_text()
    assert "Max points" not in write_regrade_page(regraded, tmp_path).read_text()
    many = tuple(Difference(f"s{n}", 5.0, 4.0, "graded", (WHY,)) for n in range(2000))
    store_terminal.show_regraded(replace(regraded, differences=many), tmp_path)
    assert "and 1960 more" in capsys.readouterr().out
    page = write_regrade_page(replace(regraded, differences=many), tmp_path)
    assert "1,000 more lost less, nothing, or gained" in page.read_text()
    assert page.stat().st_size < 2**20


@pytest.mark.parametrize(
    ("force", "hint"), [(False, "again to resume"), (True, "again; --force grades all of them")]
)
def test_an_interrupt_says_what_is_left(capsys, tmp_path, force, hint):
    store_terminal.show_interrupted(12, 30, tmp_path, force=force)
    output = capsys.readouterr().err
    assert output.startswith("Interrupted: 12 of 42 submissions are graded")
    assert "30 left" in output
    assert hint in output


def test_hostile_words_do_nothing(capsys, tmp_path, regraded):
    change = CheckChange(ATTACK, ATTACK, ATTACK, ATTACK, ATTACK)
    difference = Difference(ATTACK, 1.0, 2.0, "graded", (change,))
    hostile = replace(regraded, title=ATTACK, touched=(ATTACK,), differences=(difference,))
    page = write_regrade_page(hostile, tmp_path).read_text()
    assert [sign for sign in ("<script", "<img", "\x1b") if sign in page] == []
    store_terminal.show_regraded(hostile, tmp_path)
    store_terminal.show_retry(1, ["\x1b[31m gone"])
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err


def test_a_dry_run_says_what_each_upload_has(capsys, make_result):
    ada, bob, eve = (make_result(submission=name).submission for name in ("ada", "bob", "eve"))
    uploads = [
        Preview(ada, ("a.py", "b.py"), {"x": 1, "y": 0}, notes=("Using src",)),
        Preview(bob, missing=("a.py", "x"), notes=("Ignored \x1b.docx",)),
        Preview(eve, rejected="eve.zip is damaged."),
    ]
    store_terminal.show_previews(uploads, {"ada"})
    printed = capsys.readouterr()
    rows = [" ".join(line.split()) for line in printed.out.splitlines()]
    assert rows[1:] == [
        "ada saved a.py, b.py, x and 1 more -",
        "bob to grade - a.py, x",
        "eve not accepted",
        "1 not accepted, 1 saved, 1 to grade. Nothing was graded.",
    ]
    assert printed.err == "bob: Ignored \\x1b.docx\neve: eve.zip is damaged.\n"
    names = tuple(f"vanilla.{n}.dev.prediction" for n in range(25))
    store_terminal.show_previews([Preview(bob, missing=names)], ())
    printed = "".join(capsys.readouterr().out.split())
    assert printed.count(".dev.prediction") == 15, "whole names"
    assert "and10more" in printed


def test_a_score_is_on_one_line_with_a_short_status_in_a_narrow_window(
    capsys, monkeypatch, make_result
):
    files = criterion_result(FILES, check_result())
    open_ = criterion_result(CODE, check_result("needs_review"))
    words = {"status": "needs_review", "score": None, "max_score": 14.0}
    names = ["a-submission-with-a-long-name", "bo"]
    monkeypatch.setattr(results.OUT, "_width", 60)
    waiting = [make_result(open_, files, submission=name, **words) for name in names]
    results.show_scores((result, None) for result in waiting)
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["submission", "score", "/", "14", "status"]
    assert [line.split() for line in lines] == [
        [name, "10", "so", "far", "To", "grade"] for name in names
    ]
    results.show_scores([(waiting[0], None), (make_result(files, max_score=10.0), None)])
    assert "10 so far / 14" in capsys.readouterr().out, "the maximum is not the same for all"


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_narrow_window_breaks_no_word(capsys, monkeypatch, width):
    monkeypatch.setattr(results.OUT, "_width", width)
    why = "points that wait for somebody's confirmation"
    names = [f"check-of-the-{kind}-predictions" for kind in ("dev", "test")]
    store_terminal.show_kinds([("unconfirmed-predictions", 12, names, why)])
    output = capsys.readouterr().out
    assert {"unconfirmed-predictions", *names, *why.split()} <= {
        word.strip(",") for word in output.split()
    }
    assert max(map(len, output.splitlines())) <= width
    store_terminal.show_adjustments([("bob", "form" * 9, "0", "", "Rea" * 9, "then", "")])
    output = capsys.readouterr().out.splitlines()
    assert all(line.strip() for line in output), "no line for a cell that is empty"
    assert not any(line.endswith(":") for line in output)


def test_files_of_another_result_or_half_written_are_not_its_own(graded, tmp_path):
    write_submission_files(graded, tmp_path)
    assert have_files(graded, tmp_path)
    assert not have_files(replace(graded, score=0.0), tmp_path)
    (tmp_path / "gradescope" / "ada.json").unlink()
    assert not have_files(graded, tmp_path)
    (tmp_path / "reports" / "ada.html").unlink()
    (tmp_path / "reports" / "ada.html").mkdir()
    with pytest.raises(StorageError, match=r"ada\.html: cannot be written"):
        write_submission_files(replace(graded, score=0.0), tmp_path)
    assert not (tmp_path / "results" / "ada.json").exists()


def test_nothing_is_removed_where_nothing_is_graded(tmp_path):
    (tmp_path / "grades.csv").touch()
    remove_files([], tmp_path)
    assert (tmp_path / "grades.csv").exists()
    remove_files(["ada"], tmp_path)
    assert not (tmp_path / "grades.csv").exists()
