"""A regrade grades only what a change of checks can affect, and publishes only on request."""

from dataclasses import replace

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.course.regrade import begin_draft, grade_draft, refuse_losses, regraded
from graders.errors import GraderFault, UsageError
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_and_store, plan_work
from graders.grading.options import GradingRequest, Options
from graders.grading.secret import PUBLICLY, with_inputs_seed
from graders.registry.discovery import load_assignment
from graders.storage.store import open_store
from submissions.receive import identify_all
from tests.conftest import ASSIGNMENT, CHECKS, append, edit

OPTIONS = Options(best_tier())
SPELLING = '''
import pytest
from graders.checks.compare import fail


@pytest.mark.criterion("double", weight=1)
def test_spelling(submitted, fingerprints):
    """The answer has two characters."""
    fingerprints["answer.txt"] = "f00d"
    if len(submitted.bytes("answer.txt")) != 2:
        fail("That is not two characters.")


@pytest.mark.criterion("double", weight=3)
def test_digits(submitted):
    """The answer has digits."""
    if not submitted.bytes("answer.txt").isdigit():
        fail("That has no digits.")
'''


class Counting(SerialExecutor):
    """Notes what was graded, and with which criteria."""

    def __init__(self):
        self.jobs = []

    def submit(self, fn, /, submission, assignment, options):
        self.jobs.append((submission.id, options.only))
        return super().submit(fn, submission, assignment, options)


class Losing(SerialExecutor):
    """Loses every job."""

    def submit(self, fn, /, *words, **more):
        return super().submit(self.lose)

    def lose(self):
        raise OSError("no room")


def make_course(place):
    """Grade three submissions with two check files, neither of which starts a process."""
    folder, uploads = place / "tiny", place / "uploads"
    folder.mkdir(parents=True)
    (folder / "assignment.toml").write_text(ASSIGNMENT)
    head = "import pytest\nfrom graders.checks.compare import fail\n\n"
    answer_check = CHECKS[CHECKS.index('@pytest.mark.criterion("answer")') :]
    (folder / "checks.py").write_text(head + answer_check)
    (folder / "checks_spelling.py").write_text(SPELLING)
    for name, answer in (("ada", "42"), ("bob", "41"), ("cyd", "no")):
        (uploads / name).mkdir(parents=True)
        (uploads / name / "answer.txt").write_text(answer)
    grade(folder, uploads, place / "out")


@pytest.fixture
def course(made_once):
    """The assignment, the uploads and the results, as they were graded."""
    place = made_once(make_course)
    return place / "tiny", place / "uploads", place / "out"


@pytest.fixture
def stricter(course):
    """The course after half a point became a quarter in a check of `answer`."""
    edit(course[0] / "checks.py", "score.partial(0.5", "score.partial(0.25")
    return course


def grade(folder, uploads, out, options=OPTIONS):
    submissions = identify_all(sorted(uploads.iterdir()), "tiny")
    with open_store(out) as store:
        request = with_inputs_seed(
            GradingRequest(load_assignment(str(folder)), options), store, PUBLICLY
        )
        work = plan_work(store, submissions, request, alone=True)
        list(grade_and_store(store, work, request, SerialExecutor()))
        return {result.submission.id: result for result in store.results(work.generation)}


def regrade(course, executor=None, options=OPTIONS, *, stop_after=None):
    folder, _, out = course
    with open_store(out) as store:
        draft = begin_draft(store, load_assignment(str(folder)), options)
        if draft is not None:
            graded = grade_draft(store, draft, executor or SerialExecutor())
            for _ in zip(range(9 if stop_after is None else stop_after), graded, strict=False):
                pass
        return regraded(store, draft) if stop_after is None else None


def results_of(course, generation):
    with open_store(course[2]) as store:
        return {result.submission.id: result for result in store.results(generation)}


def scores(course, generation):
    return {name: result.score for name, result in results_of(course, generation).items()}


def judged(result):
    """A Result without times and sizes, as a full grading would have it too."""
    criteria = tuple(
        replace(c, checks=tuple(replace(f, seconds=0.0) for f in c.checks)) for c in result.criteria
    )
    environment = {k: v for k, v in result.environment.items() if k != "resources"}
    changes = {"started_at": None, "seconds": 0.0, "environment": environment}
    return replace(result, criteria=criteria, **changes)


def test_only_what_the_change_touches_is_graded_into_a_draft(stricter):
    edit(stricter[0] / "checks.py", '"Nearly."', r'"Not\n  quite."')
    before, executor = results_of(stricter, 1), Counting()
    report = regrade(stricter, executor)
    assert executor.jobs == [(name, frozenset({"answer"})) for name in ("ada", "bob", "cyd")]
    assert (report.touched, len(report.graded), report.submissions) == (("answer",), 3, 3)
    assert results_of(stricter, 1) == before
    assert scores(stricter, report.after) == {"ada": 6.0, "bob": 4.5, "cyd": 1.0}
    says_who_loses_and_why(report)
    with open_store(stricter[2]) as store:
        assert store.published == 1
        store.publish(report.after)
        assert store.published == report.after == 2
    assert results_of(stricter, 1) == before
    a_batch_grades_nothing_more(stricter)


