"""Jobs on a Ray cluster, behind the same interface: `pip install 'softmark[ray]'`.

    driver: a slot a job -- function, paths, plain data --> any node: a process of Softmark's
       ^                                                          |
       +------------- the Result, a few kilobytes ----------------+

Uploads travel as paths, so every node sees them under the same name (a shared file system). A job
whose node or process is lost is started again elsewhere; one that raised is not, and what a
student's code does is neither: it ends as a value.
"""

import functools
import importlib
import os
import socket
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from graders.errors import GraderFault, UsageError
from graders.execution.workplace import settle

P = ParamSpec("P")
T = TypeVar("T")

RETRIES = 3  # times that a job is started again after its node or process was lost
PATIENCE = 10.0  # seconds until a cluster's address answers
STORE_BYTES = 100 * 2**20  # of a cluster that we start ourselves: Results are small


class RayExecutor(Executor):
    """Runs at most `jobs` jobs at a time on the cluster that Ray finds, else on this machine.

    Each takes one core, and `gpus` of a GPU: a quarter lets four share one.
    """

    def __init__(self, jobs: int, gpus: float = 0.0) -> None:
        self._ray = _ray()
        self._started = not self._ray.is_initialized()
        if self._started:
            _connect(self._ray, jobs)
        self._run = self._ray.remote(_run).options(
            num_cpus=1, num_gpus=gpus, max_retries=RETRIES, retry_exceptions=False
        )
        self._slots = ThreadPoolExecutor(jobs, thread_name_prefix="softmark-ray")

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """A future of `fn(*args, **kwargs)`, run by the first node that has room."""
        return self._slots.submit(self._remotely, functools.partial(fn, *args, **kwargs))

    def _remotely(self, job: Callable[[], T]) -> T:
        errors = self._ray.exceptions
        try:
            result: T = self._ray.get(self._run.remote(job))
            return result
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            reason = str(error).partition("\n")[0]
            raise GraderFault(f"the cluster lost this job {RETRIES + 1} times: {reason}") from error

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait for the jobs; where the caller was interrupted, leave them: Ray ends them."""
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End every slot, and leave the cluster; one that we started ends, too."""
        self._slots.shutdown(wait=wait, cancel_futures=cancel_futures)
        if self._started:
            self._ray.shutdown()


def _ray() -> ModuleType:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise UsageError("Ray is not installed", "pip install 'softmark[ray]'") from None


def _connect(ray: ModuleType, jobs: int) -> None:
    """Join the cluster of RAY_ADDRESS or of this machine; without one, start one here."""
    _knock(os.environ.get("RAY_ADDRESS", ""))
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        ray.init("auto", **quiet)
    except ConnectionError as error:
        if "RAY_ADDRESS" in os.environ:
            raise _unreachable(error) from error
        own = {"object_store_memory": STORE_BYTES, "include_dashboard": False}
        ray.init("local", num_cpus=jobs, **own, **quiet)
    except (ray.exceptions.RayError, RuntimeError, ValueError) as error:
        raise _unreachable(error) from error


def _knock(address: str) -> None:
    """Raise UsageError where nobody listens at this address: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except OSError as error:
        raise _unreachable(error) from error


def _unreachable(error: Exception) -> UsageError:
    reason = str(error).partition("\n")[0]
    return UsageError(f"the Ray cluster cannot be joined: {reason}", "see docs/scaling.md")


def _run(job: Callable[[], T]) -> T:
    """In a process of the cluster: the job, with a folder of its own for what it unpacks."""
    settle()
    return job()
