"""The terminal shows how each check ended."""

from reports.terminal import results as terminal
from tests.reports.conftest import CODE, check_result, criterion_result


def test_a_students_check_says_how_each_part_ended(capsys, unanswered):
    terminal.show_result(unanswered)
    said = " ".join(capsys.readouterr().out.split())
    for way in ("Timed out", "Out of memory", "Crashed", "Ended itself", "Answer not usable"):
        assert way in said
    assert "- 1 more, not run because they build on these" in said


def test_submissions_without_points_are_counted(capsys, make_result, tmp_path):
    scores = terminal.ScoreTable()
    for status in ("failed", "passed"):
        scores.add(make_result(criterion_result(CODE, check_result(status)), submission=status))
    terminal.show_batch(scores, tmp_path)
    assert "1 submission without any points" in capsys.readouterr().out
