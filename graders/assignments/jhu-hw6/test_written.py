"""The written part: questions, keys and rubrics stand in written.toml."""

from graders.written.checks import judge, written_checks


@written_checks(__file__)
def test_written(written, submitted, score, inputs):
    judge(written, submitted, score, inputs)
