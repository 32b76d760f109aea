"""Points that are certain before everything is decided."""

import csv
import json
from dataclasses import replace

import pytest

from graders.model import Check, CheckResult, Criterion
from graders.scoring import criterion_result
from reports import course_view, write_grades
from reports.gradescope.results_json import gradescope_json
from reports.provisional import provisional, so_far
from reports.student.page import write_student_page
from reports.terminal.results import show_result, show_scores

TEXT = Criterion("1b", "An average", 3.0, "visible", "written")


def check(role, weight, status, fraction=0.0, **words):
    return CheckResult(Check(f"1b/{role}", "It is right.", "1b", weight), status, fraction, **words)


@pytest.fixture
def waiting(make_result):
    """One point of two for the formula, one that needs manual grading."""
    checks = (
        check("machine", 2, "partial", 0.5, message="Nearly.", actual="k_a"),
        check("review", 1, "needs_review", message="A person decides.", actual="word " * 400),
    )
    result = make_result(criterion_result(TEXT, checks))
    return replace(result, status="needs_review")


def test_what_is_decided_is_certain_and_what_we_failed_to_grade_has_no_sum(
    waiting, graded, incomplete, rejected
):
    found = provisional(waiting.criteria[0])
    assert (found.earned, found.waiting) == (1, 1)
    assert so_far(waiting) == 1
    assert [provisional(each).waiting for each in graded.criteria] == [0, 0, 0]
    assert so_far(graded) == graded.score
    assert so_far(incomplete) is None
    assert so_far(rejected) is None
    without_a_check = provisional(criterion_result(TEXT, ()))
    assert (without_a_check.earned, without_a_check.waiting) == (0, 3)


def test_every_reader_is_told_what_is_certain(tmp_path, waiting, capsys):
    page = write_student_page(waiting, tmp_path).read_text(encoding="utf-8")
    assert "No total yet" in page
    assert "1 of 3 points so far; 1 point ungraded." in page
    assert "1 of 3 points is not graded yet; no points deducted for that. So far: 1." in page
    assert "Your answer" in page
    assert 'class="words"' in page
    show_result(waiting)
    show_scores([(waiting, None)])
    said = capsys.readouterr().out
    assert "1 so far / 3" in said
    assert "Score: 1 / 3 so far; 1 point ungraded" in said
    assert said.count("word") < 100
    path = write_grades(course_view([waiting]), tmp_path)
    (row,) = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    assert (row["status"], row["score"], row["so_far"], row["1b"]) == ("needs_review", "", "1", "")
    document = gradescope_json(waiting)
    assert "So far: 1." in json.dumps(document)
    assert "score" not in document["tests"][0]
