"""The private folder that holds all a child may see of ours and of the student's.

<temporary folder, closed to other users>
  runtime/graders/boundary/   wire, worker and what narrows the child, compiled
  runtime/adapters/           adapters.py and adapters_*.py of the assignment, compiled, and
                              adapting/, what adapters of all assignments share
  runtime/standins/           modules that stand in for what a submission may import
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

OURS = (
    *("__init__", "child", "worker", "wire", "narrow", "landlock", "seccomp", "syscalls"),
    *("forker", "supervisor"),
)
ADAPTING = Path(__file__).parents[1] / "adapting"
REFERENCE = Path(__file__).parents[2] / "reference"
ORACLE = "oracle.py"  # asked where no student's code is, in place of adapters.py


class Stage:
    """The files of one submission's children; removed by `close`."""

    def __init__(self, code: Path | None, adapters: Path | None, user: int | None) -> None:
        self.user = user
        self.root = Path(tempfile.mkdtemp(prefix="softmark-student-")).resolve()
        self.layout = Layout(self.root / "runtime", self.root / "code", self.root / "scratch")
        try:
            self._fill(code, adapters)
        except BaseException:
            self.close()
            raise

    def _fill(self, code: Path | None, adapters: Path | None) -> None:
        runtime = self.layout.runtime
        package = runtime / "graders" / "boundary"
        package.mkdir(parents=True)
        (runtime / "graders" / "__init__.py").touch()
        for name in OURS:
            _compile_into(package, Path(__file__).with_name(f"{name}.py"))
        (runtime / "adapters").mkdir()
        if adapters is not None:
            _fill_adapters(runtime / "adapters", adapters)
        _copy_files(adapters.parent / "standins" if adapters else None, runtime / "standins")
        _copy_files(code, self.layout.code)
        self.layout.scratch.mkdir()
        self._open_to_user()

    def _open_to_user(self) -> None:
        """Let the child's own user in, and no other."""
        if self.user is None:
            return
        for folder, _, names in os.walk(self.root):
            os.chmod(folder, 0o755)  # noqa: S103  the root folder below is what keeps others out
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
    """Remove a folder, however deep, and also one in which somebody closed folders to us.

    A student's tree can be deeper than Python's stack and longer than any path; the system's own
    tools walk it then. What even they leave behind is no reason not to grade.
    """
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if os.name == "posix" and folder.exists():
        for tool in (("/bin/chmod", "-R", "u+rwx"), ("/bin/rm", "-rf")):
            subprocess.run([*tool, "--", folder], capture_output=True, check=False)  # noqa: S603


def _fill_adapters(folder: Path, adapters: Path) -> None:
    """Leave there what a child imports as `adapters`, and what that imports.

    An oracle takes the place of the adapters where no student's code is. It alone is joined by
    its own modules and the reference: who could read them would have the answers.
    """
    _compile_into(folder, adapters, "adapters")
    for path in adapters.parent.glob("adapters_*.py"):
        _compile_into(folder, path)
    _compile_package(ADAPTING, folder / ADAPTING.name)
    if adapters.name == ORACLE:
        for path in adapters.parent.glob("oracle_*.py"):
            _compile_into(folder, path)
        _compile_package(REFERENCE, folder / REFERENCE.name)


def _compile_package(source: Path, target: Path) -> None:
    """Leave a package of ours there, its modules compiled and its data as they are."""
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source).parent
        if "__pycache__" in path.parts or path.is_dir():
            continue
        place.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".py":
            _compile_into(place, path)
        else:
            shutil.copyfile(path, place / path.name)


def _compile_into(folder: Path, path: Path, name: str = "") -> None:
    """Leave a module of ours there compiled: no child has to do it again."""
    (folder / f"{name or path.stem}.pyc").write_bytes(_compiled(path, path.stat().st_mtime_ns))


@cache
def _compiled(path: Path, _changed: int) -> bytes:
    with tempfile.TemporaryDirectory(prefix="softmark-") as folder:
        target = Path(folder, "compiled")
        py_compile.compile(str(path), str(target), doraise=True)
        return target.read_bytes()


def _copy_files(source: Path | None, target: Path) -> None:
    """Copy regular files; links, pipes and devices stay behind."""
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
