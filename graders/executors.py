"""Where jobs run: in this process or in several, behind `concurrent.futures.Executor`.

Two promises beyond the standard library's, held to one contract test: results equal those of
`serial`, and a job whose process dies takes no other job with it.
"""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

from graders.errors import GraderFault, Misuse

P = ParamSpec("P")
T = TypeVar("T")


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
        return self._slots.submit(self._in_process, fn, *args, **kwargs)

    def _in_process(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return self._pool().submit(fn, *args, **kwargs).result()
        except BrokenProcessPool as error:
            self._own.pool = None
            raise GraderFault("the grading process died before it finished") from error

    def _pool(self) -> ProcessPoolExecutor:
        pool: ProcessPoolExecutor | None = getattr(self._own, "pool", None)
        if pool is None:
            # spawn: a fork of a process with threads (rich's progress bar) can deadlock
            pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
            self._own.pool = pool
            self._pools.append(pool)
        return pool

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End every slot and its process."""
        self._slots.shutdown(wait=wait, cancel_futures=cancel_futures)
        for pool in self._pools:
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)


EXECUTORS: dict[str, Callable[[int], Executor]] = {
    "serial": lambda _jobs: SerialExecutor(),
    "processes": ProcessesExecutor,
}


def make_executor(name: str, jobs: int) -> Executor:
    """The executor of this name with `jobs` slots; raises Misuse for an unknown name."""
    if name not in EXECUTORS:
        known = ", ".join(f"`{each}`" for each in EXECUTORS)
        raise Misuse(f"there is no executor `{name}`", f"there is {known}")
    if jobs < 1:
        raise Misuse(f"--jobs {jobs}: at least 1 is needed")
    return EXECUTORS[name](jobs)
