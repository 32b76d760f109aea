"""Printed answers to uw-a2: correct ones pass, known errors are found."""

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify

# Vectors, tables and numbers as they were handed in; every sentence is ours.
ANSWERS = """
## 1.2.1
vector: $[44.6093 \\quad 28.4705 \\quad 31.0986]$
text: Least squares for scores of 100, 0, 0 and 0.
## 1.2.2
matrix: $\\begin{bmatrix} 44.6093 & 28.4705 & 31.0986 \\\\ 74.2993 & 24.4711 & -43.9832 \\\\
9.9978 & -24.5389 & -51.8660 \\\\ 73.9117 & -69.2530 & 27.8533 \\end{bmatrix}$
text: Least squares for each row.
## 1.2.3
One earlier word may decide the next.
## 1.3.1
vector: $[0 \\quad 0 \\quad 0]$
text: All scores are equal.
## 1.3.2
vector: [1.1499, 4.1566, -0.1848]
text: Least squares for scores of 3, 3, -2 and -3.
## 1.4.1
key: k_0
text: A key that has the score of the first.
## 1.4.3
The query was made for certain keys.
## 2.2.1
|  | Train | Dev | Normal Sample | Weird Sample | Long Sample |
|---|---|---|---|---|---|
| Perplexity | 401.04 | 380.80 | 280.21 | 12820.43 | 428.35 |
| Loss | 5.73 | 5.69 | 5.63 | 9.45 | 6.05 |
## 2.2.2
|  | Train | Dev | Normal Sample | Weird Sample | Long Sample |
|---|---|---|---|---|---|
| Perplexity | 525.31 | 485.56 | 437.24 | 10368.04 | 505.39 |
| Loss | 6.03 | 5.96 | 6.08 | 9.24 | 6.22 |
## 2.2.3
|  | Train | Dev | Normal Sample | Weird Sample | Long Sample |
|---|---|---|---|---|---|
| Shuffle perplexity | 404.63 | 383.59 | 322.56 | 13879.92 | 419.71 |
| Shuffle loss | 5.74 | 5.70 | 5.77 | 9.53 | 6.03 |
| Shift perplexity | 402.10 | 382.20 | 299.93 | 14801.54 | 425.183 |
| Shift loss | 5.73 | 5.69 | 5.70 | 9.60 | 6.05 |
| Re-weight perplexity | 362.84 | 345.57 | 2178713.25 | 2550125904.81 | 341466.20 |
| Re-weight loss | 5.63 | 5.59 | 14.59 | 21.65 | 12.74 |
## Q2.1
train: 6920
validation: 872
test: 1821
## Q2.3
input_ids: `torch.Tensor`, shape `(B, 45)`
attention_mask: `torch.Tensor`, shape `(B, 45)`
label_encoding: `torch.Tensor`, shape `(B,)`
text: Token numbers; 1 for tokens and 0 for padding; classes.
## Q4.2
train_epoch: the 8th
dev_epoch: the first
text: One rises, the other falls.
## Q4.7
lr=5e-05, batch_size=128, num_epochs=5; training and validation accuracy: 95.91%, 93.23%
## Q5.1
94.83%
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The checks of the answers by id."""
    return grade(ANSWERS, tmp_path_factory.mktemp("answers"))


def grade(answers, parent):
    folder = parent / "ada"
    folder.mkdir()
    (folder / "answers.md").write_text(answers, encoding="utf-8")
    assignment = load_assignment("uw-a2")
    result = grade_submission(identify(folder, "uw-a2"), assignment, Options(Tier.NONE))
    assert result.status != "incomplete", result
    return {each.check.id: each for found in result.criteria for each in found.checks}


@pytest.mark.parametrize("question", ["1.2.1", "1.2.2", "1.3.1", "Q2.1", "Q2.3", "Q5.1"])
def test_right_answers_pass(graded, question):
    assert graded[f"{question}/machine"].fraction == 1.0, graded[f"{question}/machine"].message


@pytest.mark.parametrize("question", ["1.3.2", "1.4.1"])
def test_an_output_within_the_courses_tolerance_passes(graded, question):
    assert graded[f"{question}/machine"].fraction == 1.0  # the outputs are off by .03


def test_blank_key_gets_nothing(graded):
    found = graded["1.4.2/machine"]
    assert found.fraction == 0.0
    assert "Not answered" in found.message


def test_replacing_all_keys_is_wrong(tmp_path):
    found = grade("## 1.4.2\nkey: [[0, 0, 1], [0, 0, 1], [1, 0, 0], [0, 0, 1]]\n", tmp_path)
    assert found["1.4.2/machine"].fraction == 0.0
    assert "Keys other than k_2 were changed" in found["1.4.2/machine"].message


def test_best_key_for_a_short_query_gets_the_method(tmp_path):
    answers = "## 1.3.2\n[1.1499, 4.1566, -0.1848]\n## 1.4.2\nkey: q/norm(q)\n"
    found = grade(answers, tmp_path)["1.4.2/machine"]
    assert found.fraction == 0.5  # the third weight is .643 at best
    assert "off by up to 0.357" in found.message


@pytest.mark.parametrize("question", ["2.2.1", "2.2.2", "2.2.3"])
def test_averaged_perplexities_are_no_errors(graded, question):
    found = graded[f"{question}/machine"]
    assert found.fraction == 1.0  # ten of the cells are not exp(loss), and right
    assert "impossible" not in found.message
    assert "but the loss is" not in found.message


def test_losses_cut_off_and_rounded_are_told_apart(graded):
    assert "round" in graded["2.2.2/machine"].message


def test_best_epochs_need_the_curve(graded):
    found = graded["Q4.2/machine"]
    assert found.fraction == 0.0
    assert "No curve could be read" in found.message


def test_sizes_fit_the_reported_accuracies(graded):
    found = graded["Q4.7/machine"]
    assert found.fraction == 1.0, found.message
    assert "Impossible" not in found.message


def test_polarity_of_labels_is_in_no_key():
    text = (load_assignment("uw-a2").folder / "written.toml").read_text(encoding="utf-8")
    assert not any(f"{n} is {word}" in text for n in "01" for word in ("positive", "negative"))
