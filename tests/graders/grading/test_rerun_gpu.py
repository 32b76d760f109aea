"""A child's access to a GPU: none by default, its device files if the Limits allow it."""

import sys
from dataclasses import replace

import pytest

from graders.boundary import policy
from graders.boundary.side import Side
from graders.boundary.stage import Stage
from graders.boundary.student import Student
from graders.boundary.tiers.launch import Job, narrowing
from graders.boundary.tiers.sandbox import Tier, tier_works
from graders.model import Limits

LIMITS = Limits(
    wall_seconds=30, cpu_seconds=20, memory_bytes=2**30, output_bytes=1000, processes=24
)
GPU = replace(LIMITS, gpu=True)
SEES = "import os\ndef sees():\n    return os.environ['CUDA_VISIBLE_DEVICES']\n"


@pytest.fixture
def devices(tmp_path):
    """A folder of device files: two GPUs, their control file, and something else."""
    for name in ("nvidia0", "nvidia1", "nvidiactl", "null"):
        (tmp_path / name).touch()
    return tmp_path


def test_only_device_files_of_gpus_are_given(devices):
    given = policy.gpu_devices(GPU, devices)
    assert [path.name for path in given] == ["nvidia0", "nvidia1", "nvidiactl"]
    assert policy.gpu_devices(LIMITS, devices) == ()


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

    gpu = policy.gpu_devices(GPU, devices)
    words = arguments(policy.INSIDE, None, 9, gpu)
    bound = [words[i + 1] for i, word in enumerate(words) if word == "--dev-bind"]
    assert bound == [str(path) for path in gpu]
    closed = next(i for i, w in enumerate(words) if w == "--remount-ro" and words[i + 1] == "/dev")
    assert words.index("--dev") < words.index("--dev-bind") < closed
    words = arguments(policy.INSIDE, None, 9)
    bound = [words[i + 1 : i + 3] for i, word in enumerate(words) if word == "--dev-bind"]
    assert bound == [["/dev/null", "/dev/zero"]]


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
def test_landlock_lets_ioctl_through_to_gpus_alone(devices):
    from graders.boundary.child import landlock
    from graders.boundary.tiers.supervised import grants

    gpu = policy.gpu_devices(GPU, devices)
    rules = grants(policy.INSIDE, (), gpu)
    assert set(rules["gpu"]) == {"/dev/zero", *(str(path) for path in gpu)}
    assert grants(policy.INSIDE, ())["gpu"] == []
    ioctl = {kind for kind, access in landlock.GRANTS.items() if access & landlock.IOCTL_DEVICE}
    assert ioctl - {"write"} == {"gpu"}


@pytest.mark.parametrize("tier", [tier for tier in Tier if tier_works(tier)], ids=lambda t: t.value)
def test_a_child_sees_a_gpu_only_when_asked(tmp_path, monkeypatch, tier):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,6")
    (tmp_path / "student_side.py").write_text(SEES)
    for limits, seen in ((LIMITS, ""), (GPU, "5")):
        with Student(None, Side(tmp_path), limits, seed=0, tier=tier) as student:
            assert student.call("sees") == seen
