"""What a student's files define, wherever it stands: take the functions, run nothing else.

    upload folder -> code files, ranked -> statements of each -> those that a name needs -> object

A notebook and a module are the same to it. Training, downloads and shell lines do not run.
"""

import ast
import contextlib
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

from .listing import shown
from .module import Module
from .notes import copies, failures, rivals, shortened, spread
from .outline import Outline, method
from .upload import Upload

MAX_LOOKED = 8  # files named to a student
UNREAD = re.compile(r"could not be read|is empty")


class NotHandedIn(Exception):
    """Nothing in the upload defines what a check needs; the message says what and where."""


@cache
def code_folder() -> Path:
    """The student's folder in the sandbox."""
    return Path(sys.path[0])


class Gathered:
    """The wanted names of one upload."""

    def __init__(self, upload: Upload, wanted: Sequence[str], files: list[Outline]) -> None:
        self._upload = upload
        self._files = files
        self._homes = {name: home for name in wanted if (home := _home(files, name)) is not None}
        self._ready: list[Outline] = []
        self.found = tuple(name for name in wanted if name in self._homes)
        self.missing = tuple(name for name in wanted if name not in self._homes)

    @property
    def file(self) -> str:
        """The file that holds most; empty where nothing is found."""
        return self._files[0].source.name if self.found else ""

    @property
    def namespace(self) -> dict[str, Any]:
        """The globals of the functions of the file taken."""
        return self._upload.module(self._files[0].source.path).namespace if self.found else {}

    @property
    def notes(self) -> list[str]:
        """What a student should know about the files, as sentences."""
        modules = self._upload.modules.values()
        failed = [each for m in modules for each in failures(m, self.found, self._upload.folder)]
        named = [shown(self._upload.folder, path) for path in self._upload.listing.paths]
        same = copies(self._upload.listing.paths, named)
        taken = [*spread(self._homes), *rivals(self._homes, self._files)]
        return shortened([*same, *taken, *self._upload.notes, *failed])

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __getitem__(self, name: str) -> Any:
        """The object; raises NotHandedIn, or what the student's own definition raises."""
        home = self._homes.get(name) or _home(self._files, name)
        if home is None:
            raise self._absent(name)
        module = self._made(home)
        if home.definition(name) is None and home.borrowed(name) is None:
            return self._method(module, name)
        return module.attribute(name)

    def _made(self, home: Outline) -> Module:
        """The module of a file, with all the names it is the home of.

        They are made together: a name can mean a module above and a function below.
        """
        module = self._upload.module(home.source.path)
        if home not in self._ready:
            self._ready.append(home)
            names = [each for each, its in self._homes.items() if its is home]
            module.make([each for each in names if each in home.binders])
            self._lend(module, home)
        return module

    def _lend(self, module: Module, home: Outline) -> None:
        """Give a file the wanted names that it uses and another defines."""
        for name in module.unbound & set(self._homes):
            if self._homes[name] is not home:
                with contextlib.suppress(Exception):  # it is missed where it is used
                    module.namespace.setdefault(name, self[name])

    def _absent(self, name: str) -> BaseException:
        """Why there is no such name: its text is no Python, or it is nowhere."""
        for each in self._files:
            if (error := each.broken_definition(name)) is not None:
                return error
        names = [shown(self._upload.folder, path) for path in self._upload.listing.paths]
        looked = ", ".join(f"`{each}`" for each in names[:MAX_LOOKED])
        more = f" and {len(names) - MAX_LOOKED} more files" if len(names) > MAX_LOOKED else ""
        where = f"looked in {looked}{more}" if looked else "the upload has no .py or .ipynb file"
        unread = [each for each in self._upload.notes if UNREAD.search(each)]
        return NotHandedIn(" ".join([f"No file defines `{name}` ({where}).", *unread[:2]]))

    def _method(self, module: Module, name: str) -> Any:
        """A method as a function, of an instance made without arguments if it needs one."""
        owner = module.outline.method_owner(name)
        made = module.attribute(str(owner))
        if not _needs_instance(module.outline, str(owner), name):
            return getattr(made, name)
        try:
            signature(made).bind()
        except TypeError:
            raise NotHandedIn(
                f"`{name}` stands in the class `{owner}`, which cannot be made without arguments; "
                "it is expected as a function of its own."
            ) from None
        return getattr(made(), name)


def gather(
    folder: Path,
    *,
    wanted: Sequence[str],
    prefer: Sequence[str] = (),
    given: Mapping[str, Any] | None = None,
    until: str | None = None,
) -> Gathered:
    """The wanted names that the code files below this folder define."""
    border = re.compile(until, re.IGNORECASE) if until else None
    upload = Upload(folder, prefer=prefer, given=given or {}, until=border)
    files = sorted(upload.naming(wanted), key=lambda each: _emptiness(each, wanted))
    return Gathered(upload, wanted, files)


def _emptiness(outline: Outline, wanted: Sequence[str]) -> tuple[int, int]:
    """The fewer of the names a file holds, the further back it comes."""
    held = [name for name in wanted if _holds(outline, name)]
    return -sum(outline.is_written(name) for name in held), -len(held)


def _holds(outline: Outline, name: str) -> bool:
    return outline.definition(name) is not None or outline.method_owner(name) is not None


def _home(files: Sequence[Outline], name: str) -> Outline | None:
    """The first file that defines the name, one that does more than name it before others."""
    holding = [each for each in files if each.definition(name) is not None]
    holding = holding or [each for each in files if each.borrowed(name) is not None]
    holding = holding or [each for each in files if each.method_owner(name) is not None]
    written = [each for each in holding if each.is_written(name)]
    return next(iter(written or holding), None)


def _needs_instance(outline: Outline, owner: str, name: str) -> bool:
    statement = outline.definition(owner)
    node = statement.node if statement else None
    found = method(node, name) if isinstance(node, ast.ClassDef) else None
    if found is None:
        return False
    marks = {each.id for each in found.decorator_list if isinstance(each, ast.Name)}
    first = [each.arg for each in (*found.args.posonlyargs, *found.args.args)][:1]
    return first == ["self"] and not marks & {"staticmethod", "classmethod"}
