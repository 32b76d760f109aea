"""Predicted labels of BoolQ: advice on their accuracy."""

from collections.abc import Mapping

import pytest

from graders.checks.labels import judge, note_copy, read_part, required
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.labelled import LabelledData
from graders.model import Setting

# Number of questions in the homework's parts. Every run of the starter draws a new test part, so
# its labels are known only if a reproducible run drew it.
DEV, TEST = 3270, 1427


@pytest.mark.criterion("boolq-predictions")
def test_dev_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the validation questions reaches the threshold."""
    labels = read_part(submitted, data, "dev", DEV if len(data.dev) != DEV else None)
    note_copy(labels, score)
    judge(labels, required(data, settings), score)


@pytest.mark.criterion("boolq-predictions")
def test_test_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the test questions reaches the threshold."""
    labels = read_part(submitted, data, "test", TEST if len(data.test) != TEST else None)
    note_copy(labels, score)
    judge(labels, required(data, settings), score)
