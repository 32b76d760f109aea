"""Answers that cannot be read automatically have a rubric, and people's decisions count."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from graders.model import Check, CheckResult, Criterion
from graders.registry.discovery import load_assignment
from graders.scoring import criterion_result
from graders.written.decisions import Decision, JudgedItem, answer_sum, decided, decided_as, waits
from graders.written.free_text.manual import AWARDS, by_hand
from graders.written.loading import questions_in
from graders.written.verifiers.reported.settings import CurveAward, RunAward, TextAward
from tests.graders.written.conftest import ask
from tests.graders.written.test_decisions import result as result

FOLDERS = sorted((Path(__file__).parents[3] / "graders" / "assignments").iterdir())


@pytest.mark.parametrize(
    "folder", [each.name for each in FOLDERS if (each / "written.toml").is_file()]
)
def test_every_machine_part_can_be_decided_for_all_its_points(folder):
    for question in questions_in(load_assignment(folder).folder):
        machine = by_hand(question)
        assert (machine is None) == (question.machine is None)
        if machine is not None:
            assert machine.review.points == question.machine.points
            total = sum(item.points for item in machine.review.items)
            assert total == pytest.approx(question.machine.points, abs=1e-9)


def test_every_award_has_a_line_of_the_rubric():
    names = {name for kind in (CurveAward, RunAward, TextAward) for name in get_args(kind)}
    assert names == set(AWARDS)


def test_each_value_has_a_line_of_its_own():
    question = by_hand(ask("1d.i", "formula", ("q1", "q2", "q3"), None))
    assert [each.text for each in question.review.items] == [
        "`q1` is correct",
        "`q2` is correct",
        "`q3` is correct",
    ]
    assert question.id == "1d.i:machine"


@pytest.mark.parametrize(
    ("check", "name"), [("1b/machine", "1b:machine"), ("1b/review", "1b"), ("c.i/review", "c.i")]
)
def test_a_check_has_a_name_to_decide_it_by(check, name):
    assert decided_as(check) == name


@pytest.mark.parametrize(
    ("check", "status", "expected"),
    [
        *(("1b/machine", "needs_review", True), ("1b/review", "needs_review", True)),
        *(("1b/machine", "failed", False), ("checkpoints", "needs_review", True)),
    ],
)
def test_checks_that_need_review_wait(check, status, expected):
    assert waits(CheckResult(Check(check, "", "1b"), status, 0.0)) is expected


def test_three_thirds_of_a_point_are_the_point(result):
    question = by_hand(replace(ask("e", "formula", ("x", "y", "z"), None)))
    items = tuple(JudgedItem(each.text, each.points, True) for each in question.review.items)
    check = Check("e/machine", "", "e", 1.0)
    waiting = CheckResult(check, "needs_review", 0.0, "Why.", "Where.", actual="x")
    graded = criterion_result(Criterion("e", "", 1.0, "visible", "written"), (waiting,))
    made = Decision("ada", "e/machine", answer_sum("x"), "Rea", 1.0, items, number=1)
    after = decided(replace(result, criteria=(graded,), score=None), [made])
    found = after.criteria[0].checks[0]
    assert (found.status, found.fraction, found.hint, after.score) == ("passed", 1.0, "", 1.0)
