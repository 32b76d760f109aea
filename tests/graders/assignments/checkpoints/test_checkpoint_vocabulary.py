"""The characters of the corpus are read once per submission, and again for the next."""

from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.data.birthplaces import WIKI
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import load_assignment
from reference.data.vocabulary import Vocabulary
from reference.data.world import write_world
from reference.models.gpt import GPT, GPTConfig
from submissions.receive import identify

HINT = "It has one row per character of the corpus, so another corpus was used."


@pytest.fixture
def data(tmp_path):
    write_world(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def course_size(data, saved):
    """A checkpoint of the course's size for this corpus."""
    vocabulary = Vocabulary((data / WIKI).read_text(encoding="utf-8"))
    return saved(GPT(GPTConfig(len(vocabulary), 128, 4, 8, 256)).state_dict())


def hints(data, upload):
    """What is said of the weights by a grading in this process."""
    task = load_assignment("cs224n-a4")
    options = Options(best_tier(), data, only=frozenset({"checkpoints"}))
    result = grade_submission(identify(upload, task.name), task, options)
    assert result.status != "incomplete", result.environment["faults"]
    return {found.hint for graded in result.criteria for found in graded.checks}


def test_corpus_of_one_grading_is_not_kept_for_the_next(data, course_size, tmp_path):
    upload = tmp_path / "ada"
    upload.mkdir()
    (upload / "vanilla.model.params").write_bytes(course_size)
    assert HINT not in hints(data, upload)
    wiki = data / WIKI
    wiki.write_text(f"{wiki.read_text('utf-8').rstrip()}ɘ\n", encoding="utf-8")
    assert HINT in hints(data, upload)


def test_corpus_is_read_once_for_three_checkpoints(judge, right_files, world, monkeypatch):
    read, real = [], Path.read_text

    def counting(path, *words, **settings):
        read.append(path.name)
        return real(path, *words, **settings)

    monkeypatch.setattr(Path, "read_text", counting)
    for check in ("vanilla_model", "vanilla_finetune", "rope_finetune"):
        assert judge(f"{check}_predictions", right_files).status == "passed"
    assert read.count(WIKI) <= 1
