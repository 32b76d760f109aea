"""The store: all or nothing, one writer, and a clear sentence for every problem.

Flaky verdicts are counted when a Result replaces one with the same cache key.
"""

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graders.errors import StorageError
from graders.model import Check, CheckResult, Criterion, CriterionResult, Result, Submission
from graders.registry.discovery import load_assignment
from graders.storage.repeats import Repeats
from graders.storage.rows import sum_of
from graders.storage.store import FILE, CacheKey, open_store, read_store
from tests.conftest import edit, write_files

ROOT = Path(__file__).parents[3]
CRITERION = Criterion("double", "Doubling", 4.0, "visible", "metric")
KEY = CacheKey("address", "{}", {"double": "key"})


def a_result(name="ada", **changes):
    check = CheckResult(Check("a", "It holds.", "double", 2.0, ("b",)), "failed", 0.0, "No.")
    graded = CriterionResult(CRITERION, "failed", 0.0, (check,))
    submitted = datetime(2025, 2, 1, tzinfo=UTC)
    submission = Submission(name, name, "tiny", Path(f"/uploads/{name}"), "0" * 64, submitted)
    environment = {"python": "3.11", "intake": ["took it"]}
    began = datetime(2025, 3, 1, tzinfo=UTC)
    parts = ("tiny", 3, "Double a number", "graded", (graded,), 0.0, 4.0, environment, began, 0.1)
    return replace(Result(submission, *parts), **changes)


@pytest.fixture
def stored(tiny, tmp_path):
    """A folder whose store holds one Result."""
    with open_store(tmp_path / "out") as store:
        store.put(store.begin(tiny, "checks"), a_result(), KEY)
    return tmp_path / "out"


def results_in(out, generation=1):
    with read_store(out) as store:
        return list(store.results(generation))


def test_a_result_comes_back_whole_and_its_path_need_not_be_text(stored, tiny, tmp_path):
    assert results_in(stored) == [a_result()]
    odd = Path(os.fsdecode(b"/uploads/\xff"))
    result = a_result(submission=replace(a_result().submission, path=odd))
    with open_store(tmp_path) as store:
        store.put(store.begin(tiny, "checks"), result, KEY)
    assert results_in(tmp_path)[0].submission.path == odd


def as_before(out):
    """The store as earlier versions wrote it: what their JSON left out stood in a column."""
    with contextlib.closing(sqlite3.connect(out / FILE)) as connection, connection:
        ((text,),) = connection.execute("SELECT document FROM results")
        document = json.loads(text)
        annex = {
            "title": document["assignment"].pop("title"),
            "submitted_at": document["submission"].pop("submitted_at"),
            "criteria": [
                [
                    criterion.pop("kind"),
                    [[c.pop("weight"), c.pop("depends_on")] for c in criterion["checks"]],
                ]
                for criterion in document["criteria"]
            ],
        }
        row = json.dumps(document), json.dumps(annex)
        connection.execute(
            "UPDATE results SET document = ?, annex = ?, sum = ?", (*row, sum_of(*row))
        )


def test_a_store_of_an_earlier_version_is_read_and_takes_a_new_name(stored):
    as_before(stored)
    assert results_in(stored) == [a_result()]
    submission = replace(a_result().submission, student="Ada L.", submitted_at=None)
    with open_store(stored) as store:
        store.adopt(1, [(submission, KEY.address)], anew=True)
        assert store.people_and_time(store.members(1)[0]) == ("Ada L.", None)
    assert results_in(stored) == [a_result(submission=submission)]


def test_the_result_stored_last_counts_whatever_the_clock_says(stored):
    with open_store(stored) as store:
        store.put(1, a_result(score=4.0), KEY)
    assert [result.score for result in results_in(stored)] == [4.0]
    earlier = a_result().started_at - timedelta(days=400)
    with open_store(stored) as store:
        store.put(1, a_result(score=3.0, started_at=earlier), replace(KEY, address="new"))
    assert [result.score for result in results_in(stored)] == [3.0]


def test_other_checks_begin_another_generation(tiny, stored):
    with open_store(stored) as store:
        number = store.begin(tiny, "other checks")
        store.put(number, a_result(score=4.0), replace(KEY, address="new"))
        assert store.published == number == 2
    assert [result.score for result in results_in(stored)] == [0.0]
    assert [result.score for result in results_in(stored, 2)] == [4.0]


