"""`extend`, `late-days`, `merge` and who dropped: what they change, and that nobody else's does."""

import csv
import os
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from graders.course.roster import with_drops
from graders.storage.files import only_writer
from tests.conftest import SOLUTION, edit, write_files
from tests.console import grades, softmark

DUE = {"hw1": datetime(2026, 3, 1, 12, tzinfo=UTC), "hw2": datetime(2026, 3, 15, 12, tzinfo=UTC)}
LATE = {  # days
    "hw1": {"ada": 1.5, "bob": -1, "cleo": 3.2, "dan": 0.1, "adda": 2.5},
    "hw2": {"ada": 2.5, "bob": 0.5, "cleo": 2.0, "dan": -2},
}
GRADING = "\n[grading]\nlate_percent_per_day = 10\nlate_max_days = 3\n"
ROSTER = """submission,name,email,student_id,section,status
ada,Ada Lovelace,ada@example.edu,1815,A,
bob,Bob Babbage,bob@example.edu,1791,B,enrolled
cleo,Cleo Patra,cleo@example.edu,69,A,dropped
dan,Dan Brown,dan@example.edu,7,B,
,Eve Late,eve@example.edu,8,B,
,Fay Gone,fay@example.edu,9,B,Dropped
"""
LAST = ("--attempts", "last")
SAID = ("--reviewer", "Rea", "--comment", "=Ill,\nsee mail.")


@pytest.fixture
def grade(tiny_folder, tmp_path):
    """`grade(name, *words)` grades an assignment that is due, and returns its results folder."""
    (tmp_path / "roster.csv").write_text(ROSTER)

    def run(name, *words):
        task, uploads = tmp_path / name, tmp_path / f"uploads-{name}"
        if not task.exists():
            shutil.copytree(tiny_folder, task)
            toml = (task / "assignment.toml").read_text().replace('"tiny"', f'"{name}"')
            due = f"due = {DUE[name].isoformat()}\n"
            (task / "assignment.toml").write_text(f"{due}{toml}{GRADING}")
            for student, days in LATE[name].items():
                write(uploads / student, "41" if student in ("ada", "cleo") else "42")
                moment = (DUE[name] + timedelta(days=days)).timestamp()
                for place in (*(uploads / student).iterdir(), uploads / student):
                    os.utime(place, (moment, moment))
        out = tmp_path / f"out-{name}"
        options = ("--roster", tmp_path / "roster.csv", "--only", "answer", "--executor", "serial")
        done = softmark("batch", task, uploads, "--out", out, *options, *words)
        assert done.returncode == 0, done.stderr
        out.joinpath("said").write_text(done.stderr)
        return out

    return run


def write(folder, answer):
    write_files(folder, SOLUTION | {"answer.txt": answer})


def finals(out):
    return {name: row["final"] for name, row in grades(out).items()}


def changed(before, out):
    """The submissions whose row is another one now."""
    after = grades(out)
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def page(out, name):
    return (out / "reports" / f"{name}.html").read_text()


def problem(*words):
    """What a command that is refused says first."""
    done = softmark(*words)
    assert done.returncode == 2, done.stdout
    return done.stderr.splitlines()[0]


