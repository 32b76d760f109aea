"""Run the checks of an assignment in this process, without its surroundings."""

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir

from graders.errors import GraderFault, Misuse

INI = Path(__file__).with_name("pytest.ini")


def run_checks(folder: Path, plugin: object, *, collect_only: bool = False) -> None:
    """Let pytest run every check file in `folder` with `plugin`; verdicts are the plugin's.

    Raises Misuse where a check file is wrong, GraderFault where pytest itself broke.
    """
    args = [
        *sorted(str(path) for path in folder.glob("test_*.py")),
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
        "-q",
        *(["--collect-only"] if collect_only else []),
    ]
    said = io.StringIO()
    with surroundings(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        watch = _Watch()
        code = pytest.main(args, plugins=[watch, plugin])
    if watch.misuse is not None:
        raise watch.misuse
    if code == pytest.ExitCode.INTERRUPTED and not watch.broken:
        raise KeyboardInterrupt
    if watch.broken or code not in (
        pytest.ExitCode.OK,
        pytest.ExitCode.TESTS_FAILED,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    ):
        raise GraderFault(f"the checks in {folder.name} did not run: {_last_line(said.getvalue())}")


class _Watch:
    """Keeps a Misuse that a hook raised: pytest would print it and go on."""

    def __init__(self) -> None:
        self.misuse: Misuse | None = None
        self.broken = False

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        self.broken = True
        if isinstance(excinfo.value, Misuse):
            self.misuse = excinfo.value
        return True

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
    with tempfile.TemporaryDirectory(prefix="softmark-hypothesis-") as home:
        set_hypothesis_home_dir(home)
        settings.load_profile("softmark")
        sys.path.insert(0, str(folder))
        try:
            yield
        finally:
            sys.path[:] = path
            _forget(folder)
            settings.load_profile(before)
            set_hypothesis_home_dir(None)


def _forget(folder: Path) -> None:
    """Drop the check files' modules: nothing of one submission is left for the next.

    It also keeps two assignments apart whose files have the same names.
    """
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(f"{folder}{os.sep}"):
            del sys.modules[name]
