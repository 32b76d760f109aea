"""The empty answers file is read back, and placeholders are not answers."""

from dataclasses import replace

import pytest

from graders.written.loading import questions_in
from graders.written.reading.answers import read_answers
from graders.written.reading.wanted import wanted_of
from graders.written.template import answers_template, quoted


@pytest.mark.parametrize("form", ["md", "yaml"])
def test_the_template_answers_nothing(form, read, questions):
    answers = read(answers_template("Tiny", questions, form), f"answers.{form}")
    assert not any(answer.parts or answer.notes for answer in answers.given.values())
    assert not answers.notes


def test_the_template_keeps_the_lines_of_a_prompt(questions):
    asked = replace(questions[6], prompt="Which one?\nA. " + "long " * 30 + "\nB. the other")
    text = answers_template("Tiny", [asked])
    assert "\n> A. long" in text
    assert "\n> B. the other\n" in text
    wanted = (wanted_of(asked, quoted(asked)),)
    assert not read_answers({"answers.md": text.encode()}, wanted).of("Q3.1").parts
    answered = text.replace("choice:", "choice: B")
    assert read_answers({"answers.md": answered.encode()}, wanted).of("Q3.1").text("choice") == "B"


def test_a_template_filled_in_is_read(parts_of, questions):
    lines = answers_template("Tiny", questions).split("\n")
    filled = [f"{line} 2*x" if line == "formula:" else line for line in lines]
    assert parts_of("\n".join(filled), "1b") == {"formula": ["2*x"]}


@pytest.mark.parametrize(
    "empty", ["TODO", "...", "…", "?", "____", "<your answer>", "<!-- x -->", " "]
)
def test_a_placeholder_is_no_answer(empty, parts_of):
    assert parts_of(f"## 1b\nformula: {empty}\ntext:\n{empty}\n", "1b") == {}


def test_the_questions_of_a_file_want_their_parts(essay_folder, wanted):
    assert [each.parts for each in wanted] == [
        ("choice",),
        ("formula", "text"),
        ("q1", "q2"),
        ("text",),
    ]
    assert len(questions_in(essay_folder)) == 4
