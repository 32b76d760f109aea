"""Every reader gets the same final grade; nothing hidden can be worked out from a page."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graders.course.extensions import Extensions
from graders.course.final_grades import policy_words
from graders.course.release import CourseRules
from graders.grading_policy import Drop, GradingPolicy, Lateness
from reports import write_submission_files
from reports.course.table import table_data
from reports.course.view import Counted
from reports.student.page import student_view, write_student_page
from reports.submission_files import have_files
from reports.terminal.results import show_result, show_scores
from tests.reports.conftest import CODE, FILES, check_result, criterion_result

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
POLICY = GradingPolicy(Lateness(percent=10, max_days=3), round_to=0.5)
RULES = CourseRules(policy=POLICY, dues=Extensions(DUE))
WORDS = "14 of 14 points; 2 days late, minus 2.8; rounded to 0.5."


@pytest.fixture
def late(make_result):
    """`late(*criteria)` is a Result of an upload that came two days late; by default, all right."""

    def make(*criteria, days=2, **changes):
        full = [criterion_result(each, check_result()) for each in (CODE, FILES)]
        result = make_result(*(criteria or full), **changes)
        given = replace(result.submission, submitted_at=DUE + timedelta(days=days))
        return replace(result, submission=given)

    return make


def test_all_readers_get_the_same_grade(late, tmp_path, capsys):
    result = late()
    counted, grade = Counted(), RULES.grade(result)
    counted.add(result, grade)
    _, gradescope, page = write_submission_files(result, tmp_path, RULES)
    show_result(result, grade)
    show_scores([(result, grade)])
    assert "<strong>11</strong> of 14 points: your final grade" in page.read_text()
    assert WORDS in page.read_text()
    assert json.loads(table_data(counted.view()))["rows"][0][3] == [14, 11]
    assert json.loads(gradescope.read_text())["score"] == 11
    assert f"Final grade: 11 ({WORDS[:-1]})" in " ".join(capsys.readouterr().out.split())
    assert student_view(result, CourseRules(dues=Extensions(DUE))).grade is None, "without a policy"


@pytest.mark.parametrize("visibility", ["hidden", "after_due_date", "after_published"])
def test_closed_points_cannot_be_worked_out_from_the_page(late, tmp_path, visibility):
    closed = replace(FILES, visibility=visibility)
    pages = [
        write_student_page(
            late(criterion_result(CODE, check_result()), criterion_result(closed, found)),
            tmp_path,
            RULES,
        ).read_text()
        for found in (check_result(), check_result("failed"), check_result("error"))
    ]
    assert "You submitted 2 days late. Late work loses 10%" in pages[0]
    assert pages[0] == pages[1]
    assert "final grade" not in pages[0].replace("Final grade:", "")


def test_the_grade_appears_with_the_last_points_and_advice_closes_nothing(late):
    closed = criterion_result(replace(FILES, visibility="after_published"), check_result())
    result = late(criterion_result(CODE, check_result()), closed)
    assert student_view(result, RULES).grade.final is None
    assert student_view(result, replace(RULES, opened=frozenset({"files"}))).grade.final == 11
    advice = replace(FILES, id="advice", title="secret", points=0.0, visibility="hidden")
    result = late(criterion_result(CODE, check_result()), criterion_result(advice, check_result()))
    assert student_view(result, RULES).grade.final == 3
    dropping = replace(RULES, policy=GradingPolicy(drops=(Drop(("advice", "rotary"), 1),)))
    assert student_view(result, dropping).grade.final is None


def test_what_is_undecided_has_no_final_grade_and_points_that_may_change_say_so(late):
    open_ = criterion_result(FILES, check_result("needs_review"))
    result = late(criterion_result(CODE, check_result()), open_, status="needs_review")
    grade = student_view(result, RULES).grade
    assert grade.final is None
    assert grade.words.startswith("There is none until everything is graded. You submitted 2 days")
    grade = student_view(late(status="needs_review"), RULES).grade
    assert grade.final == 11
    assert grade.words == f"{WORDS} It can still change, because part of this needs manual grading."


def test_work_that_is_not_accepted_has_no_grade_and_no_zero(late, tmp_path):
    policy = GradingPolicy(Lateness(max_days=1, too_late="not_accepted"))
    page = write_student_page(late(), tmp_path, replace(RULES, policy=policy)).read_text()
    assert "<strong>14</strong> of 14 points" in page
    assert "<strong>Final grade:</strong> 14 of 14 points; 2 days late (at most 1: not acc" in page


def test_files_are_old_when_an_extension_changes_the_grade(late, tmp_path):
    hidden = criterion_result(replace(FILES, visibility="hidden"), check_result())
    closed = late(criterion_result(CODE, check_result()), hidden)
    hourly = replace(RULES, policy=GradingPolicy(Lateness(percent=1, unit_seconds=3600)))
    for result, rules in ((late(), RULES), (closed, hourly)):  # then Gradescope's file alone
        write_submission_files(result, tmp_path, rules)
        assert have_files(result, tmp_path, rules)
        granted = Extensions(DUE, {"ada": DUE + timedelta(days=1)})
        assert not have_files(result, tmp_path, replace(rules, dues=granted))


def test_the_rules_are_told_without_names():
    policy = GradingPolicy(
        Lateness(10, 1, 3600, "of_maximum", 2, "not_accepted"), (Drop(("a", "b"), 1),), 0.5
    )
    assert policy_words(policy) == (
        "Of 2 criteria, the lowest does not count. Late work loses 1% of the maximum per hour "
        "started. The first 10 minutes after the due date cost nothing. Work that is more than 2 "
        "days late is not accepted. The grade is rounded to a multiple of 0.5."
    )


def test_a_page_without_the_grade_says_how_many_late_days_were_used(late):
    hidden = criterion_result(replace(FILES, visibility="hidden"), check_result())
    rules = replace(RULES, dues=Extensions(DUE, late_days={"ada": 1}))
    words = student_view(late(hidden), rules).grade.words
    assert "You submitted 2 days late. You used 1 late day. Late work loses" in words
