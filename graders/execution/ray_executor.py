"""Run jobs on a Ray cluster, with the same interface: `pip install 'softmark[ray]'`.

    driver: one slot per job -- function, paths, data --> any node: a Softmark process
       ^                                                          |
       +------------- the Result, a few kilobytes ----------------+

Uploads are passed as paths, so every node must see them under the same name (a shared file
system). A job whose node or process is lost is started again elsewhere; one that raised is not.
Faults of student code are neither: they are part of the returned value.
"""

import functools
import importlib
import os
import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from graders.errors import GraderFault, UsageError
from graders.execution.executors import JobExecutor
from graders.execution.workplace import settle

P = ParamSpec("P")
T = TypeVar("T")

RETRIES = 3  # how often a job is restarted after its node or process was lost
PATIENCE = 10.0  # seconds that a cluster's address may take to answer
STORE_BYTES = 100 * 2**20  # object store of a cluster that we start: Results are small


class RayExecutor(JobExecutor):
    """Run at most `jobs` jobs at a time on the cluster that Ray finds, or else on this machine.

    Each uses one core and `gpus` of a GPU: with 0.25, four jobs share one.
    """

    def __init__(self, jobs: int, gpus: float = 0.0) -> None:
        self.ahead = 2 * jobs
        self._ray = _ray()
        self._started = not self._ray.is_initialized()
        if self._started:
            _connect(self._ray, jobs)
        self._run = self._ray.remote(_run).options(
            num_cpus=1, num_gpus=gpus, max_retries=RETRIES, retry_exceptions=False
        )
        self._slots = ThreadPoolExecutor(jobs, thread_name_prefix="softmark-ray")

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Return a future of `fn(*args, **kwargs)`, which the first free node runs."""
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
        """Wait for the jobs; if the caller was interrupted, don't wait: Ray ends them."""
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End every slot and disconnect from the cluster; end it if we started it."""
        self._slots.shutdown(wait=wait, cancel_futures=cancel_futures)
        if self._started:
            self._ray.shutdown()


def _ray() -> ModuleType:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise UsageError("Ray is not installed", "pip install 'softmark[ray]'") from None


def _connect(ray: ModuleType, jobs: int) -> None:
    """Connect to the cluster of RAY_ADDRESS or of `ray start`; start one here if there is none.

    `ray.init("auto")` would also join what another grading started, and end with it.
    """
    _knock(os.environ.get("RAY_ADDRESS", ""))
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    own = {"num_cpus": jobs, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    try:
        try:
            ray.init(**own, **quiet)
        except ValueError:  # a cluster that exists has its own sizes
            ray.init(**quiet)
    except ConnectionError as error:
        if "RAY_ADDRESS" in os.environ:
            raise _unreachable(error) from error
        ray.init("local", **own, **quiet)
    except (ray.exceptions.RayError, RuntimeError, ValueError) as error:
        raise _unreachable(error) from error


def _knock(address: str) -> None:
    """Raise UsageError if nothing listens at this address: Ray itself would try for minutes."""
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
    """Run the job in a process of the cluster, with its own folder for temporary files."""
    settle()
    return job()
