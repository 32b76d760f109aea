"""Grade the submissions of an audit until a deadline, and keep the results for the next run.

    uploads ─┬─ kept in DIR/graded.jsonl: reused without grading
             └─ written to a folder ── grade_all ── Graded ── DIR/graded.jsonl

The key of an upload is the hash of its files and of everything that grading depends on, so after a
change of the assignment it is graded again.
"""

import hashlib
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from graders.audit.changes.change import Files
from graders.audit.validate import checks_of
from graders.execution.executors import JobExecutor
from graders.grading.batch import grade_all
from graders.grading.cache_key import keys_of
from graders.grading.options import GradingRequest
from graders.model import CheckStatus, Outcome, Result, Submission
from graders.scoring import certain_loss
from submissions.receive import identify

KEPT = "graded.jsonl"


@dataclass(frozen=True, slots=True)
class Upload:
    """A submission to grade: a name that is unique among them, and its files."""

    name: str
    files: Files


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of one check."""

    id: str
    criterion: str
    status: CheckStatus
    fraction: float
    mistake: str = ""
    said: str = ""
    outcome: Outcome = ""


@dataclass(frozen=True, slots=True)
class Graded:
    """What an audit keeps of a Result: the points lost per criterion, and the checks.

    `fault` says why it could not be graded; then nothing else counts.
    """

    lost: Mapping[str, float]
    checks: tuple[Seen, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    key: str
    graded: Graded


_LINES = TypeAdapter(_Line)


class GradedCache:
    """The submissions that were graded before, in a file with one line for each."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / KEPT
        self._known: dict[str, Graded] = {}
        if self._file.is_file():
            for text in self._file.read_text(encoding="utf-8").splitlines():
                try:
                    line = _LINES.validate_json(text)
                except ValidationError:  # the last line of a run that was killed
                    continue
                self._known[line.key] = line.graded

    def get(self, key: str) -> Graded | None:
        """Return the kept result; None if the upload must be graded."""
        return self._known.get(key)

    def add(self, key: str, graded: Graded) -> None:
        """Keep a result, but not a fault, so that the next run tries again."""
        if not graded.fault:
            with self._file.open("ab") as file:
                file.write(_LINES.dump_json(_Line(key, graded)) + b"\n")


class Grader:
    """Grades uploads with one executor."""

    def __init__(self, executor: JobExecutor, cache: GradedCache) -> None:
        self._executor, self._cache = executor, cache

    def grade(
        self, uploads: Iterable[Upload], request: GradingRequest, deadline: float
    ) -> Iterator[tuple[Upload, Graded]]:
        """Yield the uploads with their results, first those whose results were kept.

        After the deadline, a time of `time.monotonic`, no grading starts.
        """
        whole = keys_of(request.assignment, request.options).whole
        waiting: dict[str, list[Upload]] = {}  # some may have the same files
        for upload in uploads:
            key = _key(whole, upload)
            if (earlier := self._cache.get(key)) is not None:
                yield upload, earlier
            else:
                waiting.setdefault(key, []).append(upload)
        with tempfile.TemporaryDirectory(prefix="softmark-audit-") as work:
            named = {key[:16]: key for key in waiting}
            written = (
                _write(Path(work) / name, waiting[key][0], request) for name, key in named.items()
            )
            in_time = takewhile(lambda _: time.monotonic() < deadline, written)
            assignment, options = request.assignment, request.options
            for result in grade_all(in_time, assignment, options, self._executor):
                key = named[result.submission.path.name]
                graded = graded_of(result)
                self._cache.add(key, graded)
                yield from ((upload, graded) for upload in waiting[key])


def _key(whole: str, upload: Upload) -> str:
    files = hashlib.sha256(whole.encode())
    for name, content in sorted(upload.files.items()):
        files.update(f"\0{name}\0{hashlib.sha256(content).hexdigest()}".encode())
    return files.hexdigest()


def _write(folder: Path, upload: Upload, request: GradingRequest) -> Submission:
    for name, content in upload.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return identify(folder, request.assignment.name)


def graded_of(result: Result) -> Graded:
    """Return what an audit keeps of a Result."""
    lost = {graded.criterion.id: round(certain_loss(graded), 4) for graded in result.criteria}
    checks = tuple(
        Seen(
            check.id,
            check.check.criterion,
            check.status,
            round(check.fraction, 4),
            check.mistake,
            (check.hint or check.message)[:300] if check.fraction < 1 else "",
            check.outcome,
        )
        for check in checks_of(result)
    )
    broken = result.status in ("incomplete", "rejected")
    fault = "; ".join(result.faults) or str(result.environment.get("rejected", result.status))
    lost = {name: points for name, points in lost.items() if points > 0}
    return Graded(lost, checks, fault if broken else "")
