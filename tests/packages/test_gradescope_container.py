"""The scripts of a package, run unchanged in a copy of Gradescope's container."""

import json
import os
import shutil

import pytest

from tests.conftest import RIGHT
from tests.packages.conftest import WRONG
from tests.packages.container import LANDLOCK, stub

CREATED, DUE = "2026-03-02T12:00:00.000000-07:00", "2026-03-01T12:00:00.000000-07:00"
# Whatever a student's process can do to the results, to the package and to the course's secrets.
HOSTILE = """
import glob, os, subprocess
MADE = '{"score": 6.0, "tests": []}'
found = []
def attempt(deed, *given):
    try:
        deed(*given)
        found.append(str(given))
    except OSError:
        pass
for place in ("results/results.json", "results/.x", "submission_metadata.json", "source/a"):
    attempt(open, "/autograder/" + place, "w")
for place in ("source/autograder.json", "source", "submission_metadata.json", "results"):
    attempt(os.listdir if "." not in place else open, "/autograder/" + place)
for place in ("/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/autograder"):
    attempt(open, place + "/left", "w")  # for a process beside other tests to find
for place in glob.glob("/tmp/tmp.*"):
    attempt(open, place + "/results.json", "w")
for number in range(1, 60):
    if number != os.getpid():
        attempt(os.kill, number, 9)
        attempt(open, f"/proc/{number}/environ")
        attempt(open, f"/proc/{number}/mem", "r+b")
if os.fork() == 0:
    os.setsid()
    import time
    while True:
        attempt(open, "/autograder/results/results.json", "w")
        time.sleep(0.1)
def double(x):
    raise ValueError("uid " + str(os.geteuid()) + " LOOT " + ";".join(found))
"""
TIERS = [("auto", (), "landlock"), ("none", LANDLOCK, "none")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("isolation", "denied", "tier"), [TIERS[0], pytest.param(*TIERS[1], marks=pytest.mark.long)]
)
def test_submission_is_graded_without_namespaces(autograder, isolation, denied, tier):
    container = autograder(isolation=isolation, denied=denied)
    container.hand_in(work_py=RIGHT, answer_txt="41")
    container.describe(id=7, created_at=CREATED, assignment={"due_date": DUE})
    document, done = container.grade()
    assert done.returncode == 0, done.stderr
    assert (document["score"], [test["score"] for test in document["tests"]]) == (5.0, [4.0, 1.0])
    assert document["extra_data"]["softmark"]["isolation"] == tier
    assert document["output"].startswith("Submitted 1 day after the due date")


@pytest.mark.long
@pytest.mark.parametrize(("isolation", "denied", "tier"), TIERS)
def test_hostile_code_reaches_nothing(autograder, isolation, denied, tier):
    container = autograder(isolation=isolation, denied=denied)
    container.hand_in(work_py=HOSTILE, answer_txt="42")
    container.describe(id=7, created_at=CREATED)
    before = (container.root / "autograder/submission_metadata.json").read_bytes()
    document, _ = container.grade()
    output = document["tests"][0]["output"]
    assert document["score"] == 2.0
    assert "LOOT" in output
    assert "LOOT ('" not in output
    assert "uid 0 " not in output
    assert (container.root / "autograder/submission_metadata.json").read_bytes() == before


@pytest.mark.long
def test_without_any_isolation_nothing_is_graded(autograder):
    container = autograder(denied=LANDLOCK)
    container.hand_in(work_py=RIGHT, answer_txt="42")
    document, done = container.grade()
    assert no_score(document)
    assert "no isolation" in done.stdout + done.stderr


@pytest.mark.long
def test_without_isolation_and_root_nothing_is_graded(autograder):
    """There a submission is the grader's own user, and could write its results."""
    container = autograder(isolation="none", denied=LANDLOCK)
    container.hand_in(work_py=RIGHT, answer_txt="42")
    for path in (container.root, *container.root.rglob("*")):
        os.chown(path, 1000, 1000)
    ids = ("--reuid=1000", "--regid=1000", "--clear-groups")
    done = container.run("setpriv", *ids, "/autograder/run_autograder")
    results = container.root / "autograder/results/results.json"
    assert no_score(json.loads(results.read_text()))
    assert "without root" in done.stderr


