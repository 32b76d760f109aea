"""`forget` leaves nothing of a student, and `export research` names nobody."""

import ast
import contextlib
import csv
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from graders.privacy.pseudonyms import Names, pseudonym
from graders.storage.store import FILE, open_store, read_store
from reports.submission_files import remove_files
from submissions.people import Person
from tests.conftest import write_files, write_submission, write_tiny
from tests.console import softmark

DUMP = Path(__file__).parent / "graders" / "storage" / "store_of_22_november.sql"
ROSTER = """submission,name,email,student_id,section
ada-byron,Ada Lovelace,ada@example.edu,181500,A
bob,Bob Babbage,bob@example.edu,179100,A
pair,Cy Cee,cy@example.edu,200100,B
pair,Dee Dumont,dee@example.edu,200200,B
"""
WORK = '''"""By Ada Lovelace (181500), ADA_LOVELACE, ada@example.edu.

With help of Bob Babbage, and of O'Neil.
"""

HOME = "/home/al/hw"  # Lovelace's folder


def double(x):
    ada_factor = 2
    return max(x * ada_factor, x + x)  # thanks to dee@example.edu and Cee
'''
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Homework of Ada"]},
        {
            "cell_type": "code",
            "metadata": {"author": "Ada"},
            "source": "x = 1  # Ada's",
            "outputs": [{"output_type": "stream", "text": "Ada"}],
        },
    ],
    "metadata": {"authors": "Ada"},
}
ADAS = ("lovelace", "ada@example.edu", "181500", "ada-byron")


def make_course(place):
    """Grade ada-byron, bob and a pair."""
    assignment = write_tiny(place / "tiny")
    for name in ("ada-byron", "bob", "pair"):
        folder = write_submission(place / "uploads" / name, work_py=WORK, answer_txt="41")
        (folder / "Ada_Lovelace.ipynb").write_text(json.dumps(NOTEBOOK))
        (folder / "plot.png").write_bytes(b"\x89PNG")
    bob = folder.parent / "bob"
    shutil.make_archive(str(bob), "zip", bob)
    shutil.rmtree(bob)
    (place / "roster.csv").write_text(ROSTER)
    words = ("batch", assignment, place / "uploads", "--roster", place / "roster.csv")
    assert softmark(*words, "--out", place / "out", "--executor", "serial").returncode == 0


@pytest.fixture
def out(made_once):
    """The results of all three."""
    return made_once(make_course) / "out"


def adjust(out, student):
    words = ("adjust", out, student, "answer", "--points", "2", "--comment", "Fine.")
    assert softmark(*words).returncode == 0


