"""Results and code for research, with pseudonyms in place of names.

    criteria.csv    student, status, criterion, kind, points, machine_points, max_points, score, ...
    checks.csv      student, criterion, check, status, fraction, outcome, message, hint, ...
    code/STUDENT/   Python files, notebooks without outputs, and texts
    left.csv        student, file, what: words that may identify somebody, and files left out

There are no times, hashes of uploads, sections and reviewers. Hidden checks are included.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from graders.model import CheckResult, CriterionResult, Result, Submission
from graders.privacy.pseudonyms import Names, Scrubbed, pseudonym
from reports.exports.entries import table
from reports.exports.export import Course, Export
from reports.grades import number_cell
from submissions.listing import list_files
from submissions.receive import open_upload
from submissions.submission import Rejected

CRITERIA = (
    "student", "status", "criterion", "kind", "points", "machine_points", "max_points",
    "score", "max_score", "days_late",
)  # fmt: skip
CHECKS = (
    "student", "criterion", "check", "status", "fraction", "outcome", "seconds", "message",
    "hint", "expected", "actual",
)  # fmt: skip
LEFT = ("student", "file", "what")
TEXTS = (".txt", ".md", ".rst")
LONGEST = 2**20  # bytes of a file


def research_export(course: Course) -> Export:
    """The table of criteria; the other files are made when they are written."""
    names = course.names
    if names is None:
        raise ValueError("an export for research needs everybody's names")
    export, rows, checks = _Code(names), list[Sequence[str]](), list[Sequence[str]]()
    for result in course.results:
        new = pseudonym(names.key, result.submission.id)
        export.submissions.append(result.submission)
        late = str(course.grade(result).days_late)
        for graded in result.criteria:
            rows.append(_criterion(new, result, graded, late))
            checks += [_check(new, result, check, names) for check in graded.checks]
    notes = ("left.csv lists what may still name somebody: read it before you share the folder",)
    files = _files(export, table(CHECKS, checks))
    return Export(table(CRITERIA, rows), notes, files=files, table="criteria.csv")


def _criterion(new: str, result: Result, graded: CriterionResult, late: str) -> Sequence[str]:
    declared, points = graded.criterion, (graded.points, graded.machine, graded.criterion.points)
    total = (number_cell(result.score), number_cell(result.max_score))
    status = "excused" if graded.is_excused else graded.status
    cells = (new, status, declared.id, declared.kind)
    return [*cells, *map(number_cell, points), *total, late]


def _check(new: str, result: Result, check_result: CheckResult, names: Names) -> Sequence[str]:
    cells = (
        check_result.check.criterion,
        check_result.id,
        check_result.status,
        f"{check_result.fraction:g}",
    )
    parts = (check_result.message, check_result.hint, check_result.expected, check_result.actual)
    texts = [names.in_text(result.submission.id, text) for text in parts]
    return [new, *cells, check_result.outcome, f"{check_result.seconds:.3f}", *texts]


def _files(export: "_Code", checks: str) -> Iterator[tuple[str, bytes]]:
    yield "checks.csv", checks.encode()
    for submission in export.submissions:
        yield from export.of(submission)
    yield "left.csv", table(LEFT, export.left).encode()


@dataclass(slots=True)
class _Code:
    """The students' code, and what is left of names in it."""

    names: Names
    submissions: list[Submission] = field(default_factory=list)
    left: list[Sequence[str]] = field(default_factory=list)

    def of(self, submission: Submission) -> Iterator[tuple[str, bytes]]:
        """Yield a submission's files without names."""
        new, skipped = pseudonym(self.names.key, submission.id), Counter[str]()
        try:
            with (
                tempfile.TemporaryDirectory() as work,
                open_upload(submission.path, Path(work)) as top,
            ):
                for path, size in list_files(top).files.items():
                    clean = self._clean(submission.id, top / path, size)
                    if clean is None:
                        skipped[path.suffix or "no suffix"] += 1
                        continue
                    place = self.names.in_path(submission.id, PurePosixPath(path))
                    self.left += [(new, str(place), word) for word in clean.left]
                    if clean.text:
                        yield f"code/{new}/{place}", clean.text.encode(errors="replace")
        except (Rejected, OSError):
            self.left.append((new, "", "the upload is gone or unreadable, so there is no code"))
        self.left += [
            (new, f"{count} x {suffix}", "left out") for suffix, count in sorted(skipped.items())
        ]

    def _clean(self, name: str, file: Path, size: int) -> Scrubbed | None:
        """Return a file's text without names; None if it is left out."""
        suffix = file.suffix.casefold()
        if size > LONGEST or suffix not in (".py", ".ipynb", *TEXTS):
            return None
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        if suffix == ".py":
            return self.names.in_code(name, text)
        if suffix == ".ipynb":
            return self.names.in_notebook(name, text)
        return self.names.in_prose(name, text)
