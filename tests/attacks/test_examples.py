"""The attacks themselves: each says what it is, and each class has a row in SECURITY.md."""

import re
from collections import Counter
from pathlib import Path

import pytest

from graders.audit.attacks_uploads import known_attacks
from tests.promises import can_tell, table

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
