"""Floods of memory, files and processes are stopped, and no process outlives its run."""

import os
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("Linux only", allow_module_level=True)

from graders.boundary import policy, process
from graders.boundary.limits import cgroup
from graders.errors import StudentFault, StudentRaised, StudentTimedOut
from tests.graders.boundary.conftest import WALLS, identify
from tests.processes import texts_of, wait_for


@pytest.mark.promise(
    "limits on memory, time, processes, files, disk and output",
    none="per process, if the system has them",
)
def test_memory_flood_is_stopped(walled):
    with pytest.raises(StudentFault, match="memory"):
        walled.call("run", source="bytearray(2**31)")


@pytest.mark.promise("limits on memory, time, processes, files, disk and output")
@pytest.mark.parametrize(
    "source",
    [
        f"with open('big', 'wb') as f: f.truncate({policy.FILE_BYTES + 1})",
        "kept = []\nwhile True: kept.append(open('/dev/null'))",
    ],
    ids=["disk", "descriptors"],
)
def test_flood_of_a_file_or_of_descriptors_is_stopped(walled, source):
    with pytest.raises(StudentRaised, match="OSError"):
        walled.call("run", source=source)


@pytest.mark.promise("limits on memory, time, processes, files, disk and output")
def test_process_flood_is_stopped(start_walled):
    source = """
import os, time
result = 0
try:
    while result < 50:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        result += 1
except BlockingIOError:
    pass
"""
    student = start_walled(processes=16)
    assert student.call("run", source=source) <= 16


FILES = """
import time
for number in range(40_000):
    open(str(number), "w").close()
time.sleep(5)
"""
BYTES = """
import os, time
for number in range(5):
    with open(str(number), "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 100 * 2**20)
time.sleep(5)
"""


@pytest.mark.promise("limits on memory, time, processes, files, disk and output")
@pytest.mark.slow
@pytest.mark.parametrize("source", [FILES, BYTES], ids=["files", "disk"])
def test_floods_by_the_whole_tree_are_stopped(start_walled, source):
    """Each process and each file stays within its own limit; together they do not."""
    student = start_walled(memory_bytes=2**28)
    with pytest.raises(StudentFault, match=r"too m(uch|any)|No space left"):
        student.call("run", source=source)


FORKS = """
import os, time
for _ in range(10):
    if os.fork() == 0:
        held = b"x" * (160 * 2**20)
        time.sleep(20)
        os._exit(0)
time.sleep(20)
"""
SOCKETS = """
import os, socket, time
for _ in range(20):
    if os.fork() == 0:
        break
held = [b"x" * 2**23]  # with the buffers of as many sockets as it may open, more than allowed
try:
    while True:
        held.append(socket.socketpair())
        for end in held[-1]:
            end.setblocking(False)
            try:
                while end.send(bytes(2**16)):
                    pass
            except BlockingIOError:
                pass
except OSError:
    time.sleep(20)
"""
UNLINKED = """
import os, time
for number in range(5):
    file = open(str(number), "wb")
    os.unlink(str(number))
    if number % 2:
        os.dup(file.fileno())
    file.write(bytes(100 * 2**20))
    globals()[f"held_{number}"] = file
time.sleep(5)
"""


@pytest.fixture(params=["counted by the kernel", "looked at"])
def counted(request, monkeypatch):
    """With a control group where this machine has them, and without."""
    if request.param == "looked at":
        monkeypatch.setattr(cgroup, "find_place", lambda: None)
    elif cgroup.find_place() is None:
        pytest.skip("no control groups here")


@pytest.mark.promise(
    "limits that cannot be attributed to a single process (memory, files, CPU time)"
)
@pytest.mark.slow
@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("source", [FORKS, SOCKETS, UNLINKED], ids=["memory", "sockets", "disk"])
def test_floods_that_no_process_shows_are_stopped(start_walled, source):
    student = start_walled(memory_bytes=2**28, processes=24)
    with pytest.raises(StudentFault, match=r"too m(uch|any)|No space left"):
        student.call("run", source=source)


MAPPINGS = [
    "import mmap; mmap.mmap(-1, 4096)",
    "import mmap; mmap.mmap(open('/dev/zero', 'r+b').fileno(), 4096)",
    "import os; os.memfd_create('x')",
    "from multiprocessing.shared_memory import SharedMemory; SharedMemory(create=True, size=2**27)"
    ".buf[:] = bytes(2**27)",
]


@pytest.mark.promise(
    "limits that cannot be attributed to a single process (memory, files, CPU time)"
)
@pytest.mark.parametrize("source", MAPPINGS)
def test_memory_that_belongs_to_no_process_is_refused(walled, source):
    """Its pages can be filled and given away: then no process is large."""
    with pytest.raises(StudentFault, match="Error|bus error"):
        walled.call("run", source=source)


def test_private_mappings_are_as_ever(walled):
    source = "import mmap; block = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANON)"
    assert walled.call("run", source=f"{source}\nblock[:2] = b'ok'\nresult = 1") == 1


@pytest.mark.promise(
    "limits that cannot be attributed to a single process (memory, files, CPU time)"
)
@pytest.mark.usefixtures("counted")
def test_processor_time_of_all_processes_is_limited(start_walled, monkeypatch):
    """None of them uses more than one may; nobody waits for them."""
    monkeypatch.setattr(process, "TREE_CPU_GRACE", 0.5)
    source = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.7
        while time.process_time() < end:
            pass
        os._exit(0)
    time.sleep(0.5)
"""
    student = start_walled(cpu_seconds=1, wall_seconds=60)
    with pytest.raises(StudentTimedOut, match="1 s of processor time"):
        student.call("run", source=source)


@pytest.mark.promise("leaves no process behind", none="a child that leaves its session remains")
@pytest.mark.parametrize("mode", WALLS, ids=identify)
def test_daemon_is_gone_after_close(opener, mode):
    marker = f"softmark_daemon_{os.getpid()}"
    source = f"""
import os, signal, time, sys
ends = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in set(signal.Signals) - {{9, 19}}:
            signal.signal(number, signal.SIG_IGN)
        os.write(ends[1], b"x")
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(300) # {marker}"])
    os._exit(0)
os.wait()
result = os.read(ends[0], 1).decode()
"""
    student = opener(mode[0], warm=mode[1])
    assert student.call("run", source=source) == "x"
    assert wait_for(lambda: processes_with(marker))
    student.close()
    assert not processes_with(marker)


@pytest.mark.promise("leaves no process behind", none="a child that leaves its session remains")
def test_fork_bomb_is_gone_after_close(start_walled):
    marker = f"softmark_bomb_{os.getpid()}"
    source = f"""
import ctypes, os, time
ctypes.CDLL(None).prctl(15, b"{marker}"[-15:], 0, 0, 0)
end = time.monotonic() + 5  # also where no wall stops it
while time.monotonic() < end:
    try:
        os.fork()
    except OSError:
        pass
"""
    student = start_walled(processes=12, wall_seconds=1)
    with pytest.raises(StudentFault):
        student.call("run", source=source)
    student.close()
    assert not processes_with(marker[-15:], "comm")


def processes_with(marker, file="cmdline"):
    """Processes with this text, other than this one."""
    own_text = Path(f"/proc/self/{file}").read_text().rstrip("\0\n")
    return [text for text in texts_of(file) if marker in text and text != own_text]
