r"""Build the checks of an assignment's written part from its written.toml.

    written.toml --- check `1b/machine`: readable -> verifier -> pass, partial, fail
                 |                         given, but unreadable -> a person decides
                 |                         not given -> no points
                 \-- a check `1b/review`: given -> a person decides; not given -> no points

A file checks.py or checks_written.py of an assignment contains no more than:

    @written_checks(__file__)
    def test_written(written, submitted, score, inputs):
        judge(written, submitted, score, inputs)
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.time_limit import TimeUp, limit_time
from graders.errors import GraderFault
from graders.model import UNANSWERED
from graders.written.decisions import BY_HAND, PERSON_READS
from graders.written.loading import ANSWERS, questions_in
from graders.written.question import (
    Asked,
    Judgement,
    Machine,
    Misfit,
    Question,
    Review,
    Undecided,
    Unreadable,
)
from graders.written.reading.answers import (
    LARGEST,
    MOST_VERSIONS,
    Answer,
    Answers,
    Unusable,
    read_answers,
)
from graders.written.reading.plain import explains
from graders.written.reading.question_parts import expected_parts
from graders.written.reading.split import listed
from graders.written.template import quoted
from graders.written.verifiers import VERIFIERS
from submissions.escaping import shown

PATIENCE = 10.0  # seconds of computing for all versions of one answer, which take about 0.1
TOO_LONG = "This takes too long to compute; simplify it."
FROM_LATEX = "A person checks this answer, because it comes from a LaTeX document."
IN_PICTURE = "The answer names a picture or an attachment, which only a person can read."
_PICTURE = re.compile(
    r"!\[|<img\b|\w\.(?:png|jpe?g|gif|svg|heic|webp|bmp|tiff?|pdf)\b"
    r"|\b(?:see|attached|handwritten|scanned)\s(?:(?:the|my|an?|attached|handwritten)\s){0,2}"
    r"(?:figures?|fig|photos?|pictures?|images?|screenshots?|scans?|attachments?)\b",
    re.IGNORECASE,
)
LONGEST_TEXT = 20_000  # characters of a free text that graders see
HOW_TO_ANSWER = (
    "Run `softmark answers-template` with the assignment's name to get an empty file with every "
    "question."
)
Role = Literal["machine", "review"]


@dataclass(frozen=True, slots=True)
class WrittenCheck:
    """One check: a question, which part of it is graded, and all questions of the assignment."""

    role: Role
    question: Question
    questions: tuple[Question, ...]

    @property
    def id(self) -> str:
        """The check's ID: `1b/machine` or `1b/review`."""
        return f"{self.question.id}/{self.role}"

    @property
    def first(self) -> bool:
        """Return whether this is the first check, which reports faults of the whole file."""
        return self == next(_all_checks(self.questions))


def written_checks(file: str) -> pytest.MarkDecorator:
    """Return the mark that runs a test once for each check of the questions next to `file`."""
    checks = _all_checks(questions_in(Path(file).parent))
    return pytest.mark.parametrize("written", [_parameter(check) for check in checks])


def _all_checks(questions: tuple[Question, ...]) -> Iterator[WrittenCheck]:
    for question in questions:
        if question.machine is not None:
            yield WrittenCheck("machine", question, questions)
        if question.review is not None:
            yield WrittenCheck("review", question, questions)


def _parameter(check: WrittenCheck) -> object:
    side = check.question.machine if check.role == "machine" else check.question.review
    assert side is not None  # noqa: S101  narrows the type: a check is made of a side there is
    mark = pytest.mark.criterion(
        check.question.id, weight=side.points, id=check.id, description=_description(check)
    )
    return pytest.param(check, id=check.id, marks=mark)


def _description(check: WrittenCheck) -> str:
    """Return a title that is true whatever the verdict: `Baseline: `table`.`."""
    machine, review = check.question.machine, check.question.review
    title, ended = check.question.title, check.question.title.endswith(("?", ".", "!"))
    if check.role == "machine" and machine is not None:
        return f"{title}{'' if ended else ':'} {listed(machine.parts)}."
    part = review.part if review is not None and machine is not None else "answer"
    return f"{title}{' The' if ended else ': the'} {part}, graded by a person."


