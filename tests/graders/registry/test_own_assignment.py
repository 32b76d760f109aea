"""The assignment of a folder is detected from its contents."""

import shutil
from pathlib import Path

import pytest

from graders.errors import UsageError
from graders.registry.own_assignment import own_assignment
from tests.planted import examples_of


@pytest.mark.parametrize(
    "example",
    [
        *("cs224n-a4/correct-plain", "cs224n-a4/wrong-rotary-not-written"),
        *("uw-a2/right-mini-notebook", "uw-a2/wrong-mini-function-missing"),
        *("uw-a2/right-sst2-notebook", "jhu-hw6/right-code-notebook"),
        *("jhu-hw6/wrong-code-no-step", "jhu-hw6/right-code-one-file"),
    ],
)
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
