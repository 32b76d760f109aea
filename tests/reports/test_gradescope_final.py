"""The sentence above the tests names the score that Gradescope shows, and its computation."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graders.course.extensions import Extensions
from graders.course.release import Terms
from graders.grading_policy import GradingPolicy, Lateness
from graders.model import CriterionResult, Result, Submission
from reports.gradescope.final import with_final_grade
from reports.gradescope.results_json import gradescope_json

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def document(tiny):
    """`document(**lateness)`: results.json of full points, handed in two days late."""

    def make(visibility="visible", **lateness):
        rubric = tuple(replace(each, visibility=visibility) for each in tiny.rubric)
        policy = GradingPolicy(Lateness(**lateness))
        upload = Submission("s", "s", "tiny", Path(), "f" * 64, DUE + timedelta(days=2))
        full = tuple(CriterionResult(each, "passed", each.points, ()) for each in rubric)
        most = sum(each.points for each in rubric)
        result = Result(
            *(upload, "tiny", 1, "Tiny", "graded", full, most, most, {}),
            *(DUE, 1.0),
        )
        grade = Terms(policy=policy, dues=Extensions(DUE)).grade(result)
        return with_final_grade(gradescope_json(result), result, grade)

    return make


def test_the_score_of_a_late_submission_is_said(document):
    made = document(percent=10)
    assert made["score"] == 4.8
    assert made["output"] == "Your score is 4.8: 6 of 6 points; 2 days late, minus 1.2."


def test_what_is_not_accepted_has_no_score_in_words_either(document):
    made = document(max_days=1, too_late="not_accepted")
    assert not {"score", "tests"} & made.keys()
    assert made["output"].startswith("There is no score: 6 of 6 points; 2 days late")


def test_no_words_tell_of_hidden_points(document):
    made = document("hidden", percent=10)
    assert (made["score"], made["output"]) == (4.8, "")
