"""The audit trail is append-only, all or nothing, and applied to what the store returns."""

import contextlib
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from graders.errors import StorageError
from graders.model import Check, CheckResult, Criterion
from graders.scoring import criterion_result
from graders.storage.decisions import Overtaken
from graders.storage.store import FILE, CacheKey, open_store, read_store
from graders.written.decisions import Decision, JudgedItem, answer_sum

TEXT = "The margin is large."
QUESTION = Criterion("1b", "Copying", 3.0, "visible", "written")
GIVEN = Decision(
    "ada", "1b/review", answer_sum(TEXT), "Rea", 3.0, (JudgedItem("m", 2.0, True),), 0.5, "Good."
)


@pytest.fixture
def waiting(make_result):
    """A Result of which this answer waits for a person."""

    def make(text=TEXT):
        check = Check("1b/review", "A person reads.", "1b", 3.0)
        waits = CheckResult(check, "needs_review", 0.0, "A person decides.", actual=text)
        graded = criterion_result(QUESTION, [waits])
        return make_result(graded, assignment="tiny", status="needs_review")

    return make


@pytest.fixture
def put(tiny, tmp_path, waiting):
    """Stores a Result of this answer as graded with these checks; the folder."""

    def store_result(text=TEXT, checks="checks"):
        with open_store(tmp_path) as store:
            number = store.begin(tiny, checks)
            store.put(number, waiting(text), CacheKey(checks, "{}", {"1b": "key"}))
        return tmp_path

    return store_result


def add(out, *decisions, **options):
    with read_store(out) as store:
        return store.decisions().add(decisions, **options)


def score_in(out):
    with read_store(out) as store:
        return store.member_result(store.published, "ada").score


def test_a_decision_comes_back_as_it_was_made_and_files_are_of_it_for_good(put):
    out = put()
    assert add(out, GIVEN) == 1
    with read_store(out) as store:
        (decision,) = store.decisions().since()
        assert store.decisions().since(1) == []
    assert replace(decision, decided_at="", number=0) == GIVEN
    assert datetime.fromisoformat(decision.decided_at).tzinfo == UTC
    with read_store(out) as store:
        assert store.decisions().written() == 0
        store.decisions().keep_written(3)
    with read_store(out) as store:
        assert store.decisions().written() == 3


def test_the_store_gives_out_what_was_decided_and_keeps_what_was_graded(put, waiting):
    out = put()
    assert score_in(out) is None
    add(out, GIVEN)
    assert score_in(out) == 2.5
    with read_store(out) as store:
        assert store.as_graded("ada", "checks").criteria == waiting().criteria


def test_a_decision_is_kept_for_the_same_answer_and_no_other(put):
    add(put(), GIVEN)
    assert score_in(put(checks="others")) == 2.5
    assert score_in(put(text="The margin is small.", checks="third")) is None
    assert score_in(put(checks="fourth")) == 2.5


@pytest.mark.parametrize(
    "change", ["UPDATE decisions SET points = 9", "DELETE FROM decisions"], ids=["change", "remove"]
)
def test_the_trail_is_only_added_to(put, change):
    out = put()
    add(out, GIVEN)
    with (
        contextlib.closing(sqlite3.connect(out / FILE)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="a decision is never"),
    ):
        connection.execute(change)


def test_a_group_is_stored_whole_and_what_overtakes_is_told(put):
    out = put()
    with pytest.raises(StorageError):
        add(out, GIVEN, replace(GIVEN, comment=None))
    with read_store(out) as store:
        assert store.decisions().since() == []
    add(out, GIVEN)
    with pytest.raises(Overtaken):
        add(out, replace(GIVEN, seen=0), unseen=False)
    assert add(out, replace(GIVEN, seen=1), unseen=False) == 2


def test_a_folder_without_a_store_is_named(tmp_path):
    with (
        pytest.raises(StorageError, match="has no grading results"),
        read_store(tmp_path),
    ):
        pass
    assert not (tmp_path / FILE).exists()
