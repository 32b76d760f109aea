"""Take the wanted functions from a student's files, wherever they are, and run nothing else.

    upload folder -> code files, ranked -> statements of each -> those that a name needs -> object

Notebooks and modules are treated the same. Training, downloads and shell commands do not run.
"""

import ast
import contextlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

from graders.adapting.lazy_module import Module
from graders.adapting.notes import copies, failures, rivals, same_meaning, shortened, spread
from graders.adapting.reading.listing import Listing, shown
from graders.adapting.reading.outline import Outline, Statement, method
from graders.adapting.reading.upload import Upload

MAX_LOOKED = 8  # files named to a student
UNREAD = re.compile(r"could not be read|is empty")


class NotHandedIn(Exception):
    """Nothing in the upload defines a name that a check needs; the message says which."""


@cache
def code_folder() -> Path:
    """Return the student's folder in the sandbox."""
    return Path(sys.path[0])


class Gathered:
    """The wanted names of one upload."""

    def __init__(
        self,
        upload: Upload,
        names: Sequence[str],
        own: Sequence[str],
        *,
        without: Sequence[str] = (),
        starter: Sequence[str] = (),
    ) -> None:
        """Take the names from the assignment's `own` files first, and never from those `without`.

        Both are stems. If `own` has a file's full name, that file wins for all that it defines.
        `starter` are the wanted names that the starter defines in full: an own file that writes no
        other is the starter as it was given out, and comes last if another file has the work.
        """
        self._upload = upload
        listing = upload.listed(own, without)
        tasks = [name for name in names if name not in starter]
        untouched = _untouched(upload.naming(tasks, listing), listing, tasks)
        self._listing = replace(
            listing, own=listing.own - untouched, spare=listing.spare | untouched
        )
        self._decisive = frozenset(own)
        self._files = self._ranked(names)
        self._homes = {name: home for name in names if (home := self._home(name)) is not None}
        self._ready: list[Outline] = []
        self.found = tuple(name for name in names if name in self._homes)
        self.missing = tuple(name for name in names if name not in self._homes)

    @property
    def file(self) -> str:
        """The file that most of the names are taken from; empty if nothing is found."""
        names = [home.source.name for home in self._homes.values()]
        return max(names, key=names.count, default="")

    @property
    def namespace(self) -> dict[str, Any]:
        """The globals of the functions of that file."""
        homes = (home for home in self._homes.values() if home.source.name == self.file)
        return next((self._upload.module(home.source.path).namespace for home in homes), {})

    def is_own(self, name: str) -> bool:
        """Return whether one of the assignment's own files defines this name with a real body."""
        home = self._homes.get(name)
        own = home is not None and home.source.path in self._listing.own
        return home is not None and own and _defines(home, name) and home.is_written(name)

    def imported_from(self, name: str) -> str:
        """Return the stem of the other file from which an own one takes a name; empty if none.

        That file defines it in full.
        """
        other_files = [file for file in self._files if file.source.path not in self._listing.own]
        own_files = map(self._upload.outline, self._listing.own)
        imports = {pair for one in own_files for pair in _imported(one, name)}
        stems = (
            file.source.path.stem
            for file in other_files
            for stem, original in imports
            if stem == file.source.path.stem
            and _defines(file, original)
            and file.is_written(original)
        )
        return next(stems, "")

    def importing(self, name: str, home: Path) -> list[dict[str, Any]]:
        """Return the globals of the files that import this name from the file `home`."""
        own_files = (path for path in self._listing.paths if path in self._listing.own)
        paths = dict.fromkeys((*own_files, *(file.source.path for file in self._files)))
        return [
            self._upload.module(path).namespace
            for path in paths
            if any(stem == home.stem for stem, _ in _imported(self._upload.outline(path), name))
        ]

    def is_spare(self, name: str) -> bool:
        """Return whether the name is taken from a file named like a copy, a draft or a starter.

        If all names are (`Copy of Homework 6.ipynb` alone), that says nothing.
        """
        spare = {
            other for other, home in self._homes.items() if home.source.path in self._listing.spare
        }
        return name in spare and spare != set(self._homes)

    def source(self, name: str) -> str:
        """Return the file that this name is taken from, or whose text for it is not Python."""
        return self._at(name)[0].source.name

    def place(self, name: str) -> str:
        """Return where this name is defined, as shown to a student: file, cell and line."""
        file, filename, line = self._at(name)
        cell = filename.removeprefix(str(file.source.path))
        return f"`{file.source.name}`{cell}, line {line}"

    def _at(self, name: str) -> tuple[Outline, str, int]:
        """Return the file of a name, and the file name and line of its statement."""
        home = self._homes.get(name)
        if home is None:
            broken = ((file, file.broken_definition(name)) for file in self._files)
            file, error = next((file, error) for file, error in broken if error is not None)
            return file, str(error.filename), error.lineno or 1
        statement = home.definition(name) or home.borrowed(name) or home.owner_of(name)
        if statement is None:
            return home, str(home.source.path), 1
        return home, statement.filename, statement.node.lineno

    def rivals(self) -> dict[str, list[str]]:
        """Return, for each file taken, the other files that the student may have meant instead.

        These define a name differently and are not copies, drafts or experiments. If one of the
        assignment's own files was taken, only another own file is a rival. Files taken for names
        that own files lack are listed, too, even without rivals.
        """
        by_file: dict[str, list[str]] = {name: [] for name in self.stand_ins()}
        for name, home in self._homes.items():
            for other in self._files:
                if self._may_be_meant(other, home, name):
                    by_file.setdefault(home.source.name, []).append(other.source.name)
        return {name: list(dict.fromkeys(names)) for name, names in by_file.items()}

    def stand_ins(self) -> list[str]:
        """Return the files taken for names that own files lack; they may not be the ones meant."""
        if not any(map(self.is_own, self._homes)):
            return []
        homes = (home for home in self._homes.values() if home.source.path not in self._listing.own)
        return list(dict.fromkeys(home.source.name for home in homes))

    def _may_be_meant(self, other: Outline, home: Outline, name: str) -> bool:
        own_files, path = self._listing.own, other.source.path
        if path in self._listing.spare or (home.source.path in own_files and path not in own_files):
            return False
        written = other is not home and _defines(other, name) and other.is_written(name)
        return written and not same_meaning(home, other, name)

    def loops_around(self, name: str) -> list[tuple[str, ast.stmt]]:
        """Return the loops that call a function of this name, each with its file name."""
        return [
            (statement.filename, loop)
            for statement in self.statements()
            for loop in ast.walk(statement.node)
            if isinstance(loop, ast.For | ast.While) and calls(loop, name)
        ]

    def statements(self) -> list[Statement]:
        """Return the top-level statements of all files that mention a wanted name."""
        return [statement for outline in self._files for statement in outline.statements.values()]

    def may_assign(self, name: str) -> bool:
        """Return whether a name may exist when a whole script runs, not only its definitions."""
        return any(
            statement.is_star or name in statement.names.binds or name in _globals(statement.node)
            for statement in self.statements()
        )

    def texts(self) -> list[str]:
        """Return the text of each file that has run so far, and of those that import one of it."""
        run = {path for path in self._upload.modules if path.is_file()}
        stems = "|".join(re.escape(path.stem) for path in run)
        imported = re.compile(rf"\b(?:from|import)\s+(?:[\w.]*\.)?(?:{stems})\b")
        read = {path: path.read_text(errors="replace") for path in self._upload.listing.paths}
        return [text for path, text in read.items() if path in run or imported.search(text)]

    @property
    def notes(self) -> list[str]:
        """Sentences that tell the student which files were used and what failed."""
        modules = self._upload.modules.values()
        failed = [
            failure for m in modules for failure in failures(m, self.found, self._upload.folder)
        ]
        named = [shown(self._upload.folder, path) for path in self._upload.listing.paths]
        same = copies(self._upload.listing.paths, named)
        taken = [*spread(self._homes), *rivals(self._homes, self._files)]
        return shortened([*same, *taken, *self._upload.notes, *failed])

    @property
    def invalid(self) -> list[str]:
        """Sentences about lines that are not valid Python and were ignored."""
        return shortened(self._upload.invalid)

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __getitem__(self, name: str) -> Any:
        """Return the object; raises NotHandedIn, or what the student's definition raises."""
        home = self._homes.get(name) or self._home(name)
        if home is None:
            raise self._absent(name)
        module = self._module_of(home)
        if home.definition(name) is None and home.borrowed(name) is None:
            return self._method(module, name)
        return module.attribute(name)

    def _ranked(self, names: Sequence[str]) -> list[Outline]:
        """Sort the files that mention a wanted name: own ones first, then by what they define."""

        def rank(outline: Outline) -> tuple[bool, bool, int, int]:
            path = outline.source.path
            if path in self._listing.own:
                return path in self._listing.spare, False, 0, 0
            held = [name for name in names if _holds(outline, name)]
            written = sum(map(outline.is_written, held))
            return path in self._listing.spare, True, -written, -len(held)

        return sorted(self._upload.naming(names, self._listing), key=rank)

    def _home(self, name: str) -> Outline | None:
        """Return the file that a name is taken from.

        An own file that defines, imports or has the name as a method comes first. Next is another
        file with a real definition: a function or class, then a method. Last are unwritten
        definitions, and names that another file imports.
        """

        def rank(outline: Outline) -> tuple[bool, int]:
            own = outline.source.path in self._listing.own
            defined, written = _defines(outline, name), outline.is_written(name)
            decisive = defined and outline.source.name in self._decisive
            if not written:
                return not decisive, 3 if own else 4
            if own or defined:
                return not decisive, 0 if own else 1
            return not decisive, 5 if _binds(outline, name) else 2

        holding = [file for file in self._files if _binds(file, name) or file.method_owner(name)]
        return min(holding, key=rank, default=None)

    def _module_of(self, home: Outline) -> Module:
        """Return the module of a file, with all names that are taken from it.

        They are created together, because a name can mean a module first and a function later.
        """
        module = self._upload.module(home.source.path)
        if home not in self._ready:
            self._ready.append(home)
            names = [name for name, its in self._homes.items() if its is home]
            module.make([name for name in names if name in home.binders])
            self._lend(module, home)
        return module

    def _lend(self, module: Module, home: Outline) -> None:
        """Give a file the wanted names that it uses and another file defines."""
        for name in module.unbound & set(self._homes):
            if self._homes[name] is not home:
                with contextlib.suppress(Exception):  # using it will raise
                    module.namespace.setdefault(name, self[name])

    def _absent(self, name: str) -> BaseException:
        """Return the reason for a missing name: invalid Python, or no definition."""
        for file in self._files:
            if (error := file.broken_definition(name)) is not None:
                return error
        names = [shown(self._upload.folder, path) for path in self._upload.listing.paths]
        looked = ", ".join(f"`{name}`" for name in names[:MAX_LOOKED])
        more = f" and {len(names) - MAX_LOOKED} more files" if len(names) > MAX_LOOKED else ""
        where = f"looked in {looked}{more}" if looked else "the upload has no .py or .ipynb file"
        unread = [note for note in self._upload.notes if UNREAD.search(note)]
        return NotHandedIn(" ".join([f"No file defines `{name}` ({where}).", *unread[:2]]))

    def _method(self, module: Module, name: str) -> Any:
        """Return a method as a function, bound to an instance made without arguments if needed."""
        owner = module.outline.method_owner(name)
        kind = module.attribute(str(owner))
        if not _needs_instance(module.outline, str(owner), name):
            return getattr(kind, name)
        try:
            signature(kind).bind()
        except TypeError:
            raise NotHandedIn(
                f"`{name}` is a method of the class `{owner}`, which needs arguments; define "
                f"`{name}` as a function outside a class."
            ) from None
        return getattr(kind(), name)


