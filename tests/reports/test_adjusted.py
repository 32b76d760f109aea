"""What a student and staff read about points that a person changed."""

from dataclasses import replace

import pytest

from graders.adjustments import Adjustment, adjusted
from graders.course.difference import difference
from graders.model import CriterionResult
from reports import write_submission_files
from reports.words import adjusted_words
from tests.reports.conftest import CODE, check_result, criterion_result

SAID = "The handout allows it."


def given(criterion, points, **changes):
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
    result = adjusted(make_result(graded), [given(CODE.id, points)])
    assert result.score == points
    assert adjusted_words(result.criteria[0]) == f"Your instructor {words}"


def test_a_rejected_upload_stays_without_points(make_result):
    result = make_result(criterion_result(CODE, check_result()), status="rejected")
    assert adjusted(result, [given(CODE.id, 1)]) is result


def test_an_adjusted_criterion_is_told_alone_and_marked(make_result, tmp_path):
    criteria = [replace(CODE, id=f"c{n}", title=f"Title {n}") for n in range(4)]
    graded = [
        criterion_result(each, check_result("failed", message="Not submitted."))
        for each in criteria
    ]
    unchecked = CriterionResult(replace(CODE, id="c4"), "failed", 0.0, ())
    rows = [given("c0", 1), given("c4", 0)]
    page = write_submission_files(adjusted(make_result(*graded, unchecked), rows), tmp_path)[-1]
    text = page.read_text()
    assert "3 criteria, same reason" in text
    assert text.count(SAID) == 2
    assert text.count('<span class="tag">adjusted</span>') == 2
    assert "Advice only" not in text


def test_staff_read_that_an_adjustment_is_of_an_earlier_upload(make_result):
    before = make_result(criterion_result(CODE, check_result()))
    after = make_result(criterion_result(CODE, check_result("failed")))
    (said,) = difference(adjusted(before, [given(CODE.id, 1)]), after).adjusted
    by = "adjusted to 1 by Rea, for an earlier upload: it no longer counts"
    assert said == f"rotary: machine 4 -> 0, {by}"
    assert not difference(None, adjusted(before, [given(CODE.id, 1)])).adjusted
