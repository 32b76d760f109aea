import json
from datetime import UTC, datetime, timedelta

import pytest

from graders.registry.discovery import load_assignment
from packages.gradescope.metadata import (
    Metadata,
    about_previous,
    about_time,
    in_words,
    read_metadata,
)
from tests.conftest import append

CREATED = "2026-03-02T12:00:00.123456-07:00"
DUE = "2026-03-01T12:00:00.000000-07:00"


@pytest.fixture
def read(tmp_path):
    """`read(**keys)`: the metadata of a file with these keys."""

    def written(text=None, **keys):
        file = tmp_path / "submission_metadata.json"
        file.write_text(json.dumps(keys) if text is None else text)
        return read_metadata(file)

    return written


def due(date, **more):
    return {"assignment": {"due_date": date}, **more}


def test_documented_file_is_understood(read):
    metadata = read(
        id=123456,
        created_at=CREATED,
        users=[due(DUE, name="Ada", email="ada@example.org")],
        previous_submissions=[{"score": 3.5}, {"score": "4.25"}, {"autograder_error": True}],
        **due(DUE, title="A4", total_points="32.0"),
    )
    assert metadata.id == "123456"
    assert metadata.submitted_at - metadata.due == timedelta(days=1, microseconds=123456)
    assert (metadata.previous, metadata.best, metadata.notes) == (3, 4.25, ())


def test_students_own_due_date_counts_and_a_groups_last_one(read):
    late = read(created_at=CREATED, users=[due("2026-03-03T00:00:00-07:00")], **due(DUE))
    assert list(about_time(late, late.due)) == []
    users = [due(DUE), due("2026-03-02T11:00:00-07:00")]
    metadata = read(created_at=CREATED, users=users, **due(DUE))
    assert list(about_time(metadata, metadata.due)) == [
        "Submitted 1 hour 1 minute after the due date (2026-03-02 18:00 UTC)."
    ]


@pytest.mark.parametrize("other", [{"name": "Ben"}, {"assignment": {"due_date": None}}])
def test_whoever_has_no_own_due_date_has_the_assignments(read, other):
    """An earlier date of one student makes no group late."""
    users = [due("2026-02-01T12:00:00-07:00"), other]
    assert read(created_at=CREATED, users=users, **due(DUE)).due.isoformat().startswith(DUE[:19])


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (timedelta(seconds=1), "1 minute"),
        (timedelta(minutes=59, seconds=1), "1 hour"),
        (timedelta(days=2, hours=3, minutes=4), "2 days 3 hours"),
    ],
)
def test_lateness_in_words(late, words):
    assert in_words(late) == words


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", "[" * 100_000, '"x"', "\x00", '{"created_at": "soon"}', '{"users": 3}',
        '{"created_at": "2026-03-02T12:00:00", "previous_submissions": [1, null, {"score": "x"}]}',
    ],
)  # fmt: skip
def test_broken_or_missing_metadata_is_a_note(read, tmp_path, text):
    assert read_metadata(tmp_path / "none.json").notes
    metadata = read(text)
    assert metadata.submitted_at is None
    assert metadata.best is None
    assert metadata.notes


@pytest.mark.parametrize("date", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_date_that_no_other_zone_has_is_no_date(read, date):
    metadata = read(created_at=CREATED, **due(date))
    assert metadata.due is None
    assert list(about_time(metadata, metadata.due)) == []


@pytest.mark.parametrize("score", [float("nan"), "1e999", "-inf", [], {"a": 1}, "9" * 1000, True])
def test_score_that_is_no_number_is_left_out(read, score):
    assert read(created_at=CREATED, previous_submissions=[{"score": score}]).best is None


@pytest.mark.parametrize("hostile", ["../../etc", "<b>1</b>", -1, 1.5, 10**30, None, ["1"]])
def test_id_is_a_number_or_nothing(read, hostile):
    assert read(id=hostile, created_at=CREATED).id == ""


def test_best_score_of_hidden_points_stays_with_staff(tiny, tiny_folder):
    before = Metadata(submitted_at=datetime.now(UTC), previous=2, best=3.5)
    assert list(about_previous(before, tiny)) == [
        "2 submissions before this one; the best had 3.5."
    ]
    append(tiny_folder / "assignment.toml", 'visibility = "hidden"\n')
    hidden = load_assignment(str(tiny_folder))
    assert list(about_previous(before, hidden)) == ["2 submissions before this one."]