def test_the_store_of_another_assignment_is_left_alone(tiny_folder, stored):
    edit(tiny_folder / "assignment.toml", '"tiny"', '"large"')
    with (
        open_store(stored) as store,
        pytest.raises(StorageError, match="contains results of `tiny`"),
    ):
        store.begin(load_assignment(str(tiny_folder)), "checks")
    assert results_in(stored) == [a_result()]


def test_two_gradings_never_share_a_folder_and_what_a_killed_one_left_is_removed(stored):
    with (
        open_store(stored),
        pytest.raises(StorageError, match="another grading into .* is running"),
    ):
        open_store(stored).__enter__()
    with open_store(stored) as store:
        assert store.published == 1
    (stored / "results").mkdir()
    left = stored / "results" / f".{'0af' * 10}0a.tmp"
    notes = stored / "results" / ".notes.tmp"
    for file in (left, notes):
        file.write_text("{")
    with open_store(stored):
        assert (left.exists(), notes.exists()) == (False, True)


@pytest.mark.parametrize("damage", [b"not a store at all" * 100, None])
def test_a_damaged_store_is_named(stored, damage):
    file = stored / FILE
    content = bytearray(file.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096) if damage is None else b""
    file.write_bytes(damage or content)
    with pytest.raises(StorageError, match=r"store\.sqlite is damaged") as error:
        open_store(stored).__enter__()
    assert "grade again" in error.value.hint


def change(out, statement):
    with contextlib.closing(sqlite3.connect(out / FILE)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE generations SET made_at = 'yesterday'",
        "UPDATE generations SET published = 'yes'",
        "UPDATE results SET keys = '[]'",
        "UPDATE results SET asked = '1'",
        "UPDATE results SET path = 'ada'",
        "UPDATE course_key SET key = 'secret'",
        "INSERT INTO inputs VALUES (1, 'secret')",
        "INSERT INTO replies VALUES (1, 1, 'ada', 'lee', 'granted?', '', '')",
        "INSERT INTO adjustments VALUES (1, 'ada', 'd', '', 'l', 'add', 1, 1, '', 0, '2026-01-01')",
        "INSERT INTO adjustments VALUES (1, 'ada', 'd', '', 'l', 'points', 'x', 1, '', 0, 'x')",
        "INSERT INTO comments VALUES (1, 'ada', 'lee', x'ff', '', 0, '')",
    ],
)
def test_a_value_that_no_one_can_read_is_named(stored, statement):
    change(stored, statement)
    table = re.search("UPDATE ([a-z_]+)|INTO ([a-z]+)", statement)
    with pytest.raises(StorageError, match=f"value in its table `{table[1] or table[2]}`"):
        results_in(stored)


def test_other_damage_is_named_by_file(stored):
    change(stored, "UPDATE results SET keys = '{'")
    with pytest.raises(StorageError, match=r"store\.sqlite cannot be used: malformed JSON"):
        results_in(stored)


def test_a_schema_that_is_no_text_is_damage(stored):
    file = stored / FILE
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE members", b"CREATE TABLE m\xa0mbers"))
    with pytest.raises(StorageError, match=r"store\.sqlite is damaged"):
        results_in(stored)


def test_an_emptied_store_does_not_begin_anew(stored):
    write_files(stored / "results", {"ada.json": "{}"})
    (stored / FILE).write_bytes(b"")
    with pytest.raises(StorageError, match="it is empty"):
        open_store(stored).__enter__()
    (stored / FILE).unlink()  # as the hint says
    with open_store(stored) as store:
        assert store.generations() == []


def test_a_store_of_a_newer_softmark_or_a_changed_result_is_not_shown(stored):
    change(stored, """UPDATE results SET document = replace(document, ': 0.0', ': 4.0')""")
    with pytest.raises(StorageError, match="the Result of ada is damaged"):
        results_in(stored)
    change(stored, "UPDATE results SET document = '{'")
    with read_store(stored) as store:
        assert store.people_and_time(*store.members(1)) == ("ada", None)
    change(stored, "PRAGMA user_version = 99")
    with pytest.raises(StorageError, match="newer Softmark"):
        open_store(stored).__enter__()


