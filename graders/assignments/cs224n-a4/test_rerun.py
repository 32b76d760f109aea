"""--rerun: run.py trains and evaluates anew, and the outcome lies beside what was handed in."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from a4_checkpoint_file import Weights, read_weights
from a4_files import PARTS, PredictionFiles
from a4_rerun import COMMANDS, MODELS, Ran, rerun_of
from a4_rerun_comparison import Compared, compare_answers, compare_shapes, read_anew

from graders.boundary.student import Student
from graders.checks.compare import CheckSkipped, skip
from graders.checks.submitted import SubmittedFiles
from graders.figures import Curve


@pytest.mark.criterion("checkpoints")
def test_rerun_trains(rerun, data, score):
    """Run anew, run.py pretrains, finetunes and evaluates every model."""
    ran = rerun_of(rerun, data)
    good = [each for each in ran if not each.problem]
    seconds = sum(each.seconds for each in ran)
    score.note(f"{len(good)} of {len(COMMANDS)} commands ran through, in {seconds:.0f} s.")
    if rerun.plan.schedule is not None:
        score.note(f"Training was {rerun.plan.schedule.in_words}: accuracies mean nothing.")
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
def test_rerun_compares(rerun, data, submitted, sandbox, settings, score):
    """What run.py writes when it is run anew is like what was handed in."""
    ran = {each.command.writes: each for each in rerun_of(rerun, data)}
    compared = list(_shapes(ran, sandbox, submitted))
    if data.embedded:  # its vocabulary is another than the course's, so shapes prove nothing
        compared = [replace(each, suspicious=False) for each in compared]
    if rerun.plan.schedule is None:
        files = PredictionFiles(submitted, data, settings)
        compared += _answers(ran, files, float(settings["similar_alpha"]))
    if not compared:
        skip("There is nothing to compare: no file was written anew that was also handed in.")
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
