"""The written part: questions, keys and rubrics are in written.toml."""

from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.written.checks import WrittenCheck, judge, written_checks


@written_checks(__file__)
def test_written(
    written: WrittenCheck, submitted: SubmittedFiles, score: Score, inputs: Inputs
) -> None:
    judge(written, submitted, score, inputs)
