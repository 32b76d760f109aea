"""Stored submissions are not graded twice; those that could not be graded always are."""

from dataclasses import replace

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.course.regrade import unfinished
from graders.errors import GraderFault, UsageError
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_stored, plan_work
from graders.grading.pipeline import GradingRequest, Options
from graders.registry.discovery import load_assignment
from graders.storage.store import open_store
from reference.data.world import write_world
from submissions.receive import identify_all

OPTIONS = Options(best_tier(), only=frozenset({"answer"}))


class Broken(SerialExecutor):
    """Loses every job."""

    def submit(self, fn, /, *words, **more):
        return super().submit(self.lose)

    def lose(self):
        raise GraderFault("the grading process died before it finished")


def grade(folder, uploads, out, executor=None, **wishes):
    """The ids graded, and those listed afterwards with their scores."""
    request = GradingRequest(load_assignment(str(folder)), wishes.pop("options", OPTIONS))
    submissions = identify_all(uploads, "tiny")
    with open_store(out) as store:
        work = plan_work(store, submissions, request, **wishes)
        pool = executor or SerialExecutor()
        graded = [r.submission.id for r in grade_stored(store, work, request, pool)]
        listed = {r.submission.id: r.score for r in store.results(work.generation)}
    return graded, listed


@pytest.fixture
def ada(hand_in):
    return hand_in("ada", answer_txt="42")


@pytest.fixture
def bob(hand_in):
    return hand_in("bob", answer_txt="41")


def test_nothing_is_graded_twice(tiny_folder, ada, bob, tmp_path):
    assert grade(tiny_folder, [ada], tmp_path / "out") == (["ada"], {"ada": 2.0})
    expected = (["bob"], {"ada": 2.0, "bob": 1.0})
    assert grade(tiny_folder, [ada, bob], tmp_path / "out") == expected


def test_force_grades_all(tiny_folder, ada, tmp_path):
    grade(tiny_folder, [ada], tmp_path / "out")
    assert grade(tiny_folder, [ada], tmp_path / "out", force=True)[0] == ["ada"]


def test_a_changed_upload_is_graded(tiny_folder, ada, tmp_path):
    grade(tiny_folder, [ada], tmp_path / "out")
    (ada / "answer.txt").write_text("40")
    assert grade(tiny_folder, [ada], tmp_path / "out") == (["ada"], {"ada": 0.0})


def test_what_comes_back_is_found_again(tiny_folder, ada, tmp_path):
    """A Result of an earlier upload is still there when that upload is."""
    for answer in ("42", "40"):
        (ada / "answer.txt").write_text(answer)
        grade(tiny_folder, [ada], tmp_path / "out")
    (ada / "answer.txt").write_text("42")
    assert grade(tiny_folder, [ada], tmp_path / "out") == ([], {"ada": 2.0})


def test_what_could_not_be_graded_is_graded_again(tiny_folder, ada, tmp_path):
    lost = grade(tiny_folder, [ada], tmp_path / "out", Broken())
    assert lost == (["ada"], {"ada": None})
    assert grade(tiny_folder, [ada], tmp_path / "out") == (["ada"], {"ada": 2.0})


def test_a_grade_is_not_listed_while_a_new_upload_waits(tiny_folder, ada, bob, tmp_path):
    grade(tiny_folder, [ada, bob], tmp_path / "out")
    (ada / "answer.txt").write_text("40")
    request = GradingRequest(load_assignment(str(tiny_folder)), OPTIONS)
    with open_store(tmp_path / "out") as store:
        plan_work(store, identify_all([ada, bob], "tiny"), request)  # and killed here
        assert [r.submission.id for r in store.results(1)] == ["bob"]


