"""Figures of A4's accuracies and rotations, neither of which affects a verdict."""

import numpy as np
import pytest

from graders.assignments.cs224n_a4.rotary.expected import Rotation, Table
from graders.assignments.cs224n_a4.rotary.replies import ASKED, applied_rotation, table_rotation
from graders.figures import drawable

DEV, NONE = "vanilla.pretrain.dev.predictions", "vanilla.nopretrain.dev.predictions"


@pytest.fixture
def lines(predict):
    """The bytes of a prediction file of which k lines are right."""
    return lambda gold, k, seed=0: "\n".join(predict(gold, k, seed)).encode()


def test_an_accuracy_stands_beside_threshold_and_baselines(judge, lines, world):
    files = {DEV: lines(world.dev, 12), NONE: lines(world.dev, 3, seed=1)}
    (figure,) = judge("pretrain_dev", files).figures
    assert (figure.correct, figure.n, figure.threshold) == (12, len(world.dev), 0.15)
    shares = dict(figure.baselines)
    assert shares["London baseline"] == world.dev.count("London") / len(world.dev)
    assert shares["without pretraining"] == 3 / len(world.dev)


def test_a_limit_is_no_threshold_to_reach(judge, lines, world):
    (figure,) = judge("nopretrain_dev", {NONE: lines(world.dev, 3)}).figures
    assert figure.threshold is None
    assert dict(figure.baselines)["upper limit"] == 0.1


def test_a_file_of_another_world_beside_it_changes_no_verdict(judge, lines, world):
    """Predictions for the course's questions are refused where they are judged alone."""
    files = {DEV: lines(world.dev, 12)}
    alone = judge("pretrain_dev", files)
    beside = judge("pretrain_dev", {**files, NONE: b"London\n" * 500})
    assert (alone.status, alone.fraction) == (beside.status, beside.fraction)
    assert "without pretraining" not in dict(beside.figures[0].baselines)


def test_the_london_baseline_is_shown(judge):
    (figure,) = judge("london_baseline", {"london_baseline_accuracy.txt": b"0.0"}).figures
    assert figure.label == "London baseline, on dev"


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, 0.0])
def test_a_table_of_anything_is_drawn_or_not(value):
    tables = {(4, 6): np.zeros((6, 2, 2)), (32, 128): np.full((128, 16, 2), value)}
    figure = table_rotation(tables)
    assert figure is None or drawable(figure)


@pytest.mark.parametrize("shape", [(), (0,), (16, 32), (1, 1, 16, 30), (2, 1, 16, 32)])
def test_a_result_of_another_shape_is_not_drawn(shape):
    assert applied_rotation(np.ones(shape)) is None


def test_what_is_right_is_not_drawn():
    assert applied_rotation(Rotation()(ASKED)) is None
    assert table_rotation({(32, 128): Table().values(32, 128)}) is None


def test_the_picture_is_of_a_pair_that_clearly_differs():
    figure = applied_rotation(Rotation(Table(power=2.0))(ASKED))
    assert figure.label.startswith("Rotation of pair 4 of 16")
    assert figure.expected[15] == pytest.approx(15 * 10_000 ** (-6 / 32), abs=1e-6)
    assert figure.actual[15] < -9
