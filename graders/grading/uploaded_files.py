"""Report an upload's missing files, and the checksums that reveal copies."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from graders.model import Assignment, Criterion, CriterionKind
from graders.registry import contents
from submissions.folder import CODE
from submissions.submission import CleanFolder

T = TypeVar("T")
GIVEN = ("solution", "starter")  # folders of the assignment
TINY = 400  # characters without comments: shorter files may be equal by chance
UNWRITTEN = re.compile(rb"^[ \t]*raise NotImplementedError", re.MULTILINE)


def missing_files(
    assignment: Assignment, criteria: Collection[Criterion], clean: CleanFolder
) -> dict[str, CriterionKind]:
    """Return the files that the criteria with points need and the upload lacks, by name."""
    kinds = {criterion.kind for criterion in criteria if criterion.points}
    code = [path.name for path in _code_files(clean.root)]
    return contents.missing_files(assignment.files, kinds, code, clean.files)


def without_replaced(missing: Mapping[str, T], notes: Iterable[object]) -> dict[str, T]:
    """Return the missing files in whose place no other file is used, as the notes say."""
    said = " ".join(map(str, notes))
    return {name: value for name, value in missing.items() if f" as `{name}`" not in said}


def code_checksums(assignment: Assignment, clean: CleanFolder) -> dict[str, str]:
    """Return the sha256 of each code file, by name, to compare with other uploads.

    Tiny files, unfinished ones and those that students were given are left out, because they are
    equal in honest uploads, too.
    """
    folders = (assignment.folder / name for name in GIVEN)
    handed_out = {_sha256(_content(path)) for folder in folders for path in _code_files(folder)}
    checksums = {}
    for path in _code_files(clean.root):
        content = _content(path)
        required = any(fnmatchcase(path.name, name) for name in assignment.files.code)
        if required and not _is_tiny(content) and not UNWRITTEN.search(content):
            checksums[str(path.relative_to(clean.root))] = _sha256(content)
    return {name: sha256 for name, sha256 in checksums.items() if sha256 not in handed_out}


def _code_files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in CODE and path.is_file())


def _content(path: Path) -> bytes:
    """Return the content without trailing spaces and line ends, which editors change."""
    return b"\n".join(line.rstrip() for line in path.read_bytes().splitlines()).strip()


def _is_tiny(content: bytes) -> bool:
    lines = (line.strip() for line in content.splitlines())
    return sum(len(line) for line in lines if not line.startswith(b"#")) < TINY


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
