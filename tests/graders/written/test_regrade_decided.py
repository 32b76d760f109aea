"""A regrade keeps automatic verdicts and people's decisions separate."""

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.course.regrade import grade_draft, plan_draft
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_stored, plan_work
from graders.grading.pipeline import GradingRequest, Options
from graders.grading.secret import PUBLICLY, with_draw
from graders.registry.discovery import load_assignment
from graders.storage.decisions import open_decisions
from graders.storage.store import FILE, open_store
from graders.written.decisions import Decision, JudgedItem, answer_sum
from submissions.receive import identify
from tests.graders.written.conftest import RIGHT

OPTIONS = Options(Tier.NONE)
CHECK = "1b/review"


@pytest.fixture
def graded(essay_folder, tmp_path):
    """A folder of results with one submission, whose answer to 1b somebody has decided."""
    upload, out = tmp_path / "ada", tmp_path / "out"
    upload.mkdir()
    (upload / "answers.md").write_text(RIGHT)
    task = load_assignment(str(essay_folder))
    with open_store(out) as store:
        question = with_draw(GradingRequest(task, OPTIONS), store, PUBLICLY)
        work = plan_work(store, [identify(upload, task.name)], question, alone=True)
        list(grade_stored(store, work, question, SerialExecutor()))
    with open_decisions(out / FILE) as trail:
        item = JudgedItem("doubling scales every entry", 1.0, True)
        text = answer_sum("Each entry is doubled.")
        trail.add([Decision("ada", CHECK, text, "Rea", 1.0, (item,), 0.0, "")])
    return out


def status(result):
    return {c.check.id: c.status for each in result.criteria for c in each.checks}[CHECK]


def test_a_regrade_stores_no_decision_as_if_a_machine_had_made_it(graded, essay_folder):
    file = essay_folder / "assignment.toml"
    file.write_text(file.read_text().replace("In writing", "In other words"))
    with open_store(graded) as store:
        assert status(store.member_result(1, "ada")) == "passed"
        draft = plan_draft(store, load_assignment(str(essay_folder)), OPTIONS)
        (result,) = grade_draft(store, draft, SerialExecutor())
        assert result.title == "In other words"
        (member,) = store.members(draft.number)
        assert status(store.as_graded("ada", member.made.address)) == "needs_review"
        assert status(store.member_result(draft.number, "ada")) == "passed"
