"""The attacks themselves: every class has an example, a description and a row in SECURITY.md."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from graders.audit.attacks_uploads import known_attacks
from graders.boundary.tiers.sandbox import Tier, tier_works

ROOT = Path(__file__).parents[2]
CLASSES = {
    *("answering", "archives", "caching", "detecting", "editing", "ending", "endless", "flooding"),
    *("forging", "hunting", "ignoring", "killing", "lying", "markup", "network", "outliving"),
    *("patching", "pickles", "prompting", "reading", "shadowing"),
}


def test_every_class_has_attacks():
    assert {attack.kind for attack in known_attacks()} == CLASSES


@pytest.mark.parametrize("attack", known_attacks(), ids=lambda attack: attack.name)
def test_attack_says_what_it_is(attack):
    assert attack.name.startswith(f"{attack.kind}-")
    assert attack.tries.endswith(".")
    assert "/" not in attack.submission, "a batch would take the folder above it"
    assert not attack.submission.startswith("."), "a batch leaves out what is hidden"
    assert (attack.runs == "never") == ("hostile.py" not in attack.files)
    assert attack.files or attack.archive or attack.artifact or attack.submission


@pytest.mark.parametrize("kind", sorted(CLASSES))
def test_class_stands_in_security(kind):
    count = sum(attack.kind == kind for attack in known_attacks())
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {kind} \| {count} \|", text, re.MULTILINE), f"{kind}: {count}"


@pytest.mark.skipif(not all(map(tier_works, Tier)), reason="a tier has no column here")
def test_table_of_promises_is_what_the_tests_show():
    done = subprocess.run(
        [sys.executable, "-m", "tests.promises"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert done.stdout in page, "run `python -m tests.promises --write`"
    assert len(done.stdout.splitlines()) > 10
