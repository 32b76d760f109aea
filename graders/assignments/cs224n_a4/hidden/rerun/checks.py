"""--rerun: run.py trains and evaluates again; the results are compared with the submission."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from graders.boundary.student import Student
from graders.checks.compare import CheckSkipped, skip
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import Data
from graders.figures import Curve
from graders.model import Setting

from ..checkpoints.weights import Weights, read_weights
from ..predictions.submitted import PARTS, PredictionFiles
from .comparison import Compared, compare_answers, compare_shapes, read_anew
from .runs import COMMANDS, MODELS, Ran, rerun_of

if TYPE_CHECKING:
    from graders.grading.rerun import Rerun


@pytest.mark.criterion("checkpoints")
def test_rerun_trains(rerun: "Rerun", data: Data, score: Score) -> None:
    """When run again, run.py pretrains, finetunes and evaluates every model."""
    ran = rerun_of(rerun, data)
    good = [each for each in ran if not each.problem]
    seconds = sum(each.seconds for each in ran)
    score.note(f"{len(good)} of {len(COMMANDS)} commands succeeded, in {seconds:.0f} s.")
    if rerun.plan.schedule is not None:
        score.note(
            f"Training was {rerun.plan.schedule.in_words}, so accuracies are not meaningful."
        )
    for each in ran:
        command = each.command
        label = f"{command.function} {command.variant}, which writes {command.writes}"
        score.show(Curve(label, "training loss", each.losses))
    if broken := [each for each in ran if each.problem]:
        first = broken[0]
        score.needs_review(
            f"`{first.command.text}` {first.problem}",
            actual="\n".join(first.said),
            counterexample={each.command.text: each.problem for each in broken[1:]},
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
    ran = {each.command.writes: each for each in rerun_of(rerun, data)}
    compared = list(_shapes(ran, sandbox, submitted))
    if data.embedded:  # its vocabulary differs from the course's, so shapes prove nothing
        compared = [replace(each, suspicious=False) for each in compared]
    if rerun.plan.schedule is None:
        files = PredictionFiles(submitted, data, settings)
        compared += _answers(ran, files, float(settings["similar_alpha"]))
    if not compared:
        skip("Nothing to compare: the rerun wrote none of the submitted files.")
    compared.sort(key=lambda each: not each.suspicious)
    if compared[0].suspicious:
        score.needs_review(compared.pop(0).sentence)
    for each in compared:
        score.note(each.sentence)


def _shapes(ran: dict[str, Ran], sandbox: Student, submitted: SubmittedFiles) -> Iterator[Compared]:
    for name in (model.file for model in MODELS):
        if name not in ran or not ran[name].shapes:
            continue
        try:
            weights = read_weights(sandbox, submitted, name)
        except CheckSkipped:
            continue
        if isinstance(weights, Weights):
            yield compare_shapes(name, ran[name].shapes, weights)


def _answers(ran: dict[str, Ran], files: PredictionFiles, alpha: float) -> Iterator[Compared]:
    gold = {"dev": files.data.dev, "test": files.data.test}
    for model in MODELS:
        for part in PARTS:
            found = ran.get(f"{model.name}.{part}.predictions")
            answers = gold[part]
            if found is None or answers is None:
                continue
            anew, handed_in = read_anew(found, answers), files.score_or_none(model.name, part)
            if anew is not None and handed_in is not None:
                yield compare_answers(anew, handed_in, alpha)
