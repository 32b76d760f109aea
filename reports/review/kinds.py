"""Group checks of code and predictions that need manual grading, to decide a group at once.

Checks with the same message are of one kind, whatever their criterion or submission.
"""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from graders.course.review import Answer, Review
from graders.written.free_text.manual import is_confirmation
from reports.review.verdicts import NONE, make_decision, new_action, read_verdict


@dataclass(frozen=True, slots=True)
class Kind:
    """The undecided checks with the same message; `name` is short and never changes."""

    name: str
    text: str
    waiting: tuple[Answer, ...]

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks with this message."""
        return tuple(sorted({answer.check for answer in self.waiting}))

    @property
    def submissions(self) -> int:
        """The number of submissions that need a decision."""
        return len({answer.submission for answer in self.waiting})


def kinds(review: Review, submissions: Collection[str] = ()) -> list[Kind]:
    """Return the undecided kinds, the most frequent first, of these submissions or of all."""
    review.refresh()
    by_text: dict[str, list[Answer]] = {}
    for answer in _waiting(review):
        if not submissions or answer.submission in submissions:
            by_text.setdefault(answer.text, []).append(answer)
    undecided = [Kind(_name(text), text, tuple(answers)) for text, answers in by_text.items()]
    return sorted(undecided, key=lambda kind: (-len(kind.waiting), kind.name))


def decide_kinds(
    review: Review, chosen: Collection[Kind], *, accept: bool, comment: str, reviewer: str
) -> int:
    """Store one decision for every check of these kinds, all or none; return their number.

    Raises Mistyped if the comment is too long.
    """
    action, rows = new_action(), []
    for answer in (answer for kind in chosen for answer in kind.waiting):
        rubric = review.material.questions[answer.check].review
        if rubric is not None:
            verdict = read_verdict(("1" if accept else NONE,), "", comment, rubric)
            seen = review.standing(answer).newest
            decision = make_decision(verdict, rubric, answer, reviewer=reviewer, seen=seen)
            rows.append(replace(decision, action=action))
    review.decisions.add(rows)
    review.refresh()
    return len(rows)


def _waiting(review: Review) -> Iterator[Answer]:
    material = review.material
    for name, answers in material.answers.items():
        if is_confirmation(material.questions[name]):
            yield from (answer for answer in answers.values() if not review.standing(answer).holds)


def _name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
