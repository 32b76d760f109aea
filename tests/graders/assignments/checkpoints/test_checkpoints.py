"""Checkpoints of the sample dataset, graded through the pipeline with a real sandbox."""

import hashlib
import os
from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.data.birthplaces import WIKI
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from reference.data.vocabulary import Vocabulary
from reference.data.world import write_world
from reference.models.gpt import GPT, GPTConfig
from submissions.receive import identify
from tests.conftest import write_files

MODEL, FINETUNE, ROPE = "vanilla.model.params", "vanilla.finetune.params", "rope.finetune.params"
ONLY = frozenset({"checkpoints"})


class CreatesFile:
    """What a hostile file unpickles to: a call that leaves a trace."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch '{self.path}'",)


@pytest.fixture
def grade(tmp_path):
    """Grades a submission of these files."""

    def run(files, only=ONLY, data=None):
        folder = write_files(tmp_path / "ada", files)
        assignment = load_assignment("cs224n-a4")
        submission = identify(folder, assignment.name)
        return grade_submission(submission, assignment, Options(best_tier(), data, only=only))

    return run


def checks(result):
    criterion = next(graded for graded in result.criteria if graded.criterion.id == "checkpoints")
    return {check.id: check for check in criterion.checks}


def statuses(result):
    return {name: check.status for name, check in checks(result).items()}


def test_right_checkpoints_pass_and_leave_fingerprints(grade, right_files):
    result = grade(right_files)
    assert set(statuses(result).values()) == {"passed"}
    assert (result.status, result.score) == ("graded", 0.0)
    assert "of 60 rows of `rope.pretrain.dev.predictions`" in (
        checks(result)["rope-finetune-predictions"].message
    )
    prints = result.environment["fingerprints"]
    assert set(prints) == set(right_files)
    lines = right_files["rope.pretrain.dev.predictions"].decode().splitlines()
    assert prints["rope.pretrain.dev.predictions"] == (
        hashlib.sha256("\n".join(line.strip() for line in lines).encode()).hexdigest()
    )


def test_submission_without_checkpoints_is_told_and_loses_nothing(grade, right_files):
    files = {name: raw for name, raw in right_files.items() if not name.endswith(".params")}
    result = grade(files)
    assert set(statuses(result).values()) == {"skipped"}
    assert "was not submitted" in checks(result)["rope-finetune-weights"].message
    assert (result.status, result.score) == ("graded", 0.0)
    assert set(result.environment["fingerprints"]) == set(files)


def test_malicious_pickle_is_reported_and_harms_nothing(grade, right_files, saved, tmp_path):
    trace = tmp_path / "trace"
    evil = saved({"state_dict": CreatesFile(trace)})
    result = grade({**right_files, ROPE: evil, FINETUNE: right_files[FINETUNE][:100_000]})
    verdicts = checks(result)
    assert verdicts["rope-finetune-weights"].status == "needs_review"
    assert "system`" in verdicts["rope-finetune-weights"].message
    assert "truncated" in verdicts["vanilla-finetune-weights"].message
    assert verdicts["rope-finetune-predictions"].status == "skipped"
    assert verdicts["vanilla-model-predictions"].status == "passed"
    assert not trace.exists()


def test_findings_ask_a_person_and_hold_no_total_back(grade, right_files, states, saved):
    finetune = states[FINETUNE]
    bad = {**finetune, "ln_f.weight": finetune["ln_f.weight"] * float("nan")}
    files = {**right_files, FINETUNE: saved(bad), ROPE: right_files[MODEL]}
    result = grade(files, ONLY | {"no-pretrain"})
    verdicts = checks(result)
    assert result.status == "needs_review"
    assert (result.score, result.max_score) == (2.0, 2.0)
    assert "NaN" in verdicts["vanilla-finetune-weights"].message
    assert "contains a vanilla model" in verdicts["rope-finetune-weights"].message


# ---------------------------------------------------------------- the corpus


HINT = "It has one row per character of the corpus, so another corpus was used."


def test_corpus_of_one_grading_is_not_kept_for_the_next(grade, saved, tmp_path):
    write_world(tmp_path / "data")
    wiki = tmp_path / "data" / WIKI
    text = wiki.read_text(encoding="utf-8")
    course_size = GPT(GPTConfig(len(Vocabulary(text)), 128, 4, 8, 256))
    files = {MODEL: saved(course_size.state_dict())}
    hints = []
    for corpus in (text, f"{text.rstrip()}ɘ\n"):
        wiki.write_text(corpus, encoding="utf-8")
        result = grade(files, data=tmp_path / "data")
        assert result.status != "incomplete", result.environment["faults"]
        hints.append({check.hint for check in checks(result).values()})
    assert [HINT in hint for hint in hints] == [False, True]


def test_corpus_is_read_once_for_three_checkpoints(judge, right_files, world, monkeypatch):
    read, real = [], Path.read_text

    def counting(path, *words, **settings):
        read.append(path.name)
        return real(path, *words, **settings)

    monkeypatch.setattr(Path, "read_text", counting)
    for check in ("vanilla_model", "vanilla_finetune", "rope_finetune"):
        assert judge(f"{check}_predictions", right_files).status == "passed"
    assert read.count(WIKI) <= 1
