"""--rerun: run.py trains and evaluates again; the results are compared with the submission."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from graders.boundary.student import Student
from graders.checks.compare import CheckSkipped, skip
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import Data
from graders.figures import Curve
from graders.model import Setting

from ..checkpoints.submitted import CHECKPOINTS
from ..checkpoints.weights import WRAPPING, Weights, read_weights
from ..predictions.files import Aligned, read_predictions
from ..predictions.notes import chance_so_different, p_in_words
from ..predictions.places import Scored
from ..predictions.submitted import NO_PRETRAIN, PARTS, PredictionFiles, file_name
from .runs import COMMANDS, Ran, Shapes, rerun_of

if TYPE_CHECKING:
    from graders.grading.rerun import Rerun

SHOWN = 3  # tensors named in a sentence


@dataclass(frozen=True, slots=True)
class Compared:
    """One sentence about a file, and whether a person should look at it."""

    sentence: str
    suspicious: bool = False


@pytest.mark.criterion("checkpoints")
def test_rerun_trains(rerun: "Rerun", data: Data, score: Score) -> None:
    """When run again, run.py pretrains, finetunes and evaluates every model."""
    ran = rerun_of(rerun, data)
    good = [run for run in ran if not run.problem]
    seconds = sum(run.seconds for run in ran)
    score.note(f"{len(good)} of {len(COMMANDS)} commands succeeded, in {seconds:.0f} s.")
    if rerun.plan.schedule is not None:
        score.note(
            f"Training was {rerun.plan.schedule.in_words}, so accuracies are not meaningful."
        )
    for run in ran:
        command = run.command
        label = f"{command.function} {command.variant}, which writes {command.writes}"
        score.show(Curve(label, "training loss", run.losses))
    if broken := [run for run in ran if run.problem]:
        first = broken[0]
        score.needs_review(
            f"`{first.command.text}` {first.problem}",
            actual="\n".join(first.output),
            counterexample={run.command.text: run.problem for run in broken[1:]},
        )


@pytest.mark.criterion("checkpoints")
def test_rerun_compares(
    rerun: "Rerun",
    data: Data,
    submitted: SubmittedFiles,
    sandbox: Student,
    settings: Mapping[str, Setting],
    score: Score,
) -> None:
    """The files that run.py writes when run again are like the submitted ones."""
    ran = {run.command.writes: run for run in rerun_of(rerun, data)}
    compared = list(_shapes(ran, sandbox, submitted))
    if data.embedded:  # its vocabulary differs from the course's, so shapes prove nothing
        compared = [replace(comparison, suspicious=False) for comparison in compared]
    if rerun.plan.schedule is None:
        files = PredictionFiles(submitted, data, settings)
        compared += _answers(ran, files)
    if not compared:
        skip("Nothing to compare: the rerun wrote none of the submitted files.")
    compared.sort(key=lambda comparison: not comparison.suspicious)
    if compared[0].suspicious:
        score.needs_review(compared.pop(0).sentence)
    for comparison in compared:
        score.note(comparison.sentence)


def _shapes(ran: dict[str, Ran], sandbox: Student, submitted: SubmittedFiles) -> Iterator[Compared]:
    for name in (checkpoint.file for checkpoint in CHECKPOINTS):
        if name not in ran or not ran[name].shapes:
            continue
        try:
            weights = read_weights(sandbox, submitted, name)
        except CheckSkipped:
            continue
        if isinstance(weights, Weights):
            yield compare_shapes(name, ran[name].shapes, weights)


def _answers(ran: dict[str, Ran], files: PredictionFiles) -> Iterator[Compared]:
    gold = {"dev": files.data.dev, "test": files.data.test}
    for model in (checkpoint.model for checkpoint in CHECKPOINTS):
        for part in PARTS:
            run, answers = ran.get(file_name(model, part)), gold[part]
            if run is None or answers is None:
                continue
            anew, submitted = read_anew(run, answers), files.score_or_none(model, part)
            if anew is not None and submitted is not None:
                yield compare_answers(anew, submitted, files.alpha)


def compare_shapes(name: str, anew: Shapes, submitted: Weights) -> Compared:
    """Compare the tensors of two checkpoints by name and shape."""
    new = {WRAPPING.sub("", key): shape for key, shape in anew.items()}
    old = {key: value.shape for key, value in submitted.tensors.items()}
    if new == old:
        return Compared(f"`{name}`: the rerun writes the same {len(new)} names and shapes.")
    parts = [
        _listed("only the rerun has", sorted(new.keys() - old.keys())),
        _listed("only the submission has", sorted(old.keys() - new.keys())),
        _listed("with a different shape", _differing(new, old)),
    ]
    names = "; ".join(part for part in parts if part)
    return Compared(f"`{name}`: the rerun writes different tensors: {names}.", suspicious=True)


def _differing(new: Shapes, old: Mapping[str, tuple[int, ...]]) -> list[str]:
    return [
        f"{name} ({_shape(new[name])}, submitted {_shape(old[name])})"
        for name in sorted(new.keys() & old.keys())
        if new[name] != old[name]
    ]


def _shape(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) or "one number"


def _listed(words: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{words} {', '.join(names[:SHOWN])}{more}"


def read_anew(ran: Ran, gold: tuple[str, ...]) -> Scored | None:
    """Score the predictions that a command wrote; None if that is not possible."""
    result = read_predictions(ran.content, len(gold))
    if ran.problem or not isinstance(result, Aligned):
        return None
    return Scored(ran.command.writes, result.predictions, gold, ())


def compare_answers(anew: Scored, submitted: Scored, alpha: float) -> Compared:
    """Compare two models on the same questions; suspicious if the submitted one is much better.

    Fisher's exact test assumes different questions for the two. They are the same, so it finds
    differences slightly too rarely, never too often.
    """
    p = chance_so_different(anew.correct, anew.n, submitted.correct, submitted.n)
    suspicious = p < alpha and submitted.correct > anew.correct
    text = (
        f"`{submitted.name}`: rerun {anew.in_words}, submission "
        f"{submitted.in_words}. Chance {'does not explain' if p < alpha else 'explains'} the "
        f"difference ({p_in_words(p)}, Fisher's exact test, two-sided, level {alpha:g})."
    )
    same = sum(map(str.__eq__, anew.predictions, submitted.predictions))
    if same == anew.n:
        return Compared(f"{text} All lines are identical.", suspicious)
    text += f" {same} of {anew.n} answers are identical."
    if NO_PRETRAIN in submitted.name:
        text += " Without pretraining, the same device and versions would reproduce them exactly."
    return Compared(text, suspicious)
