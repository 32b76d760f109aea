"""Write an empty answers file: every question with its points, and a line with the notation.

Lines that begin with `>` (in YAML with `#`) are the course's text, which is not read as an answer.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Literal, get_args

from graders.errors import UsageError
from graders.model import Assignment
from graders.written.loading import questions_in
from graders.written.question import Machine, Question
from graders.written.reading.split import listed

Form = Literal["md", "yaml"]
WIDTH = 92
ABOUT = (
    "Write your answer below each question, after the names of its parts. An answer may take "
    "several lines. Lines that begin with `>` are from the course; you may keep or delete them.",
    "Formulas: as in Python or LaTeX, such as `2*x_1^T y`, `2 x_1^T y` or `$2 x_1^\\top y$`. Text: "
    "you may use Markdown and LaTeX.",
)
ABOUT_YAML = (
    "Write your answers after the colons. Put text that contains `:`, `#` or a quote between "
    "single quotes. Put longer text below `|` and indent it. Lines that begin with `#` are from "
    "the course.",
    "Formulas: as in Python or LaTeX, such as '2*x_1^T y'. A vector: [1, 2, 3].",
)
KINDS = {
    "choice": "one letter",
    "choices": "letters, all that apply",
    "true_false": "true or false",  # `yes or no` where the example is one of these
    "number": "a number",
    "vector": "numbers in brackets",
    "matrix": "rows of numbers in brackets",
    "formula": "a formula",
    "table": "numbers, a name before each",
}


def answers_template(title: str, questions: Sequence[Question], form: Form = "md") -> str:
    """Return the whole file as text."""
    lines = _markdown(title, questions) if form == "md" else _yaml(title, questions)
    return "\n".join(lines).rstrip() + "\n"


def template_of(assignment: Assignment, form: str, output: Path | None) -> str:
    """Return an empty answers file. Raises UsageError if there are no questions or it exists.

    If no form is given, the output's name determines it.
    """
    forms = {name: name for name in get_args(Form)}
    suffix = output.suffix.removeprefix(".").replace("yml", "yaml") if output is not None else ""
    chosen = forms.get(form or (suffix if suffix in forms else "md"))
    if chosen is None:
        raise UsageError(f"unknown format `{form}`", "choose from: `md`, `yaml`")
    questions = questions_in(assignment.folder)
    if not questions:
        raise UsageError(f"{assignment.name} has no written questions")
    if output is not None and output.exists():
        raise UsageError(f"{output} already exists", "it may contain answers; choose another name")
    return answers_template(assignment.title, questions, chosen)


def quoted(question: Question) -> str:
    """Return the template's text on a question, line by line."""
    lines = (line for text in _about(question) for line in text.split("\n"))
    return "\n".join(short for line in lines for short in wrap(line, WIDTH) or [""])


def _markdown(title: str, questions: Sequence[Question]) -> Iterator[str]:
    yield from (f"# Answers: {title}", "")
    for paragraph in ABOUT:
        yield from (*(f"> {line}" for line in wrap(paragraph, WIDTH)), "")
    for question in questions:
        yield from (f"## {question.id}: {question.title}", "")
        yield from (f"> {line}".rstrip() for line in quoted(question).split("\n"))
        for part in question.parts:
            yield from ("", f"{part}:")
        yield ""


def _yaml(title: str, questions: Sequence[Question]) -> Iterator[str]:
    for paragraph in (f"Answers: {title}", *ABOUT_YAML):
        yield from (f"# {line}" for line in wrap(paragraph, WIDTH))
    for question in questions:
        yield from ("", f"# {question.id}: {question.title}")
        yield from (f"# {line}".rstrip() for line in quoted(question).split("\n"))
        yield f'"{question.id}":'
        yield from (f"  {part}:" for part in question.parts)


def _kind(machine: Machine) -> str:
    """Return what to write for the parts: `a formula each`, `one letter, written like this: ...`.

    The example of a true or false question would be half of the possible answers.
    """
    like = _like(machine.example)
    if machine.kind == "true_false":
        return "yes or no" if machine.example in ("yes", "no") else KINDS[machine.kind]
    if machine.kind == "table" and machine.example:
        named = re.search(r"[A-Za-z]", machine.example)
        lines = "\n" in machine.example
        return ("numbers" if lines else KINDS["table"] if named else KINDS["number"]) + like
    return KINDS[machine.kind] + (" each" if len(machine.parts) > 1 else "") + like


def _like(example: str) -> str:
    """Return the example for display, on the line or, if it has several lines, below."""
    if "\n" in example:
        return f", written like this:\n{example}"
    return f", written like this: `{example}`" if example else ""


def _about(question: Question) -> Iterator[str]:
    """Yield the prompt and points, then how to write each part."""
    points = f"{question.points:g} point{'' if question.points == 1 else 's'}"
    yield f"({points}) {question.prompt}"
    machine, review = question.machine, question.review
    if machine is not None:
        yield f"{listed(machine.parts)}: {_kind(machine)}"
    if review is not None:
        yield f"`{review.part}`: in your own words; a person reads it"
