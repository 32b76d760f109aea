"""What `batch` takes as its folder: uploads, an export, an archive of either, or one sentence."""

import zipfile

import pytest

from graders.errors import Misuse
from graders.gathering import gathered, in_words

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


def test_an_archive_of_an_export_is_the_export(course, tiny, tmp_path):
    archive = course({"e/submission_metadata.yml": METADATA, "e/submission_1/answer.txt": "42"})
    for _ in range(2):  # a second time, too, over what was unpacked before
        found = gathered(archive, tiny, tmp_path / "out")
    (ada,) = found.submissions
    assert (found.layout, ada.student) == ("gradescope", "Ada <ada@example.edu>")
    assert (ada.path / "answer.txt").read_text() == "42"
    assert in_words(found)[0].startswith("read as a Gradescope export: 1 submission")


def test_an_archive_of_a_canvas_download_is_the_download(course, tiny, tmp_path):
    archive = course({"leejo_8_1_answer.txt": "42", "leejo_9_2_work.py": "", "leejo_9_3_b.py": ""})
    found = gathered(archive, tiny, tmp_path / "out")
    assert [each.id for each in found.submissions] == ["leejo_8", "leejo_9"]


def test_plain_folders_are_read_as_ever_and_say_nothing(hand_in, tiny, tmp_path):
    folder = hand_in("ada", answer_txt="42").parent
    found = gathered(folder, tiny, tmp_path / "out")
    (ada,) = found.submissions
    assert (ada.id, ada.student, in_words(found)) == ("ada", "ada", ())
    assert ada.submitted_at is not None


def test_a_hostile_archive_is_refused_as_a_whole(course, tiny, tmp_path):
    with pytest.raises(Misuse, match="leads out of the archive"):
        gathered(course({"../../evil_8_1_work.py": ""}), tiny, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.py"))


@pytest.mark.parametrize("name", ["none", "notes.txt"])
def test_what_is_no_folder_is_one_sentence(tiny, tmp_path, name):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(Misuse, match="is not a folder"):
        gathered(tmp_path / name, tiny, tmp_path / "out")


def test_an_empty_folder_is_one_sentence(tiny, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(Misuse, match="holds no submissions"):
        gathered(tmp_path / "empty", tiny, tmp_path / "out")


def test_an_export_that_is_none_is_one_sentence(tiny, tmp_path):
    with pytest.raises(Misuse, match=r"submission_metadata\.yml: ") as refused:
        gathered(tmp_path, tiny, tmp_path / "out", layout="gradescope")
    assert "Export Submissions" in refused.value.hint
