"""Flaky verdicts are counted when a Result replaces one with the same cache key."""

import contextlib
import sqlite3
from dataclasses import replace

import pytest

from graders.model import CheckResult
from graders.storage.repeats import Repeats
from graders.storage.store import FILE, open_store, read_store
from tests.graders.storage.test_store import KEY, a_result

WHOLE, CHECK = ("double", ""), ("double", "a")


def judged(verdict, fraction=0.0, **changes):
    """The stored Result with another verdict."""
    (graded,) = a_result().criteria
    found = CheckResult(graded.checks[0].check, verdict, fraction, "In other words.")
    points = None if verdict == "error" else 4.0 * fraction
    graded = replace(graded, status=verdict, points=points, checks=(found,))
    return a_result(criteria=(graded,), **changes)


@pytest.fixture
def regraded(tiny, tmp_path):
    """What is counted after these Results were stored one after another."""

    def put(*results, key=KEY) -> Repeats:
        with open_store(tmp_path) as store:
            number = store.begin(tiny, "checks")
            for result in results:
                store.put(number, result, key)
            return store.repeats(number)

    return put


def test_the_same_again_is_counted(regraded):
    counted = regraded(judged("failed"), judged("failed"), judged("failed", seconds=9.0))
    assert counted == {WHOLE: (2, 0), CHECK: (2, 0)}


def test_another_verdict_or_fraction_is_a_change(regraded):
    counted = regraded(judged("failed"), judged("partial", 0.5), judged("partial", 0.25))
    assert counted[CHECK] == (2, 2)
    assert regraded(judged("partial", 0.25))[CHECK] == (3, 2)


@pytest.mark.parametrize(
    "result",
    [judged("error", status="incomplete"), judged("skipped", status="rejected")],
    ids=["a fault of ours", "rejected"],
)
def test_what_was_not_judged_is_not_compared(regraded, result):
    assert regraded(judged("failed"), result, judged("passed", 1.0)) == {}


def test_another_address_is_no_repeat(regraded):
    regraded(judged("failed"))
    assert regraded(judged("passed", 1.0), key=replace(KEY, address="elsewhere")) == {}


def test_a_store_from_before_is_read_and_counts_on(regraded, tmp_path):
    regraded(judged("failed"), judged("failed"))
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("DROP TABLE repeats")
    with read_store(tmp_path) as store:
        assert store.repeats(1) == {}
    assert regraded(judged("passed", 1.0))[CHECK] == (1, 1)


def test_a_damaged_result_can_be_graded_again(regraded, tmp_path):
    regraded(judged("failed"))
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("UPDATE results SET document = 'x'")
    assert regraded(judged("passed", 1.0)) == {}