def test_an_extension_changes_one_students_grade_and_no_row_is_lost(grade, tmp_path):
    out = grade("hw1")
    old = "student,due\nbob,2026-03-02T12:00:00Z\n"
    (out / "extensions.csv").write_text(old.replace("\n", "\r\n"))  # as a spreadsheet saves it
    before = grades(out)
    done = softmark("extend", out, "ADA@example.edu", "--due", "2026-03-02T12:00Z", *SAID)
    assert "ada@example.edu: due 2026-03-01 12:00 UTC -> 2026-03-02 12:00 UTC" in done.stderr
    assert changed(before, out) == {"ada"}
    assert (before["ada"]["final"], finals(out)["ada"]) == ("0.8", "0.9")
    assert "1 day late, minus 0.1" in page(out, "ada")
    assert "see mail" not in page(out, "ada"), "the comment is for staff"

    # By another name of the same student; earlier than the first one, and it counts.
    softmark("extend", out, "1815", "--due", "2026-03-01T13:00+00:00", "--reviewer", "Tom")
    assert finals(out)["ada"] == "0.8"
    again = softmark("extend", out, "ada", "--due", "2026-03-01T13:00Z", "--reviewer", "Tom")
    assert "stored already" in again.stderr
    early = softmark("extend", out, "eve@example.edu", "--due", "2026-03-09T12:00Z")
    assert early.returncode == 0, "in the roster, and nothing submitted yet"
    text = (out / "extensions.csv").read_text()
    assert text.startswith("student,due,by,made_at,comment\nbob,2026-03-02T12:00:00Z")
    assert [row.split(",")[0] for row in text.splitlines()[1:]] == (
        ["bob", "ada@example.edu", "ada@example.edu", "eve@example.edu"]
    )
    assert '"\'=Ill, see mail."' in text, "on one line, and no formula"
    listed = softmark("extend", out)
    assert all(word in listed.stdout for word in ("bob", "Rea", "Tom", "=Ill, see mail."))

    for words, message in (
        (("ad", "--due", "2026-03-02T12:00Z"), "there is no student `ad`; did you mean `ada`?"),
        (("ada", "--due", "soon"), "`soon` is not a date with a time and a time zone"),
        (("ada", "--due", "2026-03-02 12:00"), "is not a date with a time and a time zone"),
        (("ada", "--due", "2026-02-02T12:00Z"), "2026-02-02 12:00 UTC is before the assignment's"),
        (("ada",), "--due is missing"),
        (("--due", "2026-03-02T12:00Z"), "no student is named"),
        (("ada", "--due", "2026-03-02T12:00Z", "--comment", "x" * 2001), "at most 2,000 char"),
    ):
        assert message in problem("extend", out, *words)
    assert "has no grading results" in problem("extend", tmp_path, "ada", "--due", "2026-03-02")
    with only_writer(out):
        assert "another grading" in problem("extend", out, "ada", "--due", "2026-03-05T12:00Z")
    assert (out / "extensions.csv").read_text() == text
    toml = tmp_path / "hw1" / "assignment.toml"
    toml.write_text(toml.read_text().partition("\n")[2])
    assert "no due date" in problem("extend", out, "ada", "--due", "2026-03-05T12:00Z")


def test_a_folder_whose_name_is_encoded_is_known_by_its_own_name(grade, tmp_path):
    grade("hw1")
    write(tmp_path / "uploads-hw1" / "O'Neil", "42")
    out = grade("hw1")
    done = softmark("extend", out, "O'Neil", "--due", "2026-03-09T12:00Z")
    assert (done.returncode, "-> 2026-03-09 12:00 UTC" in done.stderr) == (0, True)
    assert softmark("show", "O'Neil", "--out", out).stdout.startswith("O%27Neil: ")
    assert "student\no%27neil,2026" in (out / "extensions.csv").read_text().replace(
        "student,due,by,made_at,comment", "student"
    )


def test_an_extension_of_a_member_known_only_by_name_counts_for_the_group(grade, tmp_path):
    (tmp_path / "roster.csv").write_text(f"{ROSTER}dan,Flo Green,,,B,\n")
    out = grade("hw1")
    before = grades(out)
    softmark("extend", out, "Flo Green", "--due", "2026-03-09T12:00Z")
    assert changed(before, out) == {"dan"}
    assert (before["dan"]["final"], finals(out)["dan"]) == ("1.8", "2")


