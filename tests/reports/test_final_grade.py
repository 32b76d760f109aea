"""Every reader gets the same final grade; nothing hidden can be worked out from a page.

That includes points that a person changed, and points that are certain before all are decided.
"""

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graders.adjustments import Adjustment, adjusted
from graders.course.extensions import Extensions
from graders.course.final_grades import policy_words
from graders.course.regrade import difference
from graders.course.release import CourseRules
from graders.grading_policy import Drop, GradingPolicy, Lateness
from graders.model import Check, CheckResult, Criterion, CriterionResult
from graders.scoring import criterion_result as scored
from reports.course.table import table_data
from reports.course.view import Counted, course_view
from reports.grades import write_grades
from reports.gradescope.results_json import gradescope_json
from reports.provisional import provisional, so_far
from reports.student.page import student_view, write_student_page
from reports.submission_files import have_files, write_submission_files
from reports.terminal.results import show_result, show_scores
from reports.words import adjusted_words
from tests.reports.conftest import CODE, FILES, check_result, criterion_result

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
POLICY = GradingPolicy(Lateness(percent=10, max_days=3), round_to=0.5)
RULES = CourseRules(policy=POLICY, dues=Extensions(DUE))
TIMES = "(submitted 2026-03-03 12:00, due 2026-03-01 12:00 UTC)"
WORDS = f"14 of 14 points; 2 days late, minus 2.8 {TIMES}; rounded to a multiple of 0.5."


@pytest.fixture
def late(make_result):
    """`late(*criteria)` is a Result of an upload that came two days late; by default, all right."""

    def make(*criteria, days=2, **changes):
        full = [criterion_result(criterion, check_result()) for criterion in (CODE, FILES)]
        result = make_result(*(criteria or full), **changes)
        submission = replace(result.submission, submitted_at=DUE + timedelta(days=days))
        return replace(result, submission=submission)

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
            late(criterion_result(CODE, check_result()), criterion_result(closed, hidden)),
            tmp_path,
            RULES,
        ).read_text()
        for hidden in (check_result(), check_result("failed"), check_result("error"))
    ]
    assert f"You submitted 2 days late {TIMES}. Late work loses 10%" in pages[0]
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
    assert grade.words.startswith(
        "There is no final grade until everything is graded. You submitted 2 days"
    )
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
    assert f"You submitted 2 days late {TIMES}. You used 1 late day. Late work loses" in words


SAID = "The handout allows it."


def adjustment(criterion, points, **changes):
    return replace(
        Adjustment("ada", criterion, "f" * 64, "Rea", "points", points, comment=SAID), **changes
    )


@pytest.mark.parametrize(
    ("status", "points", "words"),
    [
        ("passed", CODE.points, f"confirmed these points: {CODE.points:g}."),
        ("passed", 1, f"set these points to 1; the checks give {CODE.points:g}."),
        ("error", 1, "set these points to 1."),
    ],
)
def test_a_sentence_says_what_changed(make_result, status, points, words):
    graded = criterion_result(CODE, check_result(status))
    result = adjusted(make_result(graded), [adjustment(CODE.id, points)])
    assert result.score == points
    assert adjusted_words(result.criteria[0]) == f"Your instructor {words}"


def test_a_rejected_upload_stays_without_points(make_result):
    result = make_result(criterion_result(CODE, check_result()), status="rejected")
    assert adjusted(result, [adjustment(CODE.id, 1)]) is result


def test_an_adjusted_criterion_is_told_alone_and_marked(make_result, tmp_path):
    criteria = [replace(CODE, id=f"c{n}", title=f"Title {n}") for n in range(4)]
    graded = [
        criterion_result(criterion, check_result("failed", message="Not submitted."))
        for criterion in criteria
    ]
    unchecked = CriterionResult(replace(CODE, id="c4"), "failed", 0.0, ())
    rows = [adjustment("c0", 1), adjustment("c4", 0)]
    page = write_submission_files(adjusted(make_result(*graded, unchecked), rows), tmp_path)[-1]
    text = page.read_text()
    assert "3 criteria, same reason" in text
    assert text.count(SAID) == 2
    assert text.count('<span class="tag">adjusted</span>') == 2
    assert "Advice only" not in text


@pytest.mark.parametrize("own", [True, False])
def test_criteria_told_together_keep_their_own_hints(make_result, tmp_path, own):
    """The first check alone may say what concerns all of them, such as a missing file."""
    criteria = [replace(CODE, id=f"c{n}", title=f"Title {n}") for n in range(3)]
    hints = [f"Write `text: ...` below `## {n}`." if own or n == 0 else "" for n in range(3)]
    checks = [check_result("failed", message="Not answered.", hint=hint) for hint in hints]
    graded = [criterion_result(*pair) for pair in zip(criteria, checks, strict=True)]
    text = write_submission_files(make_result(*graded), tmp_path)[-1].read_text()
    group = text.partition("3 criteria, same reason")[2].partition("</section>")[0]
    shared, _, folded = group.partition("Hints, one by one")
    assert ("<strong>Hint</strong>" in shared, bool(folded)) == (not own, own)
    for number, item in enumerate(folded.split("<li>")[1:]):
        assert f"Title {number}<br>" in item
        assert f"## {number}" in item
    assert folded.count("<li>") == 3 * own


def test_staff_read_that_an_adjustment_is_of_an_earlier_upload(make_result):
    before = make_result(criterion_result(CODE, check_result()))
    after = make_result(criterion_result(CODE, check_result("failed")))
    (sentence,) = difference(adjusted(before, [adjustment(CODE.id, 1)]), after).adjusted
    by = "adjusted to 1 by Rea, for an earlier upload: it no longer counts"
    assert sentence == f"rotary: machine 4 -> 0, {by}"
    assert not difference(None, adjusted(before, [adjustment(CODE.id, 1)])).adjusted


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
    result = make_result(scored(TEXT, checks))
    return replace(result, status="needs_review")


def test_what_is_decided_is_certain_and_what_we_failed_to_grade_has_no_sum(
    waiting, graded, incomplete, rejected
):
    points = provisional(waiting.criteria[0])
    assert (points.earned, points.waiting) == (1, 1)
    assert so_far(waiting) == 1
    assert [provisional(criterion).waiting for criterion in graded.criteria] == [0, 0, 0]
    assert so_far(graded) == graded.score
    assert so_far(incomplete) is None
    assert so_far(rejected) is None
    without_a_check = provisional(scored(TEXT, ()))
    assert (without_a_check.earned, without_a_check.waiting) == (0, 3)


def test_every_reader_is_told_what_is_certain(tmp_path, waiting, capsys):
    page = write_student_page(waiting, tmp_path).read_text(encoding="utf-8")
    assert "No total yet" in page
    assert "1 of 3 points so far; 1 point ungraded." in page
    assert "Not graded yet: 1 of 3 points; no points deducted for that. So far: 1." in page
    assert "Your answer" in page
    assert 'class="words"' in page
    show_result(waiting)
    show_scores([(waiting, None)])
    output = capsys.readouterr().out
    assert "score / 3" in output
    assert "1 so far  Needs manual grading" in output
    assert "Score: 1 / 3 so far; 1 point ungraded" in output
    assert output.count("word") < 100
    path = write_grades(course_view([waiting]), tmp_path)
    (row,) = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    assert (row["status"], row["score"], row["so_far"], row["1b"]) == ("needs_review", "", "1", "")
    document = gradescope_json(waiting)
    assert "So far: 1." in json.dumps(document)
    assert "score" not in document["tests"][0]
