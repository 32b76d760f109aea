"""A student's check and staff's run agree on every visible check, on different inputs."""

from dataclasses import replace

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.pipeline import Options, grade_submission
from graders.grading.precheck import precheck_options
from graders.grading.secret import new_secret
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.planted import examples_of


@pytest.mark.long
@pytest.mark.parametrize(
    "example",
    [
        *("cs224n-a4/correct-plain", "cs224n-a4/wrong-rotary-base", "cs224n-a4/wrong-mean-third"),
        *("uw-a2/right-mini-einsum", "uw-a2/wrong-sst2-no-zero-grad"),
        *("jhu-hw6/right-code-one-file", "jhu-hw6/wrong-code-padding-is-read"),
    ],
)
def test_check_and_run_agree(example):
    name, submission = example.split("/")
    task = load_assignment(name)
    upload = identify(examples_of(name) / submission, name)
    code = frozenset(each.id for each in task.rubric if each.kind == "code")
    plan = precheck_options(task, upload.path, best_tier(), data=None, only=code)
    staff = replace(Options(best_tier(), only=code), draw=new_secret())
    assert verdicts(upload, task, plan.options) == verdicts(upload, task, staff)


def verdicts(upload, task, options):
    result = grade_submission(upload, task, options)
    assert result.status == "graded"
    return {
        check.check.id: check.status
        for criterion in result.criteria
        if criterion.criterion.visibility == "visible"
        for check in criterion.checks
    }
