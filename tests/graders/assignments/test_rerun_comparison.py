"""The comparison of a rerun with the submission, in words."""

import numpy as np
import pytest

from graders.assignments.cs224n_a4.hidden.checkpoints.weights import Weights
from graders.assignments.cs224n_a4.hidden.predictions.places import Scored
from graders.assignments.cs224n_a4.hidden.rerun.comparison import (
    compare_answers,
    compare_shapes,
    read_anew,
)
from graders.assignments.cs224n_a4.hidden.rerun.runs import COMMANDS, Ran

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


def test_runs_without_pretraining_should_repeat():
    name = "vanilla.nopretrain.dev.predictions"
    compared = compare_answers(scored(3, name=name), scored(5, name=name), 0.1)
    assert "the same device and versions would reproduce them exactly" in compared.sentence
    assert "repeat" not in compare_answers(scored(3), scored(5), 0.1).sentence


def test_only_whole_files_of_good_commands_are_scored():
    gold = ("a", "b")
    assert read_anew(Ran(COMMANDS[-1], content=b"a\nc\n"), gold).correct == 1
    assert read_anew(Ran(COMMANDS[-1], content=b"a\n"), gold) is None
    assert read_anew(Ran(COMMANDS[-1], "ended badly", content=b"a\nc\n"), gold) is None
