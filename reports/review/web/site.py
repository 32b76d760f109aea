"""What every page of one server shares: the review, who was let in, the machine's help."""

from dataclasses import dataclass, field
from urllib.parse import quote

from graders.course.review import Answer, Review
from graders.written.decisions import Decision
from graders.written.question import Question
from graders.written.question import Review as Rubric
from reports.review.views.help import Help, Suggestion
from reports.review.web.sessions import Sessions

AHEAD = 2  # answers


class Refusal(Exception):
    """The page that a visitor asked for cannot be given; says why, and what to do."""

    def __init__(self, status: int, title: str, sentence: str) -> None:
        super().__init__(title)
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

    def refresh(self) -> None:
        """Read the decisions that were made since the last page."""
        self.review.refresh()

    async def sorted(self, name: str) -> None:
        """Wait until the answers to a question are in groups."""
        await self.help.sort(name, self.answers(name))

    async def prepared(self, name: str, handle: str) -> None:
        """Wait until there is all that the page of an answer shows; begin with the next ones."""
        await self.sorted(name)
        _, rubric = self.question(name)
        work = self.help.read_ahead(rubric, self.answer(name, handle))
        order = self.order(name)
        here = order.index(handle)
        for each in order[here + 1 : here + 1 + AHEAD]:
            self.help.read_ahead(rubric, self.answer(name, each))
        await work

    def question(self, name: str) -> tuple[Question, Rubric]:
        """A question with its rubric; Refusal where no answer to it waits."""
        material = self.review.material
        question = material.questions.get(name)
        if question is None or question.review is None or name not in material.answers:
            raise Refusal(404, "No such question", "No answer to it needs manual grading.")
        return question, question.review

    def answers(self, name: str) -> dict[str, Answer]:
        """The answers to a question, by handle, in blind order."""
        self.question(name)
        return self.review.material.answers[name]

    def answer(self, name: str, handle: str) -> Answer:
        """One answer; Refusal where it is gone."""
        found = self.answers(name).get(handle)
        if found is None:
            raise Refusal(404, "No such answer", "It may have been graded again meanwhile.")
        return found

    def groups(self, name: str) -> list[tuple[str, ...]]:
        """The handles of similar answers, group by group."""
        return self.help.groups(name, self.answers(name))

    def order(self, name: str) -> list[str]:
        """The handles in the order in which the page goes through them."""
        return [handle for group in self.groups(name) for handle in group]

    def suggestions(self, name: str, answer: Answer) -> list[Suggestion]:
        """What the machine proposes for an answer."""
        _, rubric = self.question(name)
        return self.help.suggestions(rubric, answer)

    def waits(self, answer: Answer) -> bool:
        """Whether somebody has to decide this answer still."""
        return self.review.standing(answer).state != "decided"

    def next_waiting(self, name: str, handle: str = "") -> str | None:
        """The address of the next answer that waits: after this one, then around, then on."""
        order = self.order(name)
        start = order.index(handle) + 1 if handle in order else 0
        for each in (*order[start:], *order[:start]):
            if each != handle and self.waits(self.answer(name, each)):
                return answer_address(name, each)
        names = list(self.review.material.answers)
        for other in names[names.index(name) + 1 :] + names[: names.index(name)]:
            if any(map(self.waits, self.answers(other).values())):
                return question_address(other)
        return None

    def last_action(self, reviewer: str) -> list[Decision]:
        """What this reviewer said last in one go and has not undone."""
        rows = self.review.trail.rows
        undone = {row.undoes for row in rows}
        for row in reversed(rows):
            if row.reviewer == reviewer and not row.undoes and row.number not in undone:
                same = (each for each in rows if each.action == row.action and not each.undoes)
                return [each for each in same if each.number not in undone]
        return []


def question_address(question: str) -> str:
    """Where the answers to a question begin."""
    return f"/q/{quote(question, safe='')}"


def answer_address(question: str, handle: str) -> str:
    """Where the page of an answer lies."""
    return f"{question_address(question)}/{handle}"