def test_a_bank_of_late_days_is_spent_in_the_order_of_due_dates(grade, tmp_path):
    first, second = grade("hw1"), grade("hw2")
    before = {out: grades(out) for out in (first, second)}
    done = softmark("late-days", second, first, "--bank", 3)
    assert done.returncode == 0, done.stderr
    table = {line.split(" <")[0].strip(): line.split()[-3:] for line in done.stdout.splitlines()}
    assert table["Ada Lovelace"] == ["2", "1", "0"]
    assert table["Dan Brown"] == ["1", "0", "2"]
    assert table["Cleo Patra"] == ["0", "2", "1"], "in hw1, too late for any grade"
    assert (first / "late_days.csv").read_text().splitlines()[1:] == (
        ["ada,2,late-days,,", "adda,3,late-days,,", "dan,1,late-days,,"]
    )
    ada = grades(second)["ada"]
    assert (ada["late_days"], ada["late_days_used"], ada["final"]) == ("3", "1", "0.8")
    assert "3 days late, 1 late day used, minus 0.2" in page(second, "ada")
    assert finals(first) == {"ada": "1", "adda": "2", "bob": "2", "cleo": "0", "dan": "2"}
    (exported,) = csv.DictReader(
        softmark("export", "csv", "--out", second, "--only", "ada").stdout.splitlines()
    )
    assert (exported["late_days_used"], exported["final"]) == ("1", "0.8")

    # Again, it is the same; what a person wrote stays, and comes out of the same bank.
    files = [out / name for out in (first, second) for name in ("late_days.csv", "grades.csv")]
    contents = [file.read_bytes() for file in files]
    softmark("late-days", first, second, "--bank", 3)
    assert [file.read_bytes() for file in files] == contents
    (first / "late_days.csv").write_text("student,days\n1815,0\n")
    softmark("late-days", first, second, "--bank", 3)
    assert finals(first)["ada"] == before[first]["ada"]["final"]
    assert grades(second)["ada"]["late_days_used"] == "3"
    assert "1815,0," in (first / "late_days.csv").read_text()
    softmark("late-days", first, second, "--bank", 0)
    assert finals(second) == {name: row["final"] for name, row in before[second].items()}

    assert "has no grading results" in problem("late-days", first, tmp_path, "--bank", 3)
    (first / "late_days.csv").write_text("student,days\nada,two\n")
    assert "late_days.csv: line 2: no student with a whole number" in problem(
        "late-days", first, second, "--bank", 3
    )  # fmt: skip
    (first / "late_days.csv").write_text("student,days\nada,1\nADA,2\n")
    assert "duplicate line for `ada`" in problem("show", "--out", first)
    (first / "late_days.csv").unlink()
    toml = tmp_path / "hw2" / "assignment.toml"
    edit(toml, "late_percent_per_day = 10\n", "")
    free = softmark("late-days", first, second, "--bank", 3)
    assert f"{second}: late work costs nothing" in free.stderr
    toml.write_text(toml.read_text().partition("\n")[2])
    assert "`hw2` has no due date" in problem(
        "late-days", first, second, "--bank", 3
    )  # fmt: skip


def test_who_dropped_is_kept_and_marked_and_counts_in_no_mean(grade, tmp_path):
    out = grade("hw1")
    stderr = (out / "said").read_text()
    assert "no submission from: Eve Late" in stderr
    assert "Fay" not in stderr
    course = (out / "index.html").read_text()
    assert "Cleo Patra (dropped)" in course
    assert "Dropped</dt><dd>1 " in course
    assert "Mean</dt><dd>1.75 " in course, "7 of four: ada, adda, bob and dan"
    assert "full credit: 3 of 4" in course
    assert 'Partial credit</th><td class="num">1</td>' in course, "of ada's check alone"
    assert "(dropped)" in grades(out)["cleo"]["student"]
    assert "dropped" not in page(out, "cleo")
    exported = softmark("export", "csv", "--out", out).stdout.splitlines()
    dropped = {row["submission"]: row["dropped"] for row in csv.DictReader(exported)}
    assert dropped == {"ada": "", "adda": "", "bob": "", "cleo": "dropped", "dan": ""}
    before = finals(out)
    (tmp_path / "roster.csv").write_text(ROSTER.replace(",dropped", ","))
    grade("hw1")
    assert finals(out) == before
    assert "Mean</dt><dd>1.6 " in (out / "index.html").read_text()
    assert "Dropped" not in (out / "index.html").read_text()
    (tmp_path / "roster.csv").write_text(ROSTER.replace(",enrolled", ",away"))
    words = (tmp_path / "uploads-hw1", "--out", out, "--roster", tmp_path / "roster.csv")
    assert "line 3: the status `away` is unknown" in problem("batch", tmp_path / "hw1", *words)


