"""What is seen of uploads before anything is graded, and what is refused for it."""

import shutil
from dataclasses import replace

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.course.preview import notes_on_missing, previews, refuse_missing, survey
from graders.errors import UsageError
from graders.grading.options import GradingRequest, Options
from graders.model import Criterion, DataFile
from submissions.receive import identify_all
from tests.conftest import RIGHT, write_files

QUESTION = Criterion("why", "Why?", 3, "visible", "written")


@pytest.fixture
def course(tiny):
    """The tiny assignment with a written question, and with data of 500 rows."""
    files = replace(tiny.files, artifacts=("answer.txt", "answers.md"))
    data = {"dev.tsv": DataFile(rows=500), "more.tsv": DataFile(rows=500)}
    return replace(tiny, rubric=(*tiny.rubric, QUESTION), files=files, data_files=data)


def request_for(task, **options):
    return GradingRequest(task, Options(Tier.NONE, **options))


def seen_in(task, uploads, *, allow_missing=False, **options):
    request = request_for(task, **options)
    previewed = previews(identify_all(uploads, task.name), request)
    return survey(previewed, request, allow_missing=allow_missing), request


def test_a_kind_that_nobody_submitted_is_refused(course, hand_in):
    uploads = [hand_in(name, work_py=RIGHT, answer_txt="42") for name in ("ada", "bob")]
    with pytest.raises(UsageError, match="none of the 2 submissions has written answers") as error:
        refuse_missing(*seen_in(course, uploads))
    assert "`answers.md`" in str(error.value)
    assert error.value.hint == (
        "`--only code,metric` leaves that out; `--allow-missing` counts that as zero"
    )


@pytest.mark.parametrize(
    "options", [{"allow_missing": True}, {"only": frozenset(["double", "answer"])}, {}]
)
def test_what_is_not_asked_for_or_in_one_submission_is_not_missed(course, hand_in, options):
    uploads = [hand_in("ada", work_py=RIGHT, answer_txt="42"), hand_in("bob", work_py=RIGHT)]
    if not options:
        (uploads[1] / "answers.md").write_text("x")
    refuse_missing(*seen_in(course, uploads, **options))


def test_a_part_of_a_kind_is_left_out_by_name(course, hand_in):
    criterion = Criterion("halve", "Halving", 3, "visible", "code")
    task = replace(course, rubric=(*course.rubric, criterion))
    only = frozenset(["double", "why"])
    with pytest.raises(UsageError) as error:
        refuse_missing(*seen_in(task, [hand_in(work_py=RIGHT)], only=only))
    assert error.value.hint.startswith("`--only double` leaves that out")


def test_several_kinds_are_one_sentence(course, hand_in):
    seen, request = seen_in(course, [hand_in(notes_txt="later")])
    (note,) = notes_on_missing(seen, request)
    assert note.startswith("the submission has no code (`work.py`) or files for metrics (`answer.t")
    assert note.endswith("that counts as zero")


def test_a_module_is_listed_once_from_the_folder_that_is_used(course, tmp_path):
    files = replace(course.files, code=("work.py", "more.py"), whole=True)
    names = ("reference/work.py", "src/work.py", "src/more.py", "lib/work.py")
    write_files(tmp_path / "ada", dict.fromkeys(names, RIGHT))
    request = request_for(replace(course, files=files))
    (preview,) = previews(identify_all([tmp_path / "ada"], "tiny"), request)
    assert preview.code == ("src/more.py", "src/work.py")
    (tmp_path / "ada" / "src" / "more.py").rename(tmp_path / "ada" / "lib" / "more.py")
    (tmp_path / "ada" / "lib" / "work.py").unlink()
    (preview,) = previews(identify_all([tmp_path / "ada"], "tiny"), request)
    assert preview.code == ("src/work.py", "lib/more.py")


def test_what_cannot_be_opened_is_not_missing(course, tmp_path):
    (tmp_path / "ada.zip").write_bytes(b"not a zip")
    seen, request = seen_in(course, [tmp_path / "ada.zip"])
    refuse_missing(seen, request)
    (broken,) = previews(identify_all([tmp_path / "ada.zip"], "tiny"), request)
    assert "ada.zip" in broken.rejected


def test_looking_stops_when_nothing_can_be_missing(course, hand_in):
    (hand_in(work_py=RIGHT, answer_txt="\n".join("x" * 60)) / "answers.md").write_text("x")

    def uploads():
        yield from identify_all([hand_in("bob").with_name("ada")], "tiny")
        pytest.fail("looked at another upload")

    request = request_for(course)
    assert survey(previews(uploads(), request), request).missing == ()


@pytest.mark.parametrize(
    ("lines", "refused"), [((500, 500), True), ((500, 60), False), ((7, 9), False)]
)
def test_predictions_of_other_data_are_refused_if_none_fit(course, hand_in, lines, refused):
    names = zip(("ada", "bob"), lines, strict=True)
    uploads = [hand_in(who, work_py=RIGHT, answer_txt="x\n" * count) for who, count in names]
    seen, _ = seen_in(course, uploads)
    assert seen.other_data.startswith("ada: `answer.txt` has 500 lines" if refused else "")
    assert ("`dev.tsv`" in seen.other_data) is refused


@pytest.mark.parametrize("options", [{"only": frozenset(["double"])}, {"data": "given"}])
def test_data_are_not_missed_if_given_or_not_needed(course, hand_in, tmp_path, options):
    options = options | ({"data": tmp_path} if "data" in options else {})
    upload = hand_in(work_py=RIGHT, answer_txt="x\n" * 500)
    assert seen_in(course, [upload], **options)[0].other_data == ""


def test_a_preview_lists_what_is_found_and_missing(course, hand_in, tmp_path):
    folder = hand_in(work_py=RIGHT)
    (folder / "answers copy.md").write_text("x")
    archive = shutil.make_archive(str(tmp_path / "bob"), "zip", folder)
    for upload in previews(identify_all([folder, tmp_path / archive], "t"), request_for(course)):
        assert upload.code == ("work.py",)
        assert upload.missing == ("answer.txt", "answers.md")
        assert "rename it to answers.md" in " ".join(upload.notes)
