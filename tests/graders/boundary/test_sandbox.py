"""Tiers: which work, what happens if one does not, and what remains if Softmark dies.

The table of what a child sees, lacks and may use.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from graders.boundary import policy
from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works, user_for
from graders.errors import SandboxFailed
from tests.graders.boundary.conftest import (
    LIMITS,
    PLAYGROUND,
    ROOT,
    WALLS,
    identify,
    open_student,
)
from tests.processes import texts_of, wait_for

SCRIPT = f"""
import os, sys
from pathlib import Path
from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works
from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.errors import StudentFault
from graders.model import Limits

def open_student(tier, warm=True):
    side, limits = Side(Path({str(PLAYGROUND.folder)!r})), Limits(20, 20, 2**30, 10_000, 24)
    return Student(None, side, limits, seed=1, tier=tier, warm=warm)

def attempt(student, action, **values):
    try:
        return student.call("run", source="import os\\nresult = " + action, **values)
    except StudentFault as fault:
        return getattr(fault, "kind", type(fault).__name__)
"""


def started(source, *before, env=(), root=ROOT):
    """A fresh interpreter that runs SCRIPT and this source."""
    return subprocess.Popen(
        [*before, sys.executable, "-c", SCRIPT + source],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), **dict(env)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def python(source, *before, **more):
    """The output of a fresh interpreter that runs SCRIPT and this source."""
    with started(source, *before, **more) as process:
        out, err = process.communicate()
    assert process.returncode == 0, err
    return out


def test_best_tier_is_the_strongest_that_works():
    assert tier_works(Tier.NONE)
    assert best_tier() is next(tier for tier in Tier if tier_works(tier))


def test_none_needs_nothing_of_linux(tmp_path):
    """A student's own check runs where none of the Linux modules can be imported."""
    (tmp_path / "sitecustomize.py").write_text("""
import sys
sys.platform = "darwin"
sys.modules["resource"] = None
for name in ("landlock", "seccomp", "narrow", "bubblewrap", "supervised", "identity", "usage"):
    sys.modules["graders.boundary." + name] = None
""")
    source = """
print(best_tier().value)
with open_student(best_tier()) as student:
    print(student.call("echo", value=[1, "a"]), attempt(student, "os._exit(3)"))
    print(attempt(student, "1 / 0"))
"""
    out = python(source, env={"PYTHONPATH": f"{tmp_path}:{ROOT}"})
    assert out.splitlines() == ["none", "[1, 'a'] StudentExited", "ZeroDivisionError"]


@pytest.mark.skipif(not tier_works(Tier.BUBBLEWRAP), reason="no bubblewrap here")
@pytest.mark.parametrize("program", [None, "#!/bin/sh\necho no namespaces here >&2; exit 1\n"])
def test_broken_bubblewrap_is_our_fault(start, tmp_path, monkeypatch, program):
    if program is not None:
        (tmp_path / "bwrap").write_text(program)
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = "did not start" if program is None else "no namespaces here"
    student = start(Tier.BUBBLEWRAP)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        with pytest.raises(SandboxFailed, match=reason):
            student.call("echo")
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="walls are built of Linux")
def test_missing_bubblewrap_means_the_next_tier(tmp_path):
    out = python("print(best_tier().value)", env={"PATH": str(tmp_path)})
    assert out.strip() == ("landlock" if tier_works(Tier.LANDLOCK) else "none")


def test_a_student_side_that_cannot_be_imported_is_our_fault(tmp_path):
    (tmp_path / "student_side.py").write_text("import no_such_module\ndef echo(): pass\n")
    with (
        Student(None, Side(tmp_path), LIMITS, seed=1, tier=best_tier()) as student,
        pytest.raises(SandboxFailed, match="no_such_module"),
    ):
        student.call("echo")


