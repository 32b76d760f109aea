"""`adjust` changes a machine's points by hand: with a trail, everywhere, for one upload."""

import contextlib
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys

import pytest

from graders.errors import UsageError
from graders.storage.files import only_writer
from graders.storage.store import FILE, read_store
from reports.review.adjusting import Adjusting, TypedAdjustment
from tests.conftest import append, edit, write_submission, write_tiny
from tests.console import ROOT, grades, softmark
from tests.processes import wait_for

MORE = """
[[criterion]]
id = "form"
title = "The form"
points = 4
kind = "metric"
[[criterion]]
id = "style"
title = "Advice on style"
points = 0
kind = "metric"
[[criterion]]
id = "later"
title = "A secret title"
points = 3
kind = "metric"
visibility = "after_published"
"""
CHECKS = """

@pytest.mark.criterion("form")
def test_form(submitted):
    \"\"\"The file ends with a newline.\"\"\"
    assert submitted.bytes("answer.txt").endswith(b"\\n")


@pytest.mark.criterion("style")
def test_style(submitted):
    \"\"\"The file is short.\"\"\"


@pytest.mark.criterion("later")
def test_later(submitted):
    \"\"\"The file is there.\"\"\"
"""
LATE = '[grading]\nlate_percent_per_day = 10\nlate_kind = "of_maximum"\n'
HOSTILE = "<b>Well</b> *done* </script><script>alert(1)</script>\x1b[31m\u202e =1+1"
WORDS = ("--comment", "The handout allows it.", "--reviewer", "Rea")


def make_course(place):
    """Grade ada (everything right) and bob (1 of 2 for the answer, no form)."""
    folder = write_tiny(place / "tiny")
    append(folder / "assignment.toml", MORE)
    append(folder / "checks.py", CHECKS)
    for name, answer in (("ada", "42\n"), ("bob", "41")):
        write_submission(place / "uploads" / name, answer_txt=answer)
    assert grade(place / "out").returncode == 0


@pytest.fixture
def course(made_once):
    """The folder of results of both."""
    return made_once(make_course) / "out"


def grade(out):
    words = ("batch", out.parent / "tiny", out.parent / "uploads", "--out", out)
    return softmark(*words, "--only", "answer,form,style,later", "--executor", "serial")


def adjust(out, *words, code=0):
    done = softmark("adjust", out, *words)
    assert done.returncode == code, done.stderr
    return done


def document(out, student="bob"):
    return json.loads((out / "results" / f"{student}.json").read_text())


def page(out, student="bob"):
    return (out / "reports" / f"{student}.html").read_text()


def trail(out):
    with contextlib.closing(sqlite3.connect(out / FILE)) as store:
        return store.execute("SELECT action, points, reviewer FROM adjustments").fetchall()


def test_points_count_everywhere_and_the_page_says_what_changed(course):
    done = adjust(course, "BOB", "answer", "--points", "1,5", *WORDS)
    assert "bob, answer: 1 -> 1.5" in done.stderr
    assert (document(course)["score"], grades(course)["bob"]["answer"]) == (4.5, "1.5")
    assert "Your instructor set these points to 1.5; the checks give 1." in page(course)
    assert "The handout allows it." in page(course)
    gradescope = json.loads((course / "gradescope" / "bob.json").read_text())
    assert (gradescope["score"], gradescope["tests"][0]["score"]) == (4.5, 1.5)
    assert "set these points to 1.5; the checks give 1." in gradescope["tests"][0]["output"]
    shown = softmark("show", "bob", "--out", course).stdout
    assert "Comment: The handout allows it." in shown
    assert "Score: 4.5 / 9" in shown
    (row,) = csv.DictReader(
        io.StringIO(softmark("export", "csv", "--out", course, "--only", "bob").stdout)
    )
    assert (row["final"], row["max_score"]) == ("4.5", "9")
    assert "Rea" not in page(course) + json.dumps([document(course), gradescope])
    assert "Your instructor" not in page(course, "ada")


def test_full_points_and_undo_leave_a_trail(course):
    before = (document(course), page(course))
    adjust(course, "bob", "form", "--waive", *WORDS)
    assert (document(course)["score"], "to 4; the checks give 0." in page(course)) == (8, True)
    stderr = adjust(course, "bob", "form", "--undo", "--reviewer", "Lin").stderr
    assert "bob, form: 4 -> 0 (before, by Rea: 0 -> full)" in stderr
    assert (document(course), page(course)) == before
    stderr = adjust(course, "bob", "form", "--undo", "--reviewer", "Mia").stderr
    assert "bob, form: stored already (by Lin: undone)" in stderr
    assert trail(course) == [("waive", None, "Rea"), ("undo", None, "Lin")]
    listed = adjust(course, "BOB").stdout
    for words in ("0 -> full", "replaced", "undone", "Rea", "Lin", "The handout allows it."):
        assert words in listed
    assert "bob" not in adjust(course, "ada").stdout


