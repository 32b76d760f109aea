"""The empty answers file."""

import subprocess
import sys
from pathlib import Path

import pytest

from graders.errors import UsageError
from graders.written.template import template_of

ROOT = Path(__file__).parents[3]


def test_the_template_has_every_question(essay):
    text = template_of(essay, "", None)
    for expected in (
        "## 1a: The largest",
        "> (1 point) Which of the three is the largest?",
        "> `choice`: one letter, written like this: `(D)`",
        "> (3 points) Give an expression",
        "> `q1` and `q2`: a formula each",
        "> `text`: in your own words; a person reads it",
        "## Q2.1: A longer reason",
    ):
        assert f"\n{expected}" in text
    assert "2*a" not in text.replace("`2*x_1", "")


@pytest.mark.parametrize(
    ("form", "output", "start"),
    [
        ("", None, "# Answers: In writing\n\n>"),
        ("yaml", None, "# Answers: In writing\n# Write"),
        ("", Path("a.yaml"), "# Answers: In writing\n# Write"),
        ("", Path("a.yml"), "# Answers: In writing\n# Write"),
        ("md", Path("a.yaml"), "# Answers: In writing\n\n>"),
        ("", Path("a.txt"), "# Answers: In writing\n\n>"),
    ],
)
def test_the_name_of_the_file_chooses_the_form(essay, form, output, start):
    assert template_of(essay, form, output).startswith(start)


def test_answers_are_never_overwritten(essay, tmp_path):
    (tmp_path / "answers.md").write_text("## 1a\nB\n")
    with pytest.raises(UsageError, match="already exists"):
        template_of(essay, "", tmp_path / "answers.md")


def test_an_unknown_form_is_refused(essay):
    with pytest.raises(UsageError, match="unknown format `docx`"):
        template_of(essay, "docx", None)


def test_without_questions_there_is_no_template(tiny):
    with pytest.raises(UsageError, match="has no written questions"):
        template_of(tiny, "", None)


@pytest.mark.parametrize("name", ["answers.md", "answers.yaml"])
def test_an_untouched_template_is_not_answered(essay, grade, name):
    result, found = grade({name: template_of(essay, "", Path(name))})
    assert {each.message for each in found.values()} == {"Not answered."}
    assert result.score == 0


def test_the_command_writes_one_file_and_no_other(tmp_path):
    def template(*more):
        command = [sys.executable, "grade.py", "answers-template", "cs224n-a4", *more]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    shown, file = template(), str(tmp_path / "answers.md")
    assert "\n## 1b: " in shown.stdout
    assert template("--output", file).returncode == 0
    assert Path(file).read_text(encoding="utf-8") == shown.stdout
    refused = template("--output", file)
    assert refused.returncode == 2
    assert "already exists" in refused.stderr