def test_a_student_is_marked_as_dropped_by_an_appended_row_and_nothing_is_graded(grade):
    out = grade("hw1")
    graded = [(out / "results" / f"{name}.json").stat().st_mtime_ns for name in ("bob", "dan")]
    before = grades(out)
    done = softmark("drop", out, "1815", *SAID)
    assert done.stderr.strip() == "ada@example.edu: dropped (ada)"
    assert changed(before, out) == {"ada"}
    course = (out / "index.html").read_text()
    assert ("Ada Lovelace (dropped)" in course, "Dropped</dt><dd>2 " in course) == (True, True)
    assert "Mean</dt><dd>2 " in course, "of adda, bob and dan"
    assert "dropped" not in page(out, "ada")
    assert (out / "dropped.csv").read_text().count("\n") == 2
    softmark("drop", out, "ada", *SAID)
    assert (out / "dropped.csv").read_text().count("\n") == 2, "it is stored already"

    # The newest row counts more than the roster, and the next batch keeps it.
    softmark("drop", out, "cleo", "--undo")
    early = softmark("drop", out, "eve@example.edu")
    assert "eve@example.edu: dropped (no submission changes)" in early.stderr
    assert "Dropped</dt><dd>1 " in (out / "index.html").read_text()
    grade("hw1")
    assert [(out / "results" / f"{name}.json").stat().st_mtime_ns for name in ("bob", "dan")] == (
        graded
    )
    dropped = {name: "(dropped)" in row["student"] for name, row in grades(out).items()}
    assert dropped == {"ada": True, "adda": False, "bob": False, "cleo": False, "dan": False}
    assert "Eve Late" not in (out / "said").read_text()
    listed = softmark("drop", out).stdout
    assert all(word in listed for word in ("ada@example.edu", "enrolled", "Rea", "=Ill, see mail."))
    assert "there is no student `ad`" in problem("drop", out, "ad")
    assert "no student is named" in problem("drop", out, "--undo")
    with only_writer(out):
        assert "another grading" in problem("drop", out, "bob")
    assert with_drops("zoe (1)", "zoe (1)", {"bob": "dropped"}) == "zoe (1)", "another's text stays"
    (out / "dropped.csv").write_text("student,status\nada,away\n")
    assert "dropped.csv: line 2: the status `away` is unknown" in problem("drop", out, "bob")


def test_a_submission_under_another_name_is_an_attempt_until_it_is_separated(grade, tmp_path):
    out = grade("hw1")
    before = grades(out)
    done = softmark(
        "merge", out, "adda", "1815", *LAST, "--comment", "A typo.", "--reviewer", "Rea"
    )
    assert "adda counts for Ada Lovelace" in done.stderr
    assert changed(before, out) == {"ada", "adda"}
    assert "ada" not in grades(out), "the last attempt counts"
    assert grades(out)["adda"]["student"].startswith("Ada Lovelace <ada@example.edu>")
    assert "<h1><bdi>Ada Lovelace</bdi></h1>" in page(out, "adda")
    assert not list(out.glob("*/ada.*")), "its page would show another final grade"
    assert "not in the roster: adda" in (out / "said").read_text()
    grade("hw1")
    assert "not in the roster" not in (out / "said").read_text()
    assert "ada" not in grades(out), "also after the same batch"
    softmark("late-days", out, "--bank", 3)
    assert grades(out)["adda"]["late_days_used"] == "3"
    softmark("late-days", out, "--bank", 0)
    sent = softmark("comment", out, "ada@example.edu", "--comment", "Hello.")
    assert "adda: commented" in sent.stderr, "of two attempts, the email means the one that counts"
    softmark("extend", out, "ada@example.edu", "--due", "2026-03-04T12:00Z")
    assert finals(out)["adda"] == "2"

    listed = softmark("merge", out)
    assert all(word in listed.stdout for word in ("adda", "ada", "last", "Rea", "A typo."))
    done = softmark("merge", out, "adda", "--undo")
    assert "adda belongs to adda again" in done.stderr
    assert (grades(out)["adda"], grades(out)["bob"]) == (before["adda"], before["bob"])
    assert finals(out)["ada"] == "1", "with the extension"
    assert len(list(out.glob("*/ada.*"))) == 3, "nothing is lost"
    text = (out / "merged.csv").read_text()
    assert len(text.splitlines()) == 3, "rows are added, none is changed"

    # The best one: full points that are three days late, or half of them in time.
    softmark("merge", out, "adda", "ada", "--attempts", "best")
    assert finals(out).get("adda") == "2"
    softmark("merge", out, "dan", "adda", "--attempts", "all")  # over two merges
    assert [name for name, row in grades(out).items() if "Ada" in row["student"]] == (
        ["ada", "adda", "dan"]
    )
    softmark("merge", out, "adda", "--undo")
    assert "Ada" not in grades(out)["adda"]["student"]
    for words, message in (
        (("adda", "ada"), "which attempt counts? --attempts is missing"),
        (("adda", "adda", *LAST), "they are one submission already"),
        (("ada", "dan", *LAST), "dan is one of ada already"),
        (("adda", "ad"), "there is no submission of `ad`; did you mean `ada`?"),
        (("adda", "ada", "--attempts", "first"), "--attempts: there is no `first`"),
        (("bob", "--undo"), "bob is not merged"),
        (("adda",), "give OTHER and INTO, or OTHER and --undo"),
    ):
        assert message in problem("merge", out, *words)
    assert "has no grading results" in problem("merge", tmp_path, "adda", "ada", *LAST)
    (out / "merged.csv").write_text("submission,into,attempts\nadda,ada,some\n")
    assert "merged.csv: line 2" in problem("merge", out)


