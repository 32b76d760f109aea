"""Get a verifier's judgement of an answer."""

import numpy as np
import pytest

from graders.written.judgement import Asked
from graders.written.question import Machine, Mistake
from graders.written.verifiers import VERIFIERS

DRAWS = 10


def judged(verify, answer, *, mistakes=(), others=None, seed=0, **settings):
    """The judgement of one text, or of several by part."""
    parts = answer if isinstance(answer, dict) else {"formula": answer}
    asked_for = settings.pop("parts", tuple(parts))
    known = tuple(Mistake(*each) for each in mistakes)
    machine = Machine(1, "formula", asked_for, verify, settings, known, "", "")
    draw = np.random.default_rng(seed)
    return VERIFIERS[verify](Asked(machine, parts, others or {}, draw))


def fractions(verify, answer, **settings):
    """What an answer earns, over ten draws."""
    found = (judged(verify, answer, seed=seed, **settings) for seed in range(DRAWS))
    return {round(each.fraction, 9) for each in found}


@pytest.fixture(scope="session")
def judge():
    """A function from a verifier's name, an answer and settings to a judgement."""
    return judged


@pytest.fixture(scope="session")
def earned():
    """A function to the set of shares that an answer earns over ten draws."""
    return fractions
