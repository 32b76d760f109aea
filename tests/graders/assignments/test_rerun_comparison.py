"""A rerun's untrusted replies are read with limits, and compared with the submission in words."""

import numpy as np
import pytest

from graders.assignments.cs224n_a4.hidden.checkpoints.weights import Weights
from graders.assignments.cs224n_a4.hidden.predictions.places import Scored
from graders.assignments.cs224n_a4.hidden.rerun import runs
from graders.assignments.cs224n_a4.hidden.rerun.checks import (
    compare_answers,
    compare_shapes,
    read_anew,
)
from graders.assignments.cs224n_a4.hidden.rerun.runs import COMMANDS, Ran
from graders.assignments.cs224n_a4.hidden.rerun.student_side import Losses
from graders.boundary.outcome import MALFORMED
from graders.grading.rerun import Rerun, RerunPlan
from tests.graders.assignments.answering import Answering

NAME = "vanilla.model.params"


def weights(**shapes):
    return Weights(NAME, {name: np.zeros(shape, np.float32) for name, shape in shapes.items()})


def scored(k, n=500, other="Nowhere", name="rope.pretrain.dev.predictions"):
    gold = tuple(f"place {i}" for i in range(n))
    return Scored(name, gold[:k] + (other,) * (n - k), gold, ())


def test_equal_shapes_are_said():
    compared = compare_shapes(NAME, {"a": (2, 3), "b": ()}, weights(a=(2, 3), b=()))
    assert not compared.suspicious
    assert "the same 2 names and shapes" in compared.sentence


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "module._orig_mod."])
def test_prefixes_of_wrapping_modules_are_no_difference(prefix):
    anew = {f"{prefix}a": (2, 3), f"{prefix}b": (1,)}
    assert not compare_shapes(NAME, anew, weights(a=(2, 3), b=(1,))).suspicious


def test_other_tensors_are_named():
    compared = compare_shapes(NAME, {"a": (2, 3), "c": (1,)}, weights(a=(2, 4), b=(1,), d=(1,)))
    assert compared.suspicious
    assert "only the rerun has c" in compared.sentence
    assert "only the submission has b, d" in compared.sentence
    assert "with a different shape a (2×3, submitted 2×4)" in compared.sentence


def test_a_long_list_is_cut():
    compared = compare_shapes(NAME, {}, weights(**dict.fromkeys("abcdef", (1,))))
    assert "only the submission has a, b, c and 3 more" in compared.sentence


@pytest.mark.parametrize(
    ("anew", "submitted", "explained", "suspicious"),
    [
        (92, 88, True, False),
        (92, 130, True, False),
        (20, 150, False, True),
        (150, 20, False, False),
    ],
)
def test_only_a_better_submission_is_suspicious(anew, submitted, explained, suspicious):
    compared = compare_answers(scored(anew), scored(submitted), 0.001)
    assert compared.suspicious is suspicious
    assert ("Chance explains" in compared.sentence) is explained
    assert f"rerun {anew} of 500" in compared.sentence
    assert f"submission {submitted} of 500" in compared.sentence


def test_same_answers_are_counted():
    assert "All lines are identical." in compare_answers(scored(3), scored(3), 0.1).sentence
    compared = compare_answers(scored(3, other="x"), scored(5, other="y"), 0.1)
    assert "3 of 500 answers are identical." in compared.sentence


def test_only_whole_files_of_good_commands_are_scored():
    gold = ("a", "b")
    assert read_anew(Ran(COMMANDS[-1], content=b"a\nc\n"), gold).correct == 1
    assert read_anew(Ran(COMMANDS[-1], content=b"a\n"), gold) is None
    assert read_anew(Ran(COMMANDS[-1], "ended badly", content=b"a\nc\n"), gold) is None


# ---------------------------------------------------------------- replies


class Forger(Answering):
    """A student's process that answers what it likes."""

    def __init__(self, reply):
        self.reply = reply

    def answer(self, function, **_):
        return True if function == "rerun_begins" else self.reply


def reran(reply, world):
    """What the only command that gets a reply did, as it says."""
    ran = runs.rerun_of(Rerun(Forger(reply), RerunPlan(60)), world)
    assert len(ran) == 1 or not ran[0].problem
    return ran[0]


HONEST = {"status": 0, "signal": None, "kind": "state dict", "said": "", "seconds": 1.0}


@pytest.mark.parametrize(
    "reply",
    [
        None,
        [],
        {},
        {**HONEST, "signal": "x"},
        {**HONEST, "status": None, "kind": "missing"},
        {**HONEST, "seconds": []},
        {**HONEST, "shapes": {"a": 3}},
        {**HONEST, "shapes": {str(i): [1] for i in range(501)}},
        {**HONEST, "content": ["x"]},
    ],
)
def test_a_forged_reply_is_told_as_unreadable(world, reply):
    assert MALFORMED in reran(reply, world).problem


def test_forged_names_and_words_are_cut(world):
    reply = {**HONEST, "said": "\x1b[2J" + "y" * 10**6, "shapes": {"module." * 10**6: [1] * 99}}
    ran = reran(reply, world)
    ((name, shape),) = ran.shapes.items()
    assert (len(name), len(shape)) == (200, 8)
    assert len(ran.output[0]) == 160
    assert "\x1b" not in ran.output[0]


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
    pairs = losses.thinned()
    assert len(pairs) <= 240
    assert pairs[-1] == [10_000.0, 9_999.0]


@pytest.mark.parametrize("forged", [None, 3, "x" * 9, [[1]], [["a", "b"]], [1, 2], {"a": 1}])
def test_forged_losses_cost_the_picture_alone(world, forged):
    ran = reran({**HONEST, "losses": forged}, world)
    assert (ran.problem, ran.losses) == ("", ())


def test_losses_reach_the_checks(world):
    ran = reran({**HONEST, "losses": [[1.0, 4.0], [2.0, 3.0]] * 1_000}, world)
    assert ran.losses[:2] == ((1.0, 4.0), (2.0, 3.0))
    assert len(ran.losses) == runs.MOST_LOSSES
