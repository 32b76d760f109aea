"""Run the checks of an assignment in this process, without its surroundings.

Checks are the test functions of `checks.py` and `checks_*.py`, in the assignment's folder and in
each of its packages.
"""

import atexit
import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies._internal.utils import clear_strategy_cache

from graders.boundary.side import check_paths
from graders.errors import GraderFault, UserError

INI = Path(__file__).with_name("pytest.ini")


def run_checks(
    folder: Path, plugin: object, *, also: tuple[Path, ...] = (), collect_only: bool = False
) -> None:
    """Let pytest run every check file in `folder`, and those of `also`, with `plugin`.

    Verdicts are the plugin's. Raises UsageError where a check file is wrong, GraderFault where
    pytest itself broke.
    """
    files = check_paths(folder)
    if not also and not files:  # pytest would look for some elsewhere
        raise GraderFault(f"{folder.name} has no checks")
    args = [
        str(folder),  # file by file, it would read the folder once for each
        *map(str, also),
        f"--rootdir={folder}",
        f"--config-file={INI}",
        "--noconftest",  # a conftest.py beside the checks would be one more place to look
        "--disable-plugin-autoload",
        "--import-mode=importlib",
        "--assert=plain",
        "--capture=no",
        "--strict-markers",
        "-pno:cacheprovider",
        "-pno:faulthandler",
        "-pno:unraisableexception",  # it collects garbage five times at the end of every run
        "-q",
        *(["--collect-only"] if collect_only else []),
    ]
    said = io.StringIO()
    with surroundings(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        watch = _Watch((*files, *also))
        code = pytest.main(args, plugins=[watch, plugin])
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
        reason = "" if watch.cause else f": {_last_line(said.getvalue())}"
        raise GraderFault(f"the checks in {folder.name} did not run{reason}") from watch.cause


class _Watch:
    """Lets pytest look at these files alone, and keeps a UsageError that a hook raised.

    pytest would print it and go on.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._paths = {*files, *(parent for file in files for parent in file.parents)}
        self.misuse: UserError | None = None
        self.broken = False
        self.left: str | None = None
        self.cause: BaseException | None = None  # why a file was not collected

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        inside = collection_path.is_dir() or collection_path.name.endswith(".py")
        return True if inside and collection_path not in self._paths else None

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
    """The check files' own folder on sys.path, and hypothesis told to be the same every time."""
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
    path = sys.path[:]
    set_hypothesis_home_dir(_hypothesis_home())
    settings.load_profile("softmark")
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path[:] = path
        _forget(folder)
        settings.load_profile(before)
        set_hypothesis_home_dir(None)


@cache
def _hypothesis_home() -> str:
    """Hypothesis' cache of the check files' source, one per process.

    It stores no examples: the profile has no database.
    """
    home = tempfile.TemporaryDirectory(prefix="softmark-hypothesis-")
    atexit.register(home.cleanup)
    return home.name


def _forget(folder: Path) -> None:
    """Drop the check files' modules: another assignment's may have the same names.

    Those of the assignments that come with Softmark have names of their own. Hypothesis would keep
    a thousand strategies, and with each its whole module.
    """
    clear_strategy_cache()
    for name, module in list(sys.modules.items()):
        own = str(getattr(module, "__file__", None) or "").startswith(f"{folder}{os.sep}")
        if own and not name.startswith("graders."):
            del sys.modules[name]
