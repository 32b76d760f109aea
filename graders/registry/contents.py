"""Find out what an upload contains, and which assignment it belongs to.

Names and text search are enough; nothing is run or parsed.
"""

import re
import tempfile
from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from graders.errors import UsageError
from graders.model import Assignment, CriterionKind, FileSpec
from graders.registry.discovery import assignment_names, load_assignment
from graders.written.loading import ANSWERS
from submissions.finding import find
from submissions.folder import CODE
from submissions.listing import list_files
from submissions.receive import open_upload
from submissions.submission import Rejected

LARGEST = 2 * 2**20  # bytes of one file that are read
MOST = 200  # files of code
LEAST = 0.1  # of the names and files; a single name such as `train` is not a submission
CLEARLY = 2.0  # how much better than the next one it must be


def required_artifacts(files: FileSpec) -> list[str]:
    """Return the files that metrics are graded from, without those that may be missing."""
    return [name for name in files.artifacts if name not in (*ANSWERS, *files.optional)]


def missing_files(
    files: FileSpec, kinds: Container[CriterionKind], code: Collection[str], found: Collection[str]
) -> dict[str, CriterionKind]:
    """Return the files that criteria of these kinds need and an upload lacks, each with its kind.

    `code` are the names of its code files, `found` are the artifacts. If all code is named by
    patterns, one file of any of them is enough.
    """
    missing: dict[str, CriterionKind] = {}
    if "code" in kinds:
        named = [name for name in files.code if "*" not in name]
        missing |= dict.fromkeys((name for name in named if name not in code), "code")
        fit = any(fnmatchcase(name, pattern) for name in code for pattern in files.code)
        if files.code and not named and not fit:
            missing[" or ".join(files.code)] = "code"
    if "metric" in kinds:
        lacking = (name for name in required_artifacts(files) if name not in found)
        missing |= dict.fromkeys(lacking, "metric")
    if "written" in kinds and not any(name in found for name in ANSWERS):
        missing[ANSWERS[0]] = "written"
    return missing


@dataclass(frozen=True, slots=True)
class Contents:
    """The files of an upload, the text of its code and of its answers."""

    paths: tuple[PurePosixPath, ...] = ()
    code: tuple[str, ...] = ()
    answers: str = ""

    @property
    def files(self) -> frozenset[str]:
        """The names of all files."""
        return frozenset(path.name for path in self.paths)

    def artifacts(self, files: FileSpec) -> Collection[str]:
        """Return the artifacts that grading finds, also under names such as `answers (1).md`."""
        return find(self.paths, files.code, files.artifacts, whole=files.whole).files.keys()

    def defines(self, name: str) -> bool:
        """Return whether any file seems to define a function or class of this name."""
        known = rf"\b(?:def|class|as)\s+{re.escape(name)}\b|\b{re.escape(name)}\s*=[^=]"
        return any(re.search(known, text) for text in self.code)


def look_into(upload: Path) -> Contents:
    """Return the contents of a folder or archive; empty if it cannot be opened safely."""
    with tempfile.TemporaryDirectory(prefix="softmark-look-") as work:
        try:
            with open_upload(upload.resolve(), Path(work)) as folder:
                return _contents(folder)
        except (Rejected, OSError):  # grading reports the reason
            return Contents()


def _contents(folder: Path) -> Contents:
    paths = sorted(list_files(folder).files, key=lambda path: (len(path.parts), path))
    code = [path for path in paths if path.suffix in CODE]
    answers = [path for path in paths if path.name.casefold() in ANSWERS]
    return Contents(
        tuple(paths),
        tuple(_texts(folder, code)),
        "\n".join(_texts(folder, answers)),
    )


def _texts(folder: Path, paths: list[PurePosixPath]) -> Iterator[str]:
    for path in paths[:MOST]:
        with (folder / path).open("rb") as file:
            yield file.read(LARGEST).decode("utf-8", "replace")


def own_assignment(upload: Path) -> Assignment:
    """Return the assignment whose files and names are there; raises UsageError if unclear."""
    known = [load_assignment(name) for name in assignment_names()]
    if len(known) == 1:
        return known[0]
    contents = look_into(upload)
    fits = {each.name: _fit(each, contents) for each in known}
    best = max(fits.values())
    close = [name for name, fit in fits.items() if best >= LEAST and fit * CLEARLY > best]
    if len(close) != 1:
        names = ", ".join(f"`{name}`" for name in close or fits)
        reason = "its files fit several assignments" if close else "could not detect the assignment"
        raise UsageError(f"{upload}: {reason}", f"name it with --assignment; choose from: {names}")
    return next(each for each in known if each.name == close[0])


def _fit(assignment: Assignment, contents: Contents) -> float:
    """Return how much of an assignment's names, files and answers is there, from 0 to 3."""
    files = assignment.files
    names = [*(contents.defines(name) for name in files.names)]
    names += [name in contents.files for name in files.code if "*" not in name]
    artifacts = [name in contents.files for name in files.artifacts if name not in ANSWERS]
    # The title is in the first line of the file that `answers-template` writes.
    return _share(names) + _share(artifacts) + float(assignment.title in contents.answers)


def _share(outcomes: Sequence[bool]) -> float:
    return sum(outcomes) / len(outcomes) if outcomes else 0.0
