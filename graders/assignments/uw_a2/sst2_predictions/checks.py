"""Predicted labels of SST-2: advice on their accuracy."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from graders.checks.compare import skip
from graders.checks.labels import Labels, judge, read_labels
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.labelled import Items, LabelledData
from graders.model import Setting

COURSE = {
    "dev": 872,
    "test": 1821,
}  # sentences of SST-2: never graded with the built-in sample dataset


@pytest.mark.criterion("sst2-predictions")
def test_dev_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the validation sentences reaches the threshold."""
    labels = _read(submitted, data, "dev")
    judge(labels, _threshold(settings), score, either=True)


@pytest.mark.criterion("sst2-predictions")
def test_test_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the test sentences reaches the threshold."""
    labels = _read(submitted, data, "test")
    _note_copy(labels, score)
    judge(labels, _threshold(settings), score, either=True)


def _read(submitted: SubmittedFiles, data: LabelledData, part: str) -> Labels:
    name = f"sst2.{part}.predictions"
    if not submitted.has(name):
        skip(f"`{name}` was not submitted; it is optional.")
    raw, items = submitted.bytes(name), _items(data, part)
    if data.embedded and raw.count(b"\n") in (COURSE[part], COURSE[part] - 1):
        skip(f"`{name}` is for SST-2, whose labels are missing. Grade with --data.")
    return read_labels(name, raw, [label for _, label in items])


def _items(data: LabelledData, part: str) -> Items:
    return data.dev if part == "dev" else data.test


def _threshold(settings: Mapping[str, Setting]) -> Fraction:
    return Fraction(str(settings["sst2_accuracy_percent"])) / 100


def _note_copy(labels: Labels, score: Score) -> None:
    """Add a note if all labels are correct or all exchanged, which no model here achieves."""
    if labels.correct in (0, labels.n):
        score.note(f"All {labels.n} labels are correct. Are these the answers themselves?")
