"""Adjustments are only added, also to a store that was written before there were any."""

import contextlib
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graders.adjustments import Adjustment
from graders.errors import StorageError
from graders.storage.adjustments import Overtaken
from graders.storage.store import FILE, open_store, read_store

DUMP = Path(__file__).with_name("store_of_22_november.sql")
GIVEN = Adjustment("ada", "b", "", "Rea", "points", 1.5, 4.0, "The second half is missing.")


@pytest.fixture
def out(tmp_path):
    """A store of 22 November 2026, in which ada has 4 points for b."""
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return tmp_path


def add(out, *adjustments):
    with read_store(out) as store:
        store.adjustments().add(adjustments)
        return store.adjustments().all()


def ada(out):
    with open_store(out) as store:
        return store.member_result(store.published, "ada")


def test_an_earlier_store_takes_them(out):
    before = ada(out)
    adjustment = replace(GIVEN, upload=before.submission.sha256)
    (stored,) = add(out, adjustment)
    assert replace(stored, number=0, made_at="") == adjustment
    assert datetime.fromisoformat(stored.made_at).tzinfo == UTC
    (graded,) = (criterion for criterion in ada(out).criteria if criterion.criterion.id == "b")
    assert (graded.points, graded.machine, graded.status) == (1.5, 4.0, "partial")
    add(out, replace(adjustment, action="undo", seen=1))
    assert ada(out) == before
    add(out, replace(adjustment, action="excuse", seen=2))
    assert ada(out).max_score == before.max_score - 4


@pytest.mark.parametrize("change", ["UPDATE adjustments SET points = 9", "DELETE FROM adjustments"])
def test_the_trail_is_only_added_to(out, change):
    add(out, GIVEN)
    with (
        contextlib.closing(sqlite3.connect(out / FILE)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="an adjustment is never"),
    ):
        connection.execute(change)


def test_all_are_stored_or_none(out):
    other = replace(GIVEN, criterion="a")
    with pytest.raises(StorageError):
        add(out, GIVEN, replace(other, comment=None))
    assert add(out) == []
    assert len(add(out, GIVEN)) == 1
    with pytest.raises(Overtaken):
        add(out, other, replace(GIVEN, seen=0))
    assert len(add(out)) == 1
    assert len(add(out, other, replace(GIVEN, seen=1))) == 3