@pytest.mark.promise("leaves no process behind", none="a child that leaves its session remains")
@pytest.mark.parametrize("mode", WALLS, ids=identify)
def test_killed_softmark_leaves_no_process(mode, tmp_path):
    """Also a daemon of the student's goes when the grader is killed without warning."""
    tier, warm = mode
    marker = f"softmark_orphan_{os.getpid()}"
    source = f"""
import time
student = open_student(Tier({tier.value!r}), {warm})
student.call("run", source='''
import os, sys
heard, closes_on_exec = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60) # {marker}"])
os.close(closes_on_exec)
os.read(heard, 1)
''')
print("ready", flush=True)
time.sleep(60)
"""
    with started(source, env={"TMPDIR": str(tmp_path)}) as softmark:
        assert softmark.stdout.readline() == "ready\n"
        softmark.send_signal(signal.SIGKILL)
    assert wait_for(lambda: not any(text.endswith(marker) for text in texts_of("cmdline")))


@pytest.mark.parametrize(
    "layout", [pytest.param("site-packages", marks=pytest.mark.long), "venv-in-repository"]
)
def test_installed_softmark_stays_hidden(start_walled, tmp_path, layout):
    """After `pip install` our packages lie among those that the child reads."""
    tier = start_walled.args[0]
    packages = tmp_path / "site-packages"
    root = packages if layout == "site-packages" else tmp_path / "repository"
    if layout != "site-packages":
        packages = root / ".venv" / "lib" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "neighbour.py").write_text("HERE = 1\n")
    for name in ("graders", "submissions"):
        shutil.copytree(ROOT / name, root / name)
    (root / "grade.py").write_text("SECRET = 1\n")
    hidden = [str(root / n) for n in ("grade.py", "graders/model.py", "submissions/submission.py")]
    source = f"""
with open_student(Tier({tier.value!r}), {start_walled.keywords["warm"]}) as student:
    print(attempt(student, "__import__('neighbour').HERE"))
    print(attempt(student, "__import__('grade')"))
    for path in {hidden!r}:
        print(attempt(student, f"open({{path!r}}).read()"))
"""
    out = python(source, env={"PYTHONPATH": f"{packages}:{root}"}, root=root).split()
    assert out[0] == "1"
    denied = {"PermissionError", "FileNotFoundError", "ModuleNotFoundError"}
    assert all(line in denied or line == "''" for line in out[1:]), out


def as_another_user():
    """A command that runs another one as a user without any privilege."""
    if os.geteuid() != 0 or not tier_works(Tier.BUBBLEWRAP):
        pytest.skip("only root can become another user")
    words = ["bwrap", "--dev-bind", "/", "/"]
    base = Path(sys.base_prefix)
    if base.is_relative_to("/root"):  # closed to others: show the interpreter alone
        words += ["--perms", "0755", "--tmpfs", "/root"]
        for folder in reversed(base.parents[:-2]):
            words += ["--perms", "0755", "--dir", str(folder)]
        words += ["--ro-bind", str(base), str(base)]
    drop = ["setpriv", "--reuid", "23456", "--regid", "23456", "--clear-groups"]
    return [*words, "--cap-add", "ALL", "--", *drop]


