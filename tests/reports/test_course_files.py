"""The files of a course are written from reading each Result only once."""

import csv
from dataclasses import replace

import pytest

from benchmarks.store_and_pages import fill
from graders.registry.discovery import load_assignment
from graders.storage.database import open_database
from graders.storage.store import FILE, Store
from reports.course.files import publish_course, write_course

COUNT = 101  # the hundredth is ours to grade again


@pytest.fixture
def course(tmp_path):
    """A course's store, its only generation, and what SQLite is asked."""
    asked = []
    with open_database(tmp_path / FILE) as connection:
        store = Store(tmp_path / FILE, connection)
        generation = fill(store, COUNT)
        connection.set_trace_callback(asked.append)
        yield store, generation, asked


def write(course, out, **named):
    task = replace(load_assignment("cs224n-a4"), settings={})
    return write_course(course[0], course[1], task=task, out=out, **named)


def names(out):
    with (out / "grades.csv").open(newline="") as file:
        return [row["submission"] for row in csv.DictReader(file)]


def test_each_result_is_read_once(course, tmp_path):
    write(course, tmp_path)
    assert sum("document" in query for query in course[2]) == COUNT
    assert len(names(tmp_path)) == COUNT


def test_named_ones_are_shown_and_all_written(course, tmp_path, capsys):
    store, generation, _ = course
    ours, *others = sorted(
        store.results(generation), key=lambda each: (each.status != "incomplete", each.score)
    )
    one = others[0].submission.id
    assert write(course, tmp_path, named={one})
    shown = capsys.readouterr()
    assert one in shown.out
    assert others[1].submission.id not in shown.out
    assert shown.err == ""
    assert len(names(tmp_path)) == COUNT
    assert not write(course, tmp_path, named={ours.submission.id})
    assert f"{ours.submission.id}: check-0: SandboxFailed" in capsys.readouterr().err


def test_an_edited_table_is_kept_beside_the_new_one(course, tmp_path, capsys):
    grades = tmp_path / "grades.csv"
    write(course, tmp_path)
    written = grades.read_bytes()
    write(course, tmp_path)
    assert "edited" not in capsys.readouterr().err
    for name in ("grades-edited.csv", "grades-edited2.csv"):
        grades.write_bytes(written.replace(b"graded", b"excused"))
        write(course, tmp_path)
        assert f"your edited file is now {tmp_path / name}" in capsys.readouterr().err
        assert b"excused" in (tmp_path / name).read_bytes()
    assert grades.read_bytes() == written


def test_a_table_of_an_older_store_is_not_taken_for_edited(course, tmp_path, capsys):
    (tmp_path / "grades.csv").write_text("submission,score")
    write(course, tmp_path)
    assert "edited" not in capsys.readouterr().err
    assert len(names(tmp_path)) == COUNT


def test_publishing_keeps_an_edited_table(course, tmp_path):
    write(course, tmp_path)
    (tmp_path / "grades.csv").write_text("mine")
    next((tmp_path / "results").iterdir()).unlink()  # an old page to remove, and the table with it
    task = replace(load_assignment("cs224n-a4"), settings={})
    publish_course(course[0], course[1], task=task, out=tmp_path)
    assert (tmp_path / "grades-edited.csv").read_text() == "mine"
