"""Restrictions that a process puts on itself, tested in small processes without torch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("Linux only", allow_module_level=True)

from graders.boundary.child import landlock, seccomp

ROOT = Path(__file__).parents[3]
LANDLOCK = pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")
SECCOMP = pytest.mark.skipif(
    os.uname().machine not in seccomp.COLUMNS, reason="no table of system calls for this machine"
)
START = """
import ctypes, os
from graders.boundary.child import landlock
from graders.boundary.child import narrow
from graders.boundary.child import seccomp
def attempt(action):
    try:
        return action()
    except OSError as error:
        return type(error).__name__
narrow._prctl(narrow.PR_SET_NO_NEW_PRIVS, 1)
"""


def run(source, **values):
    """What a fresh process prints that runs this source."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", START + source.format(**values)],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@LANDLOCK
def test_landlock_grants_what_is_named(tmp_path):
    for name in ("read", "write", "list", "none"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("text")
    source = """
base = {base!r}
grants = {{kind: [f"{{base}}/{{kind}}"] for kind in ("read", "write", "list")}}
landlock.restrict(grants | {{"device": ["/dev/null"]}})
for name in ("read", "write", "list", "none"):
    folder = f"{{base}}/{{name}}"
    print(
        attempt(lambda: open(folder + "/file").read()),
        attempt(lambda: open(folder + "/file", "w").write("new")),
        attempt(lambda: len(os.listdir(folder))),
    )
print(attempt(lambda: open("/dev/null", "w").write("x")))
"""
    no = "PermissionError"
    assert run(source, base=str(tmp_path)) == [
        "text", no, "1",
        "text", "3", "1",
        no, no, "1",
        no, no, no,
        "1",
    ]  # fmt: skip


@LANDLOCK
def test_landlock_that_cannot_be_set_up_is_an_error(tmp_path):
    out = run("print(attempt(lambda: landlock.restrict({{'read': [{path!r}]}})))", path="/nowhere")
    assert out == ["FileNotFoundError"]


# Each action with what it gives on a machine that others share, and where the child is alone.
FILTERED = [
    ("ctypes.CDLL(None).unshare(0)", "-1", "-1"),
    ("__import__('socket').socket(1).close()", "PermissionError", "None"),
    ("__import__('socket').socket(2).close()", "PermissionError", "PermissionError"),
    ("__import__('socket').socketpair()[0].fileno() > 0", "True", "True"),
    ("os.chmod('file', 0) or os.stat('file').st_mode & 0o777", "384", "0"),
    ("os.utime('file', (0, 0)) or os.stat('file').st_mtime > 0", "True", "False"),
    ("os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0))", "PermissionError", "None"),
    ("os.sched_setaffinity(0, os.sched_getaffinity(0))", "None", "None"),
    ("os.setpriority(0, 0, 0)", "PermissionError", "None"),
    ("os.kill(os.getppid(), 0)", "None", "None"),
    ("os.fork() > 0 or os._exit(0)", "True", "True"),
    ("__import__('threading').Thread(target=int).start()", "None", "None"),
    ("__import__('resource').getrlimit(0)[0] != 1", "True", "True"),
]


@SECCOMP
@pytest.mark.parametrize("shared", [True, False])
def test_seccomp_refuses_what_the_table_says(tmp_path, monkeypatch, shared):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch(0o600)
    source = "".join(f"print(attempt(lambda: {action}))\n" for action, *_ in FILTERED)
    outcomes = run(f"seccomp.install(shared={shared})\n{source}")
    expected = [on_shared if shared else alone for _, on_shared, alone in FILTERED]
    assert dict(zip(FILTERED, outcomes, strict=True)) == dict(zip(FILTERED, expected, strict=True))


@SECCOMP
def test_seccomp_keeps_signals_in():
    source = """
seccomp.install(shared=True, scoped=False)
print(attempt(lambda: os.kill(os.getpid(), 0)), attempt(lambda: os.kill(os.getppid(), 0)))
"""
    assert run(source) == ["None", "PermissionError"]


@SECCOMP
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_user_of_its_own_ends_what_it_started_and_nothing_else():
    source = """
import time
order = dict(user=2000000011, reads_all=False, landlock=dict(), gpu=False, rlimits=dict())
order |= dict(memory=0, cpu=0)
narrow.give_up(order)
child = os.fork() or os._exit(time.sleep(3) or 0)
print(attempt(lambda: os.kill(os.getppid(), 0)), attempt(lambda: os.kill(child, 15)))
print(os.waitpid(child, 0)[1])
"""
    assert run(source) == ["PermissionError", "None", "15"]


def test_seccomp_without_a_table_is_refused_on_a_shared_machine():
    source = """
seccomp.platform.machine = lambda: "vax"
print(seccomp.install(shared=False), attempt(lambda: seccomp.install(shared=True)))
"""
    assert run(source) == ["None", "OSError"]


def test_narrowing_refuses_a_process_with_threads():
    source = """
import threading, time
threading.Thread(target=time.sleep, args=(1,)).start()
print(attempt(lambda: narrow.give_up({{}})))
"""
    assert run(source) == ["OSError"]


def test_capability_cannot_be_kept_and_limits_never_rise():
    source = "narrow._keep_capabilities(0); print(attempt(lambda: narrow._keep_capabilities(4)))"
    assert run(source) == ["PermissionError"]
    source = """
import resource
narrow._limit("RLIMIT_NOFILE", 50, 50)
narrow._limit("RLIMIT_NOFILE", 80, 80)
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""
    assert run(source) == ["50", "50"]
