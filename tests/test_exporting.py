"""Import and export of grades: an export of one system becomes a gradebook of another."""

import csv
import io
import json

import pytest

from tests.conftest import edit
from tests.console import grades, softmark

GRADING = """
due = 2026-03-01T12:00:00Z
[grading]
late_percent_per_day = 25
"""
ROSTER = """Student,ID,SIS User ID,SIS Login ID,Section,Double a number (4711)
    Points Possible,,,,,2
"Lovelace, Ada",7,1815,ada,A,
"Babbage, Bob",8,1791,bob,A,
"Hopper, Grace",9,1906,grace,A,
"""
ENTRY = """submission_{}:
  :submitters:
  - :name: {}
    :sid: '{}'
    :email: {}@example.edu
  :created_at: 2026-03-0{} 11:00:00.000000000 Z
"""
HANDED_IN = (  # number, name, sid, login, day of March, answer
    (1, "Ada Lovelace", 1815, "ada", 1, "42"),
    (2, "Ada Lovelace", 1815, "ada", 2, "42"),
    (3, "Bob Babbage", 1791, "bob", 1, "41"),
)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def batch(tiny_folder, out, tmp_path):
    """Grades a Gradescope export, in which Ada handed in twice."""
    file = tiny_folder / "assignment.toml"
    due, table, policy = GRADING.partition("[grading]")
    file.write_text(f"{due}{file.read_text()}{table}{policy}")
    folder = tmp_path / "export"
    for number, *_, answer in HANDED_IN:
        (folder / f"submission_{number}").mkdir(parents=True)
        (folder / f"submission_{number}" / "answer.txt").write_text(answer)
    (folder / "submission_metadata.yml").write_text(
        "".join(ENTRY.format(*upload[:5]) for upload in HANDED_IN)
    )
    words = ("batch", tiny_folder, folder, "--out", out, "--executor", "serial", "--only", "answer")
    return lambda *more: softmark(*words, *more)


@pytest.fixture
def roster(tmp_path):
    file = tmp_path / "canvas.csv"
    file.write_text(ROSTER)
    return file


def table(done):
    return list(csv.reader(io.StringIO(done.stdout)))


def test_a_gradescope_export_becomes_a_canvas_gradebook(batch, out, roster):
    done = batch()
    assert done.returncode == 0, done.stderr
    assert "read as a Gradescope export: 2 submissions" in done.stderr
    sentence = "1 submission does not count, because another one of the same student does: "
    assert f"{sentence}submission_1 (submission_2 counts)\n" in done.stderr
    written = softmark("export", "canvas", "--out", out, "--roster", roster)
    assert written.returncode == 0, written.stderr
    assert [row[-1] for row in table(written)] == ["Double a number (4711)", "2", "1.5", "1", ""]
    assert "1 have no matching submission: their cells are empty" in written.stderr
    assert set(grades(out)) == {"submission_2", "submission_3"}
    assert grades(out)["submission_2"]["final"] == "1.5"


def test_the_best_counts_after_the_late_penalty(batch, out):
    done = batch("--attempts", "best")
    assert done.returncode == 0
    assert ": submission_2 (submission_1 counts)\n" in done.stderr
    shown = softmark("show", "submission_2", "--out", out).stdout.splitlines()
    assert shown[-1] == "Attempts: submission_1 (counts), submission_2 (does not count)"
    assert "Attempts" not in softmark("show", "bob", "--out", out).stdout
    lines = softmark("show", "lovelace", "--out", out).stdout.splitlines()
    assert lines[-1] == "does not count: submission_2"
    assert {name: row["final"] for name, row in grades(out).items()} == {
        "submission_1": "2",
        "submission_3": "1",
    }


def test_all_attempts_are_for_a_person_to_choose_from(batch, out, roster):
    assert batch("--attempts", "all").returncode == 0
    written = softmark("export", "canvas", "--out", out, "--roster", roster)
    assert written.returncode == 1
    assert "Lovelace, Ada (ID 7) has more than one submission" in written.stderr
    assert table(written)[2][-1] == ""


def test_progress_over_the_attempts_is_shown_for_the_best_as_for_all(batch, out, tmp_path):
    (tmp_path / "export" / "submission_1" / "answer.txt").write_text("41")
    for chosen in ("all", "best"):
        assert batch("--attempts", chosen).returncode == 0
        done = softmark("attempts", out)
        assert done.returncode == 0, done.stderr
        assert "1 student with several attempts" in done.stdout
        rows = csv.DictReader(io.StringIO((out / "attempts.csv").read_text(), newline=""))
        (row,) = [row for row in rows if row["stuck"] == "0"]
        assert (row["failed"], row["attempts"], row["lost"]) == ("1", "1", "0")
        assert float(row["hours with a hint"] or row["hours without"]) == 24
        assert (row["passed at attempt 1"], row["passed at attempt 2"]) == ("0.0000", "1.0000")
    page = (out / "attempts.html").read_text()
    assert "Where students get stuck" in page
    assert "Ada" not in page