def gather(  # noqa: PLR0913  the upload, what is wanted of it, and what is known of its files
    folder: Path,
    *,
    wanted: Sequence[str],
    own: Sequence[str] = (),
    given: Mapping[str, Any] | None = None,
    starter: Sequence[str] = (),
    until: str | None = None,
) -> Gathered:
    """Return the wanted names that the code files below this folder define.

    The assignment's `own` files, given by stem or full name, come first. Another file is used only
    for a name that they do not define, or leave unwritten. `starter` are names that need no work.
    """
    border = re.compile(until, re.IGNORECASE) if until else None
    upload = Upload(folder, given=given or {}, until=border)
    return Gathered(upload, wanted, own, starter=starter)


def _untouched(
    outlines: Sequence[Outline], listing: Listing, tasks: Sequence[str]
) -> frozenset[Path]:
    """Return the own files that define tasks and have written none, if another file has."""
    work = {outline: [name for name in tasks if _binds(outline, name)] for outline in outlines}
    begun = {outline for outline, names in work.items() if any(map(outline.is_written, names))}
    if all(outline.source.path in listing.spare for outline in begun):
        return frozenset()
    left = (
        outline.source.path for outline, names in work.items() if names and outline not in begun
    )
    return listing.own & frozenset(left)


def _globals(node: ast.AST) -> set[str]:
    """Return the names that functions in this code assign globally."""
    return {name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names}


