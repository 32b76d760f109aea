"""Points: weights share them, nothing undecided counts, nothing shrinks the maximum."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.model import Check, CheckResult, Criterion
from graders.scoring import criterion_points, criterion_result, maximum, result_status, total

RUBRIC = Criterion("c", "C", 10.0, "visible", "code")
ADVICE = Criterion("c", "C", 0.0, "visible", "code")


def result(status, fraction, weight=1.0, criterion="c"):
    return CheckResult(Check("k", "K.", criterion, weight), status, fraction)


def test_weights_share_the_points():
    results = [result("passed", 1.0, 3), result("failed", 0.0, 1)]
    assert criterion_points(RUBRIC, results) == 7.5


def test_partial_credit_counts_its_share():
    assert criterion_points(RUBRIC, [result("partial", 0.25)]) == 2.5


def test_extra_credit_makes_no_maximum_larger():
    assert maximum([RUBRIC, replace(RUBRIC, extra_credit=True), ADVICE]) == 10.0


def test_a_skipped_check_keeps_its_weight():
    assert criterion_points(RUBRIC, [result("passed", 1.0), result("skipped", 0.0)]) == 5.0


def test_points_that_wait_for_confirmation_count():
    results = [result("passed", 1.0), result("needs_review", 0.5)]
    assert criterion_points(RUBRIC, results) == 7.5


@pytest.mark.parametrize("status", ["error", "needs_review"])
def test_an_undecided_check_publishes_no_points(status):
    assert criterion_points(RUBRIC, [result("passed", 1.0), result(status, 0.0)]) is None


def test_a_person_holds_no_total_back_where_no_point_is_at_stake():
    done = criterion_result(RUBRIC, [result("passed", 1.0)])
    waits = criterion_result(ADVICE, [result("needs_review", 0.0), result("skipped", 0.0)])
    assert (waits.points, waits.status) == (0.0, "needs_review")
    assert (total([done, waits]), result_status([done, waits])) == (10.0, "needs_review")


def test_our_fault_leaves_no_total_even_without_points():
    assert criterion_points(ADVICE, [result("error", 0.0)]) is None
    assert criterion_points(ADVICE, []) is None


def test_a_criterion_without_checks_has_no_points():
    graded = criterion_result(RUBRIC, [])
    assert (graded.points, graded.status) == (None, "error")


def test_one_undecided_criterion_leaves_no_total():
    done = criterion_result(RUBRIC, [result("passed", 1.0)])
    open_ = criterion_result(RUBRIC, [result("error", 0.0)])
    assert total([done, open_]) is None
    assert result_status([done, open_]) == "incomplete"


def test_a_person_goes_before_a_grade():
    waits = criterion_result(RUBRIC, [result("needs_review", 0.0)])
    assert result_status([waits]) == "needs_review"


def test_checks_of_another_criterion_do_not_count():
    graded = criterion_result(RUBRIC, [result("passed", 1.0), result("failed", 0, criterion="d")])
    assert graded.points == 10.0


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 9)), min_size=1))
def test_points_lie_between_zero_and_the_maximum(pairs):
    results = [result("partial", fraction, weight) for fraction, weight in pairs]
    points = criterion_points(RUBRIC, results)
    assert 0 <= points <= RUBRIC.points
    assert (points == RUBRIC.points) >= all(fraction == 1 for fraction, _ in pairs)


def test_advice_fails_as_a_whole():
    graded = criterion_result(ADVICE, [result("passed", 1.0), result("failed", 0.0)])
    assert (graded.status, graded.points) == ("failed", 0.0)


@pytest.mark.parametrize(
    ("statuses", "word"),
    [
        (["passed", "passed"], "passed"),
        (["passed", "failed"], "partial"),
        (["failed", "skipped"], "failed"),
        (["skipped", "skipped"], "skipped"),
        (["passed", "error"], "error"),
    ],
)
def test_the_word_for_a_criterion(statuses, word):
    results = [result(status, float(status == "passed")) for status in statuses]
    assert criterion_result(RUBRIC, results).status == word


def test_advice_earns_no_partial_credit():
    found = criterion_result(RUBRIC, [result("failed", 0.0), result("passed", 1.0, weight=0)])
    assert (found.status, found.points) == ("failed", 0.0)


def test_advice_takes_no_full_credit_away():
    found = criterion_result(RUBRIC, [result("passed", 1.0), result("failed", 0.0, weight=0)])
    assert (found.status, found.points) == ("passed", 10.0)


def test_partial_credit_is_never_rounded_to_full_points():
    found = criterion_result(RUBRIC, [result("partial", 0.9999)])
    assert (found.status, found.points) == ("partial", 9.99)
