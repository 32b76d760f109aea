"""`grades.csv` has final grades only if the assignment declares how to compute them."""

import csv
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graders.course.final_grades import final_grade
from graders.grading_policy import GradingPolicy, Lateness
from reports import course_view, write_grades
from reports.course.view import Counted

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
POLICY = GradingPolicy(Lateness(percent=10))


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def handed_in(result, late):
    return replace(result, submission=replace(result.submission, submitted_at=DUE + late))


def course_of(result):
    counted = Counted()
    counted.add(result, final_grade(result, POLICY, DUE))
    return counted.view()


def test_final_grades_stand_behind_all_other_columns(tmp_path, graded):
    late = handed_in(graded, timedelta(hours=30))
    (row,) = rows(write_grades(course_of(late), tmp_path))
    assert list(row)[-3:] == ["late_days", "final", "how"]
    assert (row["score"], row["late_days"], row["final"]) == ("15", "2", "12")
    assert row["how"] == "15 of 20 points; 2 days late, minus 3."


def test_no_score_is_no_final_grade(tmp_path, incomplete):
    (row,) = rows(write_grades(course_of(incomplete), tmp_path))
    assert (row["score"], row["final"]) == ("", "")


def test_without_a_policy_no_column_is_new(tmp_path, graded):
    (row,) = rows(write_grades(course_view([graded]), tmp_path))
    assert "final" not in row
