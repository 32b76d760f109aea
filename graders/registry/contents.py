"""Find out what an upload contains by names and text search, without running or parsing it."""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graders.model import FileSpec
from graders.written.loading import ANSWERS
from submissions.folder import CODE
from submissions.listing import list_files
from submissions.receive import opened
from submissions.submission import Rejected

LARGEST = 2 * 2**20  # bytes of one file that are read
MOST = 200  # files of code


def required_artifacts(files: FileSpec) -> list[str]:
    """Return the files that metrics are graded from, without those that may be missing."""
    return [name for name in files.artifacts if name not in (*ANSWERS, *files.optional)]


@dataclass(frozen=True, slots=True)
class Contents:
    """The file names of an upload, the text of its code and of its answers."""

    files: frozenset[str] = frozenset()
    code: tuple[str, ...] = ()
    answers: str = ""

    def defines(self, name: str) -> bool:
        """Return whether any file seems to define a function or class of this name."""
        known = rf"\b(?:def|class|as)\s+{re.escape(name)}\b|\b{re.escape(name)}\s*=[^=]"
        return any(re.search(known, text) for text in self.code)


def look_into(upload: Path) -> Contents:
    """Return the contents of a folder or archive; empty if it cannot be opened safely."""
    with tempfile.TemporaryDirectory(prefix="softmark-look-") as work:
        try:
            with opened(upload.resolve(), Path(work)) as folder:
                return _contents(folder)
        except (Rejected, OSError):  # grading reports the reason
            return Contents()


def _contents(folder: Path) -> Contents:
    paths = sorted(list_files(folder).files, key=lambda path: (len(path.parts), path))
    code = [path for path in paths if path.suffix in CODE]
    answers = [path for path in paths if path.name.casefold() in ANSWERS]
    return Contents(
        frozenset(path.name for path in paths),
        tuple(_texts(folder, code)),
        "\n".join(_texts(folder, answers)),
    )


def _texts(folder: Path, paths: list[PurePosixPath]) -> Iterator[str]:
    for path in paths[:MOST]:
        with (folder / path).open("rb") as file:
            yield file.read(LARGEST).decode("utf-8", "replace")
