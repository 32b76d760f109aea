"""Where jobs run: in this process, in several, on a cluster; all a `concurrent.futures.Executor`.

Two promises beyond the standard library's, held to one contract test: results equal those of
`serial`, and a job whose process dies takes no other job with it.
"""

import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import ParamSpec, TypeVar

from graders.errors import GraderFault, UsageError

P = ParamSpec("P")
T = TypeVar("T")
TIDYING_SECONDS = 10


class SerialExecutor(Executor):
    """Runs a job in the caller's thread when it is submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """A future that is already done."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  an executor hands every error to its future
            future.set_exception(error)
        return future


class ProcessesExecutor(Executor):
    """Runs jobs in `jobs` slots; each slot owns one worker process and replaces it when it dies.

    A common pool would not do: one dead worker breaks every job that waits in it.
    """

    def __init__(self, jobs: int) -> None:
        self._slots = ThreadPoolExecutor(jobs, thread_name_prefix="softmark-slot")
        self._own = threading.local()
        self._pools: list[ProcessPoolExecutor] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """A future of `fn(*args, **kwargs)`, run in the next free slot."""
        return self._slots.submit(self._in_process, partial(fn, *args, **kwargs))

    def _in_process(self, job: Callable[[], T]) -> T:
        try:
            return self._start(job).result()
        except BrokenProcessPool as error:
            self._own.pool = None
            raise GraderFault("the grading process died before it finished") from error

    def _start(self, job: Callable[[], T]) -> Future[T]:
        try:
            return self._pool().submit(_at_work, job)
        except BrokenProcessPool:  # it died between two jobs: this one has not begun
            self._own.pool = None
            return self._pool().submit(_at_work, job)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait for the jobs; where the caller was interrupted, end them at once."""
        if kind is not None:
            self._slots.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()
        self.shutdown()

    def _pool(self) -> ProcessPoolExecutor:
        pool: ProcessPoolExecutor | None = getattr(self._own, "pool", None)
        if pool is None:
            # spawn: a fork of a process with threads (rich's progress bar) can deadlock
            context = multiprocessing.get_context("spawn")
            folder = tempfile.gettempdir()
            pool = ProcessPoolExecutor(1, context, initializer=_begin_worker, initargs=(folder,))
            self._own.pool = pool
            self._pools.append(pool)
        return pool

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End every slot and its process."""
        self._slots.shutdown(wait=wait, cancel_futures=cancel_futures)
        for pool in self._pools:
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)


_working = threading.Event()


def _at_work(job: Callable[[], T]) -> T:
    """Do the job, in the worker."""
    _working.set()
    try:
        return job()
    finally:
        _working.clear()


def _begin_worker(folder: str) -> None:
    """Unpack where the whole run does, and when told to end, clean up as when interrupted."""
    tempfile.tempdir = folder
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end_worker)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_worker(*_: object) -> None:
    """End a job as Ctrl-C would; a worker that waits for one ends without a word."""
    raise KeyboardInterrupt if _working.is_set() else SystemExit


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for its next job for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(TIDYING_SECONDS)
        os._exit(1)


def _ray(jobs: int, gpus: float) -> Executor:
    # Optional, and slow to import.
    from graders.execution.ray_executor import RayExecutor

    return RayExecutor(jobs, gpus)


EXECUTORS: dict[str, Callable[[int, float], Executor]] = {
    "serial": lambda _jobs, _gpus: SerialExecutor(),
    "processes": lambda jobs, _gpus: ProcessesExecutor(jobs),
    "ray": _ray,
}


def make_executor(name: str, jobs: int, *, gpus: float = 0.0) -> Executor:
    """The executor of this name with `jobs` slots, each with a share of a GPU where one is used.

    Raises UsageError for an unknown name.
    """
    if name not in EXECUTORS:
        known = ", ".join(f"`{each}`" for each in EXECUTORS)
        raise UsageError(f"there is no executor `{name}`", f"there is {known}")
    if jobs < 1:
        raise UsageError(f"--jobs {jobs}: at least 1 is needed")
    return EXECUTORS[name](jobs, gpus)
