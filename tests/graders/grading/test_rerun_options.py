"""`--rerun` on the command line is refused if it is impossible, and done otherwise."""

import json

import pytest
from typer.testing import CliRunner

import grade
from graders.errors import UserError

TRAINS = """
import sys, torch

words = sys.argv[1:]
name = words[words.index("--outputs_path" if "evaluate" in words else "--writing_params_path") + 1]
torch.save({"a": torch.ones(1)}, name)
"""


@pytest.fixture
def uploads(tmp_path):
    """A folder with one submission, whose run.py writes its files at once."""
    source = tmp_path / "uploads" / "ada" / "src"
    source.mkdir(parents=True)
    for name, text in {"attention": "", "dataset": "", "run": TRAINS}.items():
        (source / f"{name}.py").write_text(text)
    return source.parent.parent


def call(*words):
    return CliRunner().invoke(grade.app, [str(word) for word in words])


@pytest.mark.parametrize("command", ["run", "batch"])
def test_a_cpu_refuses_to_train_on_the_course_files(uploads, command):
    words = (command, "cs224n-a4", uploads, "--rerun", "--device", "cpu", "--data", uploads)
    assert isinstance(call(*words).exception, UserError)


def test_a_batch_trains_anew(uploads, tmp_path):
    words = ("batch", "cs224n-a4", uploads, "--out", tmp_path / "out", "--only", "checkpoints")
    done = call(*words, "--device", "cpu", "--rerun", "--rerun-wall", "2")
    assert done.exit_code == 0, done.output
    result = json.loads((tmp_path / "out" / "results" / "ada.json").read_text())
    assert result["environment"]["rerun"].endswith("at most 2 minutes")
    found = {each["id"]: each for each in result["criteria"][0]["checks"]}
    assert found["rerun-trains"]["status"] == "passed"
