"""Attacks on a warm start: on the next child, on other children, on the parent."""

import os
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("Linux only", allow_module_level=True)

from graders.boundary.tiers import warm
from graders.errors import StudentFault
from tests.graders.boundary.conftest import DENIED, attempt, is_warm


def child_of(student):
    keeper = student._child.pid
    return int(Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0])


LEAVE = """
import ctypes, os, random, socket, sys, time
import torch, numpy
torch.equal = lambda *_: True
sys.modules["json"].left_behind = True
sys.modules["left_behind"] = torch
os.environ["LEFT_BEHIND"] = "1"
for folder in (".", "/tmp", "/dev/shm", "/student/scratch"):
    try:
        open(folder + "/left_behind", "w").close()
    except OSError:
        pass
libc = ctypes.CDLL(None)
result = [libc.shmget(5417, 4096, 0o1777), libc.msgget(5417, 0o1777), libc.semget(5417, 1, 0o1777)]
result += [libc.mq_open(b"/left_behind", 0o102, 0o777, None)]
heard, said = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        try:
            server = socket.socket(socket.AF_UNIX)
            server.bind("\\0left_behind")
            server.listen()
        except OSError:
            pass
        os.write(said, b"x")
        time.sleep(300)
    os._exit(0)
os.wait()
os.read(heard, 1)
"""
FIND = """
import ctypes, os, socket, sys
import torch
result = []
for folder in (".", "/tmp", "/dev/shm", "/student/scratch"):
    try:
        result += [name for name in os.listdir(folder) if "left" in name]
    except OSError:
        pass
result += [name for name in (*os.environ, *sys.modules) if "left" in name.lower()]
libc = ctypes.CDLL(None)
segments = libc.shmget(5417, 1, 0), libc.msgget(5417, 0), libc.semget(5417, 1, 0)
result += [each for each in segments if each >= 0]
if libc.mq_open(b"/left_behind", 0) >= 0:
    result.append("queue")
if torch.equal(torch.zeros(1), torch.ones(1)) or hasattr(sys.modules["json"], "left_behind"):
    result.append("patched")
try:
    socket.socket(socket.AF_UNIX).connect("\\0left_behind")
    result.append("socket")
except OSError:
    pass
try:
    processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    result += [pid for pid in processes if pid > 2 and pid != os.getpid()]
except OSError:
    pass
"""


@pytest.mark.promise("sees nothing of other submissions, running now or earlier")
@pytest.mark.parametrize("closed", [True, False], ids=["after", "meanwhile"])
def test_next_child_finds_nothing_of_the_last(open_warm, closed):
    """Files, daemons, shared memory, queues, sockets, patches: also while the other still runs."""
    attacker = open_warm()
    assert set(attacker.call("run", source=LEAVE)) == {-1}
    assert is_warm(attacker)
    if closed:
        attacker.close()
    victim = open_warm()
    assert victim.call("run", source=FIND) == []
    assert is_warm(victim)


@pytest.mark.promise("sees nothing of other submissions, running now or earlier")
def test_other_submissions_cannot_be_read(open_warm):
    """Not at the places outside, where the folder of one that runs lies."""
    other, student = open_warm(), open_warm()
    other.call("echo")
    for path in (other._stage.layout.code / "dataset.py", other._stage.root):
        assert path.exists()
        action = "os.listdir(p) if os.path.isdir(p) else open(p).read()"
        assert attempt(student, action, p=str(path)) in DENIED


TOUCHES = (
    "os.kill(p, 0)", "os.kill(p, 9)", "os.kill(p, 19)",
    "open(f'/proc/{p}/mem', 'r+b').read(1)", "open(f'/proc/{p}/environ').read()",
    "os.listdir(f'/proc/{p}/fd')", "os.listdir(f'/proc/{p}/root')",
    "__import__('resource').prlimit(p, 7, (9, 9))", "os.sched_setaffinity(p, [0])",
    "os.pidfd_open(p) and __import__('signal').pidfd_send_signal(os.pidfd_open(p), 9)",
)  # fmt: skip


def test_processes_outside_cannot_be_touched(open_warm):
    """The warm parent, the keeper of this child, and another child that runs."""
    other, student = open_warm(), open_warm()
    for child in (other, student):
        child.call("echo")
    before = warm.parent().pid
    for pid in (before, student._child.pid, other._child.pid, child_of(other)):
        for action in TOUCHES:
            assert attempt(student, action, p=pid) in DENIED, action
    assert other.call("echo", value=1) == 1
    assert warm.parent().pid == before


def test_group_kill_stays_inside(open_warm):
    """A student that kills its group, or all it may, ends itself alone."""
    other = open_warm()
    other.call("echo")
    before = warm.parent().pid
    for target in (0, -1):
        with pytest.raises(StudentFault):
            open_warm().call(
                "run", source=f"import os; os.kill({target}, 9); os.kill(os.getpid(), 9)"
            )
    assert other.call("echo", value=1) == 1
    assert warm.parent().pid == before


def test_parent_keeps_nothing_of_a_submission(open_warm):
    """Its memory holds no question, no answer, no path: a child is a copy of it."""
    if os.geteuid() != 0:
        pytest.skip("only root reads another process's memory")
    student = open_warm()
    secret = "softmark" + "_canary_" + "5417"
    student.call("run", source=f"result = '{secret}' * 1000")
    stage = student._stage.root.name
    assert is_warm(student)
    student.close()
    memory = memory_of(warm.parent().pid)
    assert b"graders.boundary" in memory
    assert secret.encode() not in memory
    assert stage.encode() not in memory


def memory_of(pid):
    """All that a process may write to: heap, stack, data."""
    parts = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if rights.startswith("rw") and "[v" not in line:
                start, end = (int(address, 16) for address in span.split("-"))
                memory.seek(start)
                parts.append(memory.read(end - start))
    return b"".join(parts)


def test_program_cannot_be_written_through_its_own_link(open_warm):
    """The interpreter was mapped outside of the sandbox, from a place that is not read-only."""
    assert attempt(open_warm(), "open('/proc/self/exe', 'r+b')") == "PermissionError"
