"""Criteria are released at their time, not while somebody can still submit."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graders.course.extensions import Extensions
from graders.course.release import end_of, opened, still_closed
from graders.grading_policy import GradingPolicy, Lateness
from graders.model import Criterion

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MOMENT = timedelta(seconds=1)
KINDS = ("visible", "hidden", "after_due_date", "after_published")


@pytest.fixture
def task(tiny):
    rubric = tuple(Criterion(f"c-{kind}", kind, 1.0, kind, "code") for kind in KINDS)
    return replace(tiny, rubric=rubric, due=DUE)


def late(task, **policy):
    return replace(task, grading=GradingPolicy(Lateness(**policy)))


@pytest.mark.parametrize(
    ("now", "released", "names"),
    [
        (DUE, False, set()),
        (DUE + MOMENT, False, {"c-after_due_date"}),
        (DUE, True, {"c-after_published"}),
        (DUE + MOMENT, True, {"c-after_due_date", "c-after_published"}),
    ],
)
def test_each_kind_has_its_time(task, now, released, names):
    assert opened(task, DUE, released=released, now=now) == names


def test_without_a_due_date_staff_say_so(task):
    end = end_of(replace(task, due=None), Extensions(None))
    assert opened(task, end, released=False, now=DUE + 999 * DAY) == frozenset()
    assert "c-after_due_date" in opened(task, end, released=True, now=DUE)


def test_one_extension_keeps_it_closed_for_all_and_hidden_for_good_waits_for_nothing(task):
    dues = Extensions(DUE, {"ada": DUE + 3 * DAY, "bob": DUE + DAY, "eve": DUE - DAY})
    assert end_of(task, dues) == DUE + 3 * DAY
    assert end_of(task, Extensions(DUE, {"ada": DUE - DAY})) == DUE
    assert end_of(late(task, percent=10.0), Extensions(DUE)) is None
    assert [criterion.id for criterion in still_closed(task, frozenset({"c-after_due_date"}))] == [
        "c-after_published"
    ]


@pytest.mark.parametrize(
    ("policy", "more"),
    [
        ({}, 0 * DAY),
        ({"grace_minutes": 30.0}, timedelta(minutes=30)),
        ({"percent": 10.0, "max_days": 3, "grace_minutes": 30.0}, 3 * DAY),
        ({"percent": 10.0, "max_days": 0, "grace_minutes": 30.0}, timedelta(minutes=30)),
        ({"max_days": 2, "too_late": "not_accepted"}, 2 * DAY),
    ],
)
def test_late_days_count_after_the_last_extension(task, policy, more):
    assert end_of(late(task, **policy), Extensions(DUE, {"ada": DUE + DAY})) == DUE + DAY + more


@pytest.mark.parametrize("policy", [{"grace_minutes": 5.0}, {"max_days": 10**9}])
def test_a_date_that_never_comes_opens_nothing(task, policy):
    never = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    assert end_of(late(task, **policy), Extensions(never)) > DUE + 9999 * DAY
