"""Grading processes that are killed, terminated, or cannot write; whole commands."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.conftest import RIGHT, append
from tests.console import ROOT, scores
from tests.processes import session_ends

# What a check file adds so that the grading process of "bob" dies at one step.
DIES = {
    "before any check": """
import multiprocessing, os, signal
from pathlib import Path
if multiprocessing.parent_process() and Path("{flag}").exists():
    Path("{flag}").unlink()
    os.kill(os.getpid(), signal.SIGKILL)
""",
    "while a check runs": """
@pytest.mark.criterion("answer")
def test_dies(submitted, student):
    \"\"\"A check in which the grading process is killed.\"\"\"
    import os, signal
    student.call("double", x=1)
    if submitted.has("answer.txt") and b"die" in submitted.bytes("answer.txt"):
        os.kill(os.getpid(), signal.SIGKILL)
""",
    "without a word": """
@pytest.mark.criterion("answer")
def test_dies(submitted):
    \"\"\"A check that ends the grading process as if all were well.\"\"\"
    import os
    if b"die" in submitted.bytes("answer.txt"):
        os._exit(0)
""",
}


def grade(*words, before=(), **options):
    """Run the command line of Softmark to its end."""
    command = [*before, sys.executable, str(ROOT / "grade.py"), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **options)


def written(out, name):
    return json.loads((out / "results" / f"{name}.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        "while a check runs",
        *(pytest.param(n, marks=pytest.mark.long) for n in ("before any check", "without a word")),
    ],
)
def test_a_killed_grading_process_loses_only_its_own_submission(
    tiny_folder, hand_in, tmp_path, step
):
    flag = tmp_path / "flag"
    for name in ("ada", "bob", "cy"):
        hand_in(name, work_py=RIGHT, answer_txt="42 die" if name == "bob" else "42")
    if "{flag}" in DIES[step]:
        flag.touch()
    append(tiny_folder / "checks.py", DIES[step].replace("{flag}", str(flag)))
    out = tmp_path / "out"
    done = grade("batch", tiny_folder, tmp_path / "uploads", "--out", out, "--jobs", 2)
    assert done.returncode == 1, done.stderr
    results = {name: written(out, name) for name in ("ada", "bob", "cy")}
    lost = [name for name, result in results.items() if result["status"] == "incomplete"]
    assert len(lost) == 1
    assert [results[lost[0]][key] for key in ("score", "max_score")] == [None, 6.0]
    expected = {name: 4.0 if name == "bob" else 6.0 for name in results if name not in lost}
    assert {name: results[name]["score"] for name in expected} == expected
    assert scores(out)[lost[0]] == ""


SLOW = """
import time


@pytest.mark.criterion("answer", weight=0)
def test_waits(student):
    \"\"\"A check that takes a while.\"\"\"
    from pathlib import Path
    student.call("double", x=1)
    Path("{flag}").touch()
    time.sleep(60)
"""


@pytest.fixture
def waiting(tiny_folder, hand_in, tmp_path):
    """A batch whose first submission is being graded, in a temporary folder of its own."""
    started = []
    flag, temporary = tmp_path / "flag", tmp_path / "temporary"
    append(tiny_folder / "checks.py", SLOW.replace("{flag}", str(flag)))
    for name in ("ada", "bob"):
        hand_in(name, work_py=RIGHT, answer_txt="42")
    temporary.mkdir()
    for folder in (temporary, *temporary.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o011)

    def begin(executor):
        command = [sys.executable, ROOT / "grade.py", "batch", tiny_folder, tmp_path / "uploads"]
        command += ["--out", tmp_path / "out", "--jobs", "1", "--executor", executor]
        environment = os.environ | {"TMPDIR": str(temporary)}
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, start_new_session=True
        )
        started.append(process)
        until = time.monotonic() + 60
        while not flag.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        assert flag.exists(), process.communicate()[1]
        return process

    yield begin, temporary
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def show(out, temporary):
    """The quickest command: like every other, it removes what a killed run has left."""
    done = grade("show", "--out", out, env=os.environ | {"TMPDIR": str(temporary)})
    assert done.returncode == 2, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_told_to_end_it_leaves_neither_folders_nor_processes(waiting, tmp_path, executor):
    """Another command leaves its folders alone while it lives."""
    begin, temporary = waiting
    process = begin(executor)
    before = set(temporary.iterdir())
    assert before
    show(tmp_path / "none", temporary)
    assert set(temporary.iterdir()) == before
    process.terminate()
    assert process.wait(30) == 130  # as after an interrupt
    assert session_ends(process.pid)
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.long)])
def test_what_a_killed_run_left_is_removed_by_the_next(waiting, tmp_path, executor):
    begin, temporary = waiting
    process = begin(executor)
    process.kill()
    process.wait()
    assert session_ends(process.pid)
    assert list(temporary.iterdir())
    show(tmp_path / "none", temporary)
    assert list(temporary.iterdir()) == []


# --- nowhere to write ---


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_without_a_temporary_folder_it_says_so(tiny_folder, hand_in, tmp_path):
    upload = hand_in(work_py=RIGHT, answer_txt="42")
    jail = ["bwrap", "--ro-bind", "/", "/", "--proc", "/proc"]
    words = ("run", tiny_folder, upload, "--isolation", "none", "--out", tmp_path / "out")
    done = grade(*words, before=jail)
    assert done.returncode == 1
    assert "no folder for temporary files can be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_sandbox_asked_for_by_name_that_fails_is_refused(tiny_folder, hand_in, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "bwrap").write_text("#!/bin/sh\nkill -9 $$\n")
    (folder / "bwrap").chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}:/usr/bin:/bin"}
    upload, out = hand_in(work_py=RIGHT, answer_txt="42"), tmp_path / "out"
    words = ("run", tiny_folder, upload, "--out", out, "--isolation", "bubblewrap")
    done = grade(*words, env=environment)
    assert done.returncode == 2
    assert "does not work on this machine" in done.stderr
    assert not list(out.rglob("*.json"))
