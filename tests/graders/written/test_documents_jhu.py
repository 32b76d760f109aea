"""Printed answers to jhu-hw6: correct ones pass, known errors are found."""

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify

# Letters, formulas and numbers as they were handed in; every sentence is ours.
ANSWERS = """
## 1.1
C
## 1.2
C
## 1.3
A, C, E
## 1.4
A
## 1.5
A, C
## 1.6
C
## 2.1.1
$\\begin{bmatrix} 3 \\\\ 2 \\\\ -4 \\end{bmatrix}$

The scores are 3, 1, 1 and -3.
## 2.1.2
No gradient reaches queries and keys.
## 2.2.1
One score is far above the others.
## 2.2.2
formula: $M = 2 A A^\\top$
text: It projects on the first span.
## 2.2.3
formula: $q_t = k_a + k_b$
text: Both scores are 1, all others 0.
## 3.1.3
Test 1 (lr=1e-3, num_epochs=9):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.6271899088997898}

Test 2 (lr=5e-4, num_epochs=7):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.6194814295725298}

Test 3 (lr=125e-4, num_epochs=12):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.6187806587245971}

Test 4 (lr=125e-4, num_epochs=20):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.5998598458304134}
## 3.1.4
BERT-base-cased
- Average DEV metrics: accuracy={'accuracy': 0.7091743119266055}
- Average TEST metrics: accuracy={'accuracy': 0.6923615977575333}

RoBERTa-base
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.6271899088997898}
## 3.2.1
lr=1e-4, num_epochs=20, batch_size=64
- Average DEV metrics: accuracy={'accuracy': 0.9}
- Average TEST metrics: accuracy={'accuracy': 0.9}
## 3.2.2
**2d + 2**
## 3.2.2 (runs)
lr=1e-4, num_epochs=20, batch_size=64
- Average DEV metrics: accuracy={'accuracy': 0.6}
- Average TEST metrics: accuracy={'accuracy': 0.6}
## 3.2.3
**$130d + 2$**
## 3.2.3 (runs)
lr=1e-4, num_epochs=20, batch_size=64
- Average DEV metrics: accuracy={'accuracy': 0.8}
- Average TEST metrics: accuracy={'accuracy': 0.8}
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The checks of the answers by id."""
    folder = tmp_path_factory.mktemp("answers") / "ada"
    folder.mkdir()
    (folder / "answers.md").write_text(ANSWERS, encoding="utf-8")
    assignment = load_assignment("jhu-hw6")
    result = grade_submission(identify(folder, "jhu-hw6"), assignment, Options(Tier.NONE))
    assert result.status != "incomplete", result
    return {each.check.id: each for found in result.criteria for each in found.checks}


RIGHT = ("1.1", "1.2", "1.3", "1.4", "1.5", "2.1.1", "2.2.2", "3.2.2", "3.2.3")


@pytest.mark.parametrize("question", RIGHT)
def test_right_answers_pass(graded, question):
    assert graded[f"{question}/machine"].fraction == 1.0


def test_bert_pair_says_what_the_option_lacks(graded):
    assert "second [SEP]" in graded["1.1/machine"].message


def test_mixed_checkpoints_are_wrong(graded):
    found = graded["1.6/machine"]
    assert (found.status, found.fraction) == ("failed", 0.0)
    assert "C is not the correct choice" in found.message


def test_query_without_scale_gets_half(graded):
    found = graded["2.2.3/machine"]
    assert found.fraction * found.check.weight == 1.0
    assert "Correct direction, but too short" in found.message


def test_two_of_six_runs_are_on_the_grid(graded):
    found = graded["3.1.3/machine"]
    assert "2 of the 6 required runs" in found.message
    assert "2 of the reported runs are not required" in found.message
    points = found.fraction * found.check.weight
    assert points == pytest.approx(2 * 2 / 6 + 1)  # the grid, and the settings are told


def test_no_choice_of_a_run_is_told(graded):
    assert "You did not say which run you chose" in graded["3.1.3/machine"].message


def test_majority_class_is_flagged_in_every_row(graded):
    message = graded["3.1.3/machine"].message
    assert "0.6217125382262997 is 2033/3270" in message
    others = message.split("The same applies to", 1)[1].split(".\n", 1)[0]
    assert others.count("dev") == 3  # all four rows


def test_test_accuracies_at_chance_cannot_be_ranked(graded):
    assert "cannot be ranked" in graded["3.1.3/machine"].message


def test_majority_class_costs_no_points_by_itself(graded):
    found = graded["3.1.4/machine"]
    assert found.fraction == 1.0
    assert "RoBERTa-base" in found.message.split("0.6217125382262997 is 2033/3270")[0]


def test_model_that_learned_is_not_flagged(graded):
    assert "BERT-base-cased" not in graded["3.1.4/machine"].message


@pytest.mark.parametrize("question", ["3.2.1", "3.2.2.runs", "3.2.3.runs"])
def test_accuracies_of_ten_items_are_impossible(graded, question):
    found = graded[f"{question}/machine"]
    assert found.fraction == 0.5  # the settings are told
    assert "10 items" in found.message
    assert "Dev and test accuracy are equal in every run" in found.message


@pytest.mark.parametrize("question", ["3.1.2", "2.3.1", "2.3.2", "3.2.5"])
def test_what_is_not_answered_gets_nothing(graded, question):
    found = graded[f"{question}/machine"]
    assert found.fraction == 0.0
    assert "Not answered" in found.message


@pytest.mark.parametrize("question", ["2.1.1", "2.1.2", "2.2.1", "2.2.2", "2.2.3"])
def test_free_text_waits_for_a_person(graded, question):
    assert graded[f"{question}/review"].status == "needs_review"
