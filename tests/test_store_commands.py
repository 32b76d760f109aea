"""The store as people use it: resume, retry, regrade, show."""

import json
import re

import pytest

from tests.conftest import edit
from tests.console import scores, softmark, softmark_process


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def batch(tiny_folder, hand_in, out):
    """Grades two submissions that start no process; gives their folder and the command."""
    hand_in("ada", answer_txt="42")
    uploads = hand_in("bob", answer_txt="41").parent
    words = ("batch", tiny_folder, uploads, "--out", out, "--executor", "serial", "--only")

    def run(*more, **how):
        return (softmark_process if how else softmark)(*words, "answer", *more, **how)

    return run


def break_check(folder):
    edit(folder / "checks.py", 'if text == "41"', 'if text == "41" and nothing')


def test_the_same_command_grades_nothing_twice(batch, out):
    first = batch()
    assert first.returncode == 0, first.stderr
    before = {path: path.read_bytes() for path in out.glob("results/*")}
    again = batch()
    assert "2 of 2 reused from saved results" in again.stderr
    assert {path: path.read_bytes() for path in out.glob("results/*")} == before
    assert "reused from saved results" not in batch("--force").stderr


def test_grades_of_other_criteria_are_never_replaced(batch, out, tiny_folder, tmp_path):
    batch()
    before = (out / "grades.csv").read_bytes()
    uploads = tmp_path / "uploads"
    words = ("batch", tiny_folder, uploads, "--out", out, "--executor", "serial", "--allow-missing")
    ada = ("run", tiny_folder, uploads / "ada", "--out", out)

    def refused(*arguments):
        done = softmark(*arguments)
        assert done.returncode == 2, done.stderr
        return " ".join(done.stderr.split())

    lost = "was graded with `--only answer`; with others, the grades of answer would be lost"
    assert lost in refused(*words, "--only", "double")
    assert lost in refused(*words, "--only", "double", "--dry-run")
    assert lost in refused(*ada, "--only", "double")
    mixed = refused(*ada)
    assert "maxima would mix" in mixed, "bob would keep the old maximum"
    assert "choose another --out, or add `--only answer`" in mixed
    assert (out / "grades.csv").read_bytes() == before
    assert "1 of 1 reused from saved results" in softmark(*ada, "--only", "answer").stderr
    more = softmark(*words)
    assert more.returncode == 0, "more criteria for everybody lose nothing"
    fewer = refused(*ada, "--only", "answer")
    assert "was graded with all criteria; with others, the grades of double would be lost" in fewer
    assert "or leave out --only" in fewer


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--jobs", "0"), "--jobs 0"),
        (("--executor", "serail"), "no executor `serail`"),
        (("--inputs", "none"), "no such file"),
        (("--only", "double"), "submissions has code"),
    ],
)
def test_a_refused_batch_writes_nothing(batch, out, tmp_path, wrong, said):
    roster = tmp_path / "roster.csv"
    roster.write_text("submission,name\nada,Ada Lovelace\n")

    def refused():
        done = batch("--roster", roster, "--force", *wrong)
        return done.returncode == 2 and said in done.stderr

    assert refused()
    assert not out.exists()
    batch()
    before = {path.name for path in out.rglob("*")}
    assert refused()
    assert {path.name for path in out.rglob("*")} == before


def test_a_roster_names_students_everywhere(batch, out, tmp_path):
    roster, handout = tmp_path / "roster.csv", tmp_path / "handout"
    roster.write_text("submission,name,email\nada,Ada Lovelace,ada@example.edu\n")
    assert "not in the roster: bob" in batch("--roster", roster).stderr
    assert "Ada Lovelace <ada@example.edu>" in (out / "grades.csv").read_text()
    assert "ada: Double a number" in softmark("show", "LOVELACE", "--out", out).stdout
    done = softmark("export", "pages", "--out", out, "-o", handout)
    assert "no email: bob" in done.stderr
    assert {path.name for path in handout.iterdir()} == {"ada.zip", "bob.zip", "mail-merge.csv"}
    softmark("merge", out, "bob", "ada", "--attempts", "best")
    earlier = f"{handout}: do not hand out pages of an earlier export: bob.zip"
    export = ("export", "pages", "--out", out, "-o", handout)
    assert earlier in softmark(*export).stderr
    assert "earlier export" not in softmark(*export, "--only", "ada").stderr
    assert "Ada Lovelace" in (out / "reports" / "ada.html").read_text()


