"""Write the files in DIR again from the store, with decisions, adjustments and comments."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from graders.course.best_attempts import ResultsFolder
from graders.course.extensions import FILE as EXTENSIONS
from graders.course.extensions import LATE_DAYS
from graders.course.merges import MERGED
from graders.course.review import Review
from graders.course.roster import DROPS
from graders.errors import UserError
from graders.model import Assignment
from graders.storage.store import Store, reopen_store
from reports.course.files import release_criteria, write_course
from submissions.escaping import counted

Act = Callable[[ResultsFolder], str]
PATIENCE = 0.5  # seconds; a small course is written by then


def write_grades(review: Review) -> str:
    """Write all output files and return a message. Raises UsageError while DIR is in use."""
    review.refresh()
    newest, count = review.trail.newest, review.unwritten()
    task = review.assignment_now()
    with review.writing() as store:
        write_course(store, task=task, out=review.folder, named=())
    review.decisions.keep_written(newest)
    if not count:
        return f"grades written: all files in {review.folder} are up to date"
    whose = counted(count, "submission")
    return f"grades written: decisions of {whose} are now in {review.folder}"


class Outputs:
    """The files in DIR, which a thread updates after each action, so that no page waits for them.

    action ── row in the store ── changed() ── thread: write_course
    """

    def __init__(self, review: Review) -> None:
        self._review = review
        self._wanted = self._written = 0
        self._writing: asyncio.Task[None] | None = None
        self.lock = asyncio.Lock()  # DIR has one writer at a time
        self.problem = ""

    @property
    def are_behind(self) -> bool:
        """Return True if the files do not include all actions of this server yet."""
        return self._written < self._wanted

    async def changed(self) -> None:
        """Start to update the files; return when done, or after PATIENCE for a large course."""
        self._wanted += 1
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        for finished in (await asyncio.wait({self._writing}, timeout=PATIENCE))[0]:
            finished.result()

    async def release(self, reviewer: str, *, released: bool) -> list[str]:
        """Release the waiting criteria or withdraw the release; return what students see now."""
        task = self._review.assignment_now()
        async with self.lock:
            return await asyncio.to_thread(_release, self._review.folder, task, reviewer, released)

    async def change(self, act: Act) -> str:
        """Let staff change a table in DIR, and return the sentence that `act` returns."""
        task = self._review.assignment_now()
        async with self.lock:
            return await asyncio.to_thread(_change, self._review.folder, task, act)

    async def _write(self) -> None:
        while self.are_behind:
            target, task = self._wanted, self._review.assignment_now()
            newest = self._review.trail.newest
            try:
                async with self.lock:
                    await asyncio.to_thread(_write_all, self._review.folder, task)
            except UserError as error:  # such as a running grading; the store has every action
                self.problem = f"{error}; {error.hint}"
                return
            self._review.decisions.keep_written(newest)
            self._written, self.problem = target, ""


def _write_all(folder: Path, task: Assignment) -> None:
    with reopen_store(folder) as store:
        write_course(store, task=task, out=folder, named=())


def _change(folder: Path, task: Assignment, act: Act) -> str:
    with reopen_store(folder) as store:
        return act(ResultsFolder(store, store.published, task, folder))


def _release(folder: Path, task: Assignment, reviewer: str, released: bool) -> list[str]:
    with reopen_store(folder) as store:
        return release_criteria(store, reviewer, task=task, out=folder, released=released)


def is_older(file: Path, store: Store) -> bool:
    """Return True if staff did something after the file was last written, as after a crash."""
    times = [adjustment.made_at for adjustment in store.adjustments().all()]
    times += [comment.made_at for comment in store.comments().shown()]
    for request in store.requests().all():
        times += [request.made_at, *(reply.made_at for reply in request.replies)]
    newest = datetime.fromisoformat(max(times)).timestamp() if times else 0.0
    tables = (file.with_name(name) for name in (EXTENSIONS, LATE_DAYS, MERGED, DROPS))
    newest = max(newest, *(table.stat().st_mtime if table.is_file() else 0.0 for table in tables))
    return newest > (file.stat().st_mtime if file.is_file() else 0.0)
