"""Choose which files of an upload are the wanted modules, for code that Python imports normally.

    upload -> the folder with most of the wanted modules -> each module: its file there, if that
              file is written; otherwise the best one with another name or folder

A module that raises during import, but after it has defined what is wanted, is used anyway. If it
raises before, what is wanted is defined without the other statements, such as one that needs a
GPU, a file or a terminal.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from graders.adapting.raised import described
from graders.adapting.reading.listing import list_code, shown
from graders.adapting.reading.outline import Outline
from graders.adapting.reading.upload import Upload

ModuleNames = Mapping[str, Sequence[str]]  # a module's name -> the names that it should define
Written = Callable[[Outline, str], bool]


class Modules(MetaPathFinder):
    """The modules of one upload; once installed, every import finds them."""

    def __init__(
        self, folder: Path, modules: ModuleNames, written: Written, packages: Sequence[str] = ()
    ) -> None:
        """Provide these `modules`, also when they are imported from one of these packages."""
        self._folder = folder
        self._packages = ("", *packages)
        self._modules = modules
        self._written = written
        self._upload = Upload(folder, given={}, until=None)
        self._listing = list_code(folder, tuple(modules))
        self._outlines = [
            self._upload.outline(path) for path in self._listing.paths if path.suffix == ".py"
        ]
        self.main = self._main_folder()
        self.files = {name: path for name in modules if (path := self._file(name)) is not None}
        self._notes: list[str] = []

    @property
    def notes(self) -> list[str]:
        """Sentences that tell the student which files were taken."""
        away = {n: p for n, p in self.files.items() if p != self.main / f"{n}.py"}
        used = [path for path in self._listing.own if path.parent == self.main]
        left_out = self._listing.own - {*used, *self.files.values()}
        ignored = sorted(shown(self._folder, path) for path in left_out)
        more = f" and {len(ignored) - 4} more" if len(ignored) > 4 else ""
        left = ", ".join(f"`{file}`" for file in ignored[:4]) + more
        return [
            *([f"Using `{self._named(self.main)}`; ignored {left}"] if used and ignored else []),
            *(f"Using `{shown(self._folder, path)}` as `{name}.py`" for name, path in away.items()),
            *self._notes,
        ]

    def rivals(self) -> dict[str, list[str]]:
        """Return, for each file taken, the other files that the student may have meant instead.

        These are written, differ from it, and are not copies, drafts or experiments. If the file
        has the module's own name, only others of that name are rivals.
        """
        return {
            shown(self._folder, taken): rivals
            for module, taken in self.files.items()
            if (rivals := list(self._others(module, taken)))
        }

    def _others(self, module: str, taken: Path) -> Iterator[str]:
        text = taken.read_bytes()
        for other in self._outlines:
            path = other.source.path
            same_name = path.stem == module or taken.stem != module
            plain = same_name and path not in self._listing.spare
            if plain and path.read_bytes() != text and self._amount(other, module):
                yield shown(self._folder, path)

    def place(self, name: str) -> str:
        """Return the file of a module, by the name that the student knows."""
        return shown(self._folder, self.files[name]) if name in self.files else ""

    def definition(self, module: str, name: str) -> str:
        """Return the file and line where a module defines a name, or "" if it does not."""
        path = self.files.get(module)
        statement = self._upload.outline(path).definition(name) if path else None
        return f"`{self.place(module)}`, line {statement.node.lineno}" if statement else ""

    def install(self) -> None:
        """Make imports find these modules first, then the main folder's files."""
        sys.path[:] = [str(self.main), *(path for path in sys.path if path != str(self.main))]
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Return the spec of a wanted module."""
        package, _, stem = name.rpartition(".")
        path = self.files.get(stem) if package in self._packages else None
        if path is None:
            return None
        bound = self._upload.outline(path).binders
        defined = [symbol for symbol in self._modules[stem] if symbol in bound]
        loader = _Tolerant(path, defined, self._note, self._alone)
        return importlib.util.spec_from_file_location(name, path, loader=loader)

    def _alone(self, path: Path, names: Sequence[str]) -> ModuleType | None:
        """Return the file as a module that runs only what these names need; None if that fails."""
        module = self._upload.module(path)
        module.make(names)
        return None if module.failures or not set(names) <= {*module.namespace} else module.object

    def _note(self, error: BaseException, path: Path) -> None:
        problem = described(error, self._folder)
        self._notes.append(
            f"Importing `{shown(self._folder, path)}` raised {problem['kind']}: "
            f"{problem['message']} (line {problem['where'].rpartition(' ')[2] or '?'}); only what "
            "can be defined without that line was graded."
        )

    def _named(self, folder: Path) -> str:
        return shown(self._folder, folder) if folder != self._folder else "."

    # ------------------------------------------------------------ which file

    def _main_folder(self) -> Path:
        """Return the folder with most of the wanted modules; written ones count more.

        If no file has a module's name, it is the folder of the file that is used instead, which
        contains what that file imports.
        """
        held: dict[Path, list[Outline]] = {}
        for outline in self._outlines:
            if outline.source.path.stem in self._modules:
                held.setdefault(outline.source.path.parent, []).append(outline)

        def rank(folder: Path) -> tuple[Any, ...]:
            files = held[folder]
            spare = all(file.source.path in self._listing.spare for file in files)
            written = sum(self._amount(file, file.source.path.stem) > 0 for file in files)
            parts = folder.relative_to(self._folder).parts
            return spare, -written, -len(files), folder.name != "src", len(parts), str(folder)

        if held:
            return min(held, key=rank)
        modules = [path for name in self._modules if (path := self._renamed(name)) is not None]
        return modules[0].parent if modules else self._folder

    def _amount(self, outline: Outline, module: str) -> int:
        """Return how many of the module's names a file really defines, not counting stubs."""
        return sum(self._written(outline, name) for name in self._modules[module])

    def _file(self, module: str) -> Path | None:
        """Return the file of a module: the one in the main folder, unless it is unwritten."""
        main_file = self.main / f"{module}.py"
        by_path = {outline.source.path: outline for outline in self._outlines}
        if main_file in by_path and self._amount(by_path[main_file], module):
            return main_file
        best = self._renamed(module)
        return best if best is not None else main_file if main_file in by_path else None

    def _renamed(self, module: str) -> Path | None:
        """Return the file that defines most of a module, whatever its name or folder."""

        def rank(outline: Outline) -> tuple[bool, bool, int]:
            path = outline.source.path
            return path in self._listing.spare, path.stem != module, -self._amount(outline, module)

        candidates = [outline for outline in self._outlines if self._amount(outline, module)]
        best = min(candidates, key=rank, default=None)
        return best.source.path if best is not None else None


class _Tolerant(Loader):
    """Run a module; tolerate an error in what is not needed for the wanted names."""

    def __init__(
        self,
        path: Path,
        names: Sequence[str],
        note: Callable[[BaseException, Path], None],
        alone: Callable[[Path, Sequence[str]], ModuleType | None],
    ) -> None:
        self._path = path
        self._names = names
        self._note = note
        self._alone = alone

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Let Python create the module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the file."""
        code = compile(self._path.read_bytes(), str(self._path), "exec", dont_inherit=True)
        try:
            exec(code, vars(module))  # noqa: S102  the student's code, in the sandbox
        except (Exception, SystemExit) as error:
            if not self._names:
                raise
            if not set(self._names) <= set(vars(module)):
                other = self._alone(self._path, self._names)
                if other is None:
                    raise
                sys.modules[module.__name__] = other  # importers get this one
            self._note(error, self._path)