def test_a_file_that_is_missing_or_old_is_written_again(batch, out):
    batch()
    old = (out / "results" / "ada.json").read_text()
    (out / "results" / "ada.json").write_text(old.replace('"score": 2.0', '"score": 1.0'))
    (out / "reports" / "bob.html").unlink()
    (out / "index.html").unlink()
    assert "2 of 2 reused from saved results" in batch().stderr
    assert (out / "results" / "ada.json").read_text() == old
    assert (out / "reports" / "bob.html").exists()
    assert (out / "index.html").exists()


def test_no_old_file_stands_in_for_a_new_one(batch, out, tmp_path, tiny_folder):
    """The new grading of bob ends before it has a Result: his files of before are gone."""
    batch()
    (tmp_path / "uploads" / "bob" / "answer.txt").write_text("42")
    meddling = "import pathlib; pathlib.Path(__file__).with_name('new').touch()\n    text ="
    edit(tiny_folder / "checks.py", "    text =", f"    {meddling}")
    done = batch("--force")
    assert done.returncode == 2
    assert "was changed during grading" in done.stderr
    assert not list(out.glob("*/bob.*"))
    assert not (out / "grades.csv").exists()


def test_a_batch_reports_what_is_in_the_folder_now(batch, out, tmp_path):
    batch()
    (tmp_path / "uploads" / "ada").rename(tmp_path / "ada")
    done = batch()
    assert scores(out) == {"bob": "1"}
    assert "1 earlier submission is not among these" in done.stderr


def test_retry_grades_what_could_not_be_graded_and_names_a_lost_upload(
    batch, out, tiny_folder, tmp_path
):
    break_check(tiny_folder)
    assert batch().returncode == 1
    assert scores(out) == {"ada": "2", "bob": ""}
    upload = tmp_path / "uploads" / "bob"
    upload.rename(tmp_path / "bob")
    done = softmark("retry", "--out", out, "--executor", "serial")
    assert done.returncode == 1
    assert "the upload of bob is gone" in done.stderr
    (tmp_path / "bob").rename(upload)
    edit(tiny_folder / "checks.py", " and nothing", "")
    edit(out / "grades.csv", "ada,ada,graded,2", "ada,ada,graded,1.5")
    done = softmark("retry", "--out", out, "--executor", "serial")
    assert done.returncode == 0, done.stderr
    assert scores(out) == {"ada": "2", "bob": "1"}
    assert "ada,ada,graded,1.5" in (out / "grades-edited.csv").read_text()


def test_regrade_shows_first_and_publishes_when_asked(batch, out, tiny_folder):
    batch()
    edit(tiny_folder / "checks.py", "score.partial(0.5", "score.partial(0.25")
    words = ("regrade", tiny_folder, "--out", out, "--executor", "serial")
    shown = softmark(*words)
    assert shown.returncode == 0, shown.stderr
    assert "bob  1 -> 0.5  -0.5" in shown.stdout
    assert "0 up, 1 down, 1 unchanged" in shown.stdout
    assert "Nearly." in (out / "regrade.html").read_text()
    assert scores(out) == {"ada": "2", "bob": "1"}
    softmark(*words, "--publish")
    assert scores(out) == {"ada": "2", "bob": "0.5"}
    assert json.loads((out / "results" / "bob.json").read_text())["score"] == 0.5
    listed = softmark("show", "--out", out, "--generation", 1).stdout
    assert re.search(r"1 +\d{4}-\d\d-\d\d \d\d:\d\d UTC .* replaced", listed.splitlines()[1])
    assert "published" in listed.splitlines()[2]
    assert "scores of generation 1, which are not published:" in listed
    assert "score / 2" in listed
    assert re.search(r"^bob +1 +Graded", listed, re.MULTILINE)
    old = softmark("show", "bob", "--out", out, "--generation", "1")
    assert "Score: 1 / 2 (criteria checked here)" in old.stdout


