"""The view of a student's code: every file as text, with the lines at which checks failed."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path, PurePosixPath

from graders.model import Assignment, CheckResult, Result
from reports.exports.findings import where_ended
from reports.review.views.frame import Frame, frame
from reports.review.views.student import result_of
from reports.review.web.sessions import Session
from reports.review.web.site import Site, student_address
from submissions.finding import find
from submissions.listing import list_files
from submissions.receive import open_upload
from submissions.submission import Rejected

SHOWN = (".py", ".ipynb")
FILES, LINES, WIDTH = 60, 4_000, 500
CHARACTERS = 2_000_000  # of all files; a browser shows no page of a hundred megabytes
LARGEST = 2 * 2**20  # bytes of a file


@dataclass(frozen=True, slots=True)
class Line:
    """One line with the checks that ended at it."""

    number: int
    text: str
    failures: tuple[CheckResult, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file's lines, or why it is not shown; checks name it relative to the code's folder."""

    name: str
    anchor: str
    lines: tuple[Line, ...]
    note: str = ""

    @property
    def failing(self) -> int:
        """The number of lines at which checks ended."""
        return sum(bool(line.failures) for line in self.lines)


@dataclass(frozen=True, slots=True)
class CodeView:
    """The view of one student's code."""

    frame: Frame
    result: Result
    back: str
    files: tuple[CodeFile, ...]
    note: str


def code_view(site: Site, session: Session, submission: str) -> CodeView:
    """Return the code of a submission, as its upload is now."""
    result = result_of(site, submission)
    files, note = list[CodeFile](), ""
    try:
        if not result.submission.path.exists():
            raise Rejected("it is no longer in its folder.")
        files = read_code(result, site.review.material.assignment)
    except (Rejected, OSError) as error:
        note = f"The upload cannot be shown: {error}"
    back = student_address(submission)
    return CodeView(frame(site, session, back), result, back, tuple(files), note)


def read_code(result: Result, task: Assignment) -> list[CodeFile]:
    """Return the code files of an upload, those with failures first. Raises Rejected, OSError."""
    with (
        tempfile.TemporaryDirectory(prefix="softmark-code-") as work,
        open_upload(result.submission.path, Path(work)) as folder,
    ):
        sizes = list_files(folder).files
        layout = find(sizes, task.files.code, (), whole=task.files.whole)
        code = layout.code or PurePosixPath()
        failures = _failures(result, code)
        names = sorted(size for size in sizes if size.suffix in SHOWN)
        ordered = sorted(names, key=lambda path: (path not in failures, len(path.parts)))
        shown, room = list[CodeFile](), CHARACTERS
        for path in ordered[:FILES]:
            shown.append(_file(folder, path, code, failures.get(path, {}), room))
            room -= sum(len(line.text) for line in shown[-1].lines)
        return shown


Failures = Mapping[int, tuple[CheckResult, ...]]


def _failures(result: Result, code: PurePosixPath) -> dict[PurePosixPath, Failures]:
    """Return the checks that ended in the student's code, by file and line."""
    failures: dict[PurePosixPath, dict[int, tuple[CheckResult, ...]]] = {}
    for check in (check for graded in result.criteria for check in graded.checks):
        if (place := where_ended(check)) is not None:
            lines = failures.setdefault(code / place[0], {})
            lines[place[1]] = (*lines.get(place[1], ()), check)
    return dict(failures)


def _file(
    folder: Path, name: PurePosixPath, code: PurePosixPath, failures: Failures, room: int
) -> CodeFile:
    """Return a file with as many of its lines as fit into `room` characters."""
    path, empty = folder / name, CodeFile(str(name), str(name), ())
    if name.is_relative_to(code):
        empty = replace(empty, anchor=str(name.relative_to(code)))
    if path.is_symlink() or path.stat().st_size > LARGEST:
        return replace(empty, note="This file is too large to be shown.")
    text = path.read_bytes().decode(errors="replace")
    lines = list(_cells(text)) if path.suffix == ".ipynb" else _lines(text)
    cut = [line[:WIDTH] + " …" * (len(line) > WIDTH) for line in lines[:LINES]]
    fitting = sum(total <= room for total in accumulate(map(len, cut)))
    shown = tuple(
        Line(number, line, failures.get(number, ())) for number, line in enumerate(cut[:fitting], 1)
    )
    more = len(lines) - len(shown)
    note = f"{more:,} more lines are not shown." if more > 0 else ""
    return replace(empty, lines=shown, note=note)


def _cells(text: str) -> Iterator[str]:
    """Yield the lines of a notebook's code cells; those of the file itself if it is not one."""
    try:
        cells = json.loads(text)["cells"]
        sources = [_joined(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        yield from _lines(text)
        return
    for number, source in enumerate(sources, 1):
        yield f"# cell {number}"
        yield from source.splitlines()


def _lines(text: str) -> list[str]:
    """Return the lines as Python numbers them; a form feed ends none."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def _joined(source: str | Iterable[str]) -> str:
    return source if isinstance(source, str) else "".join(source)
