"""Checkpoints: was the model trained, and did it make the predictions? Worth no points."""

from collections.abc import Mapping
from itertools import combinations

import pytest

from graders.boundary.student import Student
from graders.checks.compare import skip
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import Data
from graders.model import Setting

from ..predictions.submitted import PARTS, PredictionFiles, file_name
from .submitted import (
    CHECKPOINTS,
    VANILLA_FINETUNE,
    VANILLA_MODEL,
    Checkpoint,
    Checkpoints,
    Comparison,
)
from .weights import Finding, Weights, equal, predictions_print, weights_print

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
    sandbox: Student,
    submitted: SubmittedFiles,
    data: Data,
    settings: Mapping[str, Setting],
    inputs: Inputs,
) -> Checkpoints:
    """Return the submission's checkpoints."""
    return Checkpoints(sandbox, PredictionFiles(submitted, data, settings), inputs)


WEIGHTS = [
    pytest.param(
        checkpoint,
        marks=pytest.mark.criterion(
            "checkpoints",
            id=f"{checkpoint.id}-weights",
            description=f"`{checkpoint.file}` contains the finite, trained weights of a "
            f"{checkpoint.variant} model.",
        ),
    )
    for checkpoint in CHECKPOINTS
]
PREDICTIONS = [
    pytest.param(
        checkpoint,
        marks=pytest.mark.criterion(
            "checkpoints",
            id=f"{checkpoint.id}-predictions",
            description=f"The weights in `{checkpoint.file}` reproduce the "
            f"`{checkpoint.model}` predictions.",
            depends_on=(f"{checkpoint.id}-weights",),
        ),
    )
    for checkpoint in CHECKPOINTS
]


@pytest.mark.parametrize("checkpoint", WEIGHTS)
def test_weights(
    checkpoints: Checkpoints, checkpoint: Checkpoint, fingerprints: dict[str, str], score: Score
) -> None:
    for part in PARTS:  # even without the checkpoint
        fingerprint = predictions_print(checkpoints.files.lines(checkpoint.model, part))
        if fingerprint is not None:
            fingerprints[file_name(checkpoint.model, part)] = fingerprint
    weights = checkpoints.read(checkpoint)
    if isinstance(weights, Finding):
        return _review(weights, score)
    fingerprints[checkpoint.file] = weights_print(weights)
    for note in weights.notes:
        score.note(f"`{checkpoint.file}`: {note}.")
    if (problem := checkpoints.judge(weights, checkpoint)) is not None:
        return _review(problem, score)
    plan = checkpoints.plan(weights, checkpoint)
    return score.note(f"A {plan.kind} model of {plan.count:,} parameters, all finite.")


@pytest.mark.criterion("checkpoints")
def test_checkpoints_differ(checkpoints: Checkpoints, score: Score) -> None:
    """No two files contain the same weights."""
    held = {
        checkpoint.file: weights
        for checkpoint in CHECKPOINTS
        if checkpoints.files.submitted.has(checkpoint.file)
        and isinstance(weights := checkpoints.read(checkpoint), Weights)
    }
    if len(held) < 2:
        skip("Fewer than two checkpoints were submitted, so there is nothing to compare.")
    for one, other in combinations(held, 2):
        if equal(held[one], held[other]):
            score.needs_review(
                f"`{one}` and `{other}` contain exactly the same weights.",
                hint=TWINS.get(frozenset((one, other)), "Save each model to its own file."),
            )


@pytest.mark.parametrize("checkpoint", PREDICTIONS)
def test_predictions(checkpoints: Checkpoints, checkpoint: Checkpoint, score: Score) -> None:
    weights = checkpoints.read(checkpoint)
    if isinstance(weights, Finding):
        skip(weights.reason)
    compared, notes = checkpoints.compare(weights, checkpoint)
    for note in notes:
        score.note(f"{note[0].upper()}{note[1:]}.")
    if not compared:
        skip("There are no predictions to compare the weights with.")
    wrong = [comparison for comparison in compared if not checkpoints.confirms(comparison)]
    for comparison in compared:
        if comparison not in wrong:
            score.note(f"The weights agree with {comparison.in_words}.")
    if wrong:
        _ask_person(checkpoints, checkpoint, wrong, score)
        rotation = checkpoints.rotation(weights, checkpoint, wrong[0])
        if rotation:
            score.note(
                f"They agree with `{wrong[0].file}` if {rotation}. So the model was trained and "
                "made the predictions; the rotary criterion grades the rotation."
            )


def _review(finding: Finding, score: Score) -> None:
    score.needs_review(
        finding.reason, hint=finding.hint, expected=finding.expected, actual=finding.actual
    )


def _ask_person(
    checkpoints: Checkpoints, checkpoint: Checkpoint, wrong: list[Comparison], score: Score
) -> None:
    owners = {comparison.file: checkpoints.owner(comparison) for comparison in wrong}
    swapped = [
        f"They agree with `{owner}` instead. Were the files swapped?"
        for owner in owners.values()
        if owner
    ]
    counts = " and ".join(comparison.in_words for comparison in wrong)
    rows = {}
    for comparison in wrong:
        for question, answer in comparison.answers.differing(comparison.predictions).items():
            rows[f"{comparison.part} {question}"] = answer
    score.needs_review(
        " ".join([f"The weights in `{checkpoint.file}` agree with only {counts}.", *swapped]),
        hint="" if swapped else ROTATION if checkpoint.rope else LATER,
        expected=f"at least {float(100 * checkpoints.agreement):g}% of the rows of each file",
        actual=counts,
        counterexample=rows,
    )