def test_a_merge_is_of_nobody_else_and_a_student_without_a_number_has_attempts(grade, tmp_path):
    (tmp_path / "roster.csv").write_text("submission,name\nbob,Bob\ndan,Bob\n")
    out = grade("hw1")
    before = grades(out)
    softmark("merge", out, "adda", "bob", *LAST)
    assert changed(before, out) == {"adda", "bob"}, "dan has the same name, and is another one"
    softmark("attempts", out)
    assert "1 student with several attempts" in softmark("attempts", out).stdout


def test_the_best_attempt_is_chosen_with_the_late_days_that_cost_nothing(grade, tmp_path):
    (tmp_path / "roster.csv").write_text(f"{ROSTER}adda,Ada Lovelace,ada@example.edu,1815,A,\n")
    out = grade("hw1")
    edit(tmp_path / "hw1" / "assignment.toml", "per_day = 10", "per_day = 30")
    sentence = "1 student has several submissions, and all of them count: ada and adda ("
    assert sentence in (out / "said").read_text()
    index = (out / "index.html").read_text()
    assert "More than one submission of this student counts: ada, adda." in index
    assert all(f"Ada Lovelace ({name})" in index for name in ("ada", "adda")), "one name, two rows"
    stray = out / "reports" / "stray.html"
    stray.touch()
    grade("hw1", "--attempts", "best")
    assert not list(out.glob("*/adda.*")), "its page would show another final grade"
    assert (stray.exists(), len(list(out.glob("*/ada.*")))) == (True, 3)
    assert "of this student counts" not in (out / "index.html").read_text()
    assert ": adda (ada counts)" in (out / "said").read_text()
    assert finals(out).get("ada") == "0.4"
    (out / "late_days.csv").write_text("student,days\nadda,3\n")
    grade("hw1", "--attempts", "best")
    assert (finals(out).get("adda"), "ada" in finals(out)) == ("2", False)


def test_another_copy_of_the_assignment_takes_no_due_date_away(grade, tmp_path):
    out, copy, uploads = grade("hw1"), tmp_path / "copy", tmp_path / "uploads-hw1"
    before = grades(out)
    shutil.copytree(tmp_path / "hw1", copy)
    text = (copy / "assignment.toml").read_text()
    (copy / "assignment.toml").write_text(text.partition("\n")[2].replace(GRADING, ""))
    options = ("--only", "answer", "--executor", "serial", "--out")
    for words in (
        ("batch", copy, uploads, *options, out),
        ("batch", copy, uploads, "--dry-run", *options, out),
        ("run", copy, uploads / "ada", "--only", "answer", "--out", out),
        ("regrade", copy, "--publish", "--out", out),
    ):
        done = softmark(*words)
        assert done.returncode == 2
        assert f"graded with {tmp_path / 'hw1'}, whose `due` and `[grading]` " in done.stderr
    assert grades(out) == before
    # A first due date is fine, but not for some of the submissions.
    other = tmp_path / "other"
    softmark("batch", copy, uploads, *options, other)
    words = "run", tmp_path / "hw1", uploads / "ada", *options[:2], "--out", other
    assert "differ from" in softmark(*words).stderr
    assert softmark("batch", tmp_path / "hw1", uploads, *options, other).returncode == 0
    assert "late" in grades(other)["ada"]["how"]
    # A folder that moved is no other policy.
    (tmp_path / "hw1").rename(tmp_path / "moved")
    gone = softmark("show", "--out", out).stderr
    assert f"graded with {tmp_path / 'hw1'}, which does not exist anymore" in gone
    assert softmark("regrade", "cs224n-a4", "--out", out).returncode == 2
    assert softmark("regrade", tmp_path / "moved", "--publish", "--out", out).returncode == 0
    assert softmark("show", "--out", out).returncode == 0
    assert grades(out) == before
    (tmp_path / "moved").rename(tmp_path / "again")
    assert softmark("batch", tmp_path / "again", uploads, *options, out).returncode == 0
    assert softmark("show", "--out", out).returncode == 0
