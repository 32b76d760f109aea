"""What a student's process cannot access, in every tier that promises isolation."""

import fcntl
import os
import socket
import tempfile
from pathlib import Path

import pytest

from graders.boundary import policy
from graders.boundary.child import seccomp, syscalls
from graders.boundary.tiers.sandbox import Tier
from tests.graders.boundary.conftest import DENIED, ROOT, WALLS, attempt, identify

CANARY = "the canary 5417"


@pytest.fixture
def canary(tmp_path):
    path = tmp_path / "canary"
    path.write_text(CANARY)
    path.chmod(0o644)
    return path


def forbidden_files():
    yield ROOT / "pyproject.toml"
    yield ROOT / "graders" / "boundary" / "policy.py"
    yield Path("/etc/passwd")
    yield Path(tempfile.gettempdir())
    yield Path.home()
    yield Path(f"/proc/{os.getpid()}/environ")
    yield Path(f"/proc/{os.getpid()}/cmdline")
    yield Path("/var")


@pytest.mark.promise(
    "reads only the interpreter, libraries and its own files", landlock="yes, kernel 6.2 and later"
)
def test_files_of_others_cannot_be_read(walled):
    """In namespaces a folder may exist, but holds nothing except the way to what is visible."""
    ways = {part for path in policy.visible() for part in path.parts}
    action = "os.listdir(p) if os.path.isdir(p) else open(p).read(99)"
    for path in forbidden_files():
        got = attempt(walled, action, p=str(path))
        assert got in DENIED if isinstance(got, str) else set(got) <= ways, path


@pytest.mark.promise("reads only the interpreter, libraries and its own files")
def test_canary_cannot_be_read_or_changed(walled, canary):
    for action in (
        *("open(p).read()", "open(p, 'w').write('x')", "os.unlink(p)", "os.truncate(p, 0)"),
        *("os.link(p, 'l')", "os.rename(p, 'r')", "os.listdir(os.path.dirname(p))"),
        "os.symlink(p, 'way') or open('way').read()",
    ):
        assert attempt(walled, action, p=str(canary)) in DENIED, action
    assert canary.read_text() == CANARY


@pytest.mark.promise("writes only its scratch folder")
def test_own_files_and_libraries_are_read_only_and_scratch_is_not(walled):
    for folder in ("code", "runtime"):
        action = f"open(os.path.join(os.path.dirname(os.getcwd()), '{folder}', 'new'), 'w')"
        assert attempt(walled, action) in DENIED
    assert attempt(walled, "open(os.__file__, 'a')") in DENIED
    assert attempt(walled, "open(__import__('torch').__file__, 'a')") in DENIED
    source = "import os; open('f', 'w').write('x'); os.mkdir('d'); os.rename('f', 'd/g'); "
    assert walled.call("run", source=source + "result = open('d/g').read()") == "x"


def test_temporary_files_work(student):
    source = "import tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x'); result = f.tell()"
    assert student.call("run", source=source) == 1


@pytest.mark.promise("its own environment, with none of the grader's variables")
def test_environment_is_ours_alone(student, monkeypatch):
    monkeypatch.setenv("SOFTMARK_CANARY", CANARY)
    names = set(student.call("run", source="import os; result = sorted(os.environ)"))
    libraries = {"KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "TORCHINDUCTOR_CACHE_DIR", "PWD"}
    assert names <= set(policy.environment(Path("scratch"))) | libraries


@pytest.mark.promise("no TCP, datagrams, named or abstract sockets")
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6], ids=["IPv4", "IPv6"])
def test_listening_socket_is_out_of_reach(walled, family):
    host = "127.0.0.1" if family is socket.AF_INET else "::1"
    try:
        server = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip(f"no {family.name} here")
    with server:
        action = "__import__('socket').create_connection((h, p), 2)"
        assert attempt(walled, action, h=host, p=server.getsockname()[1]) in DENIED


@pytest.mark.promise("no TCP, datagrams, named or abstract sockets")
@pytest.mark.parametrize("address", ["path", "abstract"])
def test_unix_socket_is_out_of_reach(walled, tmp_path, address):
    name = str(tmp_path / "socket") if address == "path" else "\0softmark-canary"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        action = "__import__('socket').socket(1).connect(n)"
        assert attempt(walled, action, n=name) in DENIED


@pytest.mark.promise("no TCP, datagrams, named or abstract sockets")
def test_datagrams_cannot_be_sent(walled):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.2)
        action = "__import__('socket').socket(2, 2).sendto(b'x', ('127.0.0.1', p))"
        assert attempt(walled, action, p=server.getsockname()[1]) in DENIED
        with pytest.raises(TimeoutError):
            server.recv(1)


