"""run.py: advice on the training settings, from running it without the actual training."""

import math
from collections.abc import Iterator, Mapping

import pytest

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.score import Score

from .runs import BLOCK, DOCUMENTS, PEOPLE, Run, Training, runs

DATA = {"pretrain": ("CharCorruptionDataset", DOCUMENTS), "finetune": ("NameDataset", len(PEOPLE))}
WORKERS = 4


@pytest.mark.criterion("training-script")
def test_script_trains(student: Student) -> None:
    """run.py pretrains and finetunes with the handout's commands."""
    for run in runs(student):
        if run.own_loop:
            fail(
                "run.py trains without trainer.Trainer, so its settings cannot be checked.",
                hint="In the starter, trainer.Trainer(...).train() contains the loop.",
                counterexample=_command(run),
            )
        if run.raised:
            raise CheckFailed(
                str(run.raised), actual=run.raised.where, counterexample=_command(run)
            ) from run.raised
        if len(run.trainings) != 1:
            fail(
                f"run.py calls Trainer.train {len(run.trainings)} times.",
                hint="Each command should train one model once.",
                counterexample=_command(run),
            )


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_training_data(student: Student) -> None:
    """Pretraining uses the corrupted corpus; finetuning uses the questions with their places."""
    for run, training in _trainings(student):
        name, length = DATA[run.case.function]
        if training.length != length:
            fail(
                f"`{run.case.name}` trains on {training.length} examples of {training.dataset}.",
                expected=f"{length} examples of {name}",
                counterexample=_command(run),
            )


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_epochs(student: Student) -> None:
    """650 epochs of pretraining; 75 of finetuning from scratch, 10 after pretraining."""
    _compare(student, "max_epochs", "Handle both cases: with and without --reading_params_path.")


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_batch_size(student: Student) -> None:
    """Batches of 128 in pretraining and of 256 in finetuning."""
    _compare(student, "batch_size", "The comments in run.py state it for each phase.")


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_learning_rates(student: Student) -> None:
    """The learning rate is --pretrain_lr or --finetune_lr; the defaults are 6e-3 and 6e-4."""
    _compare(student, "learning_rate", "Use args.pretrain_lr or args.finetune_lr.")


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_warmup_tokens(student: Student) -> None:
    """The learning rate warms up over 512*20 tokens."""
    _compare(student, "warmup_tokens", "Set warmup_tokens=512*20 in both phases.")


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_final_tokens(student: Student) -> None:
    """The learning rate decays over 650 (finetuning: 200) * len(pretrain_dataset) * block_size."""
    _compare(
        student,
        "final_tokens",
        f"In this test the corpus has {DOCUMENTS} documents, there are {len(PEOPLE)} questions, "
        f"and block_size is {BLOCK}; finetuning also uses the length of the corpus.",
    )


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_rate_decays(student: Student, score: Score) -> None:
    """The learning rate warms up and decays (lr_decay=True)."""
    for run, training in _trainings(student):
        if training.settings.get("lr_decay") in (False, 0):
            fail(
                f"`{run.case.name}` trains with a constant learning rate; warmup_tokens and "
                "final_tokens have no effect.",
                hint="Set lr_decay=True in both phases.",
                expected="lr_decay=True",
                actual="lr_decay=False",
                counterexample=_command(run),
            )
    workers = [training.settings.get("num_workers") for _, training in _trainings(student)]
    if other := [worker for worker in workers if worker not in (None, WORKERS)]:
        score.note(f"num_workers={other[0]}; the handout uses {WORKERS}. Only the speed differs.")


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_pretrained_weights_loaded(student: Student) -> None:
    """Finetuning with --reading_params_path starts from the weights in that file."""
    written = {run.case.writes: training.after for run, training in _trainings(student)}
    for run, training in _trainings(student):
        if run.case.reads and not _same(training.before, written[run.case.reads]):
            fail(
                f"`{run.case.name}` does not start from the given weights.",
                hint="Call model.load_state_dict(torch.load(args.reading_params_path)) first.",
                counterexample=_command(run),
            )


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_trained_weights_saved(student: Student, score: Score) -> None:
    """The weights after training are saved to --writing_params_path as a plain state dict."""
    for run, training in _trainings(student):
        if _same(run.saved, training.after):
            continue
        if training.unseen and run.kind == "missing":
            score.note(
                f"`{run.case.name}`: your train() may save the weights itself, but it does not "
                "run without batches, so this could not be checked."
            )
            continue
        problem = {
            "missing": "writes no file to --writing_params_path",
            "not a state dict": "saves something other than a state dict",
        }.get(run.kind, "saves weights other than those after training")
        fail(
            f"`{run.case.name}` {problem}.",
            hint="Call torch.save(model.state_dict(), args.writing_params_path) after training.",
            counterexample=_command(run),
        )


@pytest.mark.criterion("training-script", depends_on=("script-trains",))
def test_rope_flag_reaches_model(student: Student) -> None:
    """The variant rope creates a model without learned positions; vanilla creates one with them."""
    names: dict[str, set[str]] = {"vanilla": set(), "rope": set()}
    for run, training in _trainings(student):
        names[run.case.variant].update(training.shapes)
    if names["rope"] < names["vanilla"] and len(names["vanilla"] - names["rope"]) == 1:
        return  # also correct in a model of another size
    for run, training in _trainings(student):
        learned = [name for name, shape in training.shapes.items() if BLOCK in shape]
        if bool(learned) == (run.case.variant == "rope"):
            fail(
                f"`{run.case.name}` trains a model {'with' if learned else 'without'} learned "
                "positions.",
                hint="Set mconf.rope = True before models.GPT(mconf), only for the variant rope.",
                counterexample=_command(run),
            )


def _trainings(student: Student) -> Iterator[tuple[Run, Training]]:
    for run in runs(student):
        yield run, run.trainings[0]


def _compare(student: Student, setting: str, hint: str) -> None:
    """Fail with the first command whose trainer has a wrong value of this setting."""
    for run, training in _trainings(student):
        expected, actual = run.case.settings[setting], training.settings.get(setting)
        if (
            isinstance(actual, bool)
            or not isinstance(actual, int | float)
            or not math.isclose(actual, expected, rel_tol=1e-9)
        ):
            fail(
                f"`{run.case.name}` trains with {setting}={actual}.",
                hint=hint,
                expected=f"{setting}={expected:g}",
                actual=f"{setting}={actual}",
                counterexample=_command(run),
            )


def _same(some: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """Return whether these are the same tensors with the same weights."""
    return some.keys() == others.keys() and all(
        math.isclose(some[name], others[name], rel_tol=1e-6, abs_tol=1e-9) for name in some
    )


def _command(run: Run) -> dict[str, str]:
    return {"command": run.case.text}
