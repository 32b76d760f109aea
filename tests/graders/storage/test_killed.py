"""A batch killed with SIGKILL at random moments resumes where it was and loses nothing."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import RIGHT
from tests.processes import session_ends

ROOT = Path(__file__).parents[3]
CODE = {
    "ada": RIGHT,
    "bob": "import os\nos._exit(0)\n",
    "cyd": "import time\ndef double(x):\n    time.sleep(0.2)\n    return x\n",
}
ANSWERS = {"dan": "42", "eve": "41", "fay": "", "gus": "\x00"}  # without code no process is started
SECONDS = ("started_at", "seconds", "resources")


@pytest.fixture
def uploads(hand_in):
    """Seven submissions and a file that is none."""
    for name, answer in ANSWERS.items():
        hand_in(name, answer_txt=answer)
    for name, code in CODE.items():
        folder = hand_in(name, work_py=code, answer_txt="42").parent
    (folder / "hal.zip").write_bytes(b"not a zip")
    return folder


@pytest.fixture
def start(tiny_folder, uploads):
    """Starts the batch in a process group of its own."""

    def begin(out):
        words = ("batch", tiny_folder, uploads, "--out", out, "--jobs", "2")
        command = [sys.executable, "grade.py", *map(str, words), "--isolation", "landlock"]
        return subprocess.Popen(
            command, cwd=ROOT, start_new_session=True, stdout=-3, stderr=-3, stdin=-3
        )

    return begin


def without_times(value):
    match value:
        case dict():
            return {k: without_times(v) for k, v in value.items() if k not in SECONDS}
        case list():
            return [without_times(item) for item in value]
    return value


def state_of(out):
    """All that a reader can see of a batch, without times and what tells of them."""
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    results = {path.name: json.loads(path.read_text()) for path in out.glob("results/*.json")}
    drawn = {result["environment"].pop("inputs", None) for result in results.values()}
    assert len(drawn - {None}) <= 1, "a batch has one secret, also when it was killed"
    with contextlib.closing(sqlite3.connect(out / "store.sqlite")) as store:
        stored = store.execute("SELECT submission, count(*) FROM results GROUP BY 1").fetchall()
        listed = store.execute("SELECT submission, generation, listed FROM members").fetchall()
    tables = [(out / name).read_bytes() for name in ("grades.csv", "twins.json")]
    return files, without_times(results), stored, sorted(listed), tables


def kill(process, *, group):
    (os.killpg if group else os.kill)(process.pid, signal.SIGKILL)
    process.wait()
    assert session_ends(process.pid), "workers outlived their parent"


def finish(start, out):
    assert start(out).wait(timeout=120) == 1  # `hal` is no archive
    return state_of(out)


def kill_and_resume(start, folder, *, kills, seed):
    """Kill that often in all, resume each time; whenever a batch is done it must be as another."""
    random_moments = random.Random(seed)
    began = time.monotonic()
    undisturbed = finish(start, folder / "undisturbed")
    longest = time.monotonic() - began
    done, rounds = 0, 0
    while done < kills:
        out, rounds = folder / f"out-{rounds}", rounds + 1
        process = start(out)
        for _ in range(min(3, kills - done)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=random_moments.uniform(0.15, 1) * longest)
            if process.poll() is None:
                kill(process, group=done % 2 == 0)
                done += 1
            process = start(out)
        assert process.wait(timeout=120) == 1
        assert state_of(out) == undisturbed


@pytest.mark.long
def test_ten_kills_lose_nothing(start, tmp_path):
    kill_and_resume(start, tmp_path, kills=10, seed=2)


@pytest.mark.long
def test_what_was_stored_is_not_graded_again(start, tmp_path):
    out = tmp_path / "out"
    process = start(out)
    while not list(out.glob("results/*.json")):
        assert process.poll() is None
        time.sleep(0.01)
    kill(process, group=True)
    before = {path: path.read_bytes() for path in out.glob("results/*.json")}
    finish(start, out)
    assert before
    assert {path: path.read_bytes() for path in before} == before