@pytest.mark.promise("signals no other process")
def test_parent_cannot_be_signalled(walled):
    for pid in (os.getpid(), os.getppid(), walled._child.pid):
        assert attempt(walled, "os.kill(p, 0)", p=pid) in DENIED


@pytest.mark.promise(
    "sees no other process",
    bubblewrap="yes, own process namespace",
    landlock="cannot read their `/proc`",
)
def test_parent_is_not_seen(walled):
    for file in ("cmdline", "mem"):
        assert attempt(walled, "open(p, 'rb').read(1)", p=f"/proc/{os.getpid()}/{file}") in DENIED


CLONE = {"clone": (56, 220)}  # not refused by its number: a thread is one, too
NEW_USERS = 0x10000000 | 17


@pytest.mark.promise("dangerous system calls are refused")
@pytest.mark.parametrize(
    ("call", "flags"),
    [
        *((call, 0) for call in ("ptrace", "unshare", "mount", "bpf", "memfd_create", "shmget")),
        ("clone", NEW_USERS),
    ],
)
def test_dangerous_system_calls_are_refused(walled, call, flags):
    machine = os.uname().machine
    if machine not in seccomp.COLUMNS:
        pytest.skip("no table of system calls for this machine")
    number = (syscalls.REFUSED | CLONE)[call][seccomp.COLUMNS[machine][0]]
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"result = [libc.syscall({number}, {flags}, 0, 0, 0, 0, 0), ctypes.get_errno()]"
    )
    assert walled.call("run", source=source) == [-1, 1]


@pytest.mark.promise("limits and rights cannot be raised")
def test_no_privileges_are_left(walled):
    source = (
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "result = [libc.prctl(39, 0, 0, 0, 0), os.getuid(), os.getgid()]"
    )
    no_new_privileges, user, group = walled.call("run", source=source)
    assert no_new_privileges == 1
    assert attempt(walled, "os.setuid(0)") in DENIED
    assert user == group >= 1000 or os.geteuid() != 0


@pytest.mark.parametrize("mode", WALLS, ids=identify)
def test_no_descriptor_is_inherited(opener, mode, canary):
    with canary.open("rb") as handle:
        os.set_inheritable(handle.fileno(), True)
        source = """
import os
result = []
for number in range(3, 256):
    try:
        result.append(oct(os.fstat(number).st_mode)[:4])
    except OSError:
        pass
"""
        kinds = opener(mode[0], warm=mode[1]).call("run", source=source)
    assert kinds == ["0o14"], "one socket: the channel"


@pytest.mark.promise("limits and rights cannot be raised")
def test_code_cannot_hide_what_it_holds_open_or_raise_its_limits(walled):
    source = """
import resource
names = ["CORE", "FSIZE", "NOFILE", "NPROC", "MEMLOCK", "STACK", "AS", "CPU"]
result = {name: list(resource.getrlimit(getattr(resource, "RLIMIT_" + name))) for name in names}
"""
    limits = walled.call("run", source=source)
    assert limits["CORE"] == [0, 0]
    assert limits["FSIZE"] == [policy.FILE_BYTES] * 2
    assert limits["NOFILE"] == [policy.OPEN_FILES] * 2
    assert all(0 <= limit[1] < 2**40 for limit in limits.values()), limits
    action = "__import__('resource').setrlimit(6, (9999, 9999))"
    assert attempt(walled, action) in {"ValueError", "PermissionError"}
    assert attempt(walled, "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)") == -1


@pytest.mark.promise("file locks and events reveal nothing about other processes")
def test_locks_on_common_files_tell_nothing(walled):
    """They seem to work, so that code which locks its own files runs."""
    with open(os.__file__, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        source = (
            "import fcntl, os\nwith open(os.__file__, 'rb') as f: fcntl.flock(f, fcntl.LOCK_EX)"
        )
        assert walled.call("run", source=source) is None


@pytest.mark.promise("file locks and events reveal nothing about other processes")
def test_files_of_others_are_not_watched(walled, tmp_path):
    source = f"""
import ctypes
libc = ctypes.CDLL(None)
result = libc.inotify_add_watch(libc.inotify_init(), {os.fsencode(tmp_path)!r}, 0xFFF)
"""
    assert walled.call("run", source=source) == -1


@pytest.mark.promise(
    "names, sizes and dates of other files stay hidden",
    landlock="**no**: `stat` works on a known path",
)
def test_names_of_others_stay_hidden(walled, canary):
    """Landlock has no right for it; where it gets one, this test will say so."""
    outcome = attempt(walled, "os.stat(p).st_size", p=str(canary))
    assert outcome == len(CANARY) if walled.tier is Tier.LANDLOCK else outcome in DENIED
