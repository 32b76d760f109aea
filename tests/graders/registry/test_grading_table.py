"""`[grading]` is read strictly; what does not match the rubric is refused with file and key."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.errors import UsageError
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.grading_policy import Drop, GradingPolicy, Lateness
from graders.registry.discovery import load_assignment
from graders.storage.result_json import result_from_text, result_text
from submissions.receive import identify
from tests.conftest import LIMITS

HEAD = f"""
name = "toy"
title = "Toy"
version = 1
seed = 1
due = 2026-03-01T12:00:00Z
{LIMITS}
[files]
code = ["work.py"]
"""
RUBRIC = "".join(
    f'[[criterion]]\nid = "{name}"\ntitle = "T"\npoints = {points}\nkind = "code"\n{more}\n'
    for name, points, more in (("a", 4, ""), ("b", 4, ""), ("c", 5, ""), ("x", 4, "extra_credit=1"))
).replace("extra_credit=1", "extra_credit = true")


@pytest.fixture
def load(tmp_path):
    def write(grading, head=HEAD):
        (tmp_path / "assignment.toml").write_text(f"{head}\n{grading}\n{RUBRIC}")
        return load_assignment(str(tmp_path))

    return write


def test_a_policy_is_what_the_file_declares(load):
    task = load(
        "[grading]\ngrace_minutes = 5\nlate_percent_per_hour = 2\nlate_kind = 'of_maximum'\n"
        "late_max_days = 3\ntoo_late = 'not_accepted'\nround_to = 0.5\nrounding = 'up'\n"
        "[[grading.drop]]\ncriteria = ['a', 'b']\nlowest = 1"
    )
    lateness = Lateness(5, 2, 3_600, "of_maximum", 3, "not_accepted")
    assert task.grading == GradingPolicy(lateness, (Drop(("a", "b"), 1),), 0.5, "up")
    assert [criterion.id for criterion in task.rubric if criterion.extra_credit] == ["x"]


def test_an_assignment_without_a_table_declares_nothing(load):
    assert not load("").grading.declared


@pytest.mark.parametrize(
    ("grading", "words"),
    [
        ("[grading]\nlate = 1", "there is no key `late`"),
        ("[grading]\ndue = 2026-01-01", "the key `due` belongs above the first `[table]`"),
        ("[grading]\nround_to = 0", "`round_to` is 0; it must be at least 0.001: a step such as"),
        ("[grading]\nround_to = 1e-30", "`round_to` is"),
        ("[grading]\nlate_percent_per_day = 101", "`late_percent_per_day` is 101"),
        ("[grading]\nlate_percent_per_day = 1\nlate_percent_per_hour = 1", "not both"),
        (
            "[[grading.drop]]\ncriteria = ['a', 'q']\nlowest = 1",
            "no criterion `q` that could be dropped; choose",
        ),
        ("[[grading.drop]]\ncriteria = ['a', 'xb']\nlowest = 1", "did you mean `b`?"),
        ("[[grading.drop]]\ncriteria = ['a', 'x']\nlowest = 1", "no criterion `x`"),
        ("[[grading.drop]]\ncriteria = ['a', 'c']\nlowest = 1", "unequal points"),
        ("[[grading.drop]]\ncriteria = ['a', 'a']\nlowest = 1", "duplicate `a`"),
        ("[[grading.drop]]\ncriteria = ['a', 'b']\nlowest = 2", "leaves nothing"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_key(load, grading, words):
    with pytest.raises(UsageError, match=r"assignment\.toml: `?grading") as refused:
        load(grading)
    assert words in str(refused.value)


def test_a_result_has_extra_credit_above_its_maximum(tiny, hand_in):
    rubric = tuple(
        replace(criterion, extra_credit=criterion.id == "answer") for criterion in tiny.rubric
    )
    upload = identify(hand_in(answer_txt="42"), "tiny")
    options = Options(best_tier(), only=frozenset({"answer"}))
    result = grade_submission(upload, replace(tiny, rubric=rubric), options)
    assert (result.score, result.max_score) == (2.0, 0.0)
    again = result_from_text(result_text(result), "")
    assert [graded.criterion.extra_credit for graded in again.criteria] == [True]


@pytest.mark.parametrize(
    "due",
    ["2026-03-01T12:00:00", '"2026-03-01T12:00:00"', "2026-03-01", '"2026-03-01"', "2026", "true"],
)
def test_a_due_date_without_a_time_or_its_zone_is_refused(load, due):
    with pytest.raises(UsageError, match="a date with a time and a time zone") as refused:
        load("", HEAD.replace("2026-03-01T12:00:00Z", due))
    assert "`due` is" in str(refused.value)


@pytest.mark.parametrize("due", ['"2026-03-01T12:00:00Z"', "2026-03-01T14:00:00+02:00"])
def test_a_due_date_may_be_quoted_and_in_any_zone(load, due):
    expected = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert load("", HEAD.replace("2026-03-01T12:00:00Z", due)).due == expected
