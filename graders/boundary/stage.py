"""Build the private folder with everything that a child may see of our files and the student's.

<temporary folder, closed to other users>
  runtime/graders/boundary/   the wire and what runs in the child, compiled
  runtime/graders/assignment/ the assignment's modules that run in a child, compiled; see side.py
  runtime/graders/adapting/   what such modules of all assignments share
  runtime/standins/           modules that replace libraries that a submission may import
  code/                       the student's folder, regular files only
  scratch/                    writable, emptied for every new child
"""

import contextlib
import os
import py_compile
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from graders.boundary.policy import Layout
from graders.boundary.side import PACKAGE, Side

CHILD = Path(__file__).with_name("child")
WIRE = Path(__file__).with_name("wire.py")
ADAPTING = Path(__file__).parents[1] / "adapting"
REFERENCE = Path(__file__).parents[2] / "reference"


class Stage:
    """The files of one submission's children; removed by `close`."""

    def __init__(self, code: Path | None, side: Side | None, user: int | None) -> None:
        self.user = user
        self.side = side
        self.root = Path(tempfile.mkdtemp(prefix="softmark-student-")).resolve()
        self.layout = Layout(self.root / "runtime", self.root / "code", self.root / "scratch")
        try:
            self._fill(code)
        except BaseException:
            self.close()
            raise

    def _fill(self, code: Path | None) -> None:
        runtime = self.layout.runtime
        package = runtime / "graders" / "boundary"
        package.mkdir(parents=True)
        (runtime / "graders" / "__init__.py").touch()
        (package / "__init__.py").touch()
        _compile_into(package, WIRE)
        _compile_package(CHILD, package / CHILD.name)
        if self.side is not None:
            _fill_side(runtime, self.side)
        standins = self.side.folder / "standins" if self.side is not None else None
        _copy_files(standins, runtime / "standins")
        _copy_files(code, self.layout.code)
        self.layout.scratch.mkdir()
        self._open_to_user()

    def _open_to_user(self) -> None:
        """Give access to the child's own user and to no other."""
        if self.user is None:
            return
        for folder, _, names in os.walk(self.root):
            os.chmod(folder, 0o755)  # noqa: S103  the mode of the root, set below, keeps others out
            for name in names:
                os.chmod(Path(folder) / name, 0o644)
        os.chown(self.layout.scratch, self.user, self.user)
        os.chown(self.root, -1, self.user)
        os.chmod(self.root, 0o750)  # noqa: S103  for the child's own group

    def renew_scratch(self) -> None:
        """Empty the scratch folder for the next child."""
        _remove(self.layout.scratch)
        self.layout.scratch.mkdir()
        if self.user is not None:
            os.chown(self.layout.scratch, self.user, self.user)

    def close(self) -> None:
        """Remove everything."""
        _remove(self.root)


def _remove(folder: Path) -> None:
    """Remove a folder, however deep, even if folders in it were made unreadable.

    A student's tree can be deeper than Python's stack and longer than any path; then the system's
    own tools remove it. Grading goes on even if they leave something behind.
    """
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if os.name == "posix" and folder.exists():
        for tool in (("/bin/chmod", "-R", "u+rwx"), ("/bin/rm", "-rf")):
            subprocess.run([*tool, "--", folder], capture_output=True, check=False)  # noqa: S603


def _fill_side(runtime: Path, side: Side) -> None:
    """Copy the modules that a child imports to answer requests.

    Only an oracle also gets the reference: code that could read it would have the answers.
    """
    folder = runtime.joinpath(*PACKAGE.split("."))
    for path in side.files.values():
        place = folder / path.relative_to(side.folder).parent
        place.mkdir(parents=True, exist_ok=True)
        _compile_into(place, path)
    _compile_package(ADAPTING, runtime / "graders" / ADAPTING.name)
    if side.kind == "oracle":
        _compile_package(REFERENCE, runtime / REFERENCE.name, but="training")


def _compile_package(source: Path, target: Path, but: str = "") -> None:
    """Copy one of our packages: its modules compiled, its data files as they are.

    The sub-package `but` is left out: no child trains a reference model.
    """
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        place = target / inside.parent
        if "__pycache__" in inside.parts or inside.parts[0] == but or path.is_dir():
            continue
        place.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".py":
            _compile_into(place, path)
        else:
            shutil.copyfile(path, place / path.name)


def _compile_into(folder: Path, path: Path) -> None:
    """Compile one of our modules into the folder, so that no child has to compile it."""
    (folder / f"{path.stem}.pyc").write_bytes(_compiled(path, path.stat().st_mtime_ns))


@cache
def _compiled(path: Path, _changed: int) -> bytes:
    with tempfile.TemporaryDirectory(prefix="softmark-") as folder:
        target = Path(folder, "compiled")
        py_compile.compile(str(path), str(target), doraise=True)
        return target.read_bytes()


def _copy_files(source: Path | None, target: Path) -> None:
    """Copy regular files; skip links, pipes and devices."""
    target.mkdir()
    if source is None or not source.is_dir():
        return
    for folder, names, files in os.walk(source):
        here = target / Path(folder).relative_to(source)
        for name in names:
            if not (Path(folder) / name).is_symlink():
                (here / name).mkdir()
        for name in files:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink():
                shutil.copyfile(path, here / name, follow_symlinks=False)
