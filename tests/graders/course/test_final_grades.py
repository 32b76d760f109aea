"""Raw scores become grades: lateness never gains, none remains none, rounding is last.

The best attempt counts; if one has no grade, a person decides.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.course.best_attempts import Attempt, best_attempts
from graders.course.final_grades import final_grade
from graders.grading_policy import Drop, GradingPolicy, Lateness
from graders.model import Adjusted, Criterion, CriterionResult, Result, Submission

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
IDS = ("a", "b", "c")


def make(points, late=None, extra=None, most=10.0):
    """A Result of criteria a, b, c (`most` each) and perhaps extra credit of 5."""
    given_points = dict(zip(IDS, points, strict=False))
    criteria = [
        CriterionResult(
            Criterion(name, name.upper(), most, "visible", "code"), "partial", earned, ()
        )
        for name, earned in given_points.items()
    ]
    if extra is not None:
        bonus = Criterion("x", "X", 5.0, "visible", "code", extra_credit=True)
        criteria.append(CriterionResult(bonus, "partial", extra, ()))
    score = None if None in points else sum(criterion.points for criterion in criteria)
    at = None if late is None else DUE + late
    submission = Submission("ada", "ada", "toy", Path(), "f" * 64, at)
    most_of_all, results = most * len(points), tuple(criteria)
    return Result(submission, "toy", 1, "Toy", "graded", results, score, most_of_all, {}, DUE, 0)


def final(policy, *words, due=DUE, **changes):
    return final_grade(make(*words, **changes), policy, due)


LATE = GradingPolicy(Lateness(grace_minutes=10, percent=10, max_days=3))
hours = st.floats(-100, 200).map(lambda h: timedelta(hours=h))
points = st.integers(0, 1000).map(lambda cents: cents / 100)
policies = st.builds(
    GradingPolicy,
    st.builds(
        Lateness,
        st.floats(0, 600),
        st.floats(0, 100),
        st.sampled_from([3_600, 86_400]),
        st.sampled_from(["of_score", "of_maximum"]),
        st.none() | st.integers(0, 5),
    ),
    st.sampled_from([(), (Drop(IDS, 1),), (Drop(("a", "b"), 1),)]),
    st.sampled_from([None, 0.1, 0.25, 0.5, 1.0]),
    st.sampled_from(["half_up", "half_even", "up", "down"]),
)


@given(policies, st.tuples(points, points, points), hours, hours, points.map(lambda p: p / 2))
def test_later_never_earns_more(policy, earned, one, other, extra):
    early, late = (
        final(policy, earned, late=delay, extra=extra).final for delay in sorted([one, other])
    )
    assert early >= late


@given(policies, st.tuples(points, points, points), hours, points.map(lambda p: p / 2))
def test_a_grade_lies_between_nothing_and_all_there_was(policy, earned, late, extra):
    grade = final(policy, earned, late=late, extra=extra)
    assert 0 <= grade.final <= grade.maximum + 5
    assert 0 <= grade.penalty <= grade.raw + 1e-9


@given(policies, st.tuples(points, points, points), hours)
def test_a_rounded_grade_is_a_multiple(policy, earned, late):
    grade = final(replace(policy, round_to=0.25), earned, late=late)
    assert grade.final % 0.25 == 0


@given(policies, hours)
def test_no_score_stays_no_grade(policy, late):
    grade = final(policy, (1.0, None, 2.0), late=late)
    assert (grade.final, grade.raw) == (None, None)


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        (timedelta(minutes=-5), 30.0),
        (timedelta(minutes=10), 30.0),
        (timedelta(minutes=11), 27.0),
        (timedelta(days=1), 27.0),
        (timedelta(days=1, seconds=1), 24.0),
        (timedelta(days=3), 21.0),
        (timedelta(days=3, seconds=1), 0.0),
    ],
    ids=str,
)
def test_every_day_begun_costs_after_the_grace(late, expected):
    assert final(LATE, (10.0, 10.0, 10.0), late=late).final == expected


def test_hours_and_a_percentage_of_the_maximum_count_where_they_are_asked_for():
    hourly = GradingPolicy(Lateness(percent=1, unit_seconds=3_600))
    assert final(hourly, (10.0,), late=timedelta(hours=4, minutes=1)).final == 9.5
    policy = GradingPolicy(Lateness(percent=10, kind="of_maximum"))
    assert final(policy, (10.0, 0.0), late=timedelta(hours=1)).final == 8.0
    assert final(policy, (1.0, 0.0), late=timedelta(hours=1)).final == 0.0


def test_too_late_to_be_accepted_is_no_zero_and_without_a_time_nothing_is_late():
    policy = GradingPolicy(Lateness(max_days=1, too_late="not_accepted"))
    grade = final(policy, (10.0,), late=timedelta(days=2))
    assert (grade.final, grade.raw) == (None, 10.0)
    assert "not accepted" in grade.words
    assert final(LATE, (10.0,)).final == 10.0
    assert final(LATE, (10.0,), late=timedelta(days=9), due=None).final == 10.0


def test_the_lowest_of_a_group_does_not_count_and_extra_credit_only_to_the_score():
    grade = final(GradingPolicy(drops=(Drop(IDS, 1),)), (4.0, 10.0, 6.0))
    assert (grade.final, grade.maximum, grade.dropped) == (16.0, 20.0, ("a",))
    assert final(GradingPolicy(drops=(Drop(IDS, 1),)), (4.0, 10.0)).final == 14.0
    grade = final(GradingPolicy(), (10.0, 10.0), extra=3.0)
    assert (grade.final, grade.maximum, grade.extra) == (23.0, 20.0, 3.0)


@pytest.mark.parametrize(
    ("rounding", "expected"), [("half_up", 2.5), ("half_even", 2.0), ("up", 2.5), ("down", 2.0)]
)
def test_rounding_goes_the_way_that_is_named(rounding, expected):
    policy = GradingPolicy(round_to=0.5, rounding=rounding)
    assert final(policy, (2.25,)).final == expected


def test_the_words_say_how_it_came_and_rounding_comes_after_the_penalty():
    policy = GradingPolicy(Lateness(percent=10), round_to=1.0)
    assert final(policy, (9.0,), late=timedelta(hours=1)).final == 8.0
    assert final(GradingPolicy(round_to=1.0, rounding="up"), (9.5,), most=9.5).final == 9.5
    policy = GradingPolicy(Lateness(percent=10), (Drop(IDS, 1),), 0.5)
    grade = final(policy, (4.0, 10.0, 6.0), late=timedelta(days=2), extra=1.0)
    assert grade.words == (
        "17 of 20 points; 1 of them extra credit; without A (dropped); "
        "2 days late, minus 3.4 (submitted 2026-03-03 12:00, due 2026-03-01 12:00 UTC); "
        "rounded to a multiple of 0.5."
    )
    assert grade.final == 13.5


@pytest.mark.parametrize(("lowest", "dropped"), [(1, ("b",)), (2, ("b",))])
def test_what_a_student_is_excused_from_uses_up_no_drop(lowest, dropped):
    result = make((9, 3, 7))
    first, *rest = result.criteria
    none = replace(first.criterion, points=0.0)
    excuse = Adjusted("excuse", 9, 10, "Ill.")
    excused = replace(first, criterion=none, points=0.0, adjusted=excuse)
    adjusted = replace(result, criteria=(excused, *rest), score=10)
    grade = final_grade(adjusted, GradingPolicy(drops=(Drop(IDS, lowest),)), DUE)
    assert (grade.dropped, grade.final, grade.maximum) == (dropped, 7, 10)


@pytest.mark.parametrize(
    ("days", "free", "expected", "used"),
    [(2.5, 2, 9, 2), (2.5, 9, 10, 3), (0.001, 2, 10, 0), (3.5, 9, 0, 0), (-1, 2, 10, 0)],
    ids=["some", "more than needed", "grace", "too late anyway", "early"],
)
def test_free_days_are_used_only_for_days_that_cost(days, free, expected, used):
    grade = final_grade(make([10.0], timedelta(days=days)), LATE, DUE, free)
    assert (grade.final, grade.free_days) == (expected, used)


def test_free_days_are_whole_days_also_of_a_penalty_by_the_hour():
    hourly = GradingPolicy(Lateness(percent=1, unit_seconds=3600))
    grade = final_grade(make([10.0], timedelta(hours=27)), hourly, DUE, 1)
    assert (grade.final, grade.days_late, grade.free_days) == (9.7, 2, 1)
    assert grade.words.startswith("10 of 10 points; 2 days late, 1 late day used, minus 0.3 (subm")
    free = final_grade(make([10.0], timedelta(hours=27)), GradingPolicy(round_to=1.0), DUE, 1)
    assert free.free_days == 0, "late work costs nothing"


@given(hours, points, policies, st.integers(0, 5))
def test_free_days_never_lower_a_grade(late, earned, policy, free):
    result = make([earned, earned, 5.0], late)
    plain, helped = final_grade(result, policy, DUE), final_grade(result, policy, DUE, free)
    assert (plain.final is None) == (helped.final is None)
    assert plain.final is None or helped.final >= plain.final


ADA, BOB = "Ada <ada@x.edu>", "Bob <bob@x.edu>"


def attempt(number, student, grade, day=1):
    moment = datetime(2026, 3, day, tzinfo=UTC)
    return Attempt(Submission(f"s{number}", student, "toy", Path(), "f" * 64, moment), grade)


def test_the_highest_grade_counts_for_a_whole_group_too():
    best = best_attempts([attempt(1, ADA, 3), attempt(2, ADA, 7), attempt(3, ADA, 5)])
    assert (best.others, best.notes) == (("s1", "s3"), ())
    assert best_attempts([attempt(1, ADA, 7, day=3), attempt(2, ADA, 7, day=2)]).others == ("s1",)
    both = f"{ADA}; {BOB}"
    best = best_attempts([attempt(1, both, 7), attempt(2, BOB, 9), attempt(3, BOB, 2)])
    assert best.others == ("s3",)
    assert best.notes == (
        "bob@x.edu: s2 counts; s1 stays because it counts for another group member",
    )


def test_one_of_several_attempts_without_a_grade_makes_it_a_persons_choice():
    assert best_attempts([attempt(1, ADA, None)]).notes == ()
    best = best_attempts([attempt(1, ADA, 7), attempt(2, ADA, None), attempt(3, BOB, 1)])
    assert best.others == ()
    assert best.notes == (
        "ada@x.edu: s2 has no grade yet, so all of these count: s1, s2; when they are graded, run "
        "the same command again",
    )