def test_regrade_makes_no_draft_if_nothing_changed_and_names_the_few_that_it_grades(
    batch, out, tiny_folder, hand_in
):
    hand_in("eve")  # an empty folder
    assert batch().returncode == 1
    words = ("regrade", tiny_folder, "--out", out, "--executor", "serial")
    for _ in range(2):
        assert "generation 1: 0 of 3 graded again\n" in softmark(*words).stdout
    assert "contains no files of yours" in softmark("show", "eve", "--out", out).stdout
    page = (out / "reports" / "eve.html").read_text()
    assert "contains no files of yours" in page
    assert "could not be opened" not in page
    edit(tiny_folder / "assignment.toml", "Double a number", "Double")
    assert "generation 2: 1 of 3 graded again: eve (answer)" in softmark(*words).stdout


def test_regrade_publishes_no_score_that_is_lost(batch, out, tiny_folder):
    batch()
    break_check(tiny_folder)
    done = softmark("regrade", tiny_folder, "--out", out, "--executor", "serial", "--publish")
    assert done.returncode == 1
    assert "bob could not be graded again" in done.stderr
    assert scores(out) == {"ada": "2", "bob": "1"}


FULL = """
import resource, sys
import grade
sys.dont_write_bytecode = True  # Python 3.11 would keep a module's bytecode cut off at the limit
resource.setrlimit(resource.RLIMIT_FSIZE, (36_000, 36_000))
grade.main()
"""


def test_a_full_disk_is_one_sentence_and_the_same_command_goes_on(batch, out):
    done = batch(start=("-c", FULL))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "make room" in done.stderr
    assert not (out / "grades.csv").exists()
    assert batch().returncode == 0
    assert scores(out) == {"ada": "2", "bob": "1"}


INTERRUPTED = """
import os, signal, sqlite3, sys, threading, time
import grade
store = sys.argv[sys.argv.index("--out") + 1] + "/store.sqlite"
signal.signal(signal.SIGINT, signal.default_int_handler)

def count():
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        made = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'results'")
        if made.fetchone() == (0,):
            return 0
        return connection.execute("SELECT count(*) FROM results").fetchone()[0]

def interrupt():
    before = count() if os.path.exists(store) else 0
    while not os.path.exists(store) or count() == before:
        time.sleep(0.1)
    time.sleep(1)  # the other submission takes a minute
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
grade.main()
"""


@pytest.fixture
def slow_for_bob(tiny_folder):
    waits = "    import time\n    time.sleep(60 * (text == '41'))\n    if text == \"41\""
    return lambda: edit(tiny_folder / "checks.py", '    if text == "41"', waits)


def test_an_interrupted_batch_says_how_to_resume(batch, out, slow_for_bob):
    slow_for_bob()
    assert_interrupted(batch(start=("-c", INTERRUPTED)), out)
    assert "Not finished" in (out / "index.html").read_text()


def test_an_interrupted_regrade_says_how_to_resume(batch, out, tiny_folder, slow_for_bob):
    assert batch().returncode == 0
    slow_for_bob()
    words = ("regrade", tiny_folder, "--out", out, "--executor", "serial")
    assert_interrupted(softmark_process(*words, start=("-c", INTERRUPTED)), out)


def assert_interrupted(done, out):
    assert done.returncode == 130, done.stderr
    sentence = f"Interrupted: 1 of 2 submissions are graded and saved in {out}; 1 left"
    assert [sentence, "hint: run the same command again to resume"] == done.stderr.splitlines()[-2:]