def judge(written: WrittenCheck, submitted: SubmittedFiles, score: Score, inputs: Inputs) -> None:
    try:
        answers = _answers(written, submitted)
    except Unusable as error:
        return _unusable(error, score)
    answer = answers.of(written.question.id)
    machine, review = written.question.machine, written.question.review
    alone = machine is None or written.role == "machine"
    for note in (*(answers.notes if written.first else ()), *(answer.notes if alone else ())):
        score.note(note)
    if written.role == "machine" and machine is not None:
        _judge_machine(written, machine, answers, inputs, score)
    elif review is not None:
        _ask_person(written.question, review, answer, score)


def _answers(written: WrittenCheck, submitted: SubmittedFiles) -> Answers:
    files = {name: _content(name, submitted) for name in ANSWERS if submitted.has(name)}
    if not files:
        fail(
            f"Your submission contains no answers file (`{ANSWERS[0]}` or `{ANSWERS[1]}`).",
            hint=HOW_TO_ANSWER if written.first else "",
        )
    questions = tuple(expected_parts(question, quoted(question)) for question in written.questions)
    actual_names = {name: submitted.paths[name].name for name in files}
    called = {name: shown(actual) for name, actual in actual_names.items() if actual != name}
    return read_answers(files, questions, called)


def _unusable(error: Unusable, score: Score) -> None:
    """Send a file that is not empty but unreadable to manual grading, once per question."""
    if not error.content:
        fail("Your answers file is empty.", hint=str(error))
    message = f"{BY_HAND} Your answers file could not be read."
    score.needs_review(message, hint=str(error), actual=error.content[:LONGEST_TEXT])


def _content(name: str, submitted: SubmittedFiles) -> bytes:
    with submitted.paths[name].open("rb") as file:
        return file.read(LARGEST + 1)


def _judge_machine(
    written: WrittenCheck, machine: Machine, answers: Answers, inputs: Inputs, score: Score
) -> None:
    """Grade by the worst of all submitted values; unreadable ones need manual grading."""
    answer = answers.of(written.question.id)
    versions = answer.versions(machine.parts)

    def judgement(parts: Mapping[str, str]) -> Judgement:
        draw = inputs.generator("written", written.question.id)
        return _judgement(Asked(machine, parts, answers.texts, draw), answer)

    if answer.unplaced and any(part not in answer.parts for part in machine.parts):
        return _by_hand("No answer was found, but some text here may contain it.", answer, score)
    if not versions[0]:
        fail(UNANSWERED, hint=_where_to_write(written.question, machine.parts))
    if len(versions) > 1:
        score.note(_given_twice(answer, machine))
    try:
        with limit_time(PATIENCE, processor=True):
            judged = [(judgement(parts), parts) for parts in versions[:MOST_VERSIONS]]
    except TimeUp:  # how long this takes depends on what the student wrote
        return _by_hand(TOO_LONG, answer, score, _place(answer, versions[0]))
    except Undecided as kept:
        return score.needs_review(str(kept), actual=_shown(versions[0]))
    except Unreadable as error:
        return _by_hand(str(error), answer, score, _place(answer, versions[0]))
    verdict, parts = min(judged, key=lambda pair: pair[0].fraction)
    if doubt := _doubt(verdict, answer, len(versions), from_latex=answers.from_latex):
        return _by_hand(doubt, answer, score)
    for note in verdict.notes:
        score.note(note)
    return _say(verdict, verdict.actual or _shown(parts), machine, score)


