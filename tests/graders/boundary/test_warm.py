"""A warm start is indistinguishable from a cold one, and children share nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("Linux only", allow_module_level=True)

from graders.boundary.child import landlock
from graders.boundary.process import Spawned
from graders.boundary.tiers import warm
from graders.boundary.tiers.sandbox import Tier, tier_works, warm_works
from graders.errors import StudentFault
from tests.graders.boundary.conftest import ROOT, WARM, is_warm
from tests.processes import is_running, wait_for

# What does not depend on the tier; each of these tests starts a parent, which imports torch.
one_tier = pytest.mark.parametrize("open_warm", WARM[:1], indirect=True)


def test_each_start_is_what_it_says(open_warm):
    """Else every test of the warm start would test the cold one."""
    for start in (True, False):
        student = open_warm(warm=start)
        student.call("echo")
        assert is_warm(student) is start


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="others may start cold")
def test_every_tier_of_root_starts_warm():
    """Else the tests of the warm start would be none, and nobody would notice."""
    scoped = landlock.abi() >= landlock.SCOPES_ABI
    assert warm_works(Tier.BUBBLEWRAP) is tier_works(Tier.BUBBLEWRAP)
    assert warm_works(Tier.LANDLOCK) is (scoped and tier_works(Tier.LANDLOCK))


@pytest.mark.parametrize("changes", [{"tier": Tier.NONE}, {"gpu": True}], ids=["none", "GPU"])
def test_some_children_start_cold(opener, changes):
    student = opener(**changes)
    student.call("echo")
    assert isinstance(student._child._process, Spawned)


SELF_PORTRAIT = """
import ctypes, gc, os, random, resource, signal, stat, sys, tempfile, threading
import numpy, torch

def kind(number):
    try:
        return stat.S_IFMT(os.fstat(number).st_mode)
    except OSError:
        return None

libc = ctypes.CDLL(None)
header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
result = {
    "privileges": [libc.capget(header, data), *data, libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0)],
    "user": [os.getuid() >= 1000, os.getuid() == os.getgid(), os.getgroups()],
    # Ubuntu keeps this one in /etc, where only a warm parent finds it.
    "modules": sorted(set(sys.modules) - {"sitecustomize"}),
    "path": sys.path,
    "argv": sys.argv,
    "folder": os.getcwd(),
    "environment": sorted(os.environ.items()),
    "descriptors": [kind(number) for number in range(256)],
    "inheritable": [n for n in range(256) if kind(n) and os.get_inheritable(n)],
    "signals": [
        getattr(handler, "__qualname__", str(handler))
        for handler in map(signal.getsignal, sorted(signal.valid_signals()))
    ],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "limits": {
        name: list(resource.getrlimit(getattr(resource, name)))
        for name in dir(resource)
        if name.startswith("RLIMIT") and name not in ("RLIMIT_AS", "RLIMIT_CPU")
    },
    "threads": [threading.active_count(), torch.get_num_threads(), torch.get_num_interop_threads()],
    "draws": [random.random(), numpy.random.rand(), torch.rand(1).item(), hash("x")],
    "temporary": [tempfile.tempdir, tempfile.gettempdir()],
    "umask": os.umask(0o22),
    "gpu": torch.cuda.is_available(),
    "hooks": [str(sys.excepthook), len(sys.meta_path), len(sys.path_hooks)],
    "recursion": sys.getrecursionlimit(),
    "collector": [gc.isenabled(), list(gc.get_threshold())],
}
"""


def test_code_sees_the_same_after_either_start(open_warm):
    """Modules, paths, environment, descriptors, signals, limits, seeds: all that code asks for.

    Not the two limits that are set above what importing took.
    """
    portraits = []
    for start in (False, True):
        student = open_warm(warm=start)
        portrait = str(student.call("run", source=SELF_PORTRAIT))
        portraits.append(portrait.replace(str(student._stage.root), "STAGE"))
    assert portraits[0] == portraits[1]


SPEED = """
import torch
torch.set_float32_matmul_precision("medium")
torch.set_num_interop_threads(2)
torch.set_num_threads(8)
result = [torch.get_float32_matmul_precision(), torch.get_num_threads()]
"""


@pytest.mark.parametrize("start", [False, True])
def test_settings_for_speed_change_nothing(open_warm, start):
    assert open_warm(warm=start).call("run", source=SPEED) == ["highest", 1]


def test_parent_does_not_grow(open_warm):
    """One child's descriptors and its ended keeper are gone when the next one comes."""
    counts = []
    for _ in range(3):
        with open_warm() as student:
            student.call("echo")
            pid = warm.parent().pid
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            counts.append((len(os.listdir(f"/proc/{pid}/fd")), len(children)))
    assert len(set(counts)) == 1


