"""The resources that processes use, measured from outside, and the user that runs them."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("Linux only", allow_module_level=True)

from graders.boundary import policy
from graders.boundary.limits import cgroup, usage
from graders.boundary.stage import Stage
from graders.boundary.tiers import identity
from graders.boundary.tiers.bubblewrap import Namespace
from graders.errors import StudentFault
from tests.graders.boundary.conftest import LIMITS

HOLDING = "held = b'x' * (50 * 2**20); print('ready', flush=True); input()"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLDING!r}])"
MiB = 2**20


def dig(folder):
    """Nest folders until neither a path nor Python's stack is long enough."""
    source = "import os\nfor _ in range(1200): os.mkdir('deep'); os.chdir('deep')\nos.chmod('.', 0)"
    subprocess.run([sys.executable, "-c", source], cwd=folder, check=True)


@pytest.fixture
def family():
    """A process whose child holds 50 MiB."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.stdin.close()


def test_memory_and_tree_count_children_until_they_are_gone(family):
    assert len(usage.process_tree(family.pid)) == 2
    assert 50 * MiB < usage.measure_memory(family.pid, enough=0) < 90 * MiB
    assert usage.measure_memory(family.pid, enough=2**40) > 50 * MiB
    family.stdin.close()
    family.wait()
    assert usage.process_tree(family.pid) == [family.pid]
    assert usage.measure_memory(family.pid, enough=-1) == 0


def test_folder_is_counted_until_enough_or_too_deep_to_be_named(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * MiB)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "way").symlink_to("/nowhere")
    size, files = usage.measure_folder(tmp_path, enough=100)
    assert (size >= MiB, files) == (True, 3)
    assert usage.measure_folder(tmp_path, enough=1)[1] > 1
    with contextlib.closing(Stage(None, None, None)) as stage:
        dig(stage.layout.scratch)
        assert usage.measure_folder(stage.layout.scratch, enough=10**6)[1] == 10**6 + 1
        stage.renew_scratch()
        assert list(stage.layout.scratch.iterdir()) == []
        dig(stage.layout.scratch)
    assert not stage.root.exists()


def test_what_cannot_be_seen_counts_nothing_and_own_processes_do(tmp_path):
    assert usage.count_files(Path("/nowhere"), [Path("/tmp")]) == 0
    assert usage.count_files(Path("/"), [Path("/")]) > 0
    assert identity.processes_of_this_user() >= 1
    (tmp_path / "closed").mkdir(mode=0o700)
    assert identity.open_to_all([Path("/usr/lib")])
    assert not identity.open_to_all([Path("/usr/lib"), tmp_path / "closed" / "file"])


@pytest.mark.parametrize(
    ("held", "ranges", "low", "high"),
    [
        ("ff", "0 0 4294967295", policy.STUDENT_IDS, policy.STUDENT_IDS + identity.SPREAD),
        ("ff", "0 1000 1\n1 100000 65536", 32768, 65537),
    ],
)
def test_user_lies_where_users_exist(tmp_path, monkeypatch, held, ranges, low, high):
    proc = tmp_path / "self"
    proc.mkdir()
    (proc / "status").write_text(f"Name:\tx\nCapEff:\t{held}\n")
    (proc / "uid_map").write_text(ranges + "\n")
    monkeypatch.setattr(identity, "SELF", proc)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert all(low <= identity.student_user() < high for _ in range(50))


@pytest.mark.parametrize(("user", "held"), [(1000, "ff"), (0, "0"), (0, "40")])
def test_without_privileges_the_user_stays(tmp_path, monkeypatch, user, held):
    (tmp_path / "status").write_text(f"CapEff:\t{held}\n")
    monkeypatch.setattr(identity, "SELF", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert identity.student_user() is None


def test_files_of_the_machine_are_never_a_childs(family, monkeypatch):
    """While bubblewrap builds, its first process has the machine's root and all of its files."""
    monkeypatch.setattr(policy, "TREE_FILES", -1)  # whatever is counted is too much
    status, report = os.pipe()
    os.write(report, f'{{"child-pid": {family.pid}}}\n'.encode())
    os.close(report)
    namespace = Namespace(family, status, LIMITS)
    namespace.watch()
    os.close(status)


@pytest.mark.skipif(cgroup.find_place() is None, reason="no control groups can be made here")
def test_groups_left_behind_are_removed_and_new_ones_kept():
    """A grading in another process namespace has made a group whose process nobody sees here."""
    place = cgroup.find_place()
    gone = subprocess.Popen(["true"])
    gone.wait()
    new, old = (place.pids / f"softmark-{gone.pid}-{name}" for name in ("new", "old"))
    try:
        for folder in (new, old):
            folder.mkdir()
        os.utime(old, (0, 0))
        cgroup._sweep(place)
        assert new.exists()
        assert not old.exists()
    finally:
        for folder in (new, old):
            with contextlib.suppress(OSError):
                folder.rmdir()


HOLD = "held = bytearray({} * 2**20)"
SPIN = "import time\nstart = time.process_time()\nwhile time.process_time() < start + {}: pass\n"
FORK = "import os\npid = os.fork()\nif not pid:\n    {}\n    os._exit(0)\nos.waitpid(pid, 0)"


def used_by(student, *sources):
    """What is said of the student once it is closed."""
    student.call("echo", value=1)
    before = student.resources
    for source in sources:
        student.call("run", source=source)
    living = student.resources
    student.close()
    after = student.resources
    assert after.cpu_seconds >= living.cpu_seconds
    return after.peak_memory_bytes - before.peak_memory_bytes, after.cpu_seconds


def test_a_past_peak_and_the_time_of_all_processes_are_seen(start_in):
    spin = FORK.format(SPIN.format(0.6).replace("\n", "\n    "))
    memory, seconds = used_by(start_in(), HOLD.format(200), "pass", spin)
    assert 150 * MiB < memory < 400 * MiB
    assert 0.6 <= seconds < 15


@pytest.mark.long
def test_children_are_taken_together(start_in):
    """The first is ended by its own code: the second one's peak is lower, its time is added."""
    student = start_in()
    student.call("run", source=HOLD.format(200) + "\n" + SPIN.format(0.6))
    high = student.resources
    with pytest.raises(StudentFault):
        student.call("run", source="import os; os._exit(3)")
    student.call("run", source=SPIN.format(0.6))
    both = student.resources
    assert both.peak_memory_bytes >= high.peak_memory_bytes > 200 * MiB
    assert both.cpu_seconds >= high.cpu_seconds + 0.6


def test_whoever_is_not_asked_uses_nothing(start_in):
    assert start_in().resources.peak_memory_bytes == 0
