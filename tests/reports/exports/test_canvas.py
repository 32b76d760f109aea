"""A gradebook for Canvas: its people, its column, nobody guessed, no zero without a submission."""

import csv
import io
from dataclasses import replace

import pytest

from graders.errors import UsageError
from reports.exports.gradebook import read_gradebook
from submissions.people import Person
from tests.reports.exports.conftest import TASK

HEADER = 'Student,ID,SIS User ID,SIS Login ID,Section,"Attention, please (4711)",Old (3)'
POSTING = ",,,,,Manual Posting,"
POINTS = "    Points Possible,,,,,20,1"
PEOPLE = (
    '"Lovelace, Ada",7,1815,ada,A,,1',
    '"Babbage, Bob",8,1791,bob@example.edu,A,3,1',
    '"Hopper, Grace",9,1906,grace,B,,0',
    '"Hopper, Grace",10,1907,hopper2,B,,0',
    '"Student, Test",11,,,A,,',
)


@pytest.fixture
def roster(tmp_path):
    def write(*lines, encoding="utf-8", newline="\r\n"):
        lines = lines or (HEADER, POSTING, POINTS, *PEOPLE)
        file = tmp_path / "canvas.csv"
        file.write_bytes(newline.join([*lines, ""]).encode(encoding))
        return file

    return write


def read(export, delimiter=","):
    return list(csv.reader(io.StringIO(export.text), delimiter=delimiter))


def grades(export):
    return {row[1]: row[-1] for row in read(export)[2:]}


def test_the_gradebook_is_one_that_canvas_wrote_and_can_be_read_again(export, by, roster, tmp_path):
    written = export("canvas", by("ada"), roster=roster())
    header, points, ada, *rows = read(written)
    assert header == [
        "Student", "ID", "SIS User ID", "SIS Login ID", "Section",
        "Attention, please (4711)",
    ]  # fmt: skip
    assert points == ["    Points Possible", "", "", "", "", "20"]
    assert ada == ["Lovelace, Ada", "7", "1815", "ada", "A", "15"]
    assert [row[-1] for row in rows] == ["", "", "", ""]
    again = tmp_path / "again.csv"
    again.write_text(written.text)
    assert read_gradebook(again).students[0]["Attention, please (4711)"] == "15"
    assert len(read_gradebook(again).students) == len(PEOPLE)


@pytest.mark.parametrize(
    "student",
    [
        "ada", "7", "1815", "Ada Lovelace", "Lovelace, Ada", "ADA",
        "Somebody (canvas 7)",
        "Else <x@example.edu> (sid 1815)",
        "Ada Lovelace <ada@example.edu>",
    ],
)  # fmt: skip
def test_a_student_is_found_by_number_login_or_name(export, by, roster, student):
    written = export("canvas", by(student), roster=roster())
    assert grades(written)["7"] == "15"
    assert not written.problems


@pytest.mark.parametrize(
    ("student", "why"),
    [
        ("zoe", "not in"),
        ("Grace Hopper", "more than one"),
        ("Ada <bob@example.edu> (sid 1815)", "more than one"),
        ("Ada Lovelace <a@example.edu> (sid 666)", "not in"),
        ("Bob Babbage <other@example.edu>", "not in"),
        ("lovelaceada (canvas 99)", "not in"),
    ],
)
def test_nobody_is_guessed(export, by, roster, student, why):
    written = export("canvas", by(student), roster=roster())
    assert set(grades(written).values()) == {""}
    (problem,) = written.problems
    assert why in problem
    assert problem.startswith(student)


def test_two_submissions_or_no_score_leave_the_cell_to_a_person(export, by, roster, incomplete):
    written = export("canvas", by("ada"), by("1815"), roster=roster())
    assert grades(written)["7"] == ""
    assert "Lovelace, Ada (ID 7) has more than one submission (ada, 1815)" in written.problems[0]
    written = export("canvas", by("ada", of=incomplete), roster=roster())
    assert grades(written)["7"] == ""
    assert "1 submitted but have none, 4 have no matching submission" in written.notes[0]
    written = export("canvas", by("zoe", of=incomplete), roster=roster())
    assert written.problems[0].endswith("; there is no grade to enter yet")