def says_who_loses_and_why(report):
    (difference,) = report.differences
    assert (difference.submission, difference.gain) == ("bob", -0.5)
    (change,) = difference.changes
    facts = (change.check, change.before, change.after, change.why)
    assert facts == ("answer", "partial (50%)", "partial (25%)", "Not quite.")


def a_batch_grades_nothing_more(course):
    request = GradingRequest(load_assignment(str(course[0])), OPTIONS)
    with open_store(course[2]) as store:
        submissions = identify_all(sorted(course[1].iterdir()), "tiny")
        assert plan_work(store, submissions, request).waiting == ()


def test_a_check_that_is_gone_or_new_is_named(course):
    edit(course[0] / "checks_spelling.py", "def test_digits", "def test_numerals")
    changes = [difference.changes for difference in regrade(course).differences]
    assert [(c.check, c.before, c.after) for c in changes[0]] == [
        ("numerals", "not there", "passed"),
        ("digits", "passed", "not there"),
    ]


def test_both_halves_make_the_result_of_a_full_grading(stricter, tmp_path):
    edit(stricter[0] / "assignment.toml", "version = 3", "version = 4")
    edit(stricter[0] / "assignment.toml", 'title = "Double a number"', 'title = "Double it"')
    report = regrade(stricter)
    anew = grade(stricter[0], stricter[1], tmp_path / "anew")
    half = results_of(stricter, report.after)
    assert {n: judged(r) for n, r in half.items()} == {n: judged(r) for n, r in anew.items()}


def test_points_alone_are_counted_anew_without_grading(course):
    edit(course[0] / "assignment.toml", "points = 4", "points = 8")
    executor = Counting()
    report = regrade(course, executor)
    assert executor.jobs == []
    assert scores(course, report.after) == {"ada": 10.0, "bob": 9.0, "cyd": 2.0}
    assert (report.max_before, report.max_after) == (6.0, 10.0)


def test_a_criterion_that_is_new_is_graded(course):
    new = '\n[[criterion]]\nid = "more"\ntitle = "More"\npoints = 1\nkind = "metric"\n'
    append(course[0] / "assignment.toml", new)
    text = (course[0] / "checks_spelling.py").read_text().replace('"double", weight=1', '"more"')
    text = text.replace("def test_", "def test_more_")
    (course[0] / "checks_more.py").write_text(text.split('@pytest.mark.criterion("double"')[0])
    report = regrade(course)
    assert report.touched == ("more",)
    assert scores(course, report.after) == {"ada": 7.0, "bob": 6.0, "cyd": 2.0}


def test_nothing_changed_is_nothing_to_do(course):
    report = regrade(course)
    assert (report.before, report.after, report.graded) == (1, 1, ())
    with open_store(course[2]) as store:
        assert len(store.generations()) == 1


def test_a_draft_left_half_way_is_gone_on_with(stricter):
    regrade(stricter, stop_after=1)
    executor = Counting()
    report = regrade(stricter, executor)
    assert [name for name, _ in executor.jobs] == ["bob", "cyd"]
    assert (report.after, report.graded) == (2, ("ada", "bob", "cyd"))


def test_another_change_makes_another_draft(course):
    for share in ("0.25", "0.75"):
        text = (course[0] / "checks.py").read_text()
        start = text.index("score.partial(")
        text = text[:start] + f"score.partial({share}" + text[text.index(",", start) :]
        (course[0] / "checks.py").write_text(text)
        report = regrade(course)
    assert (report.before, report.after) == (1, 3)
    assert [scores(course, number)["bob"] for number in (1, 2, 3)] == [5.0, 4.5, 5.5]


def test_what_breaks_is_no_zero_and_is_not_published(stricter):
    report = regrade(stricter, Losing())
    lost = results_of(stricter, report.after)["ada"]
    assert (lost.status, lost.score, lost.max_score) == ("incomplete", None, 6.0)
    assert lost.criteria[0].points == 4.0
    with pytest.raises(GraderFault, match="ada could not be graded again, with 2 more"):
        refuse_losses(report)
    assert not regrade(stricter).lost


def test_an_upload_that_is_gone_is_a_misuse(stricter):
    (stricter[1] / "bob").rename(stricter[1].parent / "bob")
    with pytest.raises(UsageError, match="the upload of bob is gone"):
        regrade(stricter)
    with open_store(stricter[2]) as store:
        assert len(store.generations()) == 1


def test_a_part_that_was_asked_for_stays_a_part(course, tmp_path):
    out = tmp_path / "part"
    grade(course[0], course[1], out, replace(OPTIONS, only=frozenset({"answer"})))
    edit(course[0] / "checks_spelling.py", "isdigit", "isdecimal")
    assert regrade((*course[:2], out), Counting()).graded == ()


def test_another_upload_is_graded_in_full_and_a_forgotten_version_told(stricter):
    with open_store(stricter[2]) as store:
        draft = begin_draft(store, load_assignment(str(stricter[0])), OPTIONS)
    assert "raise `version` in assignment.toml" in draft.note
    (stricter[1] / "bob" / "answer.txt").write_text("42")
    executor = Counting()
    report = regrade(stricter, executor)
    assert ("bob", frozenset({"answer", "double"})) in executor.jobs
    assert scores(stricter, report.after)["bob"] == 6.0
