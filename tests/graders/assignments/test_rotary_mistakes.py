"""Every known mistake is named correctly, from code that makes it independently."""

import inspect
import json

import pytest
import torch

from graders.assignments.cs224n_a4.rotary import checks_application, checks_table
from graders.assignments.cs224n_a4.rotary.mistakes import (
    FORMULAS,
    TABLES,
    TURN,
    TURNED,
    table_pairs,
)
from graders.checks.compare import CheckFailed
from graders.checks.inputs import PUBLIC, Inputs
from graders.checks.mistakes import sentence
from graders.checks.score import Score
from graders.grading.secret import new_secret
from tests.console import ROOT
from tests.graders.assignments.rotary_mistakes import (
    APPLY,
    PRECOMPUTE,
    Coder,
    even,
    right,
    right_theta,
    table,
)

VERDICTS = ROOT / "tests" / "verdicts" / "cs224n-a4.json"
pytestmark = pytest.mark.usefixtures("few_examples")


def ask(check, student, draw=PUBLIC):
    """Ask a check; what it shows."""
    fixtures = {"student": student, "inputs": Inputs(draw), "score": Score()}
    try:
        check(**{name: fixtures[name] for name in inspect.signature(check).parameters})
    finally:
        student.shown = fixtures["score"].figures


def hint(check, student, draw=PUBLIC):
    with pytest.raises(CheckFailed) as failed:
        ask(check, student, draw)
    return failed.value.hint


def assert_differs(shown):
    """One picture of angles over 16 positions, of which some are visibly others."""
    (rotation,) = shown
    assert len(rotation.expected) == len(rotation.actual) == 16
    apart = [abs(a - b) for a, b in zip(rotation.expected, rotation.actual, strict=True)]
    assert max(apart) > 0.05


def says(mistakes, name):
    return next(mistake.hint for mistake in mistakes if mistake.id == name)


def test_right_functions_have_no_mistake():
    for check in (
        checks_table.test_table_values,
        checks_application.test_rotation_values,
    ):
        student = Coder()
        ask(check, student)
        assert student.shown == []


@pytest.mark.parametrize("draw", [PUBLIC, new_secret()], ids=["public", "secret"])
@pytest.mark.parametrize("name", PRECOMPUTE)
def test_table_mistake_is_named(name, draw):
    student = Coder(precompute=PRECOMPUTE[name])
    assert hint(checks_table.test_table_values, student, draw) == says(TABLES, name), hex(draw)
    assert_differs(student.shown)


@pytest.mark.parametrize("draw", [PUBLIC, new_secret()], ids=["public", "secret"])
@pytest.mark.parametrize("name", APPLY)
def test_rotation_mistake_is_named(name, draw):
    student = Coder(apply=APPLY[name])
    advice = hint(checks_application.test_rotation_values, student, draw)
    assert advice == says({**FORMULAS, **TURNED}, name), hex(draw)
    assert_differs(student.shown)


@pytest.mark.parametrize("draw", [PUBLIC, new_secret()], ids=["public", "secret"])
def test_unknown_rotation_repeats_the_equation(draw):
    """With six features, rotating half of the pairs looks as if θ were not divided by d."""

    def half_of_the_pairs(x, rope_cache):
        rotated = 2 * (x.shape[-1] // 4)
        return torch.cat((right(x, rope_cache)[..., :rotated], x[..., rotated:]), dim=-1)

    advice = hint(checks_application.test_rotation_values, Coder(apply=half_of_the_pairs), draw)
    assert advice == sentence(TURN), hex(draw)


def test_every_mistake_is_made_here_or_in_a_planted_example():
    """`validate --frozen` holds each example to its hints."""
    frozen = json.loads(VERDICTS.read_text(encoding="utf-8"))
    hints = {check["hint"] for checks in frozen.values() for check in checks.values()}
    for mistake in {**TABLES, **FORMULAS}:
        here = mistake.id in {*PRECOMPUTE, *APPLY}
        assert here or any(str(mistake.hint)[1:-1] in hint for hint in hints), mistake.id


def test_two_mistakes_are_named_together():
    student = Coder(precompute=table(lambda d: 10_000 ** (even(d) / d), first=1))
    both = dict(table_pairs())
    assert hint(checks_table.test_table_values, student) == says(
        both, "exponent-sign+positions-from-one"
    )


def test_coarse_table_is_named():
    student = Coder(precompute=lambda *size: table()(*size).half())
    assert "not precise enough" in hint(checks_table.test_table_values, student)


@pytest.mark.parametrize(
    "precompute",
    [
        table(turn=lambda a: a + 0.3),
        table(lambda dim: 10_000 ** (-even(dim) / 32)),  # correct where a known one has huge angles
    ],
)
def test_unknown_mistake_repeats_the_equation(precompute):
    advice = hint(checks_table.test_table_values, Coder(precompute=precompute))
    assert advice == checks_table.GENERAL


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (lambda t: torch.view_as_complex(t), "complex"),
        (lambda t: t.movedim(-1, 0), "first axis"),
        (lambda t: t.movedim(-1, 1), "second axis"),
        (lambda t: torch.cat(t.unbind(-1), -1), "joined along the last axis"),
        (lambda t: t.flatten(-2), "alternating along the last axis"),
        (lambda t: t.transpose(0, 1), "positions along the second axis"),
        (lambda t: torch.outer(torch.arange(len(t)), right_theta(2 * t.shape[1])), "angles"),
        (lambda t: t[:-1], "one row per position"),
    ],
)
def test_layout_of_table_is_named(layout, words):
    student = Coder(precompute=lambda *size: layout(table()(*size)))
    student.rotary_tables = lambda sizes: [student.precompute(*size).numpy() for size in sizes]
    assert words in hint(checks_table.test_table_shape, student)
