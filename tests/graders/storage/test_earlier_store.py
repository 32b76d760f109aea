"""A store that Softmark of 22 November 2026 wrote, before the redesign of `graders`, keeps working.

`store_of_22_november.sql` is its dump: one submission of cs182-transformers, with an answer that a
person has decided and others that wait.
"""

import sqlite3
from pathlib import Path

import pytest

import softmark
from graders.boundary.tiers.sandbox import Tier
from graders.course.review import open_review
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_and_store, plan_work
from graders.grading.options import GradingRequest, Options
from graders.registry.discovery import load_assignment
from graders.storage.store import FILE, open_store
from submissions.receive import identify

DUMP = Path(__file__).with_name("store_of_22_november.sql")
ANSWERS = "## b\nadd: $x_1 x_2$\ntext: No cross terms in the second case.\n"


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    connection = sqlite3.connect(folder / FILE)
    connection.executescript(DUMP.read_text(encoding="utf-8"))
    connection.close()
    return folder


def earned(out):
    return softmark.load(out).set_index("criterion")["points"].dropna().to_dict()


def test_all_that_it_kept_is_read_and_what_waits_can_be_decided(out):
    assert earned(out) == {
        **{"a": 0.0, "b": 4.0, "c.i": 2.0, "c.ii": 2.0, "d": 0.0, "e": 3.0, "f": 3.0, "i": 4.0}
    }
    with open_store(out) as store:
        result = store.member_result(1, "ada")
    assert result.title == "Transformers and Pretraining (discussion sheet)"
    assert result.submission.submitted_at is not None
    assert {graded.criterion.kind for graded in result.criteria} == {"written"}
    assert [check.weight for check in result.criteria[1].checks] == [2.0, 2.0]
    with open_review(out) as review:
        review.refresh()
        answers = [answer for of in review.material.answers.values() for answer in of.values()]
        waiting = {
            answer.check for answer in answers if review.standing(answer).state == "undecided"
        }
    assert waiting == {"g/review", "h/review"}


def test_a_new_grading_in_it_keeps_the_decision_of_an_unchanged_answer(out, tmp_path):
    upload = tmp_path / "ada"
    upload.mkdir()
    (upload / "answers.md").write_text(ANSWERS)
    request = GradingRequest(load_assignment("cs182-transformers"), Options(Tier.NONE))
    with open_store(out) as store:
        work = plan_work(store, [identify(upload, request.assignment.name)], request)
        list(grade_and_store(store, work, request, SerialExecutor()))
        assert work.generation == 2
        (criterion,) = (
            graded
            for graded in store.member_result(2, "ada").criteria
            if graded.criterion.id == "b"
        )
    assert {check.id: check.status for check in criterion.checks}["b/review"] == "passed"
