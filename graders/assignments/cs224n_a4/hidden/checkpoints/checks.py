"""Checkpoints: was the model trained, and did it make the predictions? Worth no points."""

from collections.abc import Mapping
from itertools import combinations

import pytest

from graders.boundary.student import Student
from graders.checks.compare import skip
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import Data
from graders.model import Setting

from ..predictions.submitted import file_name
from .expected import equal
from .fingerprints import predictions_print, weights_print
from .submitted import (
    CHECKPOINTS,
    PARTS,
    ROPE_FINETUNE,
    VANILLA_FINETUNE,
    VANILLA_MODEL,
    Checkpoint,
    Checkpoints,
    Comparison,
)
from .weights import Unfit, Weights

TWINS = {
    frozenset((VANILLA_MODEL.file, VANILLA_FINETUNE.file)): "Finetune the second one with "
    "--reading_params_path, and save each model to its own file.",
}
ROTATION = (
    "The weights are run with the handout's equation 3 on adjacent features. A model trained "
    "with another rotation answers differently here; see the rotary criterion. If the rotation is "
    "correct, the predictions come from another model."
)
LATER = (
    "The predictions come from other weights, such as an earlier or later model. Evaluate again."
)


@pytest.fixture
def checkpoints(
    sandbox: Student, submitted: SubmittedFiles, data: Data, settings: Mapping[str, Setting]
) -> Checkpoints:
    """Return the submission's checkpoints."""
    return Checkpoints(sandbox, submitted, data, settings)


@pytest.mark.criterion("checkpoints")
def test_vanilla_model_weights(
    checkpoints: Checkpoints, fingerprints: dict[str, str], score: Score
) -> None:
    """`vanilla.model.params` contains the finite, trained weights of a vanilla model."""
    _judge_weights(checkpoints, VANILLA_MODEL, fingerprints, score)


@pytest.mark.criterion("checkpoints")
def test_vanilla_finetune_weights(
    checkpoints: Checkpoints, fingerprints: dict[str, str], score: Score
) -> None:
    """`vanilla.finetune.params` contains the finite, trained weights of a vanilla model."""
    _judge_weights(checkpoints, VANILLA_FINETUNE, fingerprints, score)


@pytest.mark.criterion("checkpoints")
def test_rope_finetune_weights(
    checkpoints: Checkpoints, fingerprints: dict[str, str], score: Score
) -> None:
    """`rope.finetune.params` contains the finite, trained weights of a rope model."""
    _judge_weights(checkpoints, ROPE_FINETUNE, fingerprints, score)


@pytest.mark.criterion("checkpoints")
def test_checkpoints_differ(checkpoints: Checkpoints, score: Score) -> None:
    """No two files contain the same weights."""
    held = _readable(checkpoints)
    if len(held) < 2:
        skip("Fewer than two checkpoints were submitted, so there is nothing to compare.")
    for one, other in combinations(held, 2):
        if equal(held[one], held[other]):
            score.needs_review(
                f"`{one}` and `{other}` contain exactly the same weights.",
                hint=TWINS.get(frozenset((one, other)), "Save each model to its own file."),
            )


@pytest.mark.criterion("checkpoints", depends_on=("vanilla-model-weights",))
def test_vanilla_model_predictions(checkpoints: Checkpoints, score: Score) -> None:
    """The weights in `vanilla.model.params` reproduce the `vanilla.nopretrain` predictions."""
    _judge_predictions(checkpoints, VANILLA_MODEL, score)


@pytest.mark.criterion("checkpoints", depends_on=("vanilla-finetune-weights",))
def test_vanilla_finetune_predictions(checkpoints: Checkpoints, score: Score) -> None:
    """The weights in `vanilla.finetune.params` reproduce the `vanilla.pretrain` predictions."""
    _judge_predictions(checkpoints, VANILLA_FINETUNE, score)


