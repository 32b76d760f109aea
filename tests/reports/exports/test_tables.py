"""Gradescope's and nbgrader's tables: their columns, one line per student, nothing invented."""

import io
from dataclasses import replace
from datetime import timedelta

import pandas
import pytest

from graders.grading_policy import GradingPolicy, Lateness
from tests.reports.exports.conftest import TASK

FORMATS = ["gradescope-csv", "nbgrader"]
ADA = "Ada Augusta Lovelace <ada@example.edu> (sid 1815)"
LATE = replace(TASK, grading=GradingPolicy(Lateness(percent=10)))


def read(export):
    return pandas.read_csv(io.StringIO(export.text), dtype={"SID": str, "student_id": str})


def test_gradescopes_columns_come_back(export, by):
    table = read(export("gradescope-csv", by(ADA, timedelta(hours=26, seconds=5)), task=LATE))
    assert table.to_dict("records") == [
        {
            "First Name": "Ada Augusta",
            "Last Name": "Lovelace",
            "SID": "1815",
            "Email": "ada@example.edu",
            "Sections": pytest.approx(float("nan"), nan_ok=True),
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


@pytest.mark.parametrize("name", FORMATS)
def test_what_has_no_score_is_a_blank_and_no_zero(export, by, incomplete, rejected, name):
    table = read(export(name, by("ada"), by("bob", of=incomplete), by("eve", of=rejected)))
    scores = table[{"nbgrader": "score"}.get(name, TASK.title)]
    assert scores.isna().tolist() == [False, True, True]


@pytest.mark.parametrize("name", FORMATS)
def test_all_who_handed_in_together_get_the_grade(export, by, name):
    table = read(export(name, by(f"{ADA}; Bob Babbage <bob@example.edu>")))
    assert table.filter(regex="Email|email").squeeze().tolist() == [
        "ada@example.edu",
        "bob@example.edu",
    ]
    assert table[{"nbgrader": "score"}.get(name, TASK.title)].tolist() == [15, 15]


@pytest.mark.parametrize("name", FORMATS)
def test_no_cell_is_run_by_a_spreadsheet(export, by, name):
    attack = "=HYPERLINK(1) @SUM <+evil@example.edu> (sid -2)"
    task = replace(TASK, title="=1+1", name="+toy")
    table = pandas.read_csv(io.StringIO(export(name, by(attack), task=task).text), dtype=str)
    cells = [*table.columns, *table.fillna("").to_numpy().ravel()]
    assert not [each for each in cells if each.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize("name", FORMATS)
def test_a_time_that_nobody_knows_is_a_blank(export, by, name):
    table = read(export(name, by("ada", late=None), task=replace(LATE, due=None)))
    assert table.filter(regex="Submission Time|timestamp").isna().all().all()
    assert table[{"nbgrader": "score"}.get(name, TASK.title)].tolist() == [15]


@pytest.mark.parametrize("name", FORMATS)
def test_who_has_more_than_one_line_is_named(export, by, name):
    one, both = by(ADA, submission="s1"), by(f"{ADA}; Bob <bob@x>", submission="s2")
    assert export(name, one, both).notes == ("1815 has more than one line: s1, s2",)
    assert export(name, both).notes == ()


@pytest.mark.parametrize("name", FORMATS)
def test_who_has_no_grade_is_named(export, by, incomplete, name):
    both = "Ada <ada@x>; Bob <bob@x>"
    written = export(name, by("eve"), by(both, of=incomplete, submission="s2"))
    assert written.notes == ("no grade, so an empty cell: s2",)
    many = [by(f"s{n}", of=incomplete) for n in range(30)]
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