@pytest.mark.long
def test_namespaces_are_used_where_they_are_permitted(autograder):
    container = autograder(docker=False)
    container.hand_in(work_py=WRONG, answer_txt="42")
    document, _ = container.grade()
    assert document["score"] < 6.0
    assert document["extra_data"]["softmark"]["isolation"] == "bubblewrap"


@pytest.mark.long
def test_set_up_twice_is_set_up_and_a_mirror_that_fails_twice_is_asked_again(autograder):
    container = autograder()
    stub(container.root, "apt-get", "date >>/tmp/n; [ $(wc -l </tmp/n) -gt 2 ]")
    again = container.set_up()
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("failed: apt-get") == 2
    assert "isolation here is `landlock`" in again.stdout
    assert (container.root / "autograder/source").stat().st_mode & 0o077 == 0


def no_score(document):
    """Whether no reader of the document finds a score in it, nor words that blame the student."""
    return {"score", "tests"}.isdisjoint(document) and "not count as a zero" in document["output"]


def forget_settings(container):
    (container.root / "autograder/source/autograder.json").write_text("{")


def lose_the_grader(container):
    shutil.rmtree(container.root / "autograder/source/softmark")


def lose_the_submission(container):
    shutil.rmtree(container.root / "autograder/submission")


def hand_in_nothing(container):
    for path in (container.root / "autograder/submission").iterdir():
        path.unlink()


def run_out_of_time(container):
    container.hand_in(work_py="while True: pass")
    stub(container.root, "timeout", 'shift 2; exec /usr/bin/timeout --kill-after=10 3 "$@"')


def run_out_of_memory(container):
    stub(container.root, "timeout", 'shift 2; "$@" & sleep 1; kill -9 $!; wait $!')


@pytest.mark.long
@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (forget_settings, "not count as a zero"),
        (lose_the_grader, "ended with status 1"),
        (lose_the_submission, "not count as a zero"),
        (hand_in_nothing, "not count as a zero"),
        (run_out_of_time, "longer than 560 seconds"),
        (run_out_of_memory, "as when memory runs out"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_fails_is_no_zero(autograder, break_it, words):
    """An older result is gone, too: it would be taken for this submission's."""
    container = autograder()
    container.hand_in(work_py=RIGHT, answer_txt="42")
    old = container.root / "autograder/results/results.json"
    old.write_text('{"score": 6.0}')
    break_it(container)
    document, done = container.grade()
    assert no_score(document)
    assert words in document["output"]
    assert done.returncode == 0
    assert [path.name for path in old.parent.iterdir()] == ["results.json"]


@pytest.mark.long
def test_broken_metadata_costs_nothing_and_a_shared_secret_is_not_told(autograder):
    container = autograder(draw="deadbeefdeadbeef")
    container.hand_in(work_py=RIGHT, answer_txt="42")
    (container.root / "autograder/submission_metadata.json").write_text('{"created_at": 3,')
    graded = [container.grade() for _ in range(2)]
    document, _ = graded[0]
    assert document["score"] == 6.0
    assert document["extra_data"]["softmark"]["notes"]
    words = {document["extra_data"]["softmark"]["inputs"] for document, _ in graded}
    assert len(words) == 1, "both are asked the same"
    assert words != {"public"}
    text = "".join(json.dumps(d) + done.stdout + done.stderr for d, done in graded)
    assert "deadbeef" not in text


@pytest.mark.long
def test_late_penalty_makes_the_score_and_tests_stay_raw(tiny_folder, autograder):
    """The assignment's own due date counts, as Gradescope has none."""
    file = tiny_folder / "assignment.toml"
    file.write_text(f"due = {DUE}\n{file.read_text()}[grading]\nlate_percent_per_day = 10\n")
    container = autograder()
    container.hand_in(work_py=RIGHT, answer_txt="42")
    container.describe(id=7, created_at=CREATED)
    document, _ = container.grade()
    assert sum(test["score"] for test in document["tests"]) == 6.0
    assert document["score"] == 5.4
    assert document["output"].startswith("Your score is 5.4: 6 of 6 points; 1 day late, minus 0.6")
    assert document["extra_data"]["softmark"]["due"].startswith("2026-03-01T12:00:00")
