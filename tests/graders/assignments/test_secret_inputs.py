"""The planted examples of cs224n-a4 lose the same points for every secret."""

import pytest

from graders.audit.validate import validate
from graders.boundary.tiers.sandbox import best_tier
from graders.execution.executors import make_executor
from graders.grading.pipeline import Options
from graders.grading.secret import new_secret
from graders.registry.discovery import load_assignment

CODE = frozenset({"span-corruption", "rotary"})


def unexpected_under(draw):
    """The examples whose result is not as expected under this secret, by name."""
    options = Options(best_tier(), only=CODE, draw=draw)
    with make_executor("processes", 2) as pool:
        findings = list(validate(load_assignment("cs224n-a4"), options, pool, ahead=4))
    assert len(findings) > 150
    return {each.name: each.problems for each in findings if each.problems}


@pytest.mark.long
def test_examples_lose_the_same_for_any_secret():
    """Drawn anew each time; the secrets are printed where something differs, to be tried again.

    One example (`wrong-whole-corpus`) breaks a rule about as often as the limit for rare faults
    says, and loses more under about 1 of 20 secrets: false alarms come in 1 of 400 runs.
    """
    first, second = new_secret(), new_secret()
    odd = unexpected_under(first)
    again = unexpected_under(second) if odd else {}
    assert not odd.keys() & again.keys(), (hex(first), odd, hex(second), again)
