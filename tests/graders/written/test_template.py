"""The empty answers file has every question, and read back it answers none."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grade as command_line
from graders.errors import UsageError
from graders.written.reading.answers import read_answers
from graders.written.reading.question_parts import expected_parts
from graders.written.template import WIDTH, answers_template, quoted, template_of
from tests.graders.written.conftest import bundled_questions


def test_the_template_has_every_question(essay):
    text = template_of(essay, "", None)
    for expected in (
        "## 1a: The largest",
        "> (1 point) Which of the three is the largest?",
        "> `choice`: one letter, written like this: `(D)`",
        "> (3 points) Give an expression",
        "> `q1` and `q2`: a formula each\n",
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
        ("", Path("a.yml"), "# Answers: In writing\n# Write"),
        ("md", Path("a.yaml"), "# Answers: In writing\n\n>"),
        ("", Path("a.txt"), "# Answers: In writing\n\n>"),
    ],
)
def test_the_name_of_the_file_chooses_the_form(essay, form, output, start):
    assert template_of(essay, form, output).startswith(start)


def test_an_unknown_form_and_an_assignment_without_questions_are_refused(essay, tiny):
    with pytest.raises(UsageError, match="unknown format `docx`"):
        template_of(essay, "docx", None)
    with pytest.raises(UsageError, match="has no written questions"):
        template_of(tiny, "", None)


def test_the_command_writes_what_it_shows(tmp_path):
    def template(*more):
        words = ["answers-template", "cs224n-a4", *more]
        return CliRunner().invoke(command_line.app, words, catch_exceptions=False)

    shown, file = template(), tmp_path / "answers.md"
    assert "\n## 1b: " in shown.stdout
    assert template("--output", str(file)).exit_code == 0
    assert file.read_text(encoding="utf-8") == shown.stdout
    with pytest.raises(UsageError, match="already exists"):
        template("--output", str(file))


@pytest.mark.parametrize("form", ["md", "yaml"])
def test_the_template_answers_nothing(form, read, questions):
    answers = read(answers_template("Tiny", questions, form), f"answers.{form}")
    assert not any(answer.parts or answer.notes for answer in answers.by_question.values())
    assert not answers.notes


def test_the_template_keeps_the_lines_of_a_prompt(questions):
    question = replace(questions[6], prompt="Which one?\nA. " + "long " * 30 + "\nB. the other")
    text = answers_template("Tiny", [question])
    assert "\n> A. long" in text
    assert "\n> B. the other\n" in text
    wanted = (expected_parts(question, quoted(question)),)
    assert not read_answers({"answers.md": text.encode()}, wanted).of("Q3.1").parts
    answered = text.replace("choice:", "choice: B")
    assert read_answers({"answers.md": answered.encode()}, wanted).of("Q3.1").text("choice") == "B"


def test_a_template_filled_in_is_read(parts_of, questions):
    lines = answers_template("Tiny", questions).split("\n")
    filled = [f"{line} 2*x" if line == "formula:" else line for line in lines]
    assert parts_of("\n".join(filled), "1b") == {"formula": ["2*x"]}


def test_a_template_without_its_quote_marks_answers_nothing(questions):
    """A line of it elsewhere is an answer, as is a value that is quoted below its name."""
    wanted = tuple(expected_parts(question, quoted(question)) for question in questions)
    bare = answers_template("Tiny", questions).replace("\n> ", "\n").partition("\n## ")
    answers = read_answers({"answers.md": f"## {bare[2]}".encode()}, wanted).by_question
    assert not any(answer.parts for answer in answers.values())
    prompt = "The values are (1, 2, 3) and (3, 2, 1).\nA. the first\nB. the second one of these"
    question = replace(questions[5], prompt=prompt)
    wanted = (expected_parts(question, quoted(question)),)
    for body in ("vector:\n> (1, 2, 3)", "B. the second one of these"):
        answer = read_answers({"answers.md": f"## 2.1.1\n{body}".encode()}, wanted).of("2.1.1")
        assert body.removeprefix("vector:\n> ") == answer.text("vector")


@pytest.mark.parametrize(
    ("kind", "parts", "example", "line"),
    [
        ("formula", ("q1", "q2"), "a", "`q1` and `q2`: a formula each, written like this: `a`"),
        ("table", ("runs",), "lr 3, acc 4", "numbers, a name before each, written like this: `lr"),
        ("table", ("accuracy",), "70 %", "`accuracy`: a number, written like this: `70 %`"),
        ("table", ("n", "t"), "n: 2\nt:\n| a |\n|---|", "`n` and `t`: numbers, written like this:"),
        ("table", ("runs",), "", "`runs`: numbers, a name before each"),
        ("true_false", ("answer",), "yes", "`answer`: yes or no"),
        ("true_false", ("answer",), "true", "`answer`: true or false"),
    ],
)
def test_the_notation_fits_the_parts(questions, kind, parts, example, line):
    machine = replace(questions[6].machine, kind=kind, parts=parts, example=example)
    text = answers_template("Tiny", [replace(questions[6], machine=machine)])
    (shown,) = (row for row in text.split("\n") if line in row)
    assert line.endswith(("lr", "`")) or shown == f"> {line}"
    if "\n" in example:
        assert "\n".join(f"> {row}" for row in example.split("\n")) in text


@pytest.mark.parametrize(
    "name", ["cs182-transformers", "cs224n-a4", "cs224n-a5", "jhu-hw6", "uw-a2"]
)
def test_bundled_templates_wrap_once_and_answer_nothing(name):
    """Also with the line breaks of another version, without quote marks, and filled in."""
    questions = bundled_questions(name)
    wanted = tuple(expected_parts(question, quoted(question)) for question in questions)
    text = answers_template("In writing", questions)
    short = [a for a, b in pairwise(text.split("\n")) if is_broken_early(a, b)]
    assert not short
    broken = re.sub(r"(?m)^(> \([\d.]+ points?\) .{20,40}?) ", r"\1\n> ", text)
    assert broken != text
    for form in (text, broken, broken.replace("like this", "thus"), text.replace("\n> ", "\n")):
        content = f"## {form.partition(chr(10) + '## ')[2]}".encode()
        answers = read_answers({"answers.md": content}, wanted).by_question
        assert not any(
            answer.parts or answer.unplaced or answer.leftover for answer in answers.values()
        )
    one = next(question for question in questions if question.review is None)
    part = one.parts[0]
    for block in (text, broken):
        section = next(
            section for section in block.split("\n## ") if section.startswith(f"{one.id}:")
        )
        answered = section.replace(f"\n\n{part}:", f"\n> {part}: 12", 1)
        answers = read_answers({"answers.md": f"## {answered}".encode()}, wanted)
        assert answers.of(one.id).text(part) == "12"


def is_broken_early(line, following):
    """Whether a line of a quote ends where the next one's first word would have fit."""
    both = line.startswith("> ") and following.startswith("> ") and not line.endswith((":", "`"))
    item = re.match(r"> (?:[A-Z]\. |`|\||\d+, |\w+:)", following)
    ended = line.endswith((".", "?", "reads it")) or re.match(r"> (?:\||\d+, |\w+: )", line)
    return both and not item and not ended and len(f"{line} {following.split()[1]}") <= WIDTH


@pytest.mark.parametrize(
    "empty", ["TODO", "...", "…", "?", "____", "<your answer>", "<!-- x -->", " "]
)
def test_a_placeholder_is_no_answer(empty, parts_of):
    assert parts_of(f"## 1b\nformula: {empty}\ntext:\n{empty}\n", "1b") == {}
