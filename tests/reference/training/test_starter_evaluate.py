"""The starter's evaluation: a student's run.py reads what our pipeline writes."""

import os
import shutil
import subprocess
import sys

import pytest
import torch

from graders.data.birthplaces import DEV, WIKI, open_data
from graders.registry.discovery import ASSIGNMENTS
from reference.data.vocabulary import Vocabulary
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import predict_places, read_prompts
from reference.training.files import save_tensors
from tests.planted import plain_source

pytest.importorskip("torch.utils.tensorboard", reason="tensorboard is not installed")

STANDINS = ASSIGNMENTS / "cs224n_a4" / "standins"
QUESTIONS = 2


@pytest.fixture
def data():
    with open_data(None) as opened:
        yield opened


@pytest.fixture
def evaluate(tmp_path):
    """Runs `run.py evaluate` of a plain submission, with models.py and the like beside it."""
    shutil.copytree(STANDINS, tmp_path / "src")
    shutil.copytree(plain_source(), tmp_path / "src", dirs_exist_ok=True)

    def run(variant, corpus, checkpoint, questions):
        words = [sys.executable, "src/run.py", "evaluate", variant, corpus]
        words += ["--reading_params_path", checkpoint, "--eval_corpus_path", questions]
        words += ["--outputs_path", "said"]
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return (tmp_path / "said").read_text(encoding="utf-8")

    return run


def course_model(vocabulary, *, rope):
    """A model of the course's size that never trained, and yet answers each question otherwise."""
    torch.manual_seed(1)
    model = GPT(GPTConfig(len(vocabulary), 128, n_layer=4, n_head=8, n_embd=256, rope=rope))
    with torch.no_grad():
        for matrix in model.parameters():
            matrix *= 5 if matrix.ndim == 2 else 1
    return model


@pytest.mark.long
@pytest.mark.parametrize("variant", ["vanilla", "rope"])
def test_run_py_says_what_the_reference_says(data, evaluate, tmp_path, variant):
    vocabulary = Vocabulary((data.folder / WIKI).read_text(encoding="utf-8"))
    checkpoint, questions = tmp_path / f"{variant}.finetune.params", tmp_path / "few.tsv"
    model = course_model(vocabulary, rope=variant == "rope")
    save_tensors(checkpoint, model.state_dict())
    lines = (data.folder / DEV).read_text(encoding="utf-8").splitlines(keepends=True)
    questions.write_text("".join(lines[:QUESTIONS]), encoding="utf-8")
    ours = predict_places(model.eval(), vocabulary, read_prompts(questions))
    assert len(set(ours)) == QUESTIONS, "one answer to all would show nothing"
    output = evaluate(variant, data.folder / WIKI, checkpoint, questions)
    assert output == "".join(f"{place}\n" for place in ours)
