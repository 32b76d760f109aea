"""Run jobs in this process, in several, or on a cluster; each a `concurrent.futures.Executor`.

They make two promises beyond the standard library's, which one contract test checks: results equal
those of `serial`, and a job whose process dies does not affect any other job.
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


class JobExecutor(Executor):
    """An executor, and how many jobs to give it at a time."""

    ahead = 1


class SerialExecutor(JobExecutor):
    """Run a job in the caller's thread when it is submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the job and return a future that is already done."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  an executor passes every error to its future
            future.set_exception(error)
        return future


class ProcessesExecutor(JobExecutor):
    """Run jobs in `jobs` slots; each slot owns one worker process and replaces it if it dies.

    A shared pool would not work: one dead worker breaks every job that waits in it.
    """

    def __init__(self, jobs: int) -> None:
        self.ahead = 2 * jobs
        self._slots = ThreadPoolExecutor(jobs, thread_name_prefix="softmark-slot")
        self._own = threading.local()
        self._pools: list[ProcessPoolExecutor] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Return a future of `fn(*args, **kwargs)`, which runs in the next free slot."""
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
        except BrokenProcessPool:  # the worker died between two jobs: this one has not begun
            self._own.pool = None
            return self._pool().submit(_at_work, job)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait for the jobs; if the caller was interrupted, end them immediately."""
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
    """Run the job, in the worker."""
    _working.set()
    try:
        return job()
    finally:
        _working.clear()


def _begin_worker(folder: str) -> None:
    """Use the run's folder for temporary files, and clean up when the worker is asked to end."""
    tempfile.tempdir = folder
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end_worker)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_worker(*_: object) -> None:
    """End a job as Ctrl-C would; a worker without a job ends silently."""
    raise KeyboardInterrupt if _working.is_set() else SystemExit


def _end_with_parent() -> None:
    """End this worker when its parent ends; it would otherwise wait forever for its next job."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(TIDYING_SECONDS)
        os._exit(1)


def _ray(jobs: int, gpus: float) -> JobExecutor:
    # Optional, and slow to import.
    from graders.execution.ray_executor import RayExecutor

    return RayExecutor(jobs, gpus)


EXECUTORS: dict[str, Callable[[int, float], JobExecutor]] = {
    "serial": lambda _jobs, _gpus: SerialExecutor(),
    "processes": lambda jobs, _gpus: ProcessesExecutor(jobs),
    "ray": _ray,
}


def make_executor(name: str, jobs: int, *, gpus: float = 0.0) -> JobExecutor:
    """Return the executor of this name with `jobs` slots, each with `gpus` of a GPU, if used.

    Raises UsageError for an unknown name.
    """
    refuse_executor(name, jobs)
    return EXECUTORS[name](jobs, gpus)


def refuse_executor(name: str, jobs: int) -> None:
    """Raise UsageError if there is no executor of this name, or no slot."""
    if name not in EXECUTORS:
        known = ", ".join(f"`{executor}`" for executor in EXECUTORS)
        raise UsageError(f"there is no executor `{name}`", f"choose from: {known}")
    if jobs < 1:
        raise UsageError(f"--jobs {jobs}: at least 1 is needed")
