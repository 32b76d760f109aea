"""The state that all pages of one server share: the review, the sessions, the machine's help."""

from dataclasses import dataclass, field
from urllib.parse import quote

from graders.course.review import Answer, Review
from graders.written.decisions import Decision
from graders.written.question import Question
from graders.written.question import Review as Rubric
from reports.review.outputs import Outputs
from reports.review.students import Students
from reports.review.views.help import Help, Suggestion
from reports.review.web.sessions import Sessions

AHEAD = 2  # answers
WRITTEN, REQUESTS = "/written", "/requests"  # addresses of parts; the students are at /


class Refusal(Exception):
    """The page that a visitor requested cannot be shown; the text says why, and what to do.

    `typed` is what the visitor wrote, which is not stored.
    """

    def __init__(self, status: int, title: str, sentence: str, typed: str = "") -> None:
        super().__init__(title)
        self.typed = typed
        self.status = status
        self.title = title
        self.sentence = sentence


@dataclass(slots=True)
class Site:
    """One server's state."""

    review: Review
    port: int
    sessions: Sessions = field(default_factory=Sessions)
    help: Help = field(default_factory=Help)
    home: str = "/"
    outputs: Outputs = field(init=False)
    students: Students = field(init=False)

    def __post_init__(self) -> None:
        """Start without reading or writing anything."""
        self.outputs, self.students = Outputs(self.review), Students(self.review)

    def refresh(self) -> None:
        """Read the decisions made since the last page."""
        self.review.refresh()

    async def sorted(self, name: str) -> None:
        """Wait until the answers to a question are grouped."""
        await self.help.sort(name, self.answers(name))

    async def prepared(self, name: str, handle: str) -> None:
        """Wait for everything that an answer's page shows; start to compute the next ones."""
        await self.sorted(name)
        _, rubric = self.question(name)
        work = self.help.read_ahead(rubric, self.answer(name, handle))
        order = self.order(name)
        here = order.index(handle)
        for next_handle in order[here + 1 : here + 1 + AHEAD]:
            self.help.read_ahead(rubric, self.answer(name, next_handle))
        await work

    def question(self, name: str) -> tuple[Question, Rubric]:
        """Return a question with its rubric. Raises Refusal if it has no answers to grade."""
        material = self.review.material
        question = material.questions.get(name)
        if question is None or question.review is None or name not in material.answers:
            raise Refusal(
                404, "No such question", "No answers to this question need manual grading."
            )
        return question, question.review

    def answers(self, name: str) -> dict[str, Answer]:
        """Return the answers to a question, by handle, in anonymous order."""
        self.question(name)
        return self.review.material.answers[name]

    def answer(self, name: str, handle: str) -> Answer:
        """Return one answer. Raises Refusal if it no longer exists."""
        answer = self.answers(name).get(handle)
        if answer is None:
            raise Refusal(404, "No such answer", "It may have been regraded in the meantime.")
        return answer

    def groups(self, name: str) -> list[tuple[str, ...]]:
        """Return the handles of similar answers, group by group."""
        return self.help.groups(name, self.answers(name))

    def order(self, name: str) -> list[str]:
        """Return the handles in the order of the pages."""
        return [handle for group in self.groups(name) for handle in group]

    def suggestions(self, name: str, answer: Answer) -> list[Suggestion]:
        """Return the machine's suggestions for an answer."""
        _, rubric = self.question(name)
        return self.help.suggestions(rubric, answer)

    def waits(self, answer: Answer) -> bool:
        """Return whether the answer still needs a decision."""
        return self.review.standing(answer).state != "decided"

    def next_waiting(self, name: str, handle: str = "") -> str | None:
        """Return the next undecided answer's address: later ones, earlier ones, other questions."""
        order = self.order(name)
        start = order.index(handle) + 1 if handle in order else 0
        for candidate in (*order[start:], *order[:start]):
            if candidate != handle and self.waits(self.answer(name, candidate)):
                return answer_address(name, candidate)
        names = list(self.review.material.answers)
        for other in names[names.index(name) + 1 :] + names[: names.index(name)]:
            if any(map(self.waits, self.answers(other).values())):
                return question_address(other)
        return None

    def last_action(self, reviewer: str) -> list[Decision]:
        """Return the decisions of this reviewer's last action that has not been undone."""
        rows = self.review.trail.rows
        undone = {row.undoes for row in rows}
        for row in reversed(rows):
            if row.reviewer == reviewer and not row.undoes and row.number not in undone:
                same = (other for other in rows if other.action == row.action and not other.undoes)
                return [decision for decision in same if decision.number not in undone]
        return []


def question_address(question: str) -> str:
    """Return the address of the first answer to a question."""
    return f"/q/{quote(question, safe='')}"


def answer_address(question: str, handle: str) -> str:
    """Return the address of an answer's page."""
    return f"{question_address(question)}/{handle}"


def student_address(submission: str) -> str:
    """Return the address of a student's page for staff."""
    return f"/s/{quote(submission, safe='')}"