def calls(node: ast.AST, name: str) -> bool:
    """Return whether a part of this code calls a function or method of this name."""
    functions = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(
        name in (getattr(function, "id", ""), getattr(function, "attr", ""))
        for function in functions
    )


def _holds(outline: Outline, name: str) -> bool:
    return outline.definition(name) is not None or outline.method_owner(name) is not None


def _binds(outline: Outline, name: str) -> bool:
    return outline.definition(name) is not None or outline.borrowed(name) is not None


def _defines(outline: Outline, name: str) -> bool:
    """Return whether the file has a function or class of this name, not only a plain value."""
    statement = outline.definition(name)
    value = getattr(statement.node, "value", None) if statement else None
    return statement is not None and not isinstance(value, ast.Subscript | ast.Constant)


def _imported(outline: Outline, name: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name in it that this name may mean in a file: its import decides."""
    borrowed = outline.borrowed(name)
    if outline.definition(name) is not None:
        return
    statements = [statement.node for statement in outline.statements.values()]
    inside = {
        ast.unparse(part.value)
        for node in statements
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and part.attr == name
    }
    for node in [borrowed.node] if borrowed else statements:
        for one in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            local_name = one.asname or one.name
            if isinstance(node, ast.Import) and local_name in inside:
                yield one.name.rpartition(".")[2], name
            elif isinstance(node, ast.ImportFrom) and one.name == "*":
                yield str(node.module).rpartition(".")[2], name
            elif isinstance(node, ast.ImportFrom) and local_name == name:
                yield str(node.module).rpartition(".")[2], one.name


def _needs_instance(outline: Outline, owner: str, name: str) -> bool:
    statement = outline.definition(owner)
    node = statement.node if statement else None
    function = method(node, name) if isinstance(node, ast.ClassDef) else None
    if function is None:
        return False
    marks = {mark.id for mark in function.decorator_list if isinstance(mark, ast.Name)}
    first = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)][:1]
    return first == ["self"] and not marks & {"staticmethod", "classmethod"}