def forget(out, student, *words, code=0):
    done = softmark("forget", out, student, *words)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def naming(folder, texts):
    """The files of a folder whose text or name has one of these texts."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {
        file.relative_to(folder).as_posix()
        for file in files
        for text in texts
        if text.encode() in file.read_bytes().lower() or text in str(file.relative_to(folder))
    }


def read(folder, name):
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_nothing_of_a_student_is_left(out):
    adjust(out, "ada  LOVELACE")
    adjust(out, "bob.zip")
    softmark("comment", out, "181500", "--comment", "Well done.\nReally.")
    assert "Well done. Really." in softmark("comment", out).stdout
    (out / "extensions.csv").write_text("student,due\nada@example.edu,2026-12-03T23:59:00Z\n")
    (out / "late_days.csv").write_text("student,days,by\nada-byron,2,late-days\nbob,1,late-days\n")
    before = naming(out, ADAS)
    assert {"grades.csv", "index.html", FILE, "results/ada-byron.json"} <= before
    receipt = forget(out, "ADA@example.edu", "--yes", "--reviewer", "Rea")
    assert naming(out, ADAS) == set()
    assert "1 result, 0 decisions, 1 adjustment, 1 comment, 0 requests (with 0" in receipt
    assert "by Rea" in receipt
    assert str(out.parent / "uploads" / "ada-byron") in receipt
    assert naming(out, ["babbage"]) >= {"grades.csv", "index.html", FILE, "roster.csv"}
    assert [row["submission"] for row in read(out, "grades.csv")] == ["bob", "pair"]
    assert (out / "extensions.csv").read_text() == "student,due\n"
    assert (out / "late_days.csv").read_text() == "student,days,by\nbob,1,late-days\n"


def test_only_says_what_it_would_remove(out):
    before = naming(out, ADAS)
    assert "ada-byron" in softmark("forget", out, "ada-byron").stderr
    assert naming(out, ADAS) == before


def test_goes_on_where_it_was_interrupted(out):
    remove_files(["ada-byron"], out)
    forget(out, "ada-byron", "--yes")
    assert naming(out, ADAS) == set()
    assert {"grades.csv", "index.html"} <= {file.name for file in out.iterdir()}


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("extensions.csv", b"student,due\nada\xff,", "extensions.csv is not UTF-8 text"),
        ("dropped.csv", b"student\n" + b"a" * 200_000, "dropped.csv: field larger than"),
        ("results/bob.json/file", b"", "bob.json: cannot be removed: "),
        ("index.html/file", b"", "index.html: cannot be removed: "),
    ],
)
def test_what_cannot_be_read_or_removed_is_named(out, name, content, sentence):
    file = out / name
    if file.parent != out:
        file.parent.unlink()
        file.parent.mkdir()
    file.write_bytes(content)
    assert sentence in forget(out, "bob", "--yes", code=2)
    shutil.rmtree(file.parent) if file.parent != out else file.unlink()
    assert "bob" in forget(out, "bob", "--yes")  # nothing was lost: the same command goes on


def test_files_that_still_name_a_student_are_listed(out):
    notes = {"letters.html": "To ADA LOVELACE.", "ada-byron.txt": ""}
    write_files(out / "notes", {**notes, "bob.txt": "glovelacew 1815001"})
    receipt = forget(out, "ada-byron", "--yes")
    assert {name for name in ("letters.html", "ada-byron.txt", "bob.txt") if name in receipt} == {
        "letters.html",
        "ada-byron.txt",
    }


def test_a_namesakes_files_are_not_listed(out, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text(ROSTER.replace("Bob Babbage", "Ada Lovelace").replace("Cy Cee", "179100"))
    words = ("batch", out.parent / "tiny", out.parent / "uploads", "--roster", roster)
    assert softmark(*words, "--out", out, "--executor", "serial").returncode == 0
    several = "`Ada Lovelace` means several submissions: ada-byron, bob"
    words = ("answer", "--waive", "--comment", "x")
    assert f"{several}; name one" in softmark("adjust", out, "Ada Lovelace", *words).stderr
    stderr = softmark("adjust", out, "179100", *words).stderr
    assert "bob, answer: 1 -> 2" in stderr, "another student chose this number as a name"
    assert several in forget(out, "Ada Lovelace", "--yes", code=2)
    receipt = forget(out, "ada-byron", "--yes")
    assert "another student is called Ada Lovelace" in receipt
    assert "still named" not in receipt
    assert naming(out, ["bob@example.edu"]) >= {"grades.csv", FILE}


def test_all_submissions_of_a_student_are_removed(out, tmp_path):
    roster = tmp_path / "roster.csv"
    again = "Ada Lovelace,ada@example.edu,181500,A"
    roster.write_text(ROSTER.replace("Bob Babbage,bob@example.edu,179100,A", again))
    words = ("batch", out.parent / "tiny", out.parent / "uploads", "--roster", roster)
    best = ("--attempts", "best", "--executor", "serial")
    assert softmark(*words, "--out", out, *best).returncode == 0
    stderr = softmark("forget", out, "ada@example.edu").stderr
    assert [line.rpartition(" ")[2] for line in stderr.splitlines()[:2]] == ["bob", "ada-byron"]
    receipt = forget(out, "bob", "--yes")
    assert naming(out, (*ADAS, "bob")) == set()
    assert "another student" not in receipt
    assert receipt.count("the upload itself") == 2
    assert [row["submission"] for row in read(out, "grades.csv")] == ["pair"]


def test_the_store_is_never_to_be_removed(out, tmp_path):
    (out / "plain").mkdir()
    with contextlib.closing(sqlite3.connect(out / FILE)) as connection, connection:
        connection.execute(
            "INSERT INTO requests VALUES (NULL, 'bob', 'answer', 'As Ada Lovelace.', '', x'', '')"
        )
    (line,) = (line for line in forget(out, "ada-byron", "--yes").splitlines() if FILE in line)
    assert line.endswith("in what others submitted, or in comments about others")


def test_a_group_keeps_its_submission_and_its_time_without_the_member(out):
    due = "2026-12-03T23:59:00Z"
    (out / "extensions.csv").write_text(f"due;student;comment\n{due};CY@example.edu;Cy is ill\n")
    receipt = forget(out, "cy@example.edu", "--yes")
    assert "which stays" in receipt
    assert "extensions.csv: 1 row; the group keeps it" in receipt
    assert (out / "extensions.csv").read_text() == f"due;student;comment\n{due};pair;\n"
    assert naming(out, ["cy cee", "cy@example.edu", "200100"]) == set()
    assert naming(out, ["dee@example.edu"]) >= {"grades.csv", FILE, "roster.csv"}
    with read_store(out) as store:
        assert store.member_result(1, "pair").score == 5


@pytest.mark.parametrize(
    ("student", "sentence"),
    [("eve", "there is no submission of `eve`"), ("pair", "name one by email or number")],
)
def test_it_has_to_be_one_student(out, student, sentence):
    assert sentence in forget(out, student, "--yes", code=2)


def test_the_trails_stay_closed_afterwards(out):
    adjust(out, "bob")
    adjust(out, "ada-byron")
    forget(out, "ada-byron", "--yes")
    with contextlib.closing(sqlite3.connect(out / FILE)) as connection:
        for table in ("adjustments", "decisions"):
            (trigger,) = connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = ?", (f"{table}_remain",)
            ).fetchone()
            assert trigger == 1
        with pytest.raises(sqlite3.IntegrityError, match="never removed"):
            connection.execute("DELETE FROM adjustments")
        assert connection.execute("SELECT submission FROM adjustments").fetchall() == [("bob",)]
        assert connection.execute("SELECT number, adjustments FROM forgotten").fetchall() == [
            (1, 1)
        ]


def test_an_earlier_store_forgets(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    with open_store(tmp_path) as store:
        generation = store.published
        assert store.forget("ada", "Rea").results == 1
        assert "ada" not in {member.submission for member in store.members(generation)}
    assert b'"ada"' not in (tmp_path / FILE).read_bytes()


def research(out, target):
    return softmark("export", "research", "--out", out, "-o", target)


def test_research_names_nobody(out, tmp_path):
    assert softmark("adjust", out, "bob", "double", "--excuse", "--comment", "Ill.").returncode == 0
    done = research(out, tmp_path / "research")
    assert done.returncode == 0, done.stderr
    everybody = (
        *ADAS[1:],
        "ada lovelace",
        "ada_lovelace",
        "babbage",
        "cy cee",
        "dee@example.edu",
        "/home/al/",
        "plot.png",
    )
    assert naming(tmp_path / "research", everybody) <= {"left.csv"}
    rows = read(tmp_path / "research", "criteria.csv")
    assert len({row["student"] for row in rows}) == 3
    assert {row["points"] for row in rows if row["criterion"] == "answer"} == {"1"}
    assert [row["status"] for row in rows].count("excused") == 1
    assert {row["message"] for row in read(tmp_path / "research", "checks.csv")} == {"", "Nearly."}


def test_research_keeps_code_and_says_what_is_left(out, tmp_path):
    research(out, tmp_path / "research")
    left = read(tmp_path / "research", "left.csv")
    (ada,) = {row["student"] for row in left if row["what"].endswith(": ada_factor")}
    folder = tmp_path / "research" / "code" / ada
    code = (folder / "work.py").read_text()
    assert ast.dump(ast.parse(code.partition('"""\n\n')[2])) == ast.dump(
        ast.parse(WORK.partition('"""\n\n')[2].replace("/home/al/", "/home/student/"))
    )
    assert "With help of s-" in code
    (notebook,) = folder.glob("*.ipynb")
    cells = json.loads(notebook.read_text())["cells"]
    assert [cell.get("outputs") for cell in cells] == [None, []]
    assert "Ada" not in notebook.read_text()
    assert {("1 x .png", "left out"), ("work.py", "line 11: Cee")} <= {
        (row["file"], row["what"]) for row in left if row["student"] == ada
    }


