"""Stored submissions are not graded twice; those that could not be graded always are."""

from dataclasses import replace

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.course.regrade import unfinished
from graders.errors import GraderFault, UsageError
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_and_store, plan_work
from graders.grading.options import GradingRequest, Options
from graders.registry.discovery import load_assignment
from graders.storage.store import open_store
from reference.data.world import write_world
from submissions.receive import identify_all
from tests.conftest import edit

OPTIONS = Options(best_tier(), only=frozenset({"answer"}))


class Broken(SerialExecutor):
    """Loses every job."""

    def submit(self, fn, /, *words, **more):
        return super().submit(self.lose)

    def lose(self):
        raise GraderFault("the grading process died before it finished")


@pytest.fixture
def grade(tiny_folder, tmp_path):
    """Grades uploads; tells the ids graded, and those listed afterwards with their scores."""

    def run(*uploads, executor=None, options=OPTIONS, **wishes):
        request = GradingRequest(load_assignment(str(tiny_folder)), options)
        with open_store(tmp_path / "out") as store:
            work = plan_work(store, identify_all(uploads, "tiny"), request, **wishes)
            pool = executor or SerialExecutor()
            graded = [r.submission.id for r in grade_and_store(store, work, request, pool)]
            listed = {r.submission.id: r.score for r in store.results(work.generation)}
        return graded, listed

    return run


@pytest.fixture
def planned(tiny_folder, tmp_path):
    """What a batch plans to do, before it grades anything."""

    def plan(*uploads, **wishes):
        request = GradingRequest(load_assignment(str(tiny_folder)), OPTIONS)
        with open_store(tmp_path / "out") as store:
            return plan_work(store, identify_all(uploads, "tiny"), request, **wishes)

    return plan


@pytest.fixture
def ada(hand_in):
    return hand_in("ada", answer_txt="42")


@pytest.fixture
def bob(hand_in):
    return hand_in("bob", answer_txt="41")


def test_nothing_is_graded_twice_unless_forced(grade, ada, bob):
    assert grade(ada) == (["ada"], {"ada": 2.0})
    assert grade(ada, bob) == (["bob"], {"ada": 2.0, "bob": 1.0})
    assert grade(ada, force=True)[0] == ["ada"]


def test_a_changed_upload_is_graded_and_its_earlier_result_found_again(grade, ada):
    assert grade(ada) == (["ada"], {"ada": 2.0})
    (ada / "answer.txt").write_text("40")
    assert grade(ada) == (["ada"], {"ada": 0.0})
    (ada / "answer.txt").write_text("42")
    assert grade(ada) == ([], {"ada": 2.0})


def test_what_could_not_be_graded_is_graded_again(grade, ada):
    assert grade(ada, executor=Broken()) == (["ada"], {"ada": None})
    assert grade(ada) == (["ada"], {"ada": 2.0})


def test_a_grade_is_not_listed_while_a_new_upload_waits(grade, planned, ada, bob, tmp_path):
    grade(ada, bob)
    (ada / "answer.txt").write_text("40")
    planned(ada, bob)  # and killed here
    with open_store(tmp_path / "out") as store:
        assert [r.submission.id for r in store.results(1)] == ["bob"]


def test_a_batch_lists_only_its_own(grade, planned, ada, bob):
    grade(ada)
    assert grade(bob, alone=True)[1] == {"bob": 1.0}
    assert planned(bob, alone=True).elsewhere == 1
    assert grade(ada)[1] == {"ada": 2.0, "bob": 1.0}


def test_where_an_upload_lies_now_is_known(grade, ada, tmp_path):
    grade(ada)
    moved = ada.rename(tmp_path / "ada")
    assert grade(moved) == ([], {"ada": 2.0})
    with open_store(tmp_path / "out") as store:
        assert [member.path for member in store.members(1)] == [moved]


class Meddling(SerialExecutor):
    """Changes a file while it grades."""

    def __init__(self, file, more="\n"):
        self.file, self.more = file, more

    def submit(self, fn, /, *words, **more):
        self.file.write_text(self.file.read_text() + self.more)
        return super().submit(fn, *words, **more)


def test_checks_changed_in_between_store_nothing(grade, tiny_folder, ada):
    with pytest.raises(UsageError, match="was changed during grading"):
        grade(ada, executor=Meddling(tiny_folder / "checks.py"))
    assert grade(ada) == (["ada"], {"ada": 2.0})


def test_data_changed_in_between_store_nothing(grade, ada, tmp_path):
    write_world(tmp_path / "data")
    meddling = Meddling(tmp_path / "data" / "birth_dev.tsv", "Who?\tParis\n")
    with pytest.raises(UsageError, match="the data were changed"):
        grade(ada, executor=meddling, options=replace(OPTIONS, data=tmp_path / "data"))


def test_retry_asks_the_same_question_again(grade, tiny_folder, ada, bob, tmp_path):
    grade(ada)
    grade(bob, executor=Broken())
    with open_store(tmp_path / "out") as store:
        (retry,) = unfinished(store, OPTIONS.tier)
    assert retry.request == GradingRequest(load_assignment(str(tiny_folder)), OPTIONS)
    assert [(submission.id, submission.path) for submission in retry.submissions] == [("bob", bob)]


def test_retry_names_an_upload_that_is_gone(grade, ada, tmp_path):
    grade(ada, executor=Broken())
    ada.rename(ada.with_name("adam"))
    with open_store(tmp_path / "out") as store:
        (retry,) = unfinished(store, OPTIONS.tier)
    assert retry.submissions == ()
    assert "the upload of ada is gone" in retry.gone[0]


@pytest.mark.parametrize(("raised", "said"), [(False, "its version is still 3"), (True, "")])
def test_a_forgotten_version_is_noticed(planned, tiny_folder, ada, raised, said):
    assert planned(ada).note == ""
    (tiny_folder / "checks_more.py").write_text("# another check\n")
    if raised:
        edit(tiny_folder / "assignment.toml", "version = 3", "version = 4")
    note = planned(ada).note
    assert said in note
    assert bool(note) != raised
    assert planned(ada).note == ""


def test_grading_by_force_counts_as_a_repeat(grade, ada, tmp_path):
    for _ in range(3):
        grade(ada, force=True)
    with open_store(tmp_path / "out") as store:
        assert store.repeats(1)["answer", ""] == (2, 0)


def test_what_is_graded_after_a_fault_of_ours_is_no_repeat(grade, ada, tmp_path):
    grade(ada, executor=Broken())
    grade(ada)
    with open_store(tmp_path / "out") as store:
        assert store.repeats(1) == {}
