"""Collect what people have to decide: questions, anonymous answers, and the state of each.

    store ── generation ── Results ── checks that wait for a person ── Answer
          └─ decisions ── standing of each answer, totals of each submission

`refresh` reads Results again if the generation has changed, and new decisions.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from graders.adjustments import adjusted
from graders.errors import UsageError
from graders.grading.options import assignment_of
from graders.model import MACHINE, Assignment, CheckResult, CriterionResult, Result
from graders.registry.discovery import load_assignment
from graders.storage.files import only_writer
from graders.storage.store import Store, read_store
from graders.written.decisions import (
    Decision,
    Standing,
    decided,
    decided_as,
    decided_sum,
    is_written,
    standing,
    waits,
)
from graders.written.free_text.manual import by_hand, confirmation
from graders.written.loading import questions_in
from graders.written.question import Question

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One student's answer to one question: free text, or what could not be graded automatically.

    The handle identifies it anonymously, and `place` is its position in an order given by the
    handles: the same for everyone and at every start. `reason` says why it could not be graded
    automatically, and is empty for free text. A check of code or predictions earned a `share` of
    its points; a person confirms no more than that.
    """

    handle: str
    place: int
    submission: str
    student: str
    check: str
    text: str
    sum: str
    reason: str = ""
    share: float = 1.0

    def points_of(self, decision: Decision) -> float:
        """Return the points that this answer gets by a decision."""
        return decision.earned * self.share

    @property
    def key(self) -> Key:
        """The key of this answer's decisions."""
        return self.submission, self.check, self.sum


@dataclass(slots=True)
class ReviewMaterial:
    """Everything to review in one generation."""

    assignment: Assignment
    questions: dict[str, Question]
    answers: dict[str, dict[str, Answer]]
    results: dict[str, Result]
    unknown: tuple[str, ...]


@dataclass(slots=True)
class Trail:
    """The decisions read so far, by answer and by submission."""

    rows: list[Decision] = field(default_factory=list)
    by_answer: dict[Key, list[Decision]] = field(default_factory=dict)
    by_submission: dict[str, list[Decision]] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        """The number of the last decision that was read."""
        return self.rows[-1].number if self.rows else 0

    def extend(self, rows: list[Decision]) -> None:
        """Add newer decisions."""
        for row in rows:
            self.rows.append(row)
            self.by_answer.setdefault((row.submission, row.check, row.answer), []).append(row)
            self.by_submission.setdefault(row.submission, []).append(row)


class Review:
    """The answers in a store that need manual grading, and the decisions about them."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store
        self.decisions = store.decisions()
        self.trail = Trail()
        self._stamp: object = None
        self._material: ReviewMaterial | None = None
        self._scores: dict[str, tuple[int, Result]] = {}

    @property
    def material(self) -> ReviewMaterial:
        """Everything to review, as it was at the last `refresh`."""
        return self._material or self._read()

    def _read(self) -> ReviewMaterial:
        """Return everything to review; read it again if something was graded in the meantime."""
        current = self.store.generation()
        members = self.store.members(current.number)
        stamp = (
            current.number,
            tuple((m.submission, m.sum, m.listed) for m in members),
        )
        if self._material is None or stamp != self._stamp:
            if not members:
                raise UsageError(
                    f"{self.folder} has no grading results", "grade with `run` or `batch` first"
                )
            assignment = assignment_of(members[0].cache_key.options)
            # As graded: decisions are applied on top, again after each new one.
            results = (
                self.store.as_graded(member.submission, member.cache_key.address)
                for member in members
                if member.listed
            )
            self._material = _material(assignment, results)
            self._stamp, self._scores = stamp, {}
        return self._material

    def assignment_now(self) -> Assignment:
        """Read the assignment again, because due dates may change while people decide."""
        return load_assignment(str(self.material.assignment.folder))

    def refresh(self) -> None:
        """Read new decisions, including those of other servers, and new Results."""
        self.trail.extend(self.decisions.since(self.trail.newest))
        self._read()

    def standing(self, answer: Answer) -> Standing:
        """Return the current standing of an answer."""
        return standing(self.history(answer))

    def history(self, answer: Answer) -> list[Decision]:
        """Return all decisions about this answer, the oldest first."""
        return self.trail.by_answer.get(answer.key, [])

    def result(self, submission: str) -> Result:
        """Return a submission's Result with the decisions so far; other checks are left out."""
        rows = self.trail.by_submission.get(submission, [])
        newest = rows[-1].number if rows else 0
        cached = self._scores.get(submission)
        if cached is None or cached[0] != newest:
            cached = newest, decided(self.material.results[submission], rows)
            self._scores[submission] = cached
        return cached[1]

    def counted(self, submission: str) -> Result:
        """Return a submission's Result with the decisions and adjustments so far."""
        rows = self.store.adjustments().of(submission)
        return adjusted(self.result(submission), rows)

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """Yield the store, locked; an error if grading is running."""
        with only_writer(self.folder):
            yield self.store

    def unwritten(self) -> int:
        """Return how many submissions have decisions that the files in DIR lack."""
        written = self.decisions.written()
        return len({row.submission for row in self.trail.rows if row.number > written})


