"""No attack gains a point, reads or changes anything foreign, or outlives its batch.

Each attack says what it is, and each class of them has a row in SECURITY.md.
"""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from graders.audit.attacks_uploads import known_attacks
from tests.promises import can_tell, table

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def found_in(batch):
    return {name: problems for name, problems in batch.problems.items() if problems}


@pytest.mark.promise(
    "no attack in the table below earns a point, leaks a secret, or causes a grader error",
    none="**no**: attacks are not run",
)
@pytest.mark.slow
def test_attackers_gain_nothing(quick):
    assert found_in(quick) == {}


@pytest.mark.promise(
    "an honest submission in the same batch keeps its result, and the grader's files are unchanged",
    none="**no**: attacks are not run",
)
@pytest.mark.slow
def test_nothing_else_in_the_batch_is_changed(quick):
    """The honest submission, the canaries of files and sockets, and no process left."""
    assert quick.together == []


@pytest.mark.slow
def test_every_attacker_has_its_row(quick):
    with (quick.out / "grades.csv").open(newline="") as file:
        rows = [row["submission"] for row in csv.DictReader(file)]
    assert sorted(rows) == sorted({*quick.problems, "honest"})


@pytest.mark.slow
def test_errors_are_shown_and_not_obeyed(quick):
    page = (quick.out / "reports" / "markup-errors.html").read_text()
    assert "alert(1)" in page
    assert_harmless(quick)


@pytest.mark.promise(
    "no attack in the table below earns a point, leaks a secret, or causes a grader error"
)
@pytest.mark.long
def test_no_attack_of_any_class_gains_anything(all_out):
    assert found_in(all_out) == {}
    assert set(all_out.problems) == {attack.name for attack in known_attacks()}


@pytest.mark.promise(
    "an honest submission in the same batch keeps its result, and the grader's files are unchanged"
)
@pytest.mark.long
def test_all_attacks_together_change_nothing(all_out):
    assert all_out.together == []
    assert_harmless(all_out)


def assert_harmless(batch):
    """No page holds markup of a student's, no cell a formula, no line an escape."""
    pages = [*batch.out.rglob("*.html")]
    assert pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "<script>alert" not in text, page.name
        assert "<img src=x" not in text, page.name
        assert "\x1b" not in text, page.name
    assert "\x1b" not in batch.output
    with (batch.out / "grades.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert not any(cell.startswith(FORMULA) for cell in row.values()), row


@pytest.mark.long
def test_the_same_attacks_succeed_without_walls(forge):
    """Or these tests would show nothing."""
    batch = forge("network-connect", "reading-environment", "reading-files")
    assert all(batch.problems.values()), batch.problems
    assert batch.together == ["a server was reached by TCP"] + [
        f"a server was reached by {name} socket" for name in ("an abstract", "a named")
    ]


SECURITY = Path(__file__).parents[2] / "SECURITY.md"


@pytest.mark.parametrize("attack", known_attacks(), ids=lambda attack: attack.name)
def test_attack_says_what_it_is(attack):
    assert attack.name.startswith(f"{attack.kind}-")
    assert attack.tries.endswith(".")
    assert "/" not in attack.submission, "a batch would take the folder above it"
    assert not attack.submission.startswith("."), "a batch leaves out what is hidden"
    assert (attack.runs == "never") == ("hostile.py" not in attack.files)
    assert attack.files or attack.archive or attack.artifact or attack.submission


def test_every_class_has_its_row_in_security():
    rows = re.findall(
        r"^\| ([a-z]+) \| (\d+) \|", SECURITY.read_text(encoding="utf-8"), re.MULTILINE
    )
    counts = Counter(attack.kind for attack in known_attacks())
    assert {kind: int(count) for kind, count in rows} == counts
    assert len(counts) == 21


@pytest.mark.skipif(not can_tell(), reason="a tier has no column here")
def test_table_of_promises_is_what_the_tests_show():
    rows = list(table())
    page = SECURITY.read_text(encoding="utf-8")
    assert "\n".join(rows) in page, "run `python -m tests.promises --write`"
    assert len(rows) > 10
