"""The plan of `--rerun`: unchanged on a GPU, shortened on a CPU with the sample dataset."""

from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.errors import StudentTimedOut, UsageError
from graders.execution import rerun_memory
from graders.grading.rerun import SHORT, RerunPlan, jobs_for, open_rerun, plan_rerun

GiB = 2**30


@pytest.fixture
def gpu(monkeypatch):
    """Lets the question to torch be answered with this many free bytes, None for no GPU."""
    return lambda free: monkeypatch.setattr(rerun_memory, "ASK_GPU", f"print({free})")


def test_a_gpu_trains_as_the_student_wrote_it(gpu):
    gpu(80 * GiB)
    plan = plan_rerun(data=Path("course"), device="auto", minutes=2)
    assert plan == RerunPlan(120, gpu=True, schedule=None)


def test_a_cpu_trains_a_short_schedule(gpu):
    gpu(None)
    assert plan_rerun(data=None, device="auto", minutes=1) == RerunPlan(60, schedule=SHORT)


def test_a_gpu_is_left_alone_for_device_cpu(gpu):
    gpu(80 * GiB)
    assert plan_rerun(data=None, device="cpu", minutes=1) == RerunPlan(60, schedule=SHORT)


def test_a_cpu_never_trains_on_the_course_files(gpu):
    gpu(None)
    with pytest.raises(UsageError, match="on a CPU only for the built-in sample dataset") as caught:
        plan_rerun(data=Path("course"), device="auto", minutes=1)
    assert "leave --data out" in caught.value.hint


def test_a_missing_gpu_is_misuse(gpu):
    gpu(None)
    with pytest.raises(UsageError, match="torch finds no GPU"):
        plan_rerun(data=None, device="cuda", minutes=1)


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf")])
def test_the_wall_must_be_a_time(minutes):
    with pytest.raises(UsageError, match="--rerun-wall"):
        plan_rerun(data=None, device="cpu", minutes=minutes)


def test_memory_decides_how_many_train_at_once(gpu):
    gpu(GiB)
    assert jobs_for(RerunPlan(1, gpu=True), 4) == 1
    assert jobs_for(RerunPlan(1), 1) == 1
    assert jobs_for(RerunPlan(1), 10**6) < 10**6


def test_nothing_is_opened_without_a_plan(tiny):
    with open_rerun(None, tiny, None, best_tier()) as opened:
        assert opened is None


def test_training_has_its_own_time(tiny, hand_in):
    code = "import time\ndef double(x):\n    time.sleep(1)\n    return 2 * x\n"
    slow = hand_in(work_py=code)
    with (
        open_rerun(slow, tiny, RerunPlan(0.5), best_tier()) as opened,
        pytest.raises(StudentTimedOut, match=r"more than 0\.5 s"),
    ):
        opened.student.call("double", x=1)


def test_the_plan_says_what_it_cut():
    assert RerunPlan(90, schedule=SHORT).in_words == (
        "on the CPU, shortened to 2 epochs of 2 batches of at most 16 examples, and to "
        "8 questions, at most 1.5 minutes"
    )
    assert RerunPlan(60, gpu=True).in_words == "on a GPU, its own schedule, at most 1 minutes"
