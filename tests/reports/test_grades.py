"""`grades.csv`: a row a submission, and final grades only if the assignment declares them."""

import csv
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pandas

from graders.course.final_grades import final_grade
from graders.grading_policy import GradingPolicy, Lateness
from reports.course.view import Counted, course_view
from reports.grades import write_grades

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
POLICY = GradingPolicy(Lateness(percent=10))


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def course_of(result):
    counted = Counted()
    counted.add(result, final_grade(result, POLICY, DUE))
    return counted.view()


def test_row_a_submission_in_order_and_what_is_not_known_is_blank(
    tmp_path, make_result, graded, incomplete
):
    from_zoe = make_result(*graded.criteria, submission="zoe", student="Zoë")
    table = rows(write_grades(course_view([from_zoe, graded]), tmp_path))
    columns = "submission student status score max_score so_far rotary files secret"
    assert " ".join(table[0]) == columns, "no column of a final grade without a policy"
    assert [row["student"] for row in table] == ["Ada Lovelace", "Zoë"]
    assert list(table[0].values())[2:] == ["graded", "15", "20", "15", "2", "10", "3"]
    assert rows(write_grades(course_view([]), tmp_path)) == []
    rejected = make_result(submission="zip", status="rejected", score=0.0)
    course = course_view([graded, incomplete, rejected])
    _, open_, nothing = rows(write_grades(course, tmp_path))
    assert (open_["status"], open_["score"], open_["max_score"]) == ("incomplete", "", "14")
    assert (open_["rotary"], open_["files"]) == ("", "10")
    assert nothing["files"] == ""
    path = write_grades(course_view([graded, incomplete]), tmp_path)
    table = pandas.read_csv(path, index_col="submission")
    assert table["score"].dtype.kind == "f"
    assert table["score"].notna().sum() == 1


def test_hostile_cells_stay_in_their_row(tmp_path, hostile):
    path = write_grades(course_view([hostile]), tmp_path)
    assert path.read_text().count("\n") == 2
    assert len(path.read_text()) < 1000


def test_final_grades_stand_behind_all_other_columns(tmp_path, graded, incomplete):
    upload = replace(graded.submission, submitted_at=DUE + timedelta(hours=30))
    late = replace(graded, submission=upload)
    (row,) = rows(write_grades(course_of(late), tmp_path))
    assert list(row)[-3:] == ["late_days", "final", "how"]
    assert (row["score"], row["late_days"], row["final"]) == ("15", "2", "12")
    times = "(submitted 2026-03-02 18:00, due 2026-03-01 12:00 UTC)"
    assert row["how"] == f"15 of 20 points; 2 days late, minus 3 {times}."
    (row,) = rows(write_grades(course_of(incomplete), tmp_path))
    assert (row["score"], row["final"]) == ("", "")
