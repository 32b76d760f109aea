"""Predicted labels of BoolQ: advice on their accuracy."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from graders.checks.compare import skip
from graders.checks.labels import Labels, judge, read_labels
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.labelled import LabelledData
from graders.model import Setting

# Number of questions in the homework's parts. Every run of the starter draws a new test part, so
# its
# labels are known only if a reproducible run drew it.
COURSE = {"dev": 3270, "test": 1427}


@pytest.mark.criterion("boolq-predictions")
def test_dev_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the validation questions reaches the threshold."""
    _judge(_read(submitted, data, "dev"), settings, score)


@pytest.mark.criterion("boolq-predictions")
def test_test_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the test questions reaches the threshold."""
    _judge(_read(submitted, data, "test"), settings, score)


def _read(submitted: SubmittedFiles, data: LabelledData, part: str) -> Labels:
    name = f"boolq.{part}.predictions"
    if not submitted.has(name):
        skip(f"`{name}` was not submitted; it is optional.")
    raw, items = submitted.bytes(name), data.dev if part == "dev" else data.test
    whole = (COURSE[part], COURSE[part] - 1)
    if raw.count(b"\n") in whole and len(items) != COURSE[part]:
        skip(f"`{name}` is for BoolQ, whose labels are missing. Grade with --data.")
    return read_labels(name, raw, [label for _, label in items])


def _judge(labels: Labels, settings: Mapping[str, Setting], score: Score) -> None:
    """Check the accuracy against the threshold, and note if all labels are correct."""
    if labels.correct == labels.n:
        score.note(f"All {labels.n} labels are correct. Are these the answers themselves?")
    judge(labels, Fraction(str(settings["boolq_accuracy_percent"])) / 100, score)