def test_a_changed_policy_needs_no_new_grading(batch, out, tiny_folder):
    batch()
    edit(tiny_folder / "assignment.toml", "day = 25", "day = 50")
    written = softmark("export", "nbgrader", "--out", out)
    assert [row[-2] for row in table(written)] == ["score", "1", "1"]
    assert "1 student page is older than these grades" in written.stderr
    softmark("export", "pages", "--out", out, "-o", out / "handout")
    assert "older" not in softmark("export", "nbgrader", "--out", out).stderr


def test_provisional_grades_are_counted(batch, out, tiny_folder):
    waits = 'score.confirm("Your points count until then.")\n    if text == "41"'
    edit(tiny_folder / "checks.py", 'if text == "41"', waits)
    batch()
    done = softmark("export", "nbgrader", "--out", out)
    sentence = "2 of 2 grades are provisional, because points need to be confirmed"
    assert (done.returncode, sentence in done.stderr) == (0, True)
    assert "submission_2, submission_3" in done.stderr
    listed = softmark("decide", out)
    assert ("The points count" in listed.stdout, "Your points" in listed.stdout) == (True, False)
    assert "The points count until then." in (out / "index.html").read_text()
    softmark("decide", out, "--kinds", "all", "--accept", "--only", "submission_2")
    done = softmark("export", "csv", "--out", out)
    assert "1 of 2 grades is provisional" in done.stderr
    assert "Needs manual grading" in done.stdout


def test_who_and_when_survive_the_store(batch, out):
    """First read as plain folders, then with the metadata: nothing is graded, all is known."""
    batch("--from", "folders")
    done = batch()
    assert "2 of 2 reused from saved results" in done.stderr
    rows = table(softmark("export", "gradescope-csv", "--out", out))
    assert rows[1][:4] == ["Ada", "Lovelace", "1815", "ada@example.edu"]
    assert rows[1][7] == "2026-03-02 11:00:00 +0000"
    (stored,) = out.glob("results/submission_2.json")
    assert "sid 1815" in json.loads(stored.read_text())["submission"]["student"]


def test_retry_knows_who_and_when(batch, out, tiny_folder):
    check = tiny_folder / "checks.py"
    right = check.read_text()
    check.write_text(right.replace('"41"', "nobody", 1))
    assert batch().returncode == 1
    check.write_text(right)
    assert softmark("retry", "--out", out, "--executor", "serial").returncode == 0
    assert "sid 1815" in grades(out)["submission_2"]["student"]
    assert grades(out)["submission_2"]["final"] == "1.5"


def test_an_extension_takes_the_penalty_away(batch, out):
    out.mkdir()
    (out / "extensions.csv").write_text(
        "student,due\n1815,2026-03-05T12:00:00Z\nzoe,2026-03-05T12:00:00Z\n"
    )
    (out / "late_days.csv").write_text("student,days\nzoey,1\n")
    batch()
    assert grades(out)["submission_2"]["final"] == "2"
    written = softmark("export", "nbgrader", "--out", out)
    assert [row[-2] for row in table(written)] == ["score", "2", "1"]
    assert "extensions.csv: zoe has no submission" in written.stderr
    assert "late_days.csv: zoey has no submission that counts" in written.stderr
    stderr = softmark("late-days", out, "--bank", 0).stderr
    assert f"{out}: late_days.csv: zoey has no submission that counts" in stderr


def test_output_goes_to_a_file_and_some_only(batch, out, tmp_path):
    batch()
    file = tmp_path / "some.csv"
    some = ("--only", "submission_3", "-o", file)
    done = softmark("export", "gradescope-csv", "--out", out, *some)
    assert (done.returncode, done.stdout) == (0, "")
    (row,) = csv.DictReader(file.read_text().splitlines())
    assert row["Last Name"] == "Babbage"


def test_a_name_with_a_comma_is_one_name(out, hand_in, tiny_folder):
    folder = hand_in("Lovelace, Ada", answer_txt="42").parent
    hand_in("Babbage, Bob", answer_txt="42")
    words = ("batch", tiny_folder, folder, "--out", out, "--executor", "serial")
    softmark(*words, "--allow-missing")
    done = softmark("export", "nbgrader", "--out", out, "--only", "Lovelace, Ada")
    assert [row[3] for row in table(done)[1:]] == ["Lovelace, Ada"]
    lines = softmark("export", "moodle", "--out", out).stderr.splitlines()
    assert lines[-1].endswith("run the same `batch` again with --roster, then export")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("excel",), "there is no format `excel`"),
        (("canvas",), "canvas: there is no --roster"),
        (("canvas", "--roster", "none.csv"), "none.csv does not exist\nhint: give the gradebook"),
        (("nbgrader", "--only", "eve"), "--only: there is no submission `eve`"),
    ],
)
def test_what_cannot_be_exported_is_one_sentence(batch, out, words, says):
    batch()
    done = softmark("export", *words, "--out", out)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize(("option", "word"), [("--from", "moodle"), ("--attempts", "first")])
def test_what_cannot_be_read_is_one_sentence(batch, option, word):
    done = batch(option, word)
    assert done.returncode == 2
    assert f"{option}: there is no `{word}`" in done.stderr
