"""Write the files in DIR again from the store, including what people decided."""

import asyncio
from pathlib import Path

from graders.course.review import Review
from graders.errors import UserError
from graders.model import Assignment
from graders.storage.store import reopen_store
from reports.course.files import release_criteria, write_course

PATIENCE = 0.5  # seconds; a small course is written by then


def write_grades(review: Review) -> str:
    """Write all output files and return a message. Raises UsageError while DIR is in use."""
    review.refresh()
    newest, count = review.trail.newest, review.unwritten()
    task = review.assignment_now()
    with review.writing() as (store, generation):
        write_course(store, generation, task=task, out=review.folder, named=())
    review.decisions.keep_written(newest)
    if not count:
        return f"grades written: all files in {review.folder} are up to date"
    whose = "1 submission" if count == 1 else f"{count} submissions"
    return f"grades written: decisions of {whose} are now in {review.folder}"


class Outputs:
    """The files in DIR, which a thread brings up to date after each act.

    act ── store ── changed() ── thread: all files      pages for others are not held up
    """

    def __init__(self, review: Review) -> None:
        self._review = review
        self._wanted = self._written = 0
        self._writing: asyncio.Task[None] | None = None
        self.lock = asyncio.Lock()  # DIR has one writer at a time
        self.problem = ""

    @property
    def are_behind(self) -> bool:
        """Whether an act of this server is not in all files yet."""
        return self._written < self._wanted

    async def changed(self) -> None:
        """Bring the files up to date; a large course goes on after this has returned."""
        self._wanted += 1
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        for each in (await asyncio.wait({self._writing}, timeout=PATIENCE))[0]:
            each.result()

    async def release(self, reviewer: str, *, released: bool) -> list[str]:
        """Release the criteria that wait for it, or withdraw that; return what is shown now."""
        task = self._review.assignment_now()
        async with self.lock:
            return await asyncio.to_thread(_release, self._review.folder, task, reviewer, released)

    async def _write(self) -> None:
        while self.are_behind:
            wanted, task = self._wanted, self._review.assignment_now()
            newest = self._review.trail.newest
            try:
                async with self.lock:
                    await asyncio.to_thread(_write_all, self._review.folder, task)
            except UserError as error:  # such as a grading that is running; the store has it all
                self.problem = f"{error}; {error.hint}"
                return
            self._review.decisions.keep_written(newest)
            self._written, self.problem = wanted, ""


def _write_all(folder: Path, task: Assignment) -> None:
    with reopen_store(folder) as store:
        write_course(store, store.generation().number, task=task, out=folder, named=())


def _release(folder: Path, task: Assignment, reviewer: str, released: bool) -> list[str]:
    with reopen_store(folder) as store:
        return release_criteria(store, reviewer, task=task, out=folder, released=released)
