"""Points: weights share them, nothing undecided counts, nothing shrinks the maximum."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.model import Check, CheckResult, Criterion
from graders.scoring import (
    criterion_points,
    criterion_result,
    maximum,
    points_lost,
    result_status,
    total,
)

RUBRIC = Criterion("c", "C", 10.0, "visible", "code")
ADVICE = Criterion("c", "C", 0.0, "visible", "code")


def result(status, fraction, weight=1.0, criterion="c"):
    return CheckResult(Check("k", "K.", criterion, weight), status, fraction)


@pytest.mark.parametrize(
    ("results", "points"),
    [
        ([result("passed", 1.0, 3), result("failed", 0.0, 1)], 7.5),  # weights share the points
        ([result("partial", 0.25)], 2.5),
        ([result("passed", 1.0), result("skipped", 0.0)], 5.0),  # which keeps its weight
        ([result("passed", 1.0), result("needs_review", 0.5)], 7.5),  # waits for confirmation
        ([result("passed", 1.0), result("failed", 0, criterion="d")], 10.0),  # of another one
        # Undecided checks publish no points.
        ([result("passed", 1.0), result("error", 0.0)], None),
        ([result("passed", 1.0), result("needs_review", 0.0)], None),
        ([], None),
    ],
)
def test_points_of_a_criterion(results, points):
    assert criterion_result(RUBRIC, results).points == points


def test_extra_credit_makes_no_maximum_larger():
    assert maximum([RUBRIC, replace(RUBRIC, extra_credit=True), ADVICE]) == 10.0


def test_a_person_holds_no_total_back_where_no_point_is_at_stake():
    done = criterion_result(RUBRIC, [result("passed", 1.0)])
    waits = criterion_result(ADVICE, [result("needs_review", 0.0), result("skipped", 0.0)])
    assert (waits.points, waits.status) == (0.0, "needs_review")
    assert (total([done, waits]), result_status([done, waits])) == (10.0, "needs_review")


def test_our_fault_leaves_no_total_even_without_points():
    assert criterion_points(ADVICE, [result("error", 0.0)]) is None
    assert criterion_points(ADVICE, []) is None


def test_one_undecided_criterion_leaves_no_total():
    done = criterion_result(RUBRIC, [result("passed", 1.0)])
    open_ = criterion_result(RUBRIC, [result("error", 0.0)])
    assert total([done, open_]) is None
    assert result_status([done, open_]) == "incomplete"


def test_a_person_goes_before_a_grade():
    waits = criterion_result(RUBRIC, [result("needs_review", 0.0)])
    assert result_status([waits]) == "needs_review"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 9)), min_size=1))
def test_points_lie_between_zero_and_the_maximum(pairs):
    results = [result("partial", fraction, weight) for fraction, weight in pairs]
    points = criterion_points(RUBRIC, results)
    assert 0 <= points <= RUBRIC.points
    assert (points == RUBRIC.points) >= all(fraction == 1 for fraction, _ in pairs)
    lost = points_lost(criterion_result(RUBRIC, results), results)
    assert lost == pytest.approx(RUBRIC.points - points, abs=0.011)


@pytest.mark.parametrize(
    ("rubric", "results", "status", "points"),
    [
        (RUBRIC, [("passed", 1.0, 1), ("passed", 1.0, 1)], "passed", 10.0),
        (RUBRIC, [("passed", 1.0, 1), ("failed", 0.0, 1)], "partial", 5.0),
        (RUBRIC, [("failed", 0.0, 1), ("skipped", 0.0, 1)], "failed", 0.0),
        (RUBRIC, [("skipped", 0.0, 1), ("skipped", 0.0, 1)], "skipped", 0.0),
        (RUBRIC, [("passed", 1.0, 1), ("error", 0.0, 1)], "error", None),
        (RUBRIC, [], "error", None),
        # Advice, without points or without weight, earns nothing, takes nothing, fails as a whole.
        (ADVICE, [("passed", 1.0, 1), ("failed", 0.0, 1)], "failed", 0.0),
        (RUBRIC, [("failed", 0.0, 1), ("passed", 1.0, 0)], "failed", 0.0),
        (RUBRIC, [("passed", 1.0, 1), ("failed", 0.0, 0)], "passed", 10.0),
        # Partial credit is never rounded to full points.
        (RUBRIC, [("partial", 0.9999, 1)], "partial", 9.99),
    ],
)
def test_the_word_for_a_criterion_and_its_points(rubric, results, status, points):
    graded = criterion_result(rubric, [result(*values) for values in results])
    assert (graded.status, graded.points) == (status, points)
