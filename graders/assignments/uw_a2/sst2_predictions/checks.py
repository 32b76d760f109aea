"""Predicted labels of SST-2: advice on their accuracy."""

from collections.abc import Mapping

import pytest

from graders.checks.labels import judge, note_copy, read_part, required
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.labelled import LabelledData
from graders.model import Setting

DEV, TEST = 872, 1821  # sentences of SST-2: never graded with the built-in sample dataset


@pytest.mark.criterion("sst2-predictions")
def test_dev_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the validation sentences reaches the threshold."""
    labels = read_part(submitted, data, "dev", DEV if data.embedded else None)
    judge(labels, required(data, settings), score, either=True)


@pytest.mark.criterion("sst2-predictions")
def test_test_labels(
    submitted: SubmittedFiles, data: LabelledData, settings: Mapping[str, Setting], score: Score
) -> None:
    """The accuracy on the test sentences reaches the threshold."""
    labels = read_part(submitted, data, "test", TEST if data.embedded else None)
    note_copy(labels, score, either=True)
    judge(labels, required(data, settings), score, either=True)
