import csv

import pytest

from reports import course_view, write_grades


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_row_a_submission_in_order(tmp_path, make_result, graded):
    from_zoe = make_result(*graded.criteria, submission="zoe", student="Zoë")
    table = rows(write_grades(course_view([from_zoe, graded]), tmp_path))
    columns = "submission student status score max_score so_far rotary files secret"
    assert " ".join(table[0]) == columns
    assert [row["student"] for row in table] == ["Ada Lovelace", "Zoë"]
    assert list(table[0].values())[2:] == ["graded", "15", "20", "15", "2", "10", "3"]


def test_score_not_published_is_blank(tmp_path, incomplete):
    (row,) = rows(write_grades(course_view([incomplete]), tmp_path))
    assert (row["status"], row["score"], row["max_score"]) == ("incomplete", "", "14")
    assert (row["rotary"], row["files"]) == ("", "10")


def test_missing_criterion_is_blank(tmp_path, make_result, graded):
    rejected = make_result(submission="zip", status="rejected", score=0.0)
    assert rows(write_grades(course_view([graded, rejected]), tmp_path))[1]["files"] == ""


def test_no_submissions_is_a_heading(tmp_path):
    assert rows(write_grades(course_view([]), tmp_path)) == []


def test_hostile_cells_stay_in_their_row(tmp_path, hostile):
    path = write_grades(course_view([hostile]), tmp_path)
    assert path.read_text().count("\n") == 2
    assert len(path.read_text()) < 1000


def test_pandas_reads_scores_as_numbers(tmp_path, graded, incomplete):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(
        write_grades(course_view([graded, incomplete]), tmp_path), index_col="submission"
    )
    assert table["score"].dtype.kind == "f"
    assert table["score"].notna().sum() == 1
