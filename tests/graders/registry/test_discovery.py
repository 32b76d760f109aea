"""Assignments are found by name, path or a folder's contents; an invalid file is one sentence."""

import shutil
from pathlib import Path

import pytest

from graders.errors import UsageError
from graders.registry.contents import own_assignment
from graders.registry.discovery import assignment_names, load_assignment
from tests.planted import examples_of


def test_a_folder_is_read(tiny):
    assert (tiny.name, tiny.version, tiny.seed) == ("tiny", 3, 7)
    assert [(c.id, c.points, c.kind) for c in tiny.rubric] == [
        ("double", 4.0, "code"),
        ("answer", 2.0, "metric"),
    ]
    assert tiny.settings["factor"] == 2
    assert tiny.files.code == ("work.py",)


def test_the_bundled_assignment_is_found_by_name_and_an_unknown_name_lists_it():
    assert "cs224n-a4" in assignment_names()
    assert sum(c.points for c in load_assignment("cs224n-a4").rubric) == 60
    with pytest.raises(UsageError, match="no assignment `cs999`") as caught:
        load_assignment("cs999")
    assert "`cs224n-a4`" in str(caught.value)


def test_a_copy_that_cannot_be_imported_is_refused(tiny_folder):
    copy = tiny_folder.parent / "our-tiny"
    shutil.copytree(tiny_folder, copy)
    load_assignment(str(copy))  # nothing is imported from it
    (copy / "__init__.py").touch()
    with pytest.raises(UsageError, match="our-tiny: its modules cannot be imported"):
        load_assignment(str(copy))


@pytest.mark.parametrize(
    "example",
    [
        "cs224n-a4/correct-plain", "cs224n-a4/wrong-rotary-not-written",
        "uw-a2/right-mini-notebook", "uw-a2/wrong-mini-function-missing",
        "uw-a2/right-sst2-notebook", "jhu-hw6/right-code-notebook",
        "jhu-hw6/wrong-code-no-step", "jhu-hw6/right-code-one-file",
    ],
)  # fmt: skip
def test_files_tell_whose_they_are(example):
    name, submission = example.split("/")
    assert own_assignment(examples_of(name) / submission).name == name


def test_an_archive_and_the_title_of_answers_tell_it_too(tmp_path):
    source = examples_of("cs224n-a4") / "correct-plain"
    archive = Path(shutil.make_archive(str(tmp_path / "ada"), "zip", source))
    assert own_assignment(archive).name == "cs224n-a4"
    archive.unlink()
    title = "Answers: Adapting Transformer Language Models"
    (tmp_path / "answers.md").write_text(f"# {title}\n\n## 1.1\n\nchoice: C\n")
    assert own_assignment(tmp_path).name == "jhu-hw6"


@pytest.mark.parametrize("text", ["", "print('Hello')\n", "\x00 not Python ((("])
def test_an_unclear_folder_asks_for_a_name(tmp_path, text):
    (tmp_path / "work.py").write_text(text)
    with pytest.raises(UsageError, match="could not detect the assignment") as refused:
        own_assignment(tmp_path)
    assert "--assignment" in refused.value.hint
    assert "`uw-a2`" in refused.value.hint


def test_a_folder_of_two_assignments_names_these_two(tmp_path):
    shutil.copytree(examples_of("cs224n-a4") / "correct-plain" / "src", tmp_path / "src")
    shutil.copytree(examples_of("jhu-hw6") / "right-code-one-file", tmp_path / "later")
    with pytest.raises(UsageError, match="its files fit several assignments") as refused:
        own_assignment(tmp_path)
    assert "`cs224n-a4`" in refused.value.hint
    assert "`jhu-hw6`" in refused.value.hint
    assert "`cs182-transformers`" not in refused.value.hint
