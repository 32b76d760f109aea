"""The plan of `--rerun`: unchanged on a GPU, shortened on a CPU with the sample dataset."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grade
from graders.boundary.tiers.sandbox import best_tier
from graders.errors import StudentTimedOut, UsageError, UserError
from graders.execution import rerun_memory
from graders.grading.rerun import SHORT, RerunPlan, jobs_for, open_rerun, plan_rerun

GiB = 2**30


@pytest.fixture
def gpu(monkeypatch):
    """Lets the question to torch be answered with this many free bytes, None for no GPU."""
    return lambda free: monkeypatch.setattr(rerun_memory, "ASK_GPU", f"print({free})")


@pytest.mark.parametrize(
    ("free", "device", "plan"),
    [
        (80 * GiB, "auto", RerunPlan(60, gpu=True, schedule=None)),  # as the student wrote it
        (80 * GiB, "cpu", RerunPlan(60, schedule=SHORT)),
        (None, "auto", RerunPlan(60, schedule=SHORT)),
    ],
)
def test_a_gpu_trains_unchanged_and_a_cpu_a_short_schedule(gpu, free, device, plan):
    gpu(free)
    assert plan_rerun(data=None, device=device, minutes=1) == plan


def test_a_missing_gpu_or_a_wall_that_is_no_time_is_misuse(gpu):
    gpu(None)
    with pytest.raises(UsageError, match="torch finds no GPU"):
        plan_rerun(data=None, device="cuda", minutes=1)
    gpu(80 * GiB)
    assert plan_rerun(data=Path("course"), device="auto", minutes=2) == RerunPlan(120, gpu=True)
    gpu(None)
    with pytest.raises(UsageError, match="on a CPU only for the built-in sample dataset") as caught:
        plan_rerun(data=Path("course"), device="auto", minutes=1)
    assert "leave --data out" in caught.value.hint


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf")])
def test_the_wall_must_be_a_time(minutes):
    with pytest.raises(UsageError, match="--rerun-wall"):
        plan_rerun(data=None, device="cpu", minutes=minutes)


def test_memory_decides_how_many_train_at_once(gpu):
    gpu(GiB)
    assert jobs_for(RerunPlan(1, gpu=True), 4) == 1
    assert jobs_for(RerunPlan(1), 1) == 1
    assert jobs_for(RerunPlan(1), 10**6) < 10**6


def test_training_has_its_own_time(tiny, hand_in):
    code = "import time\ndef double(x):\n    time.sleep(1)\n    return 2 * x\n"
    slow = hand_in(work_py=code)
    with (
        open_rerun(slow, tiny, RerunPlan(0.5), best_tier()) as opened,
        pytest.raises(StudentTimedOut, match=r"more than 0\.5 s"),
    ):
        opened.student.call("double", x=1)


def test_the_plan_says_what_it_cut_and_none_opens_nothing(tiny):
    assert RerunPlan(90, schedule=SHORT).in_words == (
        "on the CPU, shortened to 2 epochs of 2 batches of at most 16 examples, and to "
        "8 questions, at most 1.5 minutes"
    )
    assert RerunPlan(60, gpu=True).in_words == "on a GPU, its own schedule, at most 1 minutes"
    with open_rerun(None, tiny, None, best_tier()) as opened:
        assert opened is None


# --- the command line ---

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
