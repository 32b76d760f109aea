"""`--rerun`: its plan is unchanged on a GPU, shortened on a CPU with the sample dataset.

A child's access to a GPU: none by default, its device files if the Limits allow it.
"""

import _ctypes
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grade
from graders.boundary import policy
from graders.boundary.side import Side
from graders.boundary.stage import Stage
from graders.boundary.student import Student
from graders.boundary.tiers.launch import Job, narrowing
from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works
from graders.errors import StudentFault, StudentTimedOut, UsageError, UserError
from graders.execution import rerun_memory
from graders.grading.rerun import SHORT, RerunPlan, jobs_for, open_rerun, plan_rerun
from graders.model import Limits

GiB = 2**30
BWRAP = Tier.BUBBLEWRAP


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
    assert plan_rerun(data=None, device=device, minutes=1, tier=BWRAP) == plan


def test_a_missing_gpu_or_a_wall_that_is_no_time_is_misuse(gpu):
    gpu(None)
    with pytest.raises(UsageError, match="torch finds no GPU"):
        plan_rerun(data=None, device="cuda", minutes=1, tier=BWRAP)
    gpu(80 * GiB)
    plan = plan_rerun(data=Path("course"), device="auto", minutes=2, tier=BWRAP)
    assert plan == RerunPlan(120, gpu=True)
    with pytest.raises(UsageError, match="cannot use a GPU in the Landlock sandbox"):
        plan_rerun(data=None, device="auto", minutes=2, tier=Tier.LANDLOCK)
    assert not plan_rerun(data=None, device="cpu", minutes=2, tier=Tier.LANDLOCK).gpu
    gpu(None)
    with pytest.raises(UsageError, match="on a CPU only for the built-in sample dataset") as caught:
        plan_rerun(data=Path("course"), device="auto", minutes=1, tier=BWRAP)
    assert "leave --data out" in caught.value.hint


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf")])
def test_the_wall_must_be_a_time(minutes):
    with pytest.raises(UsageError, match="--rerun-wall"):
        plan_rerun(data=None, device="cpu", minutes=minutes, tier=BWRAP)


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
    checks = {check["id"]: check for check in result["criteria"][0]["checks"]}
    assert checks["rerun-trains"]["status"] == "passed"


LIMITS = Limits(
    wall_seconds=30, cpu_seconds=20, memory_bytes=2**30, output_bytes=1000, processes=24
)
GPU = replace(LIMITS, gpu=True)
SEES = "import os\ndef sees():\n    return os.environ['CUDA_VISIBLE_DEVICES']\n"


@pytest.fixture
def devices(tmp_path, monkeypatch):
    """Device files: two GPUs, their control file, and something else; returns the first three."""
    for name in ("nvidia0", "nvidia1", "nvidiactl", "null"):
        (tmp_path / name).touch()
    monkeypatch.setattr(policy, "DEVICES", tmp_path)
    return [str(path) for path in sorted(tmp_path.glob("nvidia*"))]


def test_only_device_files_of_gpus_are_given(devices):
    assert [str(path) for path in policy.gpu_devices(GPU)] == devices
    assert policy.gpu_devices(LIMITS) == ()


@pytest.mark.parametrize(("ours", "theirs"), [(None, "0"), ("3,1", "3"), ("", "")])
def test_the_first_of_our_gpus_is_theirs(monkeypatch, ours, theirs):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if ours is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", ours)
    assert policy.visible_gpu(GPU) == theirs
    assert policy.visible_gpu(LIMITS) == ""


def test_addresses_are_free_where_a_driver_takes_them():
    stage = Stage(None, None, None)
    try:
        for limits, memory in ((LIMITS, 2**30), (GPU, policy.GPU_ADDRESSES)):
            job = Job(stage, limits, seed=0)
            order = narrowing(job, processes_before=0, reads_all=False, grants=None)
            assert order["memory"] == memory
    finally:
        stage.close()


@pytest.mark.skipif(not tier_works(Tier.BUBBLEWRAP), reason="needs bubblewrap")
def test_bubblewrap_binds_the_devices_before_it_closes_dev(devices):
    from graders.boundary.tiers.bubblewrap import arguments

    words = arguments(policy.INSIDE, None, 9, GPU)
    bound = [words[i + 1] for i, word in enumerate(words) if word == "--dev-bind"]
    assert bound == devices
    closed = next(i for i, w in enumerate(words) if w == "--remount-ro" and words[i + 1] == "/dev")
    assert words.index("--dev") < words.index("--dev-bind") < closed
    words = arguments(policy.INSIDE, None, 9, LIMITS)
    bound = [words[i + 1 : i + 3] for i, word in enumerate(words) if word == "--dev-bind"]
    assert bound == [["/dev/null", "/dev/zero"]]


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """A library with the driver's name, in a folder in which only the loader looks."""
    library = tmp_path / "driver" / "libcuda.so.1"
    library.parent.mkdir()
    shutil.copy(_ctypes.__file__, library)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    policy.driver_folders.cache_clear()
    yield str(library)
    policy.driver_folders.cache_clear()


NEEDS = """
import ctypes, mmap
def loads(path):
    mmap.mmap(-1, 4096)
    return [bool(ctypes.CDLL(each)) for each in ("libcuda.so.1", path)]
"""


@pytest.mark.skipif(not tier_works(BWRAP), reason="needs bubblewrap")
def test_a_driver_is_loaded_and_shares_memory_only_with_a_gpu(tmp_path, driver):
    (tmp_path / "student_side.py").write_text(NEEDS)
    side = Side(tmp_path)
    with Student(None, side, GPU, seed=0, tier=BWRAP) as student:
        assert student.call("loads", path=driver) == [True, True]
    with (
        Student(None, side, LIMITS, seed=0, tier=BWRAP) as student,
        pytest.raises(StudentFault, match="PermissionError"),
    ):
        student.call("loads", path=driver)


@pytest.mark.parametrize("tier", [tier for tier in Tier if tier_works(tier)], ids=lambda t: t.value)
def test_a_child_sees_a_gpu_only_when_asked(tmp_path, monkeypatch, tier):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,6")
    (tmp_path / "student_side.py").write_text(SEES)
    for limits, seen in ((LIMITS, ""), (GPU, "5")):
        with Student(None, Side(tmp_path), limits, seed=0, tier=tier) as student:
            assert student.call("sees") == seen