def test_killed_parent_is_replaced(open_warm):
    """It takes its children with it; the same submission goes on with a new one."""
    student = open_warm()
    student.call("echo")
    before, keeper = warm.parent().pid, student._child.pid
    child = int(Path(f"/proc/{keeper}/task/{keeper}/children").read_text())
    os.kill(before, signal.SIGKILL)
    assert wait_for(lambda: not is_running(child))
    assert student.call("echo", value=3) == 3
    assert is_warm(student)
    assert warm.parent().pid != before


def test_parent_ends_with_softmark(tmp_path):
    """Also where Softmark is killed and no exit handler runs."""
    source = """
import time
from graders.boundary.child import landlock
from graders.boundary.tiers import warm
print(warm.parent().pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", source],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
    ) as softmark:
        pid = int(softmark.stdout.readline())
        softmark.kill()
    assert wait_for(lambda: not is_running(pid))


def test_a_module_that_cannot_be_preloaded_starts_cold(opener):
    student = opener(preload=("there_is_no_such_module",))
    assert student.call("echo", value=3) == 3
    assert isinstance(student._child._process, Spawned)


@one_tier
def test_preloaded_modules_are_there_from_the_start(open_warm):
    """Only where they were asked for: another assignment's children come from another parent."""
    source = "import sys\nprint('loaded', 'colorsys' in sys.modules, flush=True)"
    for preload in ((), ("colorsys",)):
        student = open_warm(preload=preload)
        student.call("run", source=source)
        assert is_warm(student)
        student.close()
        assert f"loaded {bool(preload)}" in student.output


@one_tier
def test_closed_parent_is_gone(open_warm):
    """It leaves no process, and its files went when it had read them."""
    student = open_warm()
    student.call("echo")
    parent = warm.parent()
    assert not parent._stage.root.exists()
    warm.close()
    assert not Path(f"/proc/{parent.pid}").exists()


@one_tier
def test_a_start_is_tried_out_on_the_parent_that_serves(open_warm):
    """Another parent for that alone would import torch a second time."""
    warm.close()
    warm_works.cache_clear()
    with open_warm(preload=("sched",)) as student:
        student.call("echo")
        assert is_warm(student)
    assert [preload for _, preload in warm._parents] == [("sched",)]


def test_processor_time_is_reported(open_warm):
    student = open_warm()
    student.call("run", source="import time\nwhile time.process_time() < 0.5: pass")
    keeper = student._child._process
    student.close()
    assert 0.5 <= keeper.used.cpu_seconds < 5


@pytest.mark.skipif(not warm_works(Tier.BUBBLEWRAP), reason="bubblewrap starts cold here")
def test_namespaces_end_with_a_child_that_ends_itself(opener):
    """What the child leaves running inside does not outlive it, nor does bubblewrap."""
    student, before = opener(Tier.BUBBLEWRAP), namespaces()
    source = "import os, time\nos.fork() and os._exit(3)\nos.closerange(0, 99)\ntime.sleep(99)"
    with pytest.raises(StudentFault, match="exit status 3"):
        student.call("run", source=source)
    assert namespaces() == before


def namespaces():
    """The processes of bubblewrap that this one has started."""
    mine = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [pid for pid in mine if "bwrap" in Path(f"/proc/{pid}/comm").read_text()]
