"""A tiny assignment and tiny submissions, written for each test that requests them."""

import contextlib
import gc
import os
import shutil
import signal
import sys
import textwrap
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from graders.checks.run import without_constants
from graders.model import Result, Submission
from graders.registry.discovery import load_assignment
from tests.reports.chromium import CHROMIUM, FLAGS

without_constants().__enter__()  # for all tests, to their end
settings.register_profile("tests", derandomize=True, deadline=None, database=None)
settings.load_profile("tests")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Put the files with slow tests first, so that no worker is left alone with one at the end.

    Of two such files, the one with fewer tests has the slower ones.
    """
    tests = Counter(item.path for item in items)
    slow = {item.path for item in items if {"slow", "long"} & {m.name for m in item.iter_markers()}}
    items.sort(key=lambda item: (item.path not in slow, tests[item.path] * (item.path in slow)))


SHARING = "tests/graders/adapting/test_offline_"  # one process, which imports for 10 s


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give the files that share a process to one worker: each worker would start its own."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return SHARING if nodeid.startswith(SHARING) else super()._split_scope(nodeid)

    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_finish():
    """Write no more bytecode, and exempt what is imported from garbage collection.

    A file that a test changes twice in one second, to the same size, would run from old bytecode.
    Looking for garbage in what is imported takes seconds.
    """
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def _cpu_seconds(limit):
    def ring(_number, _frame):
        pytest.fail(f"it took more than {limit} s of processor time")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.fixture(scope="session")
def one_thread():
    """One thread of torch in this process."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def browser():
    """A Chromium, started once; what a test opens in it, the test closes."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def cpu_seconds():
    """Ends a block that would never end: it counts this process's work, not a busy machine's."""
    return _cpu_seconds


LIMITS = """[limits]
wall_seconds = 10
cpu_seconds = 20
memory_bytes = 4294967296
output_bytes = 4096
processes = 64"""
ASSIGNMENT = f"""
name = "tiny"
title = "Double a number"
version = 3
seed = 7
{LIMITS}
[files]
code = ["work.py"]
artifacts = ["answer.txt"]
[settings]
factor = 2
[[criterion]]
id = "double"
title = "Doubling"
points = 4
kind = "code"
[[criterion]]
id = "answer"
title = "The answer"
points = 2
kind = "metric"
"""

STUDENT_SIDE = """
def double(x):
    import work
    return work.double(x)
"""

RIGHT = "def double(x):\n    return 2 * x\n"
SOLUTION = {"work.py": RIGHT, "answer.txt": "42"}

CHECKS = '''
import pytest
from graders.checks.compare import fail


@pytest.mark.criterion("double", weight=3)
def test_doubles(student, settings):
    """Doubling 21 gives 42."""
    came = student.call("double", x=21)
    if came != 21 * settings["factor"]:
        fail("The product is wrong.", expected="42", actual=str(came), hint="Times two.")


@pytest.mark.criterion("double", depends_on=("doubles",))
def test_doubles_zero(student):
    """Doubling 0 gives 0."""
    assert student.call("double", x=0) == 0


@pytest.mark.criterion("answer")
def test_answer(submitted, score):
    """The answer is 42; 41 is half right."""
    text = submitted.bytes("answer.txt").decode().strip()
    if text == "41":
        score.partial(0.5, "Nearly.")
    elif text != "42":
        fail("That is not the answer.")
'''


def edit(file, old, new):
    """Write a file with `new` where `old`, which it must contain, is first."""
    text = file.read_text()
    assert old in text, (file, old)
    file.write_text(text.replace(old, new, 1))


def append(file, text):
    with file.open("a") as target:
        target.write(text)


def replaced(text, *changes):
    """The text with these replacements, each of which it must allow."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def write_files(folder, files):
    """Write files, given as text or bytes by their path in the folder, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def write_tiny(folder):
    """Write the tiny assignment into a folder."""
    code = {"student_side.py": STUDENT_SIDE, "checks.py": CHECKS}
    return write_files(folder, {"assignment.toml": ASSIGNMENT, **code})


def write_submission(folder, **files):
    """Write files into a new folder; `_py` and `_txt` at the end of a name are its suffix."""
    folder.mkdir(parents=True)
    names = {stem: stem.replace("_py", ".py").replace("_txt", ".txt") for stem in files}
    return write_files(folder, {names[stem]: textwrap.dedent(files[stem]) for stem in files})


@pytest.fixture
def tiny_folder(tmp_path):
    """The folder of the tiny assignment; a test may edit its files before loading it."""
    return write_tiny(tmp_path / "tiny")


@pytest.fixture
def tiny(tiny_folder):
    """The tiny assignment."""
    return load_assignment(str(tiny_folder))


@pytest.fixture
def hand_in(tmp_path):
    """Writes a submission folder from file contents."""

    return lambda name="ada", **files: write_submission(tmp_path / "uploads" / name, **files)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    """`made_once(make)` is a folder as `make(folder)` left it, whatever an earlier test changed.

    It is made once for all tests of a module, always at one path: a store knows the uploads' paths.
    """
    place = tmp_path_factory.mktemp("made")
    now, backup = place / "now", place / "kept"

    def restored(make):
        if backup.exists():
            shutil.rmtree(now)
            shutil.copytree(backup, now)
        else:
            now.mkdir()
            make(now)
            shutil.copytree(now, backup)
        return now

    return restored


@pytest.fixture
def make_result():
    """`make_result(*criteria)` is a Result of one submission, scored as scoring does."""

    def make(*criteria, submission="ada", student="Ada Lovelace", **changes):
        points = [c.points for c in criteria]
        score = None if None in points else sum(points)
        result = Result(
            submission=Submission(submission, student, "toy", Path(), "f" * 64, None),
            assignment="toy",
            version=1,
            title="Toy assignment",
            status="incomplete" if score is None else "graded",
            criteria=tuple(criteria),
            score=score,
            max_score=sum(c.criterion.maximum for c in criteria),
            environment={"intake": ["The code is in src."], "python": "3.11"},
            started_at=datetime(2025, 3, 1, 14, 5, tzinfo=UTC),
            seconds=1.5,
        )
        return replace(result, **changes)

    return make
