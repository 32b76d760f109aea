"""A tiny assignment with only written questions, and answers to those of the bundled ones."""

import textwrap
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import verdict
from graders.errors import UsageError
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.model import Check
from graders.registry.discovery import load_assignment
from graders.written import checks
from graders.written.loading import questions_in
from graders.written.question import (
    Asked,
    Judgement,
    Machine,
    Misfit,
    Mistake,
    Question,
    Review,
    Unreadable,
)
from graders.written.reading.answers import read_answers
from graders.written.reading.question_parts import expected_parts
from graders.written.template import quoted
from graders.written.verifiers import VERIFIERS
from submissions.receive import identify
from tests.conftest import LIMITS, write_files

ASSIGNMENT = f"""
name = "essay"
title = "In writing"
version = 1
seed = 7
{LIMITS}
[files]
code = []
"""

QUESTIONS = """
[[question]]
id = "1a"
title = "The largest"
prompt = "Which of the three is the largest?"
[question.machine]
points = 1
kind = "choice"
parts = ["choice"]
verify = "tiny_equal"
example = "(D)"
[question.machine.with]
key = "B"

[[question]]
id = "1b"
title = "Twice a vector"
prompt = "Give an expression for twice the vector a, and say why it is right."
[question.machine]
points = 2
kind = "formula"
parts = ["formula"]
verify = "tiny_equal"
example = "3*b + c"
expected = "2*a"
[question.machine.with]
key = "2*a"
[question.review]
points = 1
part = "text"
[[question.review.item]]
points = 1
text = "doubling scales every entry"

[[question]]
id = "1c.i"
title = "Two heads"
prompt = "Give both queries."
[question.machine]
points = 1
kind = "formula"
parts = ["q1", "q2"]
verify = "tiny_halves"
[question.machine.with]
q1 = "a"
q2 = "b"

[[question]]
id = "Q2.1"
title = "A longer reason"
prompt = "Why is order lost?"
[question.review]
points = 3
[[question.review.item]]
points = 3
text = "attention sees a set"
"""

CHECKS = '''
"""The written part: its questions, keys and rubrics are in written.toml."""

from graders.written.checks import judge, written_checks


@written_checks(__file__)
def test_written(written, submitted, score, inputs):
    judge(written, submitted, score, inputs)
'''

RIGHT = """
## 1a
B
## 1b
formula: 2*a
text: Each entry is doubled.
## 1c.i
q1: a
q2: b
## Q2.1
Because a set has no order.
"""


BROKEN = {
    "1/0": ZeroDivisionError("division by zero"),
    "assert": AssertionError("ours"),
    "deep": RecursionError("too deep"),
    "key": UsageError("there is no key"),
    "memory": MemoryError(),
}


def tiny_equal(answer):
    """The value is the key; BROKEN breaks the verifier, `%` is unreadable, `&` does not fit.

    It computes for `0.1 seconds` if the value says so.
    """
    text = answer.parts[answer.machine.parts[0]]
    if text == "%":
        raise Unreadable("The sign `%` means nothing here.")
    if text == "&":
        raise Misfit("A matrix is asked for.")
    if text.endswith(" seconds"):
        end = time.process_time() + float(text.removesuffix(" seconds"))
        while time.process_time() < end:
            pass
    if text in BROKEN:
        raise BROKEN[text]
    if text == "nan":
        return Judgement(float("nan"))
    if text == "half":
        return Judgement(0.5, "Nearly.", hint="The factor.", notes=("A remark.",))
    right = text == answer.machine.settings["key"]
    return Judgement(float(right), "" if right else "That is not it.")


def tiny_halves(answer):
    """Each part is worth the same; one that is missing is wrong."""
    keys = answer.machine.settings
    right = sum(answer.parts.get(part) == keys[part] for part in answer.machine.parts)
    return Judgement(right / 2, "" if right == 2 else "One of them is wrong.")


@pytest.fixture(scope="module", autouse=True)
def tiny_verifiers():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(VERIFIERS, "tiny_equal", tiny_equal)
        patch.setitem(VERIFIERS, "tiny_halves", tiny_halves)
        yield