def test_semicolons_and_a_byte_order_mark_are_kept(export, by, roster):
    lines = (HEADER, POINTS, *PEOPLE)
    table = [";".join(f'"{cell}"' for cell in row) for row in csv.reader(lines)]
    written = export("canvas", by("Zoë"), by("ada"), roster=roster(*table, encoding="utf-8-sig"))
    assert written.text.startswith("\ufeffStudent;ID;")
    assert read(written, ";")[2][-1] == "15"
    header = HEADER.replace("Old (3)", '"Old; a; b; c; d; e; f; g; h; i (3)"')
    exported = export("canvas", by("ada"), roster=roster(header, POINTS, *PEOPLE))
    assert grades(exported)["7"] == "15", "semicolons in a title are no delimiter"


def test_a_roster_without_the_assignment_or_with_two_of_it_says_so(export, by, roster):
    task = replace(TASK, title="New one")
    written = export("canvas", by("ada"), roster=roster(), task=task)
    assert read(written)[0][-1] == "New one"
    assert "no column `New one`" in written.notes[0]
    twice = HEADER.replace("Old (3)", '"Attention, please (5)"')
    with pytest.raises(UsageError, match="more than one"):
        export("canvas", by("ada"), roster=roster(twice, POINTS, *PEOPLE))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("a,b", "1,2"), "not a Canvas gradebook"),
        (('Student,ID,Section,"x',), "unexpected end"),
        ((HEADER, '"Lovelacé, Ada",7,,,A,,'), r"canvas\.csv"),  # in another encoding
    ],
)
def test_what_is_no_roster_is_refused(export, by, roster, lines, words):
    with pytest.raises(UsageError, match=words):
        read_gradebook(roster(*lines, encoding="latin-1"))
    with pytest.raises(UsageError, match="no --roster"):
        export("canvas", by("ada"))


def test_odd_rows_of_a_roster_are_neutralised_or_match_nobody(export, by, roster):
    evil = '"=cmd|1, Ada",7,,ada,A,,'
    assert read(export("canvas", by("ada"), roster=roster(HEADER, POINTS, evil)))[2] == [
        "'=cmd|1, Ada", "7", "", "ada", "A", "15",
    ]  # fmt: skip
    assert read_gradebook(roster()).matches(Person("")) == []
    lines = (HEADER, POINTS, '"Hopper, Grace"', '"Hopper, Grace"')
    exported = export("canvas", by("Grace Hopper"), roster=roster(*lines))
    assert "is more than one" in exported.problems[0]


@pytest.mark.parametrize(
    ("roster_has", "student"), [("Zoe\u0308", "Zo\u00eb"), ("Zo\u00eb", "Zoe\u0308")]
)
def test_one_letter_written_as_two_is_one_letter(export, by, roster, roster_has, student):
    exported = export("canvas", by(student), roster=roster(HEADER, POINTS, f"{roster_has},7,,,A,,"))
    assert grades(exported)["7"] == "15"


def test_another_maximum_is_told_and_a_long_title_keeps_its_number(export, by, roster):
    for points in (POINTS, POINTS.replace("20", "20.00"), POINTS.replace("20", "")):
        notes = export("canvas", by("ada"), roster=roster(HEADER, points, *PEOPLE)).notes
        assert len(notes) == 1
    *_, note = export("canvas", by("ada"), roster=roster(HEADER, POINTS.replace("20", "100"))).notes
    assert "has 100 points in Canvas and 20 here" in note
    title = "Attention " * 20 + "(4711)"
    header = HEADER.replace("Attention, please (4711)", title)
    task = replace(TASK, title=title)
    exported = export("canvas", by("ada"), roster=roster(header, POINTS, *PEOPLE), task=task)
    assert read(exported)[0][-1] == title


@pytest.mark.parametrize("above", [(), (POSTING, POSTING, POSTING, POINTS)])
def test_a_student_who_is_named_like_the_points_is_a_student(export, by, roster, above):
    exported = export("canvas", by("7"), roster=roster(HEADER, *above, "Points Possible,7,,,A,,"))
    assert (grades(exported), exported.problems) == ({"7": "15"}, ())
