"""The planted examples of cs224n-a4 lose points of the same criteria for every secret."""

import random

import pytest

from graders.audit.examples import example_names, expectation, write_examples
from graders.audit.validate import validate
from graders.boundary.tiers.sandbox import best_tier
from graders.execution.executors import make_executor
from graders.grading.options import Options
from graders.grading.secret import new_secret
from graders.registry.discovery import load_assignment

CODE = frozenset({"span-corruption", "rotary"})
SAMPLE = 70  # of 220 examples; `validate` grades all of them, with one secret


@pytest.mark.long
def test_examples_lose_points_of_the_same_criteria_for_any_secret(tmp_path):
    """Secret and sample are drawn anew; the secret is printed with what differs.

    What is right never loses a point, and what is wrong never keeps them all. Some inputs leave a
    hint more general, let it name a similar mistake, or let a second check see a mistake that the
    first one names: in ten runs, 3 of 2,170 findings. One may be of this kind, which is exceeded
    once in 260 runs.
    """
    draw, assignment = new_secret(), load_assignment("cs224n-a4")
    names = random.sample(example_names(assignment), SAMPLE)
    options = Options(best_tier(), only=CODE, inputs_seed=draw)
    with make_executor("processes", 2) as pool:
        findings = list(validate(assignment, options, pool, names=names))
    assert len(findings) > SAMPLE / 2  # some examples have no code
    paths = write_examples(assignment, tmp_path)
    losing = {path.name: set(_of_code(expectation(path, assignment).lost)) for path in paths}
    other = [
        finding
        for finding in findings
        if set(_of_code(finding.lost)) != losing.get(finding.name, set())
    ]
    assert other == [], hex(draw)
    unexpected = [finding for finding in findings if finding.problems]
    assert len(unexpected) <= 1, (hex(draw), unexpected)


def _of_code(lost):
    return {name: points for name, points in lost.items() if name in CODE}
