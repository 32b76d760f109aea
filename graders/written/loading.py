"""Read an assignment's written.toml: the questions with their rubric items."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from graders.errors import UsageError
from graders.model import Criterion, Visibility
from graders.tables import parse_table, read_text
from graders.written.question import Kind, Machine, Mistake, Question, Review, RubricItem
from graders.written.reading.names import canonical

FILE = "written.toml"
ANSWERS = ("answers.md", "answers.yaml", "answers.yml")  # where students write their answers
ID = r"^[A-Za-z0-9][A-Za-z0-9.\-]*$"
ID_WORDS = "letters, digits, dots and hyphens"
PART = r"^[A-Za-z][A-Za-z0-9_]*$"


class _Mistake(BaseModel, extra="forbid"):
    part: str
    answer: str = Field(alias="is")
    hint: str
    fraction: float = Field(default=0.0, ge=0, le=1)


class _Machine(BaseModel, extra="forbid"):
    points: float = Field(gt=0)
    kind: Kind
    parts: tuple[str, ...] = Field(min_length=1)
    verify: str
    example: str = ""
    expected: str = ""
    settings: dict[str, Any] = Field(default={}, alias="with")
    mistakes: tuple[_Mistake, ...] = Field(default=(), alias="mistake")


class _Item(BaseModel, extra="forbid"):
    points: float = Field(ge=0)
    text: str
    phrases: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()


class _Review(BaseModel, extra="forbid"):
    points: float = Field(gt=0)
    part: str = Field(
        default="text", pattern=PART, description="a letter, then letters, digits and _"
    )
    items: tuple[_Item, ...] = Field(alias="item", min_length=1)


class _Question(BaseModel, extra="forbid"):
    id: str = Field(pattern=ID, description=ID_WORDS)
    title: str
    prompt: str
    visibility: Visibility = "visible"
    extra_credit: bool = False
    machine: _Machine | None = None
    review: _Review | None = None


class _File(BaseModel, extra="forbid"):
    question: tuple[_Question, ...] = Field(min_length=1)


def questions_in(folder: Path) -> tuple[Question, ...]:
    """Return the questions of the assignment in this folder.

    Raises UsageError if the file is invalid.
    """
    return tuple(map(_question, _read(folder / FILE)))


def written_criteria(folder: Path) -> tuple[Criterion, ...]:
    """Return one criterion per question; none if the assignment has no written part."""
    return tuple(
        Criterion(
            id=question.id,
            title=f"{question.id}. {question.title}",
            points=_question(question).points,
            visibility=question.visibility,
            kind="written",
            extra_credit=question.extra_credit,
        )
        for question in _read(folder / FILE)
    )


def _read(file: Path) -> tuple[_Question, ...]:
    return _parsed(read_text(file), str(file)) if file.is_file() else ()


@lru_cache(maxsize=8)
def _parsed(text: str, file: str) -> tuple[_Question, ...]:
    """Return the validated questions; cached, because a batch needs them for every submission."""
    questions = parse_table(text, _File, file, "see docs/written.md").question
    _refuse_equal_ids(questions, file)
    for question in questions:
        _refuse_what_nobody_judges(question, file)
    return questions


def _refuse_equal_ids(questions: Iterable[_Question], file: str) -> None:
    seen: dict[str, str] = {}
    for question in questions:
        before = seen.setdefault(canonical(question.id), question.id)
        if before != question.id or list(seen.values()).count(question.id) > 1:
            raise UsageError(f"{file}: students cannot tell `{before}` and `{question.id}` apart")
    ids = [question.id for question in questions]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise UsageError(f"{file}: duplicate question id `{twice[0]}`")


def _refuse_what_nobody_judges(question: _Question, file: str) -> None:
    """Raise UsageError if a question has no known verifier or no rubric with enough points."""
    where = f"{file}: question `{question.id}`"
    machine, review = question.machine, question.review
    if machine is None and review is None:
        raise UsageError(f"{where} has neither [question.machine] nor [question.review]")
    if review is not None and sum(item.points for item in review.items) < review.points - 1e-9:
        raise UsageError(f"{where}: its rubric items add up to less than {review.points:g}")
    if machine is None:
        return
    # Few commands read formulas and statistics, and not for assignments without a written part.
    from graders.written.verifiers import VERIFIERS

    if machine.verify not in VERIFIERS:
        names = ", ".join(f"`{name}`" for name in sorted(VERIFIERS))
        raise UsageError(f"{where}: unknown verifier `{machine.verify}`", f"choose from: {names}")
    strange = [mistake.part for mistake in machine.mistakes if mistake.part not in machine.parts]
    if strange:
        raise UsageError(
            f"{where}: a mistake refers to the part `{strange[0]}`, which does not exist"
        )


def _question(read: _Question) -> Question:
    return Question(
        read.id, read.title, read.prompt.strip(), _machine(read.machine), _review(read.review)
    )


def _machine(read: _Machine | None) -> Machine | None:
    if read is None:
        return None
    mistakes = tuple(Mistake(m.part, m.answer, m.hint, m.fraction) for m in read.mistakes)
    return Machine(
        points=read.points,
        kind=read.kind,
        parts=read.parts,
        verify=read.verify,
        settings=read.settings,
        mistakes=mistakes,
        example=read.example.strip(),
        expected=read.expected,
    )


def _review(read: _Review | None) -> Review | None:
    if read is None:
        return None
    items = tuple(
        RubricItem(item.points, item.text, item.phrases, item.contradictions) for item in read.items
    )
    return Review(read.points, read.part, items)
