"""A Canvas download: one submission per student, with the files' own names."""

import zipfile
from dataclasses import replace

import pytest

from submissions.imports import GatherRequest, WrongExport, canvas_download, gather
from submissions.people import Person, people_in


@pytest.fixture
def download(tmp_path):
    folder = tmp_path / "download"
    folder.mkdir()

    def put(*names, **texts):
        for name in names:
            (folder / name).write_text(texts.get("text", name))
        return folder

    return put


def collected(folder, layout="auto"):
    wanted = GatherRequest("toy", ("work.py", "answer.txt"), folder.parent / "work", layout)
    return gather(folder, wanted)


def files(submission):
    return sorted(str(p.relative_to(submission.path)) for p in submission.path.rglob("*.*"))


def test_files_of_one_student_are_one_submission(download):
    gathered = collected(download("lovelaceada_7_41_work.py", "lovelaceada_7_42_answer.txt"))
    (ada,) = gathered.submissions
    assert (gathered.layout, ada.id, files(ada)) == (
        "canvas", "lovelaceada_7",
        ["answer.txt", "work.py"],
    )  # fmt: skip
    assert people_in(ada.student) == (Person("lovelaceada", canvas="7"),)


def test_students_of_one_name_stay_two_and_late_ones_have_no_time(download):
    gathered = collected(download("leejo_7_1_work.py", "leejo_LATE_8_2_work.py"))
    assert [submission.id for submission in gathered.submissions] == ["leejo_7", "leejo_8"]
    assert [submission.submitted_at for submission in gathered.submissions] == [None, None]
    assert gathered.notes[-1].endswith("without penalty: leejo_8")


def test_a_file_uploaded_again_has_its_name_and_the_last_counts(download):
    folder = download("leejo_8_20_work-1.py", "leejo_8_10_work.py", "leejo_8_21_part-2.py")
    (lee,) = collected(folder).submissions
    assert files(lee) == ["part-2.py", "work.py"]
    assert (lee.path / "work.py").read_text() == "leejo_8_20_work-1.py"


def archive(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("work.py", "answer = 42")


def test_the_only_archive_is_the_submission(download):
    archive(download() / "leejo_8_10_hw.zip")
    (lee,) = collected(download()).submissions
    assert (lee.path.name, lee.id) == ("leejo_8_10_hw.zip", "leejo_8")


def test_an_archive_is_the_submission_or_stands_beside_files(download):
    archive(download("leejo_8_11_answer.txt") / "leejo_8_10_hw.zip")
    (lee,) = collected(download()).submissions
    assert files(lee) == ["answer.txt", "hw.zip (unpacked)", "hw.zip (unpacked)/work.py"]
    folder = download("leejo_8_11_answer.txt", "leejo_8_10_hw.zip", text="PK no")
    assert collected(folder).submissions[0].path.name == "leejo_8_10_hw.zip"


def test_the_archives_of_a_student_together_are_limited(download, monkeypatch):
    limits = replace(canvas_download.UNPACK_LIMITS, total_bytes=25)
    monkeypatch.setattr(canvas_download, "UNPACK_LIMITS", limits)
    with zipfile.ZipFile(download("leejo_8_13_answer.txt") / "leejo_8_10_a.zip", "w") as file:
        file.writestr("data.txt", "random" * 4)
    for number, name in enumerate("bc", 11):
        archive(download() / f"leejo_8_{number}_{name}.zip")
    assert files(collected(download()).submissions[0]) == [
        "a.zip", "answer.txt",
        "b.zip (unpacked)", "b.zip (unpacked)/work.py",
        "c.zip (unpacked)", "c.zip (unpacked)/work.py",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        *((name, "folders") for name in ("ada", "ada.zip", "ada_b.zip", "hw_4_final.zip")),
        *((name, "folders") for name in ("ada_7.zip", "a_7_1_..")),
        ("leejo_8_text.html", "canvas"),  # a text typed into Canvas
    ],
)
def test_a_download_is_known_by_its_names(download, name, layout):
    assert collected(download(name)).layout == layout


def test_only_strays_and_links_are_left_out_and_strays_are_named(download):
    folder = download("leejo_8_1_work.py", "notes.md", ".ada.zip", ".eve.py", ".DS_Store")
    (folder / "leejo_8_2_passwd.txt").symlink_to("/etc/passwd")
    gathered = collected(folder, "canvas")
    assert [files(submission) for submission in gathered.submissions] == [["work.py"]]
    strays = [note.split(":")[0] for note in gathered.notes if "passwd" not in note]
    assert sorted(strays) == [".ada.zip", ".eve.py", "notes.md"]


@pytest.mark.parametrize(
    "names",
    [
        ("leejo_8_11_hw.zip (unpacked)", "leejo_8_12_hw.zip"),
        ("leejo_8_11_hw.zip", "leejo_8_12_hw.zip (unpacked)"),
        ("z_8_1_" + "x" * 245 + ".zip", "z_8_2_answer.txt"),
        ("z_8_1_" + "x" * 245 + ".zip", "z_8_2_" + "x" * 244 + "y.zip"),
    ],
)
def test_no_name_of_a_file_stops_the_course(download, names):
    folder = download(*names, "a_7_1_work.py")
    for name in names:
        if name.endswith(".zip"):
            archive(folder / name)
    _, lee = collected(folder).submissions
    assert len(list(lee.path.iterdir())) == 2
    assert any(path.name == "work.py" for path in lee.path.rglob("*.py"))


def test_one_file_too_many_is_not_silently_another_layout(download):
    gathered = collected(download("leejo_8_11_work.py", "roster.csv"))
    assert gathered.layout == "folders"
    assert gathered.notes == ("read as folders, though 1 of 2 look otherwise (--from canvas)",)
    with pytest.raises(WrongExport, match="2 of 3 entries look like a Canvas download") as refused:
        collected(download("leejo_8_11_work.py", "a_7_1_work.py", "roster.csv"))
    assert "`--from canvas`" in refused.value.remedy


def test_a_name_may_have_underscores(download):
    gathered = collected(download("van_gogh_7_41_work.py", "de_la_cruz_LATE_8_42_a_9_b.py"))
    assert [submission.id for submission in gathered.submissions] == ["de_la_cruz_8", "van_gogh_7"]
    assert files(gathered.submissions[0]) == ["a_9_b.py"]
    assert gathered.notes[-1].endswith("without penalty: de_la_cruz_8")
