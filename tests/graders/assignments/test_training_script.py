"""Advice on run.py, from running it in this process without training."""

import re

import pytest
import torch

from graders.assignments.cs224n_a4.training_script import checks, student_side
from graders.assignments.cs224n_a4.training_script import runs as training_runs_module
from graders.checks.compare import CheckFailed
from graders.errors import StudentRaised
from tests.conftest import replaced
from tests.graders.assignments.answering import InProcess, ask
from tests.planted import plain_source

CHECKS = {name: check for name, check in vars(checks).items() if name.startswith("test_")}
SMALL = "n_layer=1, n_head=2, n_embd=16"  # a test needs no model of the course's size
TRAIN = "    trainer.Trainer(model, pretrain_dataset, None, settings).train()\n"
SAVE = "    torch.save(model.state_dict(), args.writing_params_path)\n"


@pytest.fixture
def hand_in_script(importable, tmp_path, monkeypatch):
    """Writes the plain submission with these replacements in run.py, and gives the student."""

    def write(*changes, without=(), **files):
        files_of_it = plain_source().glob("*.py")
        sources = {path.stem: path.read_text(encoding="utf-8") for path in files_of_it}
        run = sources["run"].replace("n_layer=4, n_head=8, n_embd=256", SMALL)
        sources = {**sources, "run": replaced(run, *changes), **files}
        importable(**{name: text for name, text in sources.items() if name not in without})
        monkeypatch.chdir(tmp_path)
        return InProcess(student_side)

    return write


def advice(student):
    """What each check says that fails."""
    messages = {}
    for name, check in CHECKS.items():
        try:
            ask(check, student=student)
        except CheckFailed as problem:
            messages[name] = problem.message
    return messages


def test_script_is_run_once_for_all_checks(hand_in_script):
    student = hand_in_script(("650,", "600,"))
    assert set(advice(student)) == {"test_epochs"}
    assert student.calls == 1


def test_finished_files_may_be_left_out_and_no_patch_stays(hand_in_script):
    assert advice(hand_in_script(without=("models", "trainer", "utils"))) == {}
    assert list(torch.utils.data.DataLoader([1, 2])) == [1, 2]


@pytest.mark.parametrize(
    ("change", "check", "words"),
    [
        (("max_epochs=650", "max_epochs=65"), "epochs", "`pretrain vanilla` trains with"),
        (("75 if args", "10 if args"), "epochs", "`finetune vanilla` trains with max_epochs=10"),
        (("else 10", "else 75"), "epochs", "`finetune vanilla, pretrained` trains"),
        (("batch_size=256", "batch_size=128"), "batch_size", "batch_size=128"),
        (("=args.pretrain_lr", "=6e-3"), "learning_rates", "learning_rate=0.006"),
        (("default=6e-4", "default=6e-3"), "learning_rates", "`finetune vanilla, pretrained`"),
        (("512 * 20", "512"), "warmup_tokens", "warmup_tokens=512"),
        (("200 * len(pre", "650 * len(pre"), "final_tokens", "final_tokens=416000"),
        (("final_tokens=650", "tokens=650"), "final_tokens", "`pretrain vanilla`"),
        ((SAVE, ""), "trained_weights_saved", "writes no file"),
        ((SAVE, SAVE.replace(".state_dict()", "")), "trained_weights_saved", "something other"),
        ((SAVE, SAVE.replace("model.state_dict()", "{'model': model.state_dict()}")),
         "trained_weights_saved", "something other"),
        (('args.variant == "rope"', "True"), "rope_flag_reaches_model", "`pretrain vanilla`"),
        (("(model, pretrain_dataset", "(model, dataset.NameDataset(pretrain_dataset, text)"),
         "training_data", "trains on 4 examples of NameDataset"),
        ((TRAIN, ""), "script_trains", "calls Trainer.train 0 times"),
        ((TRAIN, "    1 / 0\n"), "script_trains", "ZeroDivisionError"),
        ((TRAIN, "    raise SystemExit('no')\n"), "script_trains", "called exit (status no)"),
        ((TRAIN, "    list(torch.utils.data.DataLoader(pretrain_dataset))\n"),
         "script_trains", "trains without trainer.Trainer,"),
    ],
)  # fmt: skip
def test_departure_is_described(hand_in_script, change, check, words):
    student = hand_in_script(change)
    with pytest.raises(CheckFailed, match=re.escape(words)):
        ask(CHECKS[f"test_{check}"], student=student)


@pytest.mark.parametrize(
    "size", [("n_embd=16", "n_embd=128"), ("block_size = 128", "block_size = 64")]
)
def test_positions_are_found_in_a_model_of_another_size(hand_in_script, size):
    ask(CHECKS["test_rope_flag_reaches_model"], student=hand_in_script(size))


def test_a_table_that_is_a_fixed_parameter_is_no_learned_position(hand_in_script):
    text = (plain_source() / "attention.py").read_text(encoding="utf-8")
    buffer = 'self.register_buffer("rope_cache", '
    assert buffer in text
    fixed = text.replace(buffer, "self.rope_cache = nn.Parameter(requires_grad=False, data=")
    assert advice(hand_in_script(attention=fixed)) == {}


SAVING = ((SAVE, ""), ("writer=writer,", "writer=writer, ckpt_path=args.writing_params_path,"))


def trainer_with(old, new):
    """The plain trainer.py with a change."""
    return replaced((plain_source() / "trainer.py").read_text(encoding="utf-8"), (old, new))


@pytest.mark.parametrize(
    "saving",
    [
        "self.save_checkpoint()",
        "torch.save(self.model.state_dict(), config.ckpt_path)",
        "if epoch + 1 == config.max_epochs:\n                self.save_checkpoint()",
    ],
)
def test_trainer_that_saves_to_the_path_is_right(hand_in_script, saving):
    changed = trainer_with("            self.save_checkpoint()", f"            {saving}")
    assert advice(hand_in_script(*SAVING, trainer=changed)) == {}


def test_trainer_that_needs_batches_is_not_observed(hand_in_script):
    changed = trainer_with(
        "            self.save_checkpoint()",
        "            loss.item()\n            self.save_checkpoint()",
    )
    student = hand_in_script(*SAVING, trainer=changed)
    score = ask(checks.test_trained_weights_saved, student=student)
    assert "could not be checked" in score.notes[0]


def test_missing_script_is_said(hand_in_script):
    messages = advice(hand_in_script(without=("run",)))
    assert set(messages.values()) == {"There is no run.py next to attention.py."}


def test_exception_is_told_with_the_line_that_raised_it(hand_in_script):
    student = hand_in_script((TRAIN, "    raise ValueError('No.')\n"))
    message = "ValueError: No., at `raise ValueError('No.')`."
    with pytest.raises(CheckFailed, match=re.escape(message)) as failed:
        checks.test_script_trains(student)
    assert "run.py, line " in failed.value.actual


def test_broken_import_fails_every_check_alike(hand_in_script):
    student = hand_in_script(trainer="import nothing_like_this\n")
    for check in CHECKS.values():
        with pytest.raises(StudentRaised, match="nothing_like_this"):
            ask(check, student=student)
    assert student.calls == 1


def test_cases_are_the_handout_s_commands():
    lines = [" ".join(case.arguments) for case in training_runs_module.CASES]
    assert lines[3] == (
        "finetune vanilla wiki.txt --writing_params_path vanilla.finetune.params "
        "--reading_params_path vanilla.pretrain.params "
        "--finetune_corpus_path birth_places_train.tsv"
    )
