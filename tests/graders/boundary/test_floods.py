"""Floods of memory, files and processes stop, and nothing that was started outlives its run."""

import os
import time
from pathlib import Path

import pytest

from graders.boundary import policy
from graders.errors import StudentFault, StudentRaised


def test_memory_flood_is_stopped(walled):
    with pytest.raises(StudentFault, match="memory"):
        walled.call("run", source="bytearray(2**31)")


def test_disk_flood_is_stopped(walled):
    source = f"with open('big', 'wb') as f: f.truncate({policy.FILE_BYTES + 1})"
    with pytest.raises(StudentRaised, match="OSError"):
        walled.call("run", source=source)


def test_descriptor_flood_is_stopped(walled):
    source = "kept = []\nwhile True: kept.append(open('/dev/null'))"
    with pytest.raises(StudentRaised, match="OSError"):
        walled.call("run", source=source)


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


FORKS = """
import os, time
for _ in range(10):
    if os.fork() == 0:
        held = b"x" * (160 * 2**20)
        time.sleep(20)
        os._exit(0)
time.sleep(20)
"""
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


@pytest.mark.slow
@pytest.mark.parametrize("source", [FORKS, FILES, BYTES], ids=["memory", "files", "disk"])
def test_floods_by_the_whole_tree_are_stopped(start_walled, source):
    """Each process and each file stays within its own limit; together they do not."""
    student = start_walled(memory_bytes=2**28)
    with pytest.raises(StudentFault, match=r"too m(uch|any)|No space left"):
        student.call("run", source=source)


def test_daemon_is_gone_after_close(start_walled):
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
    student = start_walled()
    assert student.call("run", source=source) == "x"
    assert wait_for(lambda: processes_with(marker))
    student.close()
    assert not processes_with(marker)


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
    assert not processes_with(marker[-15:], name=True)


def processes_with(marker, *, name=False):
    """Processes that have this text in their command line, or as their name."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            text = (entry / ("comm" if name else "cmdline")).read_text()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if (
            marker in text
            and entry.name.isdigit()
            and state != "Z"
            and int(entry.name) != os.getpid()
        ):
            found.append(entry.name)
    return found


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()
