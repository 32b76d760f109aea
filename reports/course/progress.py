"""Show the progress of a batch on the course page, with the results so far.

`DIR/index.html` is written when grading starts, then at most every few seconds, and the browser
reloads it. If a run ends with an error, the page says so; if it is killed, the page shows when it
was last written. When grading is finished, the course page replaces it.
"""

import contextlib
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from graders.model import Result
from reports.course.page import Progress, write_course_page
from reports.course.view import Counted

SECONDS = 5.0  # the minimum between two writes
SHARE = 20  # and at least this many times as long as the last write: at most 5% of the time


class ProgressPage:
    """Keep `out/index.html` up to date with the Results of one run, inside a `with` block.

    It does nothing if no submission needs to be graded.
    """

    def __init__(self, out: Path, title: str, *, total: int, stored: int = 0) -> None:
        self._out = out
        self._progress = Progress(title, total=total, stored=stored)
        self._counted = Counted()
        self._started = time.monotonic()
        self._next = 0.0
        self._wait = SECONDS
        self._stamp = 0

    @property
    def total(self) -> int:
        """The number of submissions to grade."""
        return self._progress.total

    @property
    def _now(self) -> Progress:
        """How many are graded now."""
        return replace(self._progress, graded=len(self._counted.rows))

    def done_and_left(self) -> tuple[int, int]:
        """How many submissions are graded, now or before, and how many are left."""
        progress = self._now
        return progress.stored + progress.graded, progress.total - progress.graded

    def __enter__(self) -> "ProgressPage":
        if self._progress.total:
            self._write(running=True)
        return self

    def add(self, result: Result) -> None:
        """Count a Result, which may be discarded afterwards, and update the page if it is due."""
        self._counted.add(result)
        if time.monotonic() >= self._next:
            self._write(running=True)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._progress.total:
            # An error that stopped the run must be reported, not that the page cannot be written.
            with contextlib.suppress(Exception):
                if self._is_shown():
                    self._write(running=False)

    def _is_shown(self) -> bool:
        """Return whether the page is the one that was last written here, not the finished one."""
        return (self._out / "index.html").stat().st_mtime_ns == self._stamp

    def _write(self, *, running: bool) -> None:
        begun = time.monotonic()
        course = self._counted.view()
        graded = len(course.rows)
        progress = replace(
            self._now,
            running=running,
            left=_left(graded, self._progress.total, begun - self._started),
            written=datetime.now(UTC),
            reload_seconds=round(self._wait),
        )
        titled = replace(course, title=progress.title)
        page = write_course_page(titled, self._out, progress=progress)
        self._stamp = page.stat().st_mtime_ns
        self._wait = max(SECONDS, SHARE * (time.monotonic() - begun))
        self._next = time.monotonic() + self._wait


def _left(graded: int, total: int, seconds: float) -> str:
    """Estimate the remaining time in words from the pace so far; empty before the first result."""
    if not graded or graded >= total:
        return ""
    left = seconds / graded * (total - graded)
    if left < 90:
        return f"about {max(1, round(left))} s left"
    if left < 90 * 60:
        return f"about {round(left / 60)} min left"
    return f"about {left / 3600:.1f} h left"
