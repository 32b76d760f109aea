"""Resolve the imports in a student's files: to a file of the upload or an installed package.

A file of the upload never runs as a whole: its importer gets a module that runs only what is used.
"""

import ast
import builtins
import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from graders.adapting.reading.listing import SUFFIXES

if TYPE_CHECKING:
    from graders.adapting.reading.upload import Upload

REAL = frozenset(("torch", "transformers", "numpy", "tokenizers", *sys.stdlib_module_names))
Names = Sequence[str]


class Imports:
    """The imports of one upload's files."""

    def __init__(self, upload: "Upload") -> None:
        self._upload = upload
        self._folder = upload.folder
        self._paths = frozenset(upload.listing.paths)

    def answer(  # noqa: PLR0913  the signature of `__import__`
        self,
        importer: Path,
        name: str,
        globals_: Any = None,
        locals_: Any = None,
        fromlist: Names | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Return the module that an import statement in this file gets."""
        parts = name.split(".") if name else []
        names = tuple(fromlist or ())
        path = self._find(importer, parts, level, names)
        if path is None and level:
            raise ImportError(f"the upload has no module `{'.' * level}{name}`")
        if path is None:
            return self._installed(name, names)
        module = self._upload.module(path)
        if not module.running:  # in a circle of imports, this one is already being made
            module.make(module.outline.registering)  # importing a file fills others' registries
        if not names and len(parts) > 1:  # `import a.b` binds a
            path = self._find(importer, parts[:1], level, ()) or path
        return self._upload.module(path).object

    def _installed(self, name: str, names: Names) -> ModuleType:
        """Import the installed package of this name without running the student's files."""
        with self._hidden():
            module: ModuleType = builtins.__import__(name, None, None, tuple(names), 0)
        return module

    @contextlib.contextmanager
    def _hidden(self) -> Iterator[None]:
        """Hide the upload from Python's own imports in this block."""
        before = list(sys.path)
        sys.path[:] = [path for path in before if path != str(self._folder)]
        try:
            yield
        finally:
            sys.path[:] = before

    def _is_installed(self, name: str) -> bool:
        try:
            with self._hidden():
                return name in sys.modules or importlib.util.find_spec(name) is not None
        except (ImportError, ValueError):
            return False

    # ------------------------------------------------------------ which file

    def path_of(self, importer: Path, node: ast.stmt) -> Path | None:
        """Return the file of the upload that a statement imports, if it is such an import."""
        if isinstance(node, ast.Import):
            paths = (self._find(importer, one.name.split("."), 0, ()) for one in node.names)
            return next(filter(None, paths), None)
        if isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            names = tuple(alias.name for alias in node.names)
            return self._find(importer, parts, node.level, names)
        return None

    def _find(self, importer: Path, parts: Names, level: int, names: Names) -> Path | None:
        """Return the file of the upload that an import refers to, if any."""
        if level == 0 and parts[0] in REAL:
            return None
        for base in self._bases(importer, level):
            path = self._file(base, parts)
            if path is None or (path == importer and not level):
                continue
            if level or self._has_all(path, names) or not self._is_installed(parts[0]):
                return path
        return self._elsewhere(importer, parts, level, names)

    def _bases(self, importer: Path, level: int) -> list[Path]:
        """Return the folders in which to look for an import, the nearest first."""
        inside = (self._folder, *self._folder.parents)
        upwards = [
            parent for parent in importer.parents if parent == self._folder or parent not in inside
        ]
        return upwards[level - 1 : level] if level else upwards

    def _file(self, base: Path, parts: Names) -> Path | None:
        """Return the file of this dotted name below a folder, or the folder if it is a package."""
        target = base.joinpath(*parts)
        for suffix in SUFFIXES if parts else ():
            path = target.with_name(target.name + suffix)
            if path in self._paths:
                return path
        if target / "__init__.py" in self._paths:
            return target / "__init__.py"
        return target if any(target in path.parents for path in self._paths) else None

    def _elsewhere(self, importer: Path, parts: Names, level: int, names: Names) -> Path | None:
        """Return a file of that name in another folder, since uploads often lose their folders."""
        if not parts or (level == 0 and self._is_installed(parts[0])):
            return None
        for path in self._upload.listing.paths:
            if path.stem == parts[-1] and path != importer and self._has_all(path, names):
                return path
        return None

    # ------------------------------------------------------------ what a file offers

    def member(self, path: Path, name: str) -> ModuleType | None:
        """Return the file of this name in a package, as a module."""
        is_package = path.is_dir() or path.stem == "__init__"
        inside = self._file(path if path.is_dir() else path.parent, [name]) if is_package else None
        return self._upload.module(inside).object if inside is not None else None

    def _has_all(self, path: Path, names: Names) -> bool:
        return all(name == "*" or self._has(path, name, frozenset()) for name in names)

    def _has(self, path: Path, name: str, seen: frozenset[Path]) -> bool:
        """Return whether a file or package has this name, also through its own star imports."""
        if path in seen:
            return False
        outline = self._upload.outline(path)
        if name in outline.binders or self.member(path, name) is not None:
            return True
        stars = [star.node for star in outline.stars if isinstance(star.node, ast.ImportFrom)]
        return any(self.star_offers(path, star, name, seen | {path}) for star in stars)

    def star_offers(
        self, importer: Path, star: ast.ImportFrom, name: str, seen: frozenset[Path] = frozenset()
    ) -> bool:
        """Return whether `from ... import *` in this file binds the name."""
        parts = star.module.split(".") if star.module else []
        path = self._find(importer, parts, star.level, ())
        if path is not None:
            return self._has(path, name, seen)
        try:
            with self._hidden():  # `("*",)` would load all of a lazy package, as transformers is
                module = importlib.import_module(star.module or "")
        except Exception:  # noqa: BLE001  a module that cannot be imported binds nothing
            return False
        return name in getattr(module, "__all__", ()) or (
            not hasattr(module, "__all__") and hasattr(module, name)
        )
