"""Losses of planted examples are listed by criterion, the largest first."""

import pytest

from benchmarks.quality.losses import lines, losses
from graders.audit.examples import expectation
from graders.registry.discovery import load_assignment
from tests.planted import examples_of


@pytest.fixture(scope="module")
def expected_losses():
    """The losses in a criterion of cs224n-a4, and the criterion."""
    task = load_assignment("cs224n-a4")
    folders = sorted(examples_of(task.name).iterdir())
    known = {path.name: expectation(path, task) for path in folders}

    def find(name):
        criterion = next(each for each in task.rubric if each.id == name)
        return losses(known, criterion), criterion

    return find


def test_largest_loss_comes_first(expected_losses):
    found, _ = expected_losses("rotary")
    assert found[0].example == "wrong-rotary-not-written"
    assert [each.points for each in found] == sorted((each.points for each in found), reverse=True)


@pytest.mark.parametrize("name", ["jhu-hw6", "cs182-transformers"])
def test_every_criterion_is_listed(name):
    task = load_assignment(name)
    listed = [line.split(":")[0] for line in lines(task, "") if not line.startswith(" ")]
    assert listed == [each.id for each in task.rubric]


@pytest.mark.parametrize("criterion", ["span-corruption", "rotary"])
def test_one_slip_costs_a_third_at_most(expected_losses, criterion):
    """More is lost only by work that is not written, always raises or has not a single number."""
    every, graded = expected_losses(criterion)
    more = ("not-written", "wrong-crash", "table-not-finite")
    found = [each for each in every if not any(name in each.example for name in more)]
    assert found[0].points <= graded.points / 3
