"""Shared by the tests of audits: a question of kind table, and the facts about BoolQ."""

import numpy as np
import pytest

from graders.written.judgement import Asked
from graders.written.question import Machine
from graders.written.verifiers import VERIFIERS

BOOLQ = {
    "splits": {
        "dev": {"items": 3270, "majority": 2033},
        "test": {"items": 1427, "majority": 5874, "population": 9427},
    },
    "subset": 10,
}


@pytest.fixture
def judge():
    """Judge the parts of an answer by a verifier with these settings."""

    def judged(verify, parts, others=None, **settings):
        machine = Machine(1, "table", tuple(parts), verify, settings, (), "", "")
        return VERIFIERS[verify](Asked(machine, parts, others or {}, np.random.default_rng(0)))

    return judged


@pytest.fixture
def boolq():
    return BOOLQ