def test_a_word_of_any_length_is_read_quickly(cpu_seconds):
    names = Names(b"key")
    names.add("x1", "x1", [Person("Li Wu")])
    with cpu_seconds(10):
        text = names.in_text("x1", "0" * 100_000 + " ada@example.edu")
    assert text.endswith("0 student@example.org")


def test_pseudonyms_are_the_same_in_the_next_export(out, tmp_path):
    first, second = (tmp_path / name for name in ("first", "second"))
    for folder in (first, second):
        research(out, folder)
    assert (first / "criteria.csv").read_text() == (second / "criteria.csv").read_text()
    assert "is not empty" in research(out, first).stderr


@pytest.mark.parametrize(
    ("name", "text", "clean"),
    [
        ("Max Ray", "max(ray, Max Ray)", "max(ray, NEW)"),
        ("Zoë Ünal", "zoe_unal = ZOE", "NEW = ZOE"),
        ("Li Wu", "list = wu + 'Wu Li'", "list = wu + 'NEW'"),
        ("Ann", "canny = 'Ann'  # Ann's", "canny = 'NEW'  # NEW's"),
    ],
)
def test_parts_of_names_that_are_words_of_code_stay(name, text, clean):
    names = Names(b"key")
    names.add("x1", "x1", [Person(name)])
    assert names.in_code("x1", text).text == clean.replace("NEW", pseudonym(b"key", "x1"))


@pytest.mark.parametrize("content", ["[]", "{", '{"cells": [1]}', "[" * 100_000])
def test_a_broken_notebook_is_left_out(content):
    names = Names(b"key")
    names.add("x1", "x1", [])
    assert names.in_notebook("x1", content).text == ""
