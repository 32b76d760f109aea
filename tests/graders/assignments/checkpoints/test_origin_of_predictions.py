"""A checkpoint that gives the predictions confirms them; others need a person."""

import pytest

from graders.assignments.cs224n_a4.hidden.checkpoints.submitted import Checkpoints
from graders.assignments.cs224n_a4.hidden.predictions.origin import Origin
from graders.assignments.cs224n_a4.hidden.predictions.places import Scored
from graders.checks.compare import CheckFailed
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.registry.discovery import load_assignment
from tests.graders.assignments.checkpoints.conftest import MODELS, InProcess
from tests.graders.assignments.checkpoints.test_checkpoint_predictions import (
    ROPE,
    halves_for_neighbours,
)

FILES = [(weights, model, part) for weights, model in MODELS.items() for part in ("dev", "test")]


@pytest.fixture
def doubts(tmp_path, world):
    """The reasons why a person is asked about a prediction file among these files."""

    def ask(files, model, part, **changes):
        settings = {**load_assignment("cs224n-a4").settings, **changes}
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        submitted = SubmittedFiles({name: tmp_path / name for name in files})
        said = tuple(files[f"{model}.{part}.predictions"].decode().splitlines())
        gold = world.dev if part == "dev" else world.test
        score = Score()
        origin = Origin(Checkpoints(InProcess(), submitted, world, settings))
        origin.confirm(Scored(f"{model}.{part}.predictions", said, gold, ()), model, part, score)
        return [each.message for each in score.doubts]

    return ask


@pytest.mark.parametrize(("weights", "model", "part"), FILES)
def test_own_predictions_ask_nobody(doubts, right_files, weights, model, part):
    assert doubts(right_files, model, part) == []


@pytest.mark.parametrize("part", ["dev", "test"])
def test_predictions_of_other_weights_ask(doubts, right_files, part):
    swapped = {**right_files, "vanilla.finetune.params": right_files["vanilla.model.params"]}
    (said,) = doubts(swapped, "vanilla.pretrain", part)
    assert "agree with only" in said


def test_model_trained_with_another_rotation_asks_nobody(doubts, right_files, states, saved):
    state = {name: halves_for_neighbours(name, each) for name, each in states[ROPE].items()}
    assert doubts({**right_files, ROPE: saved(state)}, "rope.pretrain", "test") == []


def test_unreadable_checkpoint_asks(doubts, right_files):
    (said,) = doubts({**right_files, "rope.finetune.params": b"PK"}, "rope.pretrain", "test")
    assert "truncated" in said


def test_checkpoint_of_the_other_variant_asks(doubts, right_files):
    swapped = {**right_files, "rope.finetune.params": right_files["vanilla.finetune.params"]}
    assert len(doubts(swapped, "rope.pretrain", "test")) == 1


def test_rule_none_takes_points_of_other_weights(doubts, right_files):
    swapped = {**right_files, "vanilla.finetune.params": right_files["vanilla.model.params"]}
    with pytest.raises(CheckFailed, match="agree with only"):
        doubts(swapped, "vanilla.pretrain", "dev", doubtful_predictions="none")


def test_rule_accept_asks_nobody(doubts, right_files):
    swapped = {**right_files, "vanilla.finetune.params": right_files["vanilla.model.params"]}
    assert doubts(swapped, "vanilla.pretrain", "dev", doubtful_predictions="accept") == []