@pytest.fixture
def essay_folder(tmp_path):
    """The folder of the written assignment; a test may edit its files before loading it."""
    written = {"written.toml": QUESTIONS, "checks_written.py": CHECKS}
    return write_files(tmp_path / "essay", {"assignment.toml": ASSIGNMENT, **written})


@pytest.fixture
def essay(essay_folder):
    return load_assignment(str(essay_folder))


@pytest.fixture
def grade(essay, tmp_path):
    """Grades answers, given as a text or as files by name; the Result's checks by id."""

    def graded(answers=None, **options):
        files = {"answers.md": answers} if isinstance(answers, str) else (answers or {})
        folder = tmp_path / "ada"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            text = textwrap.dedent(content).encode() if isinstance(content, str) else content
            (folder / name).write_bytes(text)
        (folder / "data.csv").write_text("mine")
        result = grade_submission(
            identify(folder, essay.name), essay, replace(Options(Tier.NONE), **options)
        )
        return result, {c.id: c for criterion in result.criteria for c in criterion.checks}

    return graded


@cache
def bundled_questions(name):
    return questions_in(load_assignment(name).folder)


@pytest.fixture
def judged(tmp_path):
    """Judges one question of answers to a bundled assignment, without a grading around it."""

    def verdict_on(name, question, answers, role="machine"):
        file, questions = tmp_path / "answers.md", bundled_questions(name)
        file.write_text(answers, encoding="utf-8")
        entry = next(entry for entry in questions if entry.id == question)
        score, problem = Score(), None
        try:
            submitted = SubmittedFiles({file.name: file})
            checks.judge(checks.WrittenCheck(role, entry, questions), submitted, score, Inputs())
        except CheckFailed as error:
            problem = error
        return verdict(Check(question, "", question), problem, score)

    return verdict_on


def ask(name, kind=None, parts=("formula",), text="text", title=""):
    """A question of this kind; without a text it has no rubric."""
    machine = Machine(1, kind, parts, "x", {}, (), "3*x + 2", "") if kind else None
    review = Review(1, text, ()) if text else None
    prompt = "Give a query whose output is the mean of two values, and say why it works."
    return Question(name, title or f"Title of {name}", prompt, machine, review)


@pytest.fixture(scope="session")
def questions():
    """A question of each kind that is read differently."""
    return (
        ask("1a.i"),
        ask("1b", "formula", title="An average of two values"),
        ask("1d.i", "formula", ("q1", "q2"), None),
        ask("1d.ii"),
        ask("1e.ii", "matrix", ("K", "Q", "V"), None),
        ask("2.1.1", "vector", ("vector",), None),
        ask("Q3.1", "choice", ("choice",), None),
        ask("Q3.2", "choices", ("choices",), None),
        ask("g", "true_false", ("answer",)),
    )


@pytest.fixture(scope="session")
def asked(questions):
    return tuple(expected_parts(question, quoted(question)) for question in questions)


@pytest.fixture(scope="session")
def read(asked):
    """Reads one answers file, given as text or bytes."""

    def reads(content, name="answers.md"):
        content = content.encode() if isinstance(content, str) else content
        return read_answers({name: content}, asked)

    return reads


@pytest.fixture(scope="session")
def parts_of(read):
    """The values of one question's parts in a file."""

    def values(content, question, name="answers.md"):
        answer = read(content, name).of(question)
        return {part: [value.text for value in versions] for part, versions in answer.parts.items()}

    return values


@pytest.fixture(scope="session")
def judge():
    """A verifier's judgement of one text, or of several by part."""

    def judged(verify, answer, *, mistakes=(), others=None, seed=0, **settings):
        parts = answer if isinstance(answer, dict) else {"formula": answer}
        names = settings.pop("parts", tuple(parts))
        listed_mistakes = tuple(Mistake(*mistake) for mistake in mistakes)
        machine = Machine(1, "formula", names, verify, settings, listed_mistakes, "", "")
        return VERIFIERS[verify](Asked(machine, parts, others or {}, np.random.default_rng(seed)))

    return judged


@pytest.fixture(scope="session")
def earned(judge):
    """The fractions that an answer earns over four draws, each of which has several instances."""

    def fractions(verify, answer, **settings):
        judgements = (judge(verify, answer, seed=seed, **settings) for seed in range(4))
        return {round(judgement.fraction, 9) for judgement in judgements}

    return fractions