def test_an_excused_criterion_is_in_no_total_and_no_statistic(course):
    adjust(course, "ada", "form", "--excuse", *WORDS)
    assert (document(course, "ada")["score"], document(course, "ada")["max_score"]) == (5, 5)
    assert grades(course)["ada"]["form"] == ""
    assert "excused you from this criterion; it does not count." in page(course, "ada")
    assert page(course, "ada").count("Advice only") == 1
    index = (course / "index.html").read_text()
    assert "Mean <strong>0</strong> of 4; full credit: 0 of 1" in index
    roster = course.parent / "gradebook.csv"
    roster.write_text("Student,ID,SIS User ID,SIS Login ID,Section\nAda,1,,ada,A\nBob,2,,bob,A\n")
    done = softmark("export", "canvas", "--out", course, "--roster", roster)
    sentence = "fewer points than 9 count, so these grades look too low there: ada (of 5)"
    assert sentence in done.stderr
    assert "ada (of 5)" in softmark("export", "moodle", "--out", course).stderr


def test_a_late_penalty_comes_after(course):
    toml = course.parent / "tiny" / "assignment.toml"
    toml.write_text(f"due = 2026-03-01T12:00:00Z\n{toml.read_text()}{LATE}")
    upload = course.parent / "uploads" / "bob"
    for file in (upload, upload / "answer.txt"):
        os.utime(file, (1772449200, 1772449200))  # 2 March, 11:00
    grade(course)
    assert grades(course)["bob"]["final"] == "3.1"
    adjust(course, "bob", "form", "--excuse", *WORDS)
    assert grades(course)["bob"]["final"] == "3.5"


def test_a_comment_is_text(course):
    adjust(course, "bob", "form", "--points", 1, "--comment", HOSTILE)
    assert "<script>alert" not in page(course)
    assert "&lt;b&gt;Well&lt;/b&gt; *done*" in page(course)
    assert "\u202e" not in page(course)
    output = json.loads((course / "gradescope" / "bob.json").read_text())["tests"][1]["output"]
    assert "&#60;b&#62;Well&#60;/b&#62; \\*done\\*" in output
    assert "\x1b" not in softmark("show", "bob", "--out", course).stdout


@pytest.mark.parametrize("action", [("--points", 1), ("--waive",), ("--excuse",)])
@pytest.mark.parametrize("grading", ["", LATE])
def test_what_waits_for_a_release_shows_nothing_of_it(course, action, grading):
    append(course.parent / "tiny" / "assignment.toml", grading)
    grade(course)
    before = page(course)
    adjust(course, "bob", "later", *action, *WORDS)
    assert document(course)["criteria"][-1]["adjustment"]["machine_points"] == 3
    assert page(course) == before
    softmark("release", "--out", course)
    assert "The handout allows it." in page(course)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bbo", "form", "--waive", *WORDS), "no submission of `bbo`; did you mean `bob`?"),
        (("bob", "from", "--waive", *WORDS), "no criterion `from`; did you mean `form`?"),
        (("bo", "form", "--waive", *WORDS), "no submission of `bo`; did you mean `bob`?"),
        (("bob", "form", "--points", 4.5, *WORDS), "`form` has 0 to 4 points"),
        (("bob", "form", "--points", -1, *WORDS), "`form` has 0 to 4 points"),
        (("bob", "form", "--points", "nan", *WORDS), "`nan` is not possible"),
        (("bob", "form", "--points", "+1", *WORDS), "the points that count, not the difference"),
        (("bob", "form", "--points", "1.234", *WORDS), "at most two decimals"),
        (("bob", "style", "--points", 0, *WORDS), "`style` is worth no points"),
        (("bob", "form", "--waive", "--undo"), "`waive undo` is not possible"),
        (("bob", "form", "--waive", "--points", 1, *WORDS), "give either points or one of"),
        (("bob", "form", *WORDS), "give either points or one of"),
        (("bob", "form", "--waive"), "a comment for the student is missing"),
        (("bob", "form", "--waive", "--comment", "x" * 2001), "at most 2,000 characters"),
        (("bob", "form", "--undo"), "there is no adjustment to undo"),
        (("bob", "--waive"), "no criterion is named"),
        (("bob", "--from", "x.csv"), "--from goes with DIR alone"),
        (("--from", "x.csv"), "x.csv does not exist"),
    ],
)
def test_what_is_wrong_is_refused_in_one_sentence(course, words, said):
    before = page(course)
    error, *_ = adjust(course, *words, code=2).stderr.splitlines()
    assert said in error
    assert trail(course) == []
    assert page(course) == before


