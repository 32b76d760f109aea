"""Read all code files of one upload, each when it is first needed."""

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from graders.adapting.importing import Imports
from graders.adapting.lazy_module import Module
from graders.adapting.reading.listing import Listing, list_code, shown
from graders.adapting.reading.notebook import UnreadableNotebook
from graders.adapting.reading.outline import Outline
from graders.adapting.reading.source import Source, read_source

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"  # a student's may be newer
MARKS_16 = (b"\xff\xfe", b"\xfe\xff")  # the byte order marks of UTF-16


class Upload:
    """The files of a folder, what they define, and their modules."""

    def __init__(
        self,
        folder: Path,
        *,
        given: Mapping[str, Any],
        until: re.Pattern[str] | None,
    ) -> None:
        self.folder = folder
        self.listing = list_code(folder, ())
        self.notes = list(self.listing.notes)
        self.invalid: list[str] = []  # those of the notes about lines that are not valid Python
        self.modules: dict[Path, Module] = {}
        self._given = given
        self._until = until
        self._outlines: dict[Path, Outline] = {}

    @cached_property
    def imports(self) -> Imports:
        """The resolver of the files' import statements."""
        return Imports(self)

    def listed(self, own: Sequence[str], without: Sequence[str]) -> Listing:
        """Return the files, the assignment's own ones first, without some."""
        return list_code(self.folder, own, without)

    def naming(self, words: Sequence[str], listing: Listing) -> list[Outline]:
        """Return the files whose text contains one of these words, in the order of the listing."""
        coded = [word.encode() for word in words]
        return [self.outline(path) for path in listing.paths if _names(path, coded)]

    def outline(self, path: Path) -> Outline:
        """Return what this file defines; nothing if it cannot be read, or for a folder."""
        if path not in self._outlines:
            outline = Outline(self._source(path), lambda node: self._imported(path, node))
            invalid = [self._sentence(broken.error) for broken in outline.broken]
            self.invalid += invalid
            self.notes += invalid
            self._outlines[path] = outline
        return self._outlines[path]

    def _imported(self, path: Path, node: ast.stmt) -> Outline | None:
        """Return the file of the upload that a statement in this file imports, if it does."""
        imported = self.imports.path_of(path, node)
        return self.outline(imported) if imported is not None else None

    def _source(self, path: Path) -> Source:
        name = shown(self.folder, path)
        if path.is_dir():
            return Source(path, name, (), ())
        try:
            source = read_source(path, name, self._until)
        except (UnreadableNotebook, OSError) as error:
            self.notes.append(f"`{name}` could not be read: {error}.")
            return Source(path, name, (), ())
        if source.damage:
            self.notes.append(f"`{name}` was read in part: {source.damage}.")
        return source

    def _sentence(self, error: SyntaxError) -> str:
        place = str(error.filename).removeprefix(f"{self.folder}/")
        return (
            f"`{place}`, line {error.lineno} is not valid Python {PYTHON} ({error.msg}); it was "
            "ignored."
        )

    def module(self, path: Path) -> Module:
        """Return the module of this file, or of a folder of files; always the same one."""
        if path not in self.modules:
            imports = self.imports
            self.modules[path] = Module(
                self.outline(path),
                given=self._given,
                importer=lambda *values, **named: imports.answer(path, *values, **named),
                offers=lambda node, name: imports.star_offers(path, node, name),
                inside=lambda name: imports.member(path, name),
            )
        return self.modules[path]


def _names(path: Path, words: Sequence[bytes]) -> bool:
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return data[:2] in MARKS_16 or any(word in data for word in words)
