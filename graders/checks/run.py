"""Run the checks of an assignment in this process, isolated from its other state.

Checks are the test functions of `checks.py` and `checks_*.py`, in the assignment's folder and in
each of its packages.
"""

import atexit
import contextlib
import gc
import io
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.internal.constants_ast import Constants
from hypothesis.strategies._internal.utils import clear_strategy_cache

from graders.boundary.side import check_paths
from graders.errors import GraderFault, UserError

INI = Path(__file__).with_name("pytest.ini")
# Plugins of pytest that cost time in every run; "unraisableexception" collects garbage five times.
UNUSED = (
    "cacheprovider", "debugging", "doctest", "faulthandler", "junitxml", "legacypath", "logging",
    "pastebin", "setuponly", "setupplan", "stepwise", "threadexception", "unittest",
    "unraisableexception", "warnings",
)  # fmt: skip


def run_checks(
    folder: Path, plugin: object, *, also: tuple[Path, ...] = (), collect_only: bool = False
) -> None:
    """Run every check file in `folder`, and those in `also`, in pytest with `plugin`.

    The plugin decides the verdicts. Raises UsageError if a check file is wrong, GraderFault if
    pytest itself failed.
    """
    files = check_paths(folder)
    if not also and not files:  # pytest would look for files elsewhere
        raise GraderFault(f"{folder.name} has no checks")
    args = [
        str(folder),  # given files one by one, pytest would read the folder for each of them
        *map(str, also),
        f"--rootdir={folder}",
        f"--config-file={INI}",
        "--noconftest",  # a conftest.py would be one more file that affects the checks
        "--disable-plugin-autoload",
        "--import-mode=importlib",
        "--assert=plain",
        "--capture=no",
        "--strict-markers",
        *(f"-pno:{name}" for name in UNUSED),
        "-q",
        *(["--collect-only"] if collect_only else []),
    ]
    output = io.StringIO()
    _keep_imported()
    with (
        surroundings(folder),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
    ):
        watch = _Watch((*files, *also))
        code = pytest.main(args, plugins=[watch, plugin])
    sys.last_type = sys.last_value = sys.last_traceback = None  # pytest keeps the last failure
    if watch.misuse is not None:
        raise watch.misuse
    if watch.left is not None:
        raise GraderFault(f"the checks in {folder.name} ended pytest: {watch.left}")
    if code == pytest.ExitCode.INTERRUPTED and not watch.broken:
        raise KeyboardInterrupt
    if watch.broken or code not in (
        pytest.ExitCode.OK,
        pytest.ExitCode.TESTS_FAILED,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    ):
        reason = "" if watch.cause else f": {_last_line(output.getvalue())}"
        raise GraderFault(f"the checks in {folder.name} did not run{reason}") from watch.cause


class _Watch:
    """Restrict pytest to these files, and keep a UsageError that a hook raised.

    pytest would only print it and continue.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._paths = {*files, *(parent for file in files for parent in file.parents)}
        self.misuse: UserError | None = None
        self.broken = False
        self.left: str | None = None
        self.cause: BaseException | None = None  # why a file was not collected

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return None if collection_path in self._paths else True

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        if isinstance(excinfo.value, pytest.exit.Exception):
            self.left = str(excinfo.value)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        self.broken = True
        if isinstance(excinfo.value, UserError):
            self.misuse = excinfo.value
        return True

    def pytest_exception_interact(
        self, call: pytest.CallInfo[object], report: pytest.TestReport | pytest.CollectReport
    ) -> None:
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            self.cause = call.excinfo.value.__cause__ or call.excinfo.value

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.broken = self.broken or report.failed


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("E ")] or text.splitlines()
    return lines[-1].strip() if lines else "pytest said nothing"


@contextlib.contextmanager
def surroundings(folder: Path) -> Iterator[None]:
    """Put the check files' folder on sys.path and make hypothesis deterministic, in this block."""
    before = settings.get_current_profile_name()
    settings.register_profile(
        "softmark",
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=25,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
    )
    path, modules = sys.path[:], set(sys.modules)
    set_hypothesis_home_dir(_hypothesis_home())
    settings.load_profile("softmark")
    sys.path.insert(0, str(folder))
    try:
        with without_constants():
            yield
    finally:
        sys.path[:] = path
        _forget(folder, set(sys.modules) - modules)
        settings.load_profile(before)
        set_hypothesis_home_dir(None)


def without_constants() -> AbstractContextManager[object]:
    """Keep hypothesis from drawing constants from the source of imported modules, in this block.

    The draws would depend on what else this process has imported, and reading the source takes a
    second.
    """
    return patch.object(HypothesisProvider, "_local_constants", Constants())


@cache
def _keep_imported() -> None:
    """Exempt everything loaded until now from garbage collection, once per process.

    It stays anyway, and looking for garbage in it takes longer than the garbage of several runs.
    """
    gc.freeze()


@cache
def _hypothesis_home() -> str:
    """Return a folder for Hypothesis's cache of the check files' source, one per process.

    No examples are stored there, because the profile has no database.
    """
    home = tempfile.TemporaryDirectory(prefix="softmark-hypothesis-")
    atexit.register(home.cleanup)
    return home.name


def _forget(folder: Path, modules: Iterable[str]) -> None:
    """Unload the check files among `modules`: another assignment's may have the same names.

    The modules of the bundled assignments have unique names and stay. Hypothesis would otherwise
    keep a thousand strategies alive, each with its module.
    """
    clear_strategy_cache()
    for name in modules:
        file = str(getattr(sys.modules[name], "__file__", None) or "")
        if file.startswith(f"{folder}{os.sep}") and not name.startswith("graders."):
            del sys.modules[name]