def test_a_file_is_taken_whole_or_not_at_all(course, tmp_path):
    file = tmp_path / "changes.csv"
    header = "student;criterion;points;action;comment\n"
    file.write_text(f'{header}ada;form;3,5;;"Two\nlines"\nbbo;form;;waive;x\nbob;form;9;;x\n')
    done = adjust(course, "--from", file, code=2)
    assert f"{file}: line 4: there is no submission of `bbo`; did you mean `bob`?" in done.stderr
    assert f"{file}: line 5: `form` has 0 to 4 points" in done.stderr
    assert trail(course) == []
    file.write_text(f"{header}ada;form;3,5;;Two\nada;answer;;excuse;'=1+1\nbob;form;;Waive;x\n")
    adjust(course, "--from", file, "--reviewer", "Rea")
    assert len(trail(course)) == 3
    assert (document(course, "ada")["score"], document(course)["score"]) == (6.5, 8)
    file.write_text(f"{header}ada;form;1;;x\nAda;form;2;;x\n")
    assert "ada, form is in an earlier row, too" in adjust(course, "--from", file, code=2).stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("student,criterion\n", "the column `comment` is missing"),
        ("student,criterion,points,comment\n", "has no rows"),
        ("student,criterion,points,comment\nada,form,1,a,b\n", "line 2 has more cells"),
        ("student,criterion,comment,\xe9\n", "there is no column `\xe9`"),
    ],
)
def test_another_file_is_named(course, tmp_path, text, said):
    (tmp_path / "changes.csv").write_text(text)
    assert said in adjust(course, "--from", tmp_path / "changes.csv", code=2).stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "points"),
    [
        ("checks.py", "score.partial(0.5", "score.partial(0.75", "1.5"),
        ("assignment.toml", 'points = 2\nkind = "metric"', 'points = 3\nkind = "metric"', "1.5"),
        ("assignment.toml", 'points = 2\nkind = "metric"', 'points = 0.4\nkind = "metric"', "0.2"),
    ],
    ids=["check", "more points", "fewer points"],
)
def test_a_regrade_keeps_it_and_names_what_to_review(course, file, old, new, points):
    adjust(course, "bob", "answer", "--points", 0.5, *WORDS)
    changed, to = course.parent / "tiny" / file, "0.4" if points == "0.2" else "0.5"
    edit(changed, old, new)
    words = ("regrade", course.parent / "tiny", "--out", course, "--executor", "serial")
    done = softmark(*words, "--publish")
    sentence = f"machine 1 -> {points}, adjusted to {to} by Rea"
    assert f"review bob, answer: {sentence}" in done.stdout
    assert sentence.replace(">", "&gt;") in (course / "regrade.html").read_text()
    assert grades(course)["bob"]["answer"] == to
    assert f"set these points to {to}; the checks give {points}." in page(course)
    note = f"gave 1 when somebody adjusted it to {to}, and give {points} now"
    assert note in (course / "index.html").read_text()
    assert f"counts; machine now {points}" in adjust(course).stdout


def test_a_new_upload_is_graded_without_it_but_an_excuse_stays(course):
    adjust(course, "bob", "answer", "--points", 0.5, *WORDS)
    adjust(course, "bob", "form", "--excuse", *WORDS)
    (course.parent / "uploads" / "bob" / "answer.txt").write_text("42")
    sentence = "bob, answer: the adjustment was made for an earlier upload and does not count"
    assert sentence in grade(course).stderr
    assert (document(course)["score"], document(course)["max_score"]) == (5, 5)
    assert "made for an earlier upload" in adjust(course).stdout


def test_who_did_not_see_the_newest_is_told(course):
    change = TypedAdjustment("bob", "form", points="1", comment="x")
    with read_store(course) as store:
        early, late = Adjusting(store), Adjusting(store)
        early.adjust([change], "Rea")
        with pytest.raises(UsageError, match="Rea adjusted bob, form in the meantime: 0 -> 1"):
            late.adjust([change], "Lin")
    assert trail(course) == [("points", 1, "Rea")]


def start(out, *words):
    command = [sys.executable, "grade.py", "adjust", *map(str, (out, *words))]
    return subprocess.Popen(command, cwd=ROOT, stdout=-3, stderr=subprocess.PIPE, text=True)


def test_two_at_once_lose_nothing(course):
    who = ("Rea", "Lin")
    words = ("bob", "form", "--points", 1, "--comment", "x", "--reviewer")
    both = [start(course, *words, name) for name in who]
    outputs = [process.communicate(timeout=120)[1] for process in both]
    stored = {
        name for name, text in zip(who, outputs, strict=True) if "nothing is stored" not in text
    }
    assert {name for *_, name in trail(course)} == stored
    for process, text in zip(both, outputs, strict=True):
        assert process.returncode == 0 or " stored" in text
    adjust(course, *words, "Rea")
    assert document(course)["score"] == 5


def test_killed_or_locked_out_it_is_stored_and_the_same_command_goes_on(course):
    words = ("bob", "form", "--points", 3, *WORDS)
    with only_writer(course):
        assert "the change is stored" in adjust(course, *words, code=2).stderr
    assert document(course)["score"] == 4
    adjust(course, *words)
    assert document(course)["score"] == 7
    process = start(course, "bob", "form", "--points", 2, *WORDS)
    assert wait_for(lambda: len(trail(course)) == 2)
    process.kill()
    process.communicate()
    adjust(course, "bob", "form", "--points", 2, *WORDS)
    assert len(trail(course)) == 2
    assert document(course)["score"] == 6