def test_a_locked_store_says_so(stored, monkeypatch):
    monkeypatch.setattr("graders.storage.database.BUSY_SECONDS", 0.1)
    with open_store(stored) as store, contextlib.closing(sqlite3.connect(stored / FILE)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="in use by another program"):
            store.put(1, a_result(score=4.0), KEY)
        writer.execute("ROLLBACK")
        store.put(1, a_result("bob"), KEY)
    assert [(result.submission.id, result.score) for result in results_in(stored)] == [
        ("ada", 0.0),
        ("bob", 0.0),
    ]


def test_a_store_is_read_while_another_process_writes(stored, monkeypatch):
    monkeypatch.setattr("graders.storage.database.BUSY_SECONDS", 0.1)
    with contextlib.closing(sqlite3.connect(stored / FILE)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with read_store(stored) as store:
            assert (store.inputs_seed(), store.released(), store.wrote(b"")) == (None, False, True)
            assert [result.submission.id for result in store.results(1)] == ["ada"]


FULL = """
import resource, sys
from dataclasses import replace
from pathlib import Path
from graders.errors import StorageError, UserError
from graders.storage.store import CacheKey, open_store
from tests.graders.storage.test_store import KEY, a_result
with open_store(Path(sys.argv[1])) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
    try:
        for n in range(10_000):
            store.put(1, a_result(f"s{n:05}"), KEY)
    except UserError as error:
        print(n, error, sep="|")
"""


def test_a_full_disk_stores_no_half_result(stored):
    command = [sys.executable, "-c", FULL, str(stored)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    count, _, message = done.stdout.partition("|")
    assert "cannot" in message, done.stderr
    assert "store.sqlite" in message
    names = [result.submission.id for result in results_in(stored)]
    assert names == ["ada", *(f"s{n:05}" for n in range(int(count)))]


def test_what_is_no_folder_or_generation_is_a_misuse(tmp_path, stored):
    (tmp_path / "none").mkdir()
    with pytest.raises(StorageError, match="has no grading results"):
        read_store(tmp_path / "none").__enter__()
    assert list((tmp_path / "none").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        open_store(tmp_path / "file").__enter__()
    with read_store(stored) as store:
        with pytest.raises(StorageError, match="no generation 7"):
            store.generation(7)
        with pytest.raises(StorageError, match="no submission `bob`"):
            store.member_result(1, "bob")


MEMORY = """
import json
import sys
from pathlib import Path
from benchmarks.store_and_pages import peak_mib
from graders.registry.discovery import load_assignment
from graders.storage.store import CacheKey, open_store, read_store
from tests.graders.storage.test_store import a_large_result
out, count = Path(sys.argv[1]), 2_000
with open_store(out) as store:
    number = store.begin(load_assignment("cs224n-a4"), "checks")
    asked = json.dumps({"only": "0" * 140})
    made = CacheKey("0" * 64, asked, {f"criterion-{n}": "0" * 64 for n in range(8)})
    for n in range(count):
        store.put(number, a_large_result(f"s{n:05}"), made)
with read_store(out) as store:
    assert sum(1 for _ in store.results(number)) == count
    assert len(store.members(number)) == count
print(round(peak_mib()), (out / "store.sqlite").stat().st_size // 2**20)
"""


def a_large_result(name):
    """As large as one of cs224n-a4: 54 checks, each with some words."""
    words = {"message": "It is not so. " * 9, "hint": "Look there. " * 5, "expected": "x" * 80}
    checks = [
        CheckResult(Check(f"check-{n}", "It holds. " * 6, "double"), "failed", 0.0, **words)
        for n in range(54)
    ]
    return a_result(name, criteria=(CriterionResult(CRITERION, "failed", 0.0, tuple(checks)),))


@pytest.mark.long
def test_two_thousand_results_need_little_memory(tmp_path):
    """92 MiB, of which the imports are 84; all of them would take at least the store's 70 more."""
    command = [sys.executable, "-c", MEMORY, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    peak, size = map(int, done.stdout.split())
    assert size > 60
    assert peak < 84 + size, done.stdout


WHOLE, CHECK = ("double", ""), ("double", "a")


def judged(verdict, fraction=0.0, **changes):
    """The stored Result with another verdict."""
    (graded,) = a_result().criteria
    check = CheckResult(graded.checks[0].check, verdict, fraction, "In other words.")
    points = None if verdict == "error" else 4.0 * fraction
    graded = replace(graded, status=verdict, points=points, checks=(check,))
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
