"""Document 004's answers in our notation get the scores they deserve, even with misprints."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify

KEY, QUERY = "u_d u_d^T + u_c u_c^T", "u_d u_a^T + u_c u_d^T"
VALUE = r"\beta^{-2} (u_b u_b^T - u_c u_c^T)"
PRINTED = rf"""
## 1a
The weight of j is near 1 and the others near 0, so c is about v_j.

## 1b
formula: $q = \beta (k_a + k_b)$
text: The weights are exp(beta) / (n - 2 + 2 exp(beta)), which goes to a half for large beta.

## 1c.i
formula: $q = \beta (k_a + k_b)$
text: With a variance near 0 the keys are their means, so 1b holds.

## 1c.ii
k_a is mu_a times about 1/2 in some samples and 3/2 in others, so c leans to v_b or to v_a.

## 1d.i
q1: $\beta \mu_a$
q2: $\beta \mu_b$

## 1d.ii
c1 is about v_a and c2 about v_b in most samples, so their mean varies little.

## 1e.i
c_2 is about u_a; u_b cannot be isolated by adding u_d or u_c.

## 1e.ii
K: {KEY}
Q: {QUERY}
V: {VALUE}

## 3a
Pretraining taught it facts.

## 3b
Nobody can tell; and it never says that it does not know.

## 3c
Names that look alike; that is a stereotype.
"""


@dataclass
class Graded:
    """Grades answers of cs224n-a5; the checks by id."""

    folder: object
    assignment: object = field(default_factory=lambda: load_assignment("cs224n-a5"))

    def __call__(self, answers, *only):
        (self.folder / "answers.md").write_text(answers)
        options = Options(Tier.NONE, only=frozenset(only) or None)
        submission = identify(self.folder, self.assignment.name)
        result = grade_submission(submission, self.assignment, options)
        return {each.check.id: each for graded in result.criteria for each in graded.checks}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return Graded(tmp_path_factory.mktemp("answers"))


@pytest.fixture(scope="module")
def printed(graded):
    return graded(PRINTED)


@pytest.mark.parametrize(
    ("check", "fraction"),
    [("1b/machine", 1), ("1c.i/machine", 0.5), ("1d.i/machine", 1), ("1e.ii/machine", 1)],
)
def test_printed_formulas_earn_what_they_deserve(printed, check, fraction):
    assert printed[check].fraction == fraction


def test_keys_where_means_were_asked_are_named(printed):
    assert "built from keys" in printed["1c.i/machine"].message


def test_every_printed_text_waits_for_a_person(printed):
    texts = {name: each for name, each in printed.items() if name.endswith("/review")}
    assert len(texts) == 9
    assert {each.status for each in texts.values()} == {"needs_review"}


def matrices(*, key=KEY, query=QUERY, value=VALUE):
    return f"## 1e.ii\nK: {key}\nQ: {query}\nV: {value}\n"


def test_swapping_key_and_query_is_wrong(graded):
    """The document calls them interchangeable; only what V earns is left."""
    swapped = graded(matrices(key=QUERY, query=KEY), "1e.ii")["1e.ii/machine"]
    assert swapped.fraction == 0.5
    assert swapped.message == "K and Q are swapped."


def test_equating_query_and_value_is_refused(graded):
    """The document's last line puts an equals sign between its Q and its V."""
    refused = graded(matrices(query=f"{QUERY} = {VALUE}"), "1e.ii")["1e.ii/machine"]
    assert refused.fraction <= 0.5
    assert "not equal" in refused.message


def test_the_value_matrix_as_query_is_wrong(graded):
    assert graded(matrices(query=VALUE), "1e.ii")["1e.ii/machine"].fraction == 0.5


def test_the_solution_still_works_with_scaled_matrices(graded):
    """With beta^-2 in K and Q, too, as the inventory measured."""
    scaled = matrices(key=rf"\beta^{{-2}} ({KEY})", query=rf"\beta^{{-2}} ({QUERY})")
    assert graded(scaled, "1e.ii")["1e.ii/machine"].fraction == 1


def test_swapping_by_hand_gives_the_wrong_outputs():
    """What the checker says is what the numbers say: errors of 1.41 and .47 against beta."""
    beta, rows = 5.0, np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0]
    a, b, c, d = beta * rows[:4]
    x = np.stack([d + b, a, c + b])
    k, q = (np.outer(d, d) + np.outer(c, c)), (np.outer(d, a) + np.outer(c, d))
    v = (np.outer(b, b) - np.outer(c, c)) / beta**2

    def outputs(key, query):
        scores = (x @ query.T) @ (x @ key.T).T
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True) @ (x @ v.T)

    assert np.allclose(outputs(k, q)[:2], [b - c, b])
    errors = np.linalg.norm(outputs(q, k)[:2] - [b - c, b], axis=1) / beta
    assert np.allclose(errors, [1.41, 0.47], atol=0.01)
