"""Figures of A4's accuracies, rotations and losses, none of which affects a verdict."""

import numpy as np
import pytest

from graders.assignments.cs224n_a4.hidden.rerun import runs
from graders.assignments.cs224n_a4.hidden.rerun.student_losses import Losses
from graders.assignments.cs224n_a4.rotary.expected import Rotation, Table
from graders.assignments.cs224n_a4.rotary.replies import ASKED, applied_rotation, table_rotation
from graders.figures import drawable
from graders.grading.rerun import Rerun, RerunPlan
from tests.graders.assignments.test_rerun_replies import HONEST, Forger

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
    came = {(4, 6): np.zeros((6, 2, 2)), (32, 128): np.full((128, 16, 2), value)}
    figure = table_rotation(came)
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


def test_losses_are_read_from_a_progress_bar():
    losses = Losses()
    bar = b"epoch 1 iter %d: train loss %s. lr 6e-3: 10%%| \repoch 1 iter %d: train loss %s. lr\r"
    for step, loss in enumerate((b"4.5", b"3.25e-1", b"2")):
        for byte in bar % (step, loss, step, loss):
            losses.read(bytes([byte]))
    assert losses.thinned() == [[1.0, 4.5], [2.0, 0.325], [3.0, 2.0]]


def test_a_flood_of_losses_is_thinned():
    losses = Losses()
    losses.read(b"".join(b"loss %d.0\n" % step for step in range(10_000)) + b"x" * 10**6)
    kept = losses.thinned()
    assert len(kept) <= 240
    assert kept[-1] == [10_000.0, 9_999.0]


@pytest.mark.parametrize("forged", [None, 3, "x" * 9, [[1]], [["a", "b"]], [1, 2], {"a": 1}])
def test_forged_losses_cost_the_picture_alone(world, forged):
    reply = {**HONEST, "losses": forged}
    ran = runs.rerun_of(Rerun(Forger(reply), RerunPlan(60)), world)[0]
    assert (ran.problem, ran.losses) == ("", ())


def test_losses_reach_the_checks(world):
    reply = {**HONEST, "losses": [[1.0, 4.0], [2.0, 3.0]] * 1_000}
    ran = runs.rerun_of(Rerun(Forger(reply), RerunPlan(60)), world)[0]
    assert ran.losses[:2] == ((1.0, 4.0), (2.0, 3.0))
    assert len(ran.losses) == runs.MOST_LOSSES
