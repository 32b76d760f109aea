"""Plant canaries: things that no attack may read, change or reach, each with its own secret.

files         in the user's home, a store, another student's result
environment   one of the grader's variables
sockets       TCP, datagrams, an abstract and a named one
processes     no process with the mark of an attack may be left
"""

import os
import secrets
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import reference
from graders.registry.discovery import ASSIGNMENTS

VARIABLE = "SOFTMARK_CANARY"
TRACES = ("softmark-pickled", "softmark-outside.py")  # files that code in an upload would leave
PATIENCE = 10.0  # seconds that killed processes may take to disappear


class Canaries:
    """The canaries, which are planted on entry and removed on exit."""

    def __init__(self, work: Path, files: Sequence[Path] = ()) -> None:
        """Plant in the folder `work`; `files` are others that must remain unchanged."""
        self.mark = f"sm-{secrets.token_hex(5)}"
        self.secrets = {
            name: f"canary-{secrets.token_hex(8)}" for name in ("home", "store", "result", "env")
        }
        self._socket = work / "socket"
        self._planted = {
            "home": Path.home() / f".softmark-{self.mark}",
            "store": work / "store" / "store.sqlite",
            "result": work / "store" / "results" / "zoe.json",
        }
        self._files = [*self._planted.values(), *files]
        self._content: dict[Path, bytes] = {}
        self._servers: dict[str, socket.socket] = {}

    def __enter__(self) -> "Canaries":
        for name, path in self._planted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{self.secrets[name]}\n", encoding="utf-8")
            path.chmod(0o644)
        self._content = {path: path.read_bytes() for path in self._files}
        for path in _traces():
            path.unlink(missing_ok=True)
        os.environ[VARIABLE] = self.secrets["env"]
        self._servers = dict(self._listening())
        return self

    def __exit__(self, *_: object) -> None:
        os.environ.pop(VARIABLE, None)
        for server in self._servers.values():
            server.close()
        for path in (*self._planted.values(), self._socket):
            path.unlink(missing_ok=True)

    @property
    def targets(self) -> dict[str, object]:
        """Everything that an attack could want to know in advance, without the secrets."""
        ours = [*Path(str(reference.__file__)).parent.rglob("*.py")]
        ours += ASSIGNMENTS.rglob("checks*.py")
        return {
            "mark": self.mark,
            "files": [str(path) for path in self._files],
            "ours": [str(path) for path in (*ours, *ASSIGNMENTS.glob("*/assignment.toml"))],
            "processes": [os.getpid(), os.getppid()],
            "port": self._servers["TCP"].getsockname()[1],
            "datagrams": self._servers["datagrams"].getsockname()[1],
            "abstract": self.mark,
            "socket": str(self._socket),
        }

    def named_in(self, text: str) -> Iterator[str]:
        """Return the canaries whose secret appears in this text."""
        return (name for name, secret in self.secrets.items() if secret in text)

    def harmed(self) -> list[str]:
        """Describe what was changed or reached, and which processes are left."""
        changed = [str(path) for path in self._files if not self._is_whole(path)]
        reached = [name for name, server in self._servers.items() if _was_reached(server)]
        return [
            *(f"{path} was changed" for path in changed),
            *(f"a server was reached by {name}" for name in reached),
            *(f"{path} was created" for path in _traces() if path.exists()),
            *(f"process {pid} is left" for pid in self._left()),
        ]

    def _is_whole(self, path: Path) -> bool:
        try:
            return path.read_bytes() == self._content[path]
        except OSError:
            return False

    def _listening(self) -> Iterator[tuple[str, socket.socket]]:
        yield "TCP", socket.create_server(("127.0.0.1", 0))
        for name, address in (("abstract", f"\0{self.mark}"), ("named", str(self._socket))):
            server = socket.socket(socket.AF_UNIX)
            server.bind(address)
            server.listen()
            yield f"an {name} socket" if name == "abstract" else f"a {name} socket", server
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.bind(("127.0.0.1", 0))
        yield "datagrams", receiver

    def _left(self) -> list[int]:
        deadline = time.monotonic() + PATIENCE
        while (pids := list(_processes_with(self.mark))) and time.monotonic() < deadline:
            time.sleep(0.1)
        return pids


def _traces() -> list[Path]:
    folders = (Path(tempfile.gettempdir()), Path.home(), Path.cwd())
    return [folder / name for folder in folders for name in TRACES]


def _was_reached(server: socket.socket) -> bool:
    """Return whether something connected or sent; the kernel accepts connections automatically."""
    server.setblocking(False)
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(1)
        else:
            server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _processes_with(mark: str) -> Iterator[int]:
    """Yield living processes with the mark in their name or command line."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "comm").read_text() + (entry / "cmdline").read_text(errors="replace")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark in text and state != "Z":
            yield int(entry.name)
