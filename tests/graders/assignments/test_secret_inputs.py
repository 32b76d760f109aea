"""The planted examples of cs224n-a4 lose the same points for every secret."""

import pytest

from graders.audit.validate import validate
from graders.boundary.tiers.sandbox import best_tier
from graders.execution.executors import make_executor
from graders.grading.options import Options
from graders.grading.secret import new_secret
from graders.registry.discovery import load_assignment

CODE = frozenset({"span-corruption", "rotary"})


@pytest.mark.long
def test_examples_lose_the_same_for_any_secret():
    """Drawn anew each time; the secret is printed where something differs, to be tried again."""
    draw = new_secret()
    options = Options(best_tier(), only=CODE, draw=draw)
    with make_executor("processes", 2) as pool:
        findings = list(validate(load_assignment("cs224n-a4"), options, pool, ahead=4))
    assert len(findings) > 150
    assert [each for each in findings if each.problems] == [], hex(draw)
