"""Gradescope's documented folders under a temporary root, bound to /autograder by bubblewrap.

The scripts of a package run there unchanged. `apt-get` is a stub; Python is the tests' own
environment, bound to the path where setup.sh would create one, so that pip finds every pinned
package installed and queries no index. Softmark's repository is not visible.

`docker=True` means what Docker permits by default: its capabilities, and no namespaces. `denied`
are additional system calls that the kernel reports as unknown.
"""

import json
import os
import platform
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graders.boundary.tiers.sandbox import Tier, tier_works

Done = subprocess.CompletedProcess[str]
TOPS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt")
LANDLOCK = (444, 445, 446)
UNSHARE, CLONE, CLONE3, NAMESPACES = 272, 56, 435, 0x7E020000  # x86-64; as in Docker's profile
DOCKER = (
    "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP",
    "NET_BIND_SERVICE", "NET_RAW", "SYS_CHROOT", "MKNOD", "AUDIT_WRITE", "SETFCAP",
)  # fmt: skip
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERROR, EPERM, ENOSYS = 0x7FFF0000, 0x00050000, 1, 38


@dataclass(frozen=True)
class Container:
    root: Path
    docker: bool = False
    denied: tuple[int, ...] = ()

    def run(self, *command: object, timeout: float = 240) -> Done:
        """The command inside; what it printed and how it ended."""
        with tempfile.TemporaryFile() as filter_:
            filter_.write(seccomp(self.denied))
            filter_.seek(0)
            words = [*self._walls(filter_.fileno()), *map(str, command)]
            return subprocess.run(
                words,
                pass_fds=(filter_.fileno(),),
                capture_output=True,
                text=True,
                timeout=timeout,
                env={"PATH": "/stubs:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
            )

    def set_up(self) -> Done:
        return self.run("bash", "/autograder/source/setup.sh")

    def grade(
        self, timeout: float = 240
    ) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
        """What run_autograder leaves in results.json, and how it ended."""
        done = self.run("/autograder/run_autograder", timeout=timeout)
        return json.loads((self.root / "autograder/results/results.json").read_text()), done

    def hand_in(self, **files: str) -> None:
        for name, content in files.items():
            name = name.replace("_py", ".py").replace("_txt", ".txt")
            (self.root / "autograder/submission" / name).write_text(content)

    def describe(self, **metadata: object) -> None:
        path = self.root / "autograder/submission_metadata.json"
        path.write_text(json.dumps(metadata))

    def _walls(self, filter_: int) -> Iterator[str]:
        yield from ("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--clearenv")
        yield from ("--setenv", "PATH", "/stubs:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        for top in TOPS:
            if os.path.islink(top):
                yield from ("--symlink", os.readlink(top), top)
            elif os.path.isdir(top):
                yield from ("--ro-bind", top, top)
        for folder in reversed(Path(sys.base_prefix).parents[:-1]):
            yield from ("--perms", "0755", "--dir", str(folder))  # as /usr, where a real one lies
        yield from ("--ro-bind", sys.base_prefix, sys.base_prefix)
        yield from ("--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys")
        yield from ("--perms", "1777", "--tmpfs", "/tmp")
        yield from ("--bind", str(self.root / "autograder"), "/autograder")
        yield from ("--ro-bind", sys.prefix, "/autograder/venv")
        yield from ("--ro-bind", str(self.root / "stubs"), "/stubs")
        if self.docker:
            yield from ("--cap-drop", "ALL")
            yield from (word for name in DOCKER for word in ("--cap-add", f"CAP_{name}"))
        if self.docker or self.denied:
            yield from ("--seccomp", str(filter_))
        yield "--"


def seccomp(denied: Iterable[int]) -> bytes:
    """A filter that refuses namespaces, as Docker's does, and knows nothing of what is denied."""
    rules = [step(LOAD, 0)]
    for number, error in ((UNSHARE, EPERM), (CLONE3, ENOSYS), *((n, ENOSYS) for n in denied)):
        rules += [step(EQUAL, number, 0, 1), step(RETURN, ERROR | error)]
    rules += [step(EQUAL, CLONE, 0, 3), step(LOAD, 16), step(ANY_BIT, NAMESPACES, 0, 1)]
    rules += [step(RETURN, ERROR | EPERM), step(RETURN, ALLOW)]
    return b"".join(rules)


def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def needs_containers() -> None:
    """Skip the test where nothing can stand in for a container."""
    supported = sys.platform == "linux" and platform.machine() == "x86_64"  # as the numbers above
    if not supported or os.geteuid() != 0 or not tier_works(Tier.BUBBLEWRAP):
        pytest.skip("containers are stood in for by bubblewrap, as root")


def lay_out(package: Path, root: Path) -> Path:
    """The folders of Gradescope's specification with this autograder.zip in them."""
    for name in ("source", "submission", "results", "venv"):
        (root / "autograder" / name).mkdir(parents=True)
    (root / "stubs").mkdir()
    stub(root, "apt-get", "exit 0")
    with zipfile.ZipFile(package) as archive:
        archive.extractall(root / "autograder/source")
    script = (root / "autograder/source/run_autograder").read_bytes()
    (root / "autograder/run_autograder").write_bytes(script)
    (root / "autograder/run_autograder").chmod(0o755)
    return root


def stub(root: Path, name: str, script: str) -> None:
    """A program of this name that comes before the real one."""
    path = root / "stubs" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
