"""`release` shows the waiting criteria on every student's page, and can be undone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from commands.deciding import release
from graders.boundary.tiers.sandbox import Tier
from graders.course.review import open_review
from graders.errors import StorageError, UsageError
from graders.grading.cache_key import options_text
from graders.grading.options import Options
from graders.model import Check, CheckResult, CriterionResult
from graders.registry.discovery import load_assignment
from graders.storage.files import only_writer
from graders.storage.store import CacheKey, open_store, read_store
from reports.course.files import publish_course, write_course
from reports.review.outputs import write_grades
from tests.conftest import edit

KINDS = ("hidden", "after_due_date", "after_published")
RUBRIC = "".join(
    f'[[criterion]]\nid = "c-{n}"\ntitle = "secret-{kind}"\npoints = 1\nkind = "code"\n'
    f'visibility = "{kind}"\n'
    for n, kind in enumerate(KINDS)
)
NOW = datetime.now(UTC)
PAST, FUTURE = ((NOW + timedelta(days=days)).isoformat(timespec="seconds") for days in (-3, 3))


def result_of(student, task, make_result):
    def passed(c):
        check = Check(c.id, f"{c.title} holds.", c.id)
        return CriterionResult(c, "passed", c.points, (CheckResult(check, "passed", 1.0),))

    result = make_result(*map(passed, task.rubric), submission=student, student=student)
    upload = replace(result.submission, path=task.folder, assignment="tiny")
    return replace(result, submission=upload, assignment="tiny", version=task.version)


class Course:
    """A folder with two students' Results of the tiny assignment, whose due date can be set."""

    def __init__(self, folder, out, make_result):
        self.folder, self.out, self.make_result = folder, out, make_result
        self._plain = (folder / "assignment.toml").read_text() + RUBRIC
        self.is_due("")

    def is_due(self, due):
        line = f"due = {due}\n" if due else ""
        (self.folder / "assignment.toml").write_text(line + self._plain)

    @property
    def task(self):
        return load_assignment(str(self.folder))

    def grade(self, *, draft=False):
        with open_store(self.out) as store:
            number = store.begin(self.task, f"checks-{draft}", draft=draft)
            options = options_text(self.task, Options(Tier.NONE))
            for student in ("ada", "bob"):
                result = result_of(student, self.task, self.make_result)
                store.put(number, result, CacheKey(str(draft), options, {}))
            if not draft:
                write_course(store, task=self.task, out=self.out, named=())
        return number

    def write_again(self):
        with open_store(self.out) as store:
            write_course(store, task=self.task, out=self.out, named=())

    def shown(self):
        """The kinds that every page shows."""
        texts = [page.read_text() for page in sorted(self.out.glob("reports/*.html"))]
        assert len(texts) == 2
        kinds = [{kind for kind in KINDS if f"secret-{kind}" in text} for text in texts]
        assert kinds[0] == kinds[1]
        return kinds[0]

    def files(self):
        return {path: path.read_bytes() for path in self.out.glob("*/*")}


@pytest.fixture
def course(tiny_folder, tmp_path, make_result):
    graded = Course(tiny_folder, tmp_path / "out", make_result)
    graded.grade()
    return graded


def releases(store):
    return store._rows("SELECT released, decided_at FROM releases")


def test_what_waits_for_staff_is_shown_until_they_undo_it(course, capsys):
    assert course.shown() == set()
    before = course.files()
    release(course.out, undo=True)
    assert course.files() == before, "there was nothing to undo"
    capsys.readouterr()
    release(course.out)
    assert course.shown() == {"after_due_date", "after_published"}
    stderr = capsys.readouterr().err
    assert "2 of 2 pages updated; shown: the visible criteria and c-1, c-2" in stderr
    release(course.out, undo=True)
    assert course.files() == before
    assert "shown: the visible criteria\n" in capsys.readouterr().err
    with read_store(course.out) as store:
        rows = releases(store)
    assert [released for released, _ in rows][-2:] == [1, 0]
    assert all(datetime.fromisoformat(moment) >= NOW.replace(microsecond=0) for _, moment in rows)


def test_a_second_release_changes_nothing(course, capsys):
    release(course.out)
    before = {path: path.stat().st_mtime_ns for path in course.out.glob("*/*")}
    release(course.out)
    assert {path: path.stat().st_mtime_ns for path in course.out.glob("*/*")} == before
    assert "0 of 2 pages updated" in capsys.readouterr().err
    with read_store(course.out) as store:
        assert [released for released, _ in releases(store)] == [1]


def test_pages_follow_the_due_date_and_an_extension_that_is_granted_late(course):
    for due, shown in ((FUTURE, set()), (PAST, {"after_due_date"})):
        course.is_due(due)
        course.write_again()
        assert course.shown() == shown
    (course.out / "extensions.csv").write_text(f"student,due\nada,{FUTURE}\n")
    course.write_again()
    assert course.shown() == set()


def test_one_students_extension_keeps_everybodys_page_closed(course, capsys):
    (course.out / "extensions.csv").write_text(f"student,due\nada,{FUTURE}\n")
    course.is_due(PAST)
    release(course.out)
    assert course.shown() == {"after_published"}
    assert "not shown yet: c-1, until nobody can submit anymore" in capsys.readouterr().err


def test_what_is_published_later_respects_it(course):
    release(course.out)
    draft = course.grade(draft=True)
    with open_store(course.out) as store:
        publish_course(store, draft, task=course.task, out=course.out)
    assert course.shown() == {"after_due_date", "after_published"}


def test_undo_reaches_pages_that_the_last_batch_left(course):
    release(course.out)
    with open_store(course.out) as store:
        store.unlist(store.published, ["bob"])
    release(course.out, undo=True)
    assert course.shown() == set()


def test_a_criterion_that_is_hidden_by_now_is_not_shown(course):
    edit(course.folder / "assignment.toml", '"after_published"', '"hidden"')
    release(course.out)
    assert course.shown() == {"after_due_date"}


def test_without_a_store_or_while_something_is_graded_it_is_refused(course, tmp_path):
    with pytest.raises(StorageError, match="has no grading results"):
        release(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    before = course.files()
    with only_writer(course.out), pytest.raises(StorageError, match="another grading"):
        release(course.out)
    assert course.files() == before


def test_a_wrong_list_of_extensions_is_refused_before_anything_is_kept(course):
    (course.out / "extensions.csv").write_text("who,when\n")
    course.is_due(PAST)
    with pytest.raises(UsageError, match=r"extensions\.csv"):
        release(course.out)
    with read_store(course.out) as store:
        assert not store.released()


def test_a_release_that_was_stopped_is_gone_on_with(course, capsys):
    with open_store(course.out) as store:
        store.keep_release("Rea", released=True)
    release(course.out)
    assert course.shown() == {"after_due_date", "after_published"}
    assert "2 of 2 pages" in capsys.readouterr().err


def test_a_due_date_that_moves_while_people_decide_counts(course):
    course.is_due(PAST)
    course.grade()
    with open_review(course.out) as review:
        assert review.material.assignment.due < NOW
        course.is_due(FUTURE)
        write_grades(review)
    assert course.shown() == set()