@pytest.mark.criterion("checkpoints", depends_on=("rope-finetune-weights",))
def test_rope_finetune_predictions(checkpoints: Checkpoints, score: Score) -> None:
    """The weights in `rope.finetune.params` reproduce the `rope.pretrain` predictions."""
    _judge_predictions(checkpoints, ROPE_FINETUNE, score)


def _judge_weights(
    checkpoints: Checkpoints, checkpoint: Checkpoint, fingerprints: dict[str, str], score: Score
) -> None:
    _leave_prints(checkpoints, checkpoint, fingerprints)
    weights = checkpoints.read(checkpoint)
    if isinstance(weights, Unfit):
        score.needs_review(weights.reason, hint=weights.hint)
        return
    fingerprints[checkpoint.file] = weights_print(weights)
    for note in weights.notes:
        score.note(f"`{checkpoint.file}`: {note}.")
    found = checkpoints.judge(weights, checkpoint)
    if found is not None:
        score.needs_review(
            found.reason, hint=found.hint, expected=found.expected, actual=found.actual
        )
        return
    plan = checkpoints.plan(weights, checkpoint)
    score.note(f"A {plan.kind} model of {plan.count:,} parameters, all finite.")


def _leave_prints(
    checkpoints: Checkpoints, checkpoint: Checkpoint, fingerprints: dict[str, str]
) -> None:
    """Record fingerprints of the prediction files of a checkpoint, even without it."""
    for part in PARTS:
        predictions = checkpoints.predictions(checkpoint.model, part)
        found = predictions_print(predictions) if predictions is not None else None
        if found is not None:
            fingerprints[file_name(checkpoint.model, part)] = found


def _readable(checkpoints: Checkpoints) -> dict[str, Weights]:
    """Return the weights of each usable file, by file name."""
    held = {}
    for checkpoint in CHECKPOINTS:
        if checkpoints.submitted.has(checkpoint.file):
            weights = checkpoints.read(checkpoint)
            if not isinstance(weights, Unfit):
                held[checkpoint.file] = weights
    return held


def _judge_predictions(checkpoints: Checkpoints, checkpoint: Checkpoint, score: Score) -> None:
    weights = checkpoints.read(checkpoint)
    if isinstance(weights, Unfit):
        skip(weights.reason)
    compared, notes = checkpoints.compare(weights, checkpoint)
    for note in notes:
        score.note(f"{note[0].upper()}{note[1:]}.")
    if not compared:
        skip("There are no predictions to compare the weights with.")
    wrong = [each for each in compared if not _is_own(checkpoints, each)]
    for each in compared:
        if each not in wrong:
            score.note(f"The weights agree with {each.in_words}.")
    if wrong:
        _ask_person(checkpoints, checkpoint, wrong, score)
        rotation = checkpoints.rotation(weights, checkpoint, wrong[0])
        if rotation:
            score.note(
                f"They agree with `{wrong[0].file}` if {rotation}. So the model was trained and "
                "made the predictions; the rotary criterion grades the rotation."
            )


def _is_own(checkpoints: Checkpoints, comparison: Comparison) -> bool:
    return checkpoints.is_enough(comparison.agreeing, len(comparison.answers.rows))


def _ask_person(
    checkpoints: Checkpoints, checkpoint: Checkpoint, wrong: list[Comparison], score: Score
) -> None:
    owners = {each.file: checkpoints.owner(each) for each in wrong}
    swapped = [
        f"They agree with `{owner}` instead. Were the files swapped?"
        for owner in owners.values()
        if owner
    ]
    counts = " and ".join(each.in_words for each in wrong)
    rows = {}
    for each in wrong:
        for question, said in each.answers.differing(each.predictions).items():
            rows[f"{each.part} {question}"] = said
    score.needs_review(
        " ".join([f"The weights in `{checkpoint.file}` agree with only {counts}.", *swapped]),
        hint="" if swapped else ROTATION if checkpoint.rope else LATER,
        expected=f"at least {float(100 * checkpoints.agreement):g}% of the rows of each file",
        actual=counts,
        counterexample=rows,
    )