def _doubt(verdict: Judgement, answer: Answer, versions: int, *, from_latex: bool) -> str:
    """Return why a person must decide in spite of this verdict, or nothing."""
    if versions > MOST_VERSIONS and verdict.fraction > 0:
        return "You answered this too many times; keep only one answer."
    if verdict.fraction == 1:
        return ""
    if from_latex:
        return f"{FROM_LATEX} {verdict.message}\n{verdict.hint}"
    return IN_PICTURE if _PICTURE.search(answer.whole[:LONGEST_TEXT]) else ""


def _judgement(answer: Asked, source: Answer) -> Judgement:
    """Return the verifier's judgement.

    Raises Unreadable, and in a student's own check Undecided. Anything else is our own fault.
    """
    name = answer.machine.verify
    try:
        judged = VERIFIERS[name](answer)
    except Misfit as error:
        return Judgement(0.0, str(error), hint=_place(source, answer.parts))
    except AssertionError as error:  # raised in a check, it would blame the student
        raise GraderFault(f"the verifier `{name}` broke") from error
    if not 0.0 <= judged.fraction <= 1.0:
        raise GraderFault(f"the verifier `{name}` gave {judged.fraction}")
    return judged


def _by_hand(reason: str, answer: Answer, score: Score, place: str = "") -> None:
    first, _, more = reason.partition("\n")
    hint = "\n".join(filter(None, (more, place)))
    score.needs_review(f"{BY_HAND} {first}", hint=hint, actual=answer.whole[:LONGEST_TEXT])


def _say(verdict: Judgement, actual: str, machine: Machine, score: Score) -> None:
    details = {
        "hint": verdict.hint,
        "expected": verdict.expected or machine.expected,
        "actual": actual[:LONGEST_TEXT],
    }
    rows = dict(verdict.counterexample)
    if verdict.fraction == 0:
        fail(verdict.message, counterexample=rows, **details)
    score.partial(verdict.fraction, verdict.message, counterexample=rows, **details)


def _shown(parts: Mapping[str, str]) -> str:
    if len(parts) == 1:
        return next(iter(parts.values()))[:LONGEST_TEXT]
    return "\n".join(f"{name}: {text}" for name, text in parts.items())[:LONGEST_TEXT]


def _place(answer: Answer, parts: Mapping[str, str]) -> str:
    """Return the lines of the values, so that the student can find a typo."""
    values = [value for name in parts for value in answer.parts[name]]
    places = sorted({(value.file, value.line) for value in values})[:4]
    *most, last = [f"line {line} of {file}" for file, line in places]
    return f"See {' and '.join(filter(None, (', '.join(most), last)))}."


def _given_twice(answer: Answer, machine: Machine) -> str:
    values = [answer.parts[part] for part in machine.parts if len(answer.parts.get(part, ())) > 1]
    lines = [f"{value.file} line {value.line}" for several in values for value in several]
    places = ", ".join(list(dict.fromkeys(lines))[:6])
    return (
        f"You gave different answers to this question ({places}); the weaker one "
        "counts. Keep only one."
    )


def _ask_person(question: Question, review: Review, answer: Answer, score: Score) -> None:
    text = answer.text(review.part) or answer.unplaced or _explained(question, answer)
    if not text:
        fail(UNANSWERED, hint=_where_to_write(question, (review.part,)))
    if len(text) > LONGEST_TEXT:
        score.note(f"Only the first {LONGEST_TEXT} characters of this answer are read.")
    score.needs_review(PERSON_READS, actual=text[:LONGEST_TEXT])


def _explained(question: Question, answer: Answer) -> str:
    """Return the answer to a value question if it contains an explanation; otherwise "".

    A formula of several lines may be a derivation.
    """
    machine = question.machine
    texts = {part: answer.text(part) for part in (machine.parts if machine is not None else ())}
    says_more = machine is not None and any(
        explains(text, machine.kind) or (machine.kind == "formula" and "\n" in text)
        for text in texts.values()
    )
    return answer.whole if says_more else ""


def _where_to_write(question: Question, parts: tuple[str, ...]) -> str:
    labels = listed([f"{part}: ..." for part in parts])
    return f"Write {labels} below the heading `## {question.id}`."
