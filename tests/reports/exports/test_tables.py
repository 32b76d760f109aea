"""Tables of other systems: their columns, one row per student, nothing invented."""

import io
from dataclasses import replace
from datetime import timedelta

import pandas
import pytest

from graders.grading_policy import GradingPolicy, Lateness
from tests.reports.exports.conftest import TASK

FORMATS = ["gradescope-csv", "nbgrader", "moodle", "csv"]
SCORE = {"nbgrader": "score", "csv": "final"}
ADA = "Ada Augusta Lovelace <ada@example.edu> (sid 1815)"
LATE = replace(TASK, grading=GradingPolicy(Lateness(percent=10)))


def read(export):
    return pandas.read_csv(
        io.StringIO(export.text), dtype={"SID": str, "student_id": str, "ID number": str}
    )


def test_gradescopes_columns_come_back(export, by):
    of_a_section = by(f"{ADA} (section B)", timedelta(hours=26, seconds=5))
    table = read(export("gradescope-csv", of_a_section, task=LATE))
    assert table.to_dict("records") == [
        {
            "First Name": "Ada Augusta",
            "Last Name": "Lovelace",
            "SID": "1815",
            "Email": "ada@example.edu",
            "Sections": "B",
            "Attention, please": 12,
            "Attention, please - Max Points": 20,
            "Attention, please - Submission Time": "2026-03-02 14:00:05 +0000",
            "Attention, please - Lateness (H:M:S)": "26:00:05",
            "Total Lateness (H:M:S)": "26:00:05",
        }
    ]


def test_nbgraders_columns_come_back(export, by):
    table = read(export("nbgrader", by(ADA, timedelta(hours=26)), task=LATE))
    assert table.to_dict("records") == [
        {
            "assignment": "toy",
            "duedate": "2026-03-01 12:00:00",
            "timestamp": "2026-03-02 14:00:00",
            "student_id": "1815",
            "last_name": "Lovelace",
            "first_name": "Ada Augusta",
            "email": "ada@example.edu",
            "raw_score": 15,
            "late_submission_penalty": 3,
            "score": 12,
            "max_score": 20,
        }
    ]


def test_moodles_columns_come_back_of_whom_it_can_find(export, by):
    table = read(export("moodle", by(ADA, timedelta(hours=26)), task=LATE))
    assert table.to_dict("records") == [
        {
            "First name": "Ada Augusta",
            "Last name": "Lovelace",
            "ID number": "1815",
            "Email address": "ada@example.edu",
            "Attention, please": 12,
        }
    ]
    written = export("moodle", by(ADA), by("bob"))
    assert "bob" not in written.text
    assert written.problems == ("bob: bob has no email and no student ID; enter it by hand",)


def test_the_plain_table_says_how_a_grade_came_about(export, by):
    of_a_section = by(f"{ADA} (section B)", timedelta(hours=26))
    (row,) = read(export("csv", of_a_section, task=LATE)).to_dict("records")
    assert (row["section"], row["status"], row["days_late"]) == ("B", "Graded", 2)
    assert (row["score"], row["late_penalty"], row["final"]) == (15, 3, 12)
    assert row["how"].startswith(
        "15 of 20 points; 2 days late, minus 3 (submitted 2026-03-02 14:00"
    )
    assert row["submitted_at"] == "2026-03-02T14:00:00+00:00"


@pytest.mark.parametrize("name", FORMATS)
def test_what_has_no_score_or_time_is_a_blank_and_no_zero(export, by, incomplete, rejected, name):
    ada, bob, eve = ("a <a@x>", "b <b@x>", "c <c@x>")
    table = read(export(name, by(ada), by(bob, of=incomplete), by(eve, of=rejected)))
    scores = table[SCORE.get(name, TASK.title)]
    assert scores.isna().tolist() == [False, True, True]
    table = read(export(name, by(ADA, late=None), task=replace(LATE, due=None)))
    assert table.filter(regex="Submission Time|timestamp|submitted_at").isna().all().all()
    assert table[SCORE.get(name, TASK.title)].tolist() == [15]


@pytest.mark.parametrize("name", FORMATS)
def test_all_who_handed_in_together_get_the_grade(export, by, name):
    table = read(export(name, by(f"{ADA}; Bob Babbage <bob@example.edu>")))
    assert table.filter(regex="Email|email").squeeze().tolist() == [
        "ada@example.edu",
        "bob@example.edu",
    ]
    assert table[SCORE.get(name, TASK.title)].tolist() == [15, 15]


@pytest.mark.parametrize("name", FORMATS)
def test_no_cell_is_run_by_a_spreadsheet(export, by, name):
    attack = "=HYPERLINK(1) @SUM <+evil@example.edu> (sid -2)"
    task = replace(TASK, title="=1+1", name="+toy")
    table = pandas.read_csv(io.StringIO(export(name, by(attack), task=task).text), dtype=str)
    cells = [*table.columns, *table.fillna("").to_numpy().ravel()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize("name", FORMATS)
def test_who_has_more_than_one_line_or_no_grade_is_named(export, by, incomplete, name):
    one, both = by(ADA, submission="s1"), by(f"{ADA}; Bob <bob@x>", submission="s2")
    assert export(name, one, both).notes == ("1815 has more than one line: s1, s2",)
    assert export(name, both).notes == ()
    both = "Ada <ada@x>; Bob <bob@x>"
    written = export(name, by("eve"), by(both, of=incomplete, submission="s2"))
    assert written.notes == ("no grade, so an empty cell: s2",)
    many = [by(f"s{n} <s{n}@x>", of=incomplete, submission=f"s{n}") for n in range(30)]
    assert export(name, *many).notes[0].endswith("s19 and 10 more")


@pytest.mark.parametrize(
    ("student", "first", "last"),
    [
        ("Lovelace, Ada Augusta", "Ada Augusta", "Lovelace"),
        ("Ada Augusta Lovelace", "Ada Augusta", "Lovelace"),
        ("Sammy Davis, Jr. <sammy@example.edu>", "Sammy Davis,", "Jr."),
    ],
)
def test_a_folders_name_may_have_the_last_name_first(export, by, student, first, last):
    table = read(export("nbgrader", by(student)))
    assert table[["first_name", "last_name"]].to_numpy().tolist() == [[first, last]]
