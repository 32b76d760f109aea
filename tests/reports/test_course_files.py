"""The files of a course are written from reading each Result only once."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.store_and_pages import fill, synthetic_results
from graders.registry.discovery import load_assignment
from graders.storage.database import open_database
from graders.storage.store import FILE, CacheKey, Store, open_store
from reports.course.files import publish_course, write_course
from tests.conftest import RIGHT, write_files
from tests.console import softmark

RESULTS = [*synthetic_results(101)][97:]  # the hundredth is ours to grade again
TASK = replace(load_assignment("cs224n-a4"), settings={})


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course's store, its only generation, the folder of its files, and what writing read."""
    folder, queries = tmp_path_factory.mktemp("course"), []
    with open_database(folder / FILE) as connection:
        store = Store(folder / FILE, connection)
        generation = fill(store, RESULTS)
        connection.set_trace_callback(queries.append)
        write_course(store, task=TASK, out=folder)
        read = sum("document" in query for query in queries)
        yield SimpleNamespace(store=store, generation=generation, folder=folder, read=read)


@pytest.fixture
def out(course, tmp_path):
    """A copy of the folder."""
    return Path(shutil.copytree(course.folder, tmp_path / "out"))


def write(course, out, **named):
    return write_course(course.store, task=TASK, out=out, **named)


def names(out):
    with (out / "grades.csv").open(newline="") as file:
        return [row["submission"] for row in csv.DictReader(file)]


def test_each_result_is_read_once(course):
    assert course.read == len(names(course.folder)) == len(RESULTS)


def test_named_ones_are_shown_and_all_written(course, out, capsys):
    results = course.store.results(course.generation)
    ours, *others = sorted(
        results, key=lambda result: (result.status != "incomplete", result.score)
    )
    one = others[0].submission.id
    (out / "grades.csv").unlink()
    assert write(course, out, named={one})
    shown = capsys.readouterr()
    assert one in shown.out
    assert others[1].submission.id not in shown.out
    assert shown.err == ""
    assert len(names(out)) == len(RESULTS)
    assert not write(course, out, named={ours.submission.id})
    assert f"{ours.submission.id}: check-0: SandboxFailed" in capsys.readouterr().err


def test_an_edited_table_is_kept_beside_the_new_one(course, out, capsys):
    grades = out / "grades.csv"
    written = grades.read_bytes()
    write(course, out)
    assert "edited" not in capsys.readouterr().err
    for name in ("grades-edited.csv", "grades-edited2.csv"):
        grades.write_bytes(written.replace(b"graded", b"excused"))
        write(course, out)
        assert f"it is now {out / name}" in capsys.readouterr().err
        assert b"excused" in (out / name).read_bytes()
    assert grades.read_bytes() == written


def test_a_table_of_an_older_store_is_not_taken_for_edited(make_result, graded, tmp_path, capsys):
    with open_store(tmp_path) as store:
        generation = store.begin(TASK, "checks")
        store.put(generation, make_result(*graded.criteria), CacheKey("address", "{}", {}))
        (tmp_path / "grades.csv").write_text("submission,score")
        write_course(store, task=TASK, out=tmp_path)
    assert "edited" not in capsys.readouterr().err
    assert names(tmp_path) == ["ada"]


def test_a_table_that_was_there_before_the_first_grading_is_kept(hand_in, tiny_folder, tmp_path):
    out = write_files(tmp_path / "out", {"grades.csv": "mine"})
    done = softmark("run", tiny_folder, hand_in(work_py=RIGHT), "--out", out)
    assert (out / "grades-edited.csv").read_text() == "mine", done.stderr


def test_publishing_keeps_an_edited_table(course, out):
    (out / "grades.csv").write_text("mine")
    next((out / "results").iterdir()).unlink()  # an old page to remove, and the table with it
    publish_course(course.store, course.generation, task=TASK, out=out)
    assert (out / "grades-edited.csv").read_text() == "mine"