def test_a_batch_lists_only_its_own(tiny_folder, ada, bob, tmp_path):
    grade(tiny_folder, [ada], tmp_path / "out")
    assert grade(tiny_folder, [bob], tmp_path / "out", alone=True)[1] == {"bob": 1.0}
    request = GradingRequest(load_assignment(str(tiny_folder)), OPTIONS)
    with open_store(tmp_path / "out") as store:
        assert plan_work(store, identify_all([bob], "tiny"), request, alone=True).elsewhere == 1
    assert grade(tiny_folder, [ada], tmp_path / "out")[1] == {"ada": 2.0, "bob": 1.0}


def test_where_an_upload_lies_now_is_known(tiny_folder, ada, tmp_path):
    grade(tiny_folder, [ada], tmp_path / "out")
    moved = tmp_path / "ada"
    ada.rename(moved)
    assert grade(tiny_folder, [moved], tmp_path / "out") == ([], {"ada": 2.0})
    with open_store(tmp_path / "out") as store:
        assert [member.path for member in store.members(1)] == [moved]


class Meddling(SerialExecutor):
    """Changes a file while it grades."""

    def __init__(self, file, more="\n"):
        self.file, self.more = file, more

    def submit(self, fn, /, *words, **more):
        self.file.write_text(self.file.read_text() + self.more)
        return super().submit(fn, *words, **more)


def test_checks_changed_in_between_store_nothing(tiny_folder, ada, tmp_path):
    with pytest.raises(UsageError, match="was changed during grading"):
        grade(tiny_folder, [ada], tmp_path / "out", Meddling(tiny_folder / "checks.py"))
    assert grade(tiny_folder, [ada], tmp_path / "out") == (["ada"], {"ada": 2.0})


def test_data_changed_in_between_store_nothing(tiny_folder, ada, tmp_path):
    write_world(tmp_path / "data")
    meddling = Meddling(tmp_path / "data" / "birth_dev.tsv", "Who?\tParis\n")
    with pytest.raises(UsageError, match="the data were changed"):
        grade(
            tiny_folder,
            [ada],
            tmp_path / "out",
            meddling,
            options=replace(OPTIONS, data=tmp_path / "data"),
        )


def test_retry_asks_the_same_question_again(tiny_folder, ada, bob, tmp_path):
    grade(tiny_folder, [ada], tmp_path / "out")
    grade(tiny_folder, [bob], tmp_path / "out", Broken())
    with open_store(tmp_path / "out") as store:
        (retry,) = unfinished(store, OPTIONS.tier)
    assert retry.request == GradingRequest(load_assignment(str(tiny_folder)), OPTIONS)
    assert [(each.id, each.path) for each in retry.submissions] == [("bob", bob)]


def test_retry_names_an_upload_that_is_gone(tiny_folder, ada, tmp_path):
    grade(tiny_folder, [ada], tmp_path / "out", Broken())
    ada.rename(ada.with_name("adam"))
    with open_store(tmp_path / "out") as store:
        (retry,) = unfinished(store, OPTIONS.tier)
    assert retry.submissions == ()
    assert "the upload of ada is gone" in retry.gone[0]


def note_of(folder, uploads, out):
    """What is said of the version before these uploads are graded."""
    request = GradingRequest(load_assignment(str(folder)), OPTIONS)
    with open_store(out) as store:
        return plan_work(store, identify_all(uploads, "tiny"), request).note


@pytest.mark.parametrize(("raised", "said"), [(False, "its version is still 3"), (True, "")])
def test_a_forgotten_version_is_noticed(tiny_folder, ada, tmp_path, raised, said):
    assert note_of(tiny_folder, [ada], tmp_path / "out") == ""
    (tiny_folder / "checks_more.py").write_text("# another check\n")
    if raised:
        toml = tiny_folder / "assignment.toml"
        toml.write_text(toml.read_text().replace("version = 3", "version = 4"))
    note = note_of(tiny_folder, [ada], tmp_path / "out")
    assert said in note
    assert bool(note) != raised
    assert note_of(tiny_folder, [ada], tmp_path / "out") == ""