@pytest.mark.skipif(sys.platform != "linux", reason="walls are built of Linux")
def test_walls_hold_without_root():
    source = """
import tempfile
handle, canary = tempfile.mkstemp()
os.write(handle, b"canary")
for tier in Tier:
    if tier is Tier.NONE or not tier_works(tier):
        continue
    with open_student(tier) as student:
        found = [
            attempt(student, "os.kill(p, 0)", p=os.getpid()),
            attempt(student, "open('/etc/passwd').read()"),
            attempt(student, "open(f'/proc/{p}/environ').read()", p=os.getpid()),
            attempt(student, "open('/proc/1/mem', 'r+b')"),
            attempt(student, "__import__('resource').prlimit(p, 0, (1, 1))", p=os.getpid()),
            attempt(student, "os.sched_setaffinity(p, [0])", p=os.getpid()),
            attempt(student, "os.truncate(c, 0)", c=canary),
            attempt(student, "os.mkdir('d') or os.replace(open('s', 'w').name, 'd/s') "
                    "or open('d/s', 'w').write('x')"),
            attempt(student, "[os.fork() or __import__('time').sleep(9) for _ in range(50)]"),
        ]
        attempt(student, "os.chmod(c, 0) or os.utime(c, (0, 0))", c=canary)
        kept = os.fstat(handle)
        assert (kept.st_mode & 0o777, kept.st_size, kept.st_mtime > 0) == (0o600, 6, True)
        print(tier.value, *found)
os.unlink(canary)
"""
    out = python(source, *as_another_user(), env={"TMPDIR": "/tmp", "HOME": "/"})
    lines = [line.split() for line in out.splitlines()]
    assert [line[0] for line in lines] == ["bubblewrap", "landlock"]
    denied = {"PermissionError", "FileNotFoundError", "ProcessLookupError"}
    for line in lines:
        assert set(line[1:-2]) <= denied, line
        assert line[-2:] == ["1", "BlockingIOError"]


@pytest.mark.skipif(sys.platform != "linux", reason="walls are built of Linux")
def test_tier_without_process_limit_does_not_work():
    """A root without its privileges is held to no number of processes: no tier would stop it."""
    if os.geteuid() != 0 or not tier_works(Tier.BUBBLEWRAP):
        pytest.skip("only root can be tried")
    before = ["bwrap", "--unshare-user", "--uid", "1234", "--gid", "1234", "--dev-bind", "/", "/"]
    out = python("print(best_tier().value)", *before, "--", env={"TMPDIR": "/tmp"})
    assert out.strip() == "none"


def test_child_of_root_is_another_user_each_time():
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    users = {user_for(Tier.LANDLOCK) for _ in range(5)}
    assert len(users) > 1
    assert min(users) >= policy.STUDENT_IDS


@pytest.mark.parametrize("mode", WALLS, ids=identify)
def test_temporary_files_may_lie_in_a_private_folder(mode, tmp_path, monkeypatch):
    """A child of root is another user, who may not enter it; this shows with a system's Python."""
    tier, warm = mode
    tmp_path.chmod(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open_student(None, tier, warm) as student:
        assert student.call("run", source="result = 1") == 1


def test_without_a_sandbox_a_child_that_cannot_reach_its_files_is_no_other_user(
    tmp_path, monkeypatch
):
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    monkeypatch.setattr(policy, "visible", lambda: (Path("/usr/lib"),))
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    assert user_for(Tier.NONE) is not None
    tmp_path.chmod(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert user_for(Tier.NONE) is None


def test_environment_inherits_nothing_and_processes_are_limited(monkeypatch):
    monkeypatch.setenv("SOFTMARK_CANARY", "x")
    monkeypatch.setenv("PYTHONPATH", "x")
    variables = policy.environment(Path("/scratch"))
    assert not {"SOFTMARK_CANARY", "PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH"} & set(variables)
    assert variables["HOME"] == variables["TMPDIR"] == "/scratch"
    assert policy.rlimits(LIMITS, processes_before=10)["RLIMIT_NPROC"] == 10 + LIMITS.processes


def test_interpreter_is_visible_and_the_repository_hidden():
    seen = policy.visible()
    for needed in (Path(sys.prefix) / "lib", Path(sys.base_prefix) / "lib"):
        assert any(needed == path for path in seen)
    lengths = [len(path.parts) for path in policy.visible()]
    assert lengths == sorted(lengths)
    root = Path(policy.__file__).resolve().parents[2]
    assert policy.hidden((root.parent,)) == (root,)
    assert policy.hidden((root / ".venv",)) == ()


@pytest.mark.parametrize("secret", ["/", "/root", "/home", "/etc", "/tmp", "/var", "/proc", "/run"])
def test_nothing_else_is_visible(secret):
    assert Path(secret) not in policy.visible()
