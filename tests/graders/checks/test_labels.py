"""Files of predicted labels: reading them, and the three states."""

import contextlib
import random
from fractions import Fraction

import pytest

from graders.checks.compare import CheckFailed
from graders.checks.labels import Labels, chance_at_least, judge, read_labels
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles

GOLD = tuple(random.Random(3).choices((0, 1), k=400))
NINETY = Fraction(9, 10)


def predicted(k, gold=GOLD):
    """Labels of which exactly k are right."""
    wrong = set(random.Random(5).sample(range(len(gold)), len(gold) - k))
    return tuple(1 - n if at in wrong else n for at, n in enumerate(gold))


def judged(predictions, gold=GOLD, **options):
    """The notes on these predictions; raises where they fail."""
    score = Score()
    judge(Labels("x.predictions", predictions, gold), NINETY, score, **options)
    return score.notes


def failure(predictions, gold=GOLD):
    with pytest.raises(CheckFailed) as problem:
        judged(predictions, gold)
    return problem.value


@pytest.mark.parametrize(
    "text",
    [
        "0\n1\n1\n",
        "0\r\n1\r\n1",
        "\ufeff0\n1\n1\n\n\n",
        "label\n0\n1\n1\n",
        "False\nTrue\ntrue\n",
        "no\nyes\nYes\n",
        "negative\npositive\npositive",
        "LABEL_0\nLABEL_1\nLABEL_1",
        "0.0\n1.0\n1.0",
        "0,0\n1,1\n2,1",
        "a film\t0\na plot\t1\na story\t1",
        "id,prediction\n0,0\n1,1\n2,1",
        "[0,\n1,\n1]",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_labels_are_read_as_students_write_them(text, encoding):
    assert read_labels("x", text.encode(encoding), (0, 1, 1)).correct == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0\n1\n", "has 2 lines, but 3"),
        ("0\n1\n1\n0\n", "has 4 lines, but 3"),
        ("0\n\n1\n\n1\n", "has 5 lines, but 3"),
        ("", "has 0 lines"),
        ("0\n2\n1\n", "Line 2 of `x` is not a label"),
        ("0\n1\nmaybe\n", "Line 3"),
        ("0.93\n0.1\n0.2\n", "Line 1"),
        (bytes(range(256)).decode("latin-1"), "`x`"),
    ],
)
def test_what_is_no_file_of_labels_is_refused(text, says):
    with pytest.raises(CheckFailed, match=says):
        read_labels("x", text.encode("latin-1"), (0, 1, 1))


def test_a_header_that_is_left_out_is_said():
    labels = read_labels("x", b"prediction\n0\n1\n1\n", (0, 1, 1))
    assert "the first line is not a label and was left out ('prediction')" in labels.notes


@pytest.mark.parametrize(
    ("right", "state"), [(400, "reached"), (381, "reached"), (363, "borderline"),
                         (357, "borderline"), (330, "missed")],
)  # fmt: skip
def test_three_states(right, state):
    assert Labels("x", predicted(right), GOLD).state(NINETY) == state


@pytest.mark.parametrize(
    ("right", "passes", "borderline"), [(395, True, False), (361, True, True), (359, False, True)]
)
def test_accuracy_itself_decides_and_borderline_is_said(right, passes, borderline):
    score = Score()
    refused = contextlib.nullcontext() if passes else pytest.raises(CheckFailed, match="below 90%")
    with refused:
        judge(Labels("x", predicted(right), GOLD), NINETY, score)
    assert any("Borderline" in note for note in score.notes) == borderline


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_for_everybody_fails_though_it_is_above_the_threshold(label):
    gold = (label,) * 95 + (1 - label,) * 5
    problem = failure((label,) * 100, gold)
    assert "Only one class is predicted" in problem.message
    assert "95.0%" in problem.message
    assert problem.actual == "one predicted class"


@pytest.mark.parametrize(
    ("predictions", "hint"),
    [
        (predicted(20), "classes exchanged"),
        ((0, *GOLD[:-1]), "one line earlier"),
        ((*GOLD[1:], 0), "one line later"),
        (predicted(205), "more frequent class"),
    ],
)
def test_a_mistake_that_shows_in_the_labels_is_named(predictions, hint):
    assert hint in failure(predictions).hint
    assert hint not in failure(predicted(320)).hint


def test_exchanged_classes_count_where_editions_differ():
    assert any("exchanged" in note for note in judged(predicted(20), either=True))


@pytest.mark.parametrize(("least", "n", "majority"), [(479, 872, 444), (963, 1821, 912)])
def test_majority_is_beaten_from_the_published_count_on(least, n, majority):
    share = Fraction(majority, n)
    below, at = (chance_at_least(k, n, share) for k in (least - 1, least))
    assert at < Fraction(1, 100) <= below


@pytest.mark.parametrize("k", [150, 330, 380])
def test_the_accuracy_is_shown_beside_the_majority(k):
    """Whatever the verdict."""
    score, labels = Score(), Labels("x.predictions", predicted(k), GOLD)
    with contextlib.suppress(CheckFailed):
        judge(labels, NINETY, score)
    (figure,) = score.figures
    assert (figure.correct, figure.n, figure.threshold) == (k, 400, 0.9)
    assert figure.baselines == (("always the more frequent class", labels.majority / 400),)


def test_a_file_that_is_too_large_is_told_the_limit(tmp_path):
    (tmp_path / "a.txt").write_bytes(bytes(2**20 + 1))
    files = SubmittedFiles({"a.txt": tmp_path / "a.txt"})
    with pytest.raises(CheckFailed, match="larger than 1 MB") as problem:
        files.bytes("a.txt", largest=2**20)
    assert problem.value.expected == "at most 1 MB"
