"""`check --watch` checks again when the student's files change, and ends with Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import zipfile
from queue import Queue

import pytest
from watchfiles import Change

from graders.model import FileSpec
from graders.registry.watching import _UploadFilter
from tests.conftest import RIGHT
from tests.console import ROOT

PATIENCE = 120
FILES = FileSpec(("work.py",), ("answer.txt", "*.predictions"))


class Watched:
    """A running `check --watch`, and the last line of each check."""

    def __init__(self, upload, assignment):
        words = ("check", upload, "--assignment", assignment, "--isolation", "none", "--watch")
        self.process = subprocess.Popen(
            [sys.executable, "grade.py", *map(str, words)],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip())

    def points(self):
        """The points of the next check."""
        while True:
            line = self.lines.get(timeout=PATIENCE)
            if line == "No score: nothing with points was graded here":
                return "no"
            if line.endswith(" (criteria checked here)"):
                return line.removeprefix("Score: ").split()[0]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


@pytest.fixture
def watched(tiny_folder, hand_in):
    """`watched(upload)` is stopped at the end, whatever happened."""
    started = []

    def start(upload):
        started.append(Watched(upload, tiny_folder))
        return started[-1]

    yield start
    for command in started:
        command.process.kill()
        command.process.communicate()


@pytest.mark.slow
def test_a_change_is_checked_a_lost_file_is_waited_for_and_ctrl_c_ends(watched, hand_in):
    upload = hand_in(work_py="def double(x):\n    return 1\n")
    running = watched(upload)
    assert running.points() == "0"
    (upload / "work.py").unlink()
    assert running.points() == "no"
    (upload / "work.py").write_text("def double(x:\n")  # in the middle of an edit
    assert running.points() == "0"
    (upload / "work.py").write_text(RIGHT)
    assert running.points() == "4"
    code, errors = running.end()
    assert code == 0
    assert "Traceback" not in errors


def pack(upload, work):
    """An archive that takes the place of the one before, as browsers and packers do it."""
    with zipfile.ZipFile(upload.with_suffix(".part"), "w") as archive:
        archive.writestr("work.py", work)
    upload.with_suffix(".part").replace(upload)


@pytest.mark.long
def test_an_archive_that_is_replaced_is_checked_each_time(watched, tmp_path):
    upload = tmp_path / "ada.zip"
    pack(upload, "def double(x):\n    return 1\n")
    running = watched(upload)
    assert running.points() == "0"
    for work, points in ((RIGHT, "4"), ("def double(x):\n    return 2\n", "0"), (RIGHT, "4")):
        pack(upload, work)
        assert running.points() == points


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("work.py", True), ("src/deep/more.py", True), ("draft.ipynb", True),
        ("answer.txt", True), ("rope.predictions", True),
        ("out/results/ada.json", False), ("model.pt", False), ("events.out.tfevents", False),
        (".git/work.py", False), ("__pycache__/work.py", False), (".work.py.swp", False),
    ],
)  # fmt: skip
def test_only_what_a_check_reads_is_watched(tmp_path, name, wanted):
    assert _UploadFilter(tmp_path, FILES)(Change.modified, str(tmp_path / name)) == wanted
