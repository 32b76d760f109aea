"""The folders that `batch` accepts: uploads, an export, an archive of either, or an error."""

import os
import zipfile
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from graders.course.gathering import gathered, in_words, refuse_course
from graders.errors import UsageError
from graders.grading_policy import GradingPolicy, Lateness
from tests.conftest import write_files

METADATA = "submission_1:\n  :submitters:\n  - :name: Ada\n    :email: ada@example.edu\n"


@pytest.fixture
def course(tmp_path):
    """Writes an archive of a course from names and texts."""

    def write(files, name="course.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        return tmp_path / name

    return write


def test_an_archive_of_an_export_or_a_download_is_read_as_that(course, tiny, tmp_path):
    archive = course({"e/submission_metadata.yml": METADATA, "e/submission_1/answer.txt": "42"})
    for _ in range(2):  # a second time, too, over what was unpacked before
        gathering = gathered(archive, tiny, tmp_path / "out")
    (ada,) = gathering.submissions
    assert (gathering.layout, ada.student) == ("gradescope", "Ada <ada@example.edu>")
    assert (ada.path / "answer.txt").read_text() == "42"
    assert in_words(gathering)[0].startswith("read as a Gradescope export: 1 submission")
    archive = course({"leejo_8_1_answer.txt": "42", "leejo_9_2_work.py": "", "leejo_9_3_b.py": ""})
    gathering = gathered(archive, tiny, tmp_path / "out")
    assert [submission.id for submission in gathering.submissions] == ["leejo_8", "leejo_9"]
    files = {"e/submission_metadata.yml": METADATA, "e/submission_1/answer.txt": "42", ".x": ""}
    assert gathered(course(files), tiny, tmp_path / "out").layout == "gradescope"


def test_plain_folders_are_read_as_ever_and_say_nothing(hand_in, tiny, tmp_path):
    folder = hand_in("ada", answer_txt="42").parent
    gathering = gathered(folder, tiny, tmp_path / "out")
    (ada,) = gathering.submissions
    assert (ada.id, ada.student, in_words(gathering)) == ("ada", "ada", ())
    assert ada.submitted_at is not None


@pytest.mark.parametrize("place", ["", "src"])
def test_a_folder_that_is_one_submission_is_refused(hand_in, tiny, tmp_path, place):
    folder = hand_in("ada") / place
    folder.mkdir(exist_ok=True)
    (folder / "work.py").write_text("")
    (folder / "old").mkdir()
    (folder / "old" / "work.py").write_text("")
    with pytest.raises(UsageError, match="ada is itself a submission") as refused:
        gathered(tmp_path / "uploads" / "ada", tiny, tmp_path / "out")
    assert refused.value.hint.startswith("use `run`")
    assert gathered(tmp_path / "uploads" / "ada", tiny, tmp_path / "out", layout="folders")


def test_a_folder_of_submissions_is_not_graded_as_one(hand_in, tiny):
    for name in ("ada", "bob"):
        uploads = hand_in(name, answer_txt="42").parent
    refuse_course(uploads, tiny)  # a student may keep two versions
    refuse_course(hand_in("cy", answer_txt="42"), tiny)
    with pytest.raises(UsageError, match="3 folders in it contain `answer.txt`") as refused:
        refuse_course(uploads, tiny)
    assert refused.value.hint.startswith("use `batch`")
    with pytest.raises(UsageError, match="uploads is not one submission"):  # a section
        gathered(uploads.parent, tiny, uploads.parent / "out")


@pytest.mark.parametrize("other", ["bob/work.py", "bob/src/work.py", "bob.zip"])
def test_a_stray_file_makes_no_folder_a_submission(hand_in, tiny, tmp_path, other):
    uploads = hand_in("ada", answer_txt="42").parent
    write_files(uploads, {"answer.txt": "", other: ""})
    assert gathered(uploads, tiny, tmp_path / "out").submissions


def test_a_hostile_archive_is_refused_as_a_whole(course, tiny, tmp_path):
    with pytest.raises(UsageError, match="leads out of the archive"):
        gathered(course({"../../evil_8_1_work.py": ""}), tiny, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.py"))


@pytest.mark.parametrize(
    ("name", "said"),
    [("none", "does not exist"), ("notes.txt", "is not a folder"), ("empty", "no submissions")],
)
def test_what_is_no_folder_of_submissions_is_one_sentence(tiny, tmp_path, name, said):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=said):
        gathered(tmp_path / name, tiny, tmp_path / "out")


def test_an_export_that_is_none_is_one_sentence(tiny, tmp_path):
    with pytest.raises(UsageError, match=r"submission_metadata\.yml: ") as refused:
        gathered(tmp_path, tiny, tmp_path / "out", layout="gradescope")
    assert "Export Submissions" in refused.value.hint


@pytest.fixture
def late(tiny):
    """An assignment that was due long ago, where lateness costs."""
    policy = GradingPolicy(Lateness(percent=10))
    return replace(tiny, due=datetime(2020, 1, 1, tzinfo=UTC), grading=policy)


def test_nobody_is_late_by_the_time_at_which_we_unpacked(course, late, tmp_path):
    archive = course({"course/ada/answer.txt": "42", "course/bob/answer.txt": "42"})
    gathering = gathered(archive, late, tmp_path / "out")
    assert [submission.submitted_at for submission in gathering.submissions] == [None, None]
    assert in_words(gathering)[-1].endswith("so nobody is marked late")


def test_who_is_late_by_the_time_of_a_file_is_counted(hand_in, late, tmp_path):
    folder = hand_in("ada", answer_txt="42").parent
    os.utime(hand_in("bob", answer_txt="42") / "answer.txt", (0, 0))
    assert in_words(gathered(folder, late, tmp_path / "out")) == (
        "late by the times of the files, which copying can change: 1 of 2 submissions",
    )
    lenient = replace(late, grading=GradingPolicy())
    assert in_words(gathered(folder, lenient, tmp_path / "out")) == ()
    (note,) = in_words(gathered(folder, replace(late, due=None), tmp_path / "out"))
    assert note.endswith("but the assignment has no `due`: nothing is late")