@contextmanager
def open_review(folder: Path) -> Iterator[Review]:
    """Yield the review of the store in `folder`; raises StorageError if there is none."""
    with read_store(folder) as store:
        yield Review(folder, store)


def _material(assignment: Assignment, results: Iterator[Result]) -> ReviewMaterial:
    questions = dict(_questions(assignment))
    by_question: dict[str, list[Answer]] = {}
    slim = {}
    for result in results:
        slim[result.submission.id] = _slim(result)
        questions |= dict(_confirmations(result, questions))
        for answer in _answers(result):
            by_question.setdefault(decided_as(answer.check), []).append(answer)
    answers = {name: _ordered(by_question[name]) for name in questions if name in by_question}
    unknown = tuple(sorted(set(by_question) - set(questions)))
    return ReviewMaterial(assignment, questions, answers, slim, unknown)


def _questions(assignment: Assignment) -> Iterator[tuple[str, Question]]:
    """Yield the questions that people may have to decide: unreadable answers and free text."""
    for question in questions_in(assignment.folder):
        if (machine := by_hand(question)) is not None:
            yield machine.id, machine
        if question.review is not None:
            yield question.id, question


def _confirmations(
    result: Result, questions: Mapping[str, Question]
) -> Iterator[tuple[str, Question]]:
    """Yield a question for each check of code or predictions that needs manual grading."""
    for graded in result.criteria:
        for check in graded.checks:
            if waits(check) and not is_written(check) and check.id not in questions:
                yield check.id, confirmation(graded, check)


def _answers(result: Result) -> Iterator[Answer]:
    for graded in result.criteria:
        for check in graded.checks:
            if waits(check):
                handle, text = _handle(check.id, result.submission.id), _text(check)
                who = result.submission.id, result.submission.student
                sum_ = decided_sum(check)
                share = 1.0 if is_written(check) else check.fraction or 1.0
                yield Answer(handle, 0, *who, check.id, text, sum_, _reason(check), share)


def _text(result: CheckResult) -> str:
    """Return the text to decide on: the answer, or why a check asks for a decision."""
    return result.actual if is_written(result) else result.message.split("\n")[0]


def _reason(result: CheckResult) -> str:
    """Return why a person must decide this check, and its other findings."""
    if not is_written(result):
        rows = (f"{label}: {value}" for label, value in result.counterexample)
        values = (result.expected and f"expected: {result.expected}", *rows)
        return "\n".join(filter(None, (*result.message.split("\n")[1:], *values)))
    if not result.id.endswith(MACHINE):
        return ""
    return "\n".join(filter(None, (result.message, result.hint)))


def _ordered(answers: list[Answer]) -> dict[str, Answer]:
    ordered = sorted(answers, key=lambda answer: answer.handle)
    return {answer.handle: replace(answer, place=n) for n, answer in enumerate(ordered, 1)}


def _handle(check: str, submission: str) -> str:
    # A letter first, so that no spreadsheet reads it as a number.
    return "a" + hashlib.sha256(f"{check}\0{submission}".encode()).hexdigest()[:15]


def _slim(result: Result) -> Result:
    """Return the Result without what the review does not show, to save memory."""
    criteria = tuple(map(_slim_criterion, result.criteria))
    return replace(result, criteria=criteria, environment={})


def _slim_criterion(graded: CriterionResult) -> CriterionResult:
    return graded if any(map(waits, graded.checks)) else replace(graded, checks=())
