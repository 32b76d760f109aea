"""The terminal shows how each check ended."""

from reports.terminal import results as terminal


def test_a_students_check_says_how_each_part_ended(capsys, unanswered):
    terminal.show_result(unanswered)
    said = " ".join(capsys.readouterr().out.split())
    for way in ("Timed out", "Out of memory", "Crashed", "Ended itself", "Answer not usable"):
        assert way in said
    assert "- 1 more, not run because they build on these" in said
