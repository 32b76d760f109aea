"""Parse what a reviewer entered (items, adjustment, comment), and make decisions from it."""

import math
import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from graders.course.review import Answer
from graders.errors import UsageError
from graders.written.decisions import Decision, JudgedItem
from graders.written.question import Review
from reports.text import number

COMMENT_LIMIT = 2_000
NOTHING = "nothing is stored"  # the end of a refusal
NONE = "none"
_STRIPPED = {code: None for code in range(32) if chr(code) not in "\n\t"} | {127: None}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The content of a decision before it is applied to an answer; `items` counts from 1.

    `none` means that no item applies, as opposed to a form that was not filled in.
    """

    items: frozenset[int]
    adjustment: float = 0.0
    comment: str = ""
    none: bool = False


class Mistyped(Exception):
    """The input is not a verdict; the message says what to enter instead."""


def read_verdict(items: Iterable[str], adjustment: str, comment: str, review: Review) -> Verdict:
    """Return the verdict that was entered. Raises Mistyped."""
    comment = read_comment(comment)
    typed = [item.strip() for item in items]
    verdict = Verdict(
        _items([item for item in typed if item != NONE], len(review.items)),
        _adjustment(adjustment, review),
        comment,
        NONE in typed,
    )
    _refuse_contradiction(verdict)
    return verdict


def read_comment(comment: str) -> str:
    """Return the comment without control characters. Raises Mistyped if it is too long."""
    comment = comment.replace("\r\n", "\n").translate(_STRIPPED).strip()
    if len(comment) > COMMENT_LIMIT:
        raise Mistyped(
            f"A comment can have at most {COMMENT_LIMIT:,} characters; this has {len(comment):,}."
        )
    return comment


def usable_comment(comment: str) -> str:
    """Return what `read_comment` does; raises UsageError, as commands do."""
    try:
        return read_comment(comment)
    except Mistyped as error:
        raise UsageError(str(error), NOTHING) from error


def in_one_line(comment: str) -> str:
    """Return a usable comment on one line, for a cell of a table."""
    return " ".join(usable_comment(comment).split())


def make_decision(
    verdict: Verdict, review: Review, answer: Answer, *, reviewer: str, seen: int
) -> Decision:
    """Return this verdict on an answer, by a reviewer who saw all decisions up to `seen`."""
    items = tuple(
        JudgedItem(item.text, item.points, n in verdict.items)
        for n, item in enumerate(review.items, 1)
    )
    return Decision(
        *answer.key,
        reviewer,
        review.points,
        items,
        verdict.adjustment,
        verdict.comment,
        seen=seen,
    )


def verdict_of(decision: Decision, review: Review) -> Verdict:
    """Return a decision's verdict, as far as its items are still in the rubric."""
    ticked = {item.text for item in decision.items if item.ticked}
    items = frozenset(n for n, item in enumerate(review.items, 1) if item.text in ticked)
    none = not any(item.ticked for item in decision.items)
    return Verdict(items, decision.adjustment, decision.comment, none)


def same_rubric(decision: Decision, review: Review) -> bool:
    """Return whether a decision used the rubric in its present form."""
    then = tuple((item.text, item.points) for item in decision.items), decision.points
    return then == (tuple((item.text, item.points) for item in review.items), review.points)


def new_action() -> str:
    """Return an ID for all decisions of one action."""
    return uuid.uuid4().hex


def whole(text: str) -> int:
    """Return the number in a text, or 0."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0


def _refuse_contradiction(verdict: Verdict) -> None:
    """Raise Mistyped for a contradiction, or for a form without input.

    Enter on an untouched form is not a zero.
    """
    if verdict.none and verdict.items:
        raise Mistyped("Select rubric items or “none of these”, not both.")
    if not verdict.none and not verdict.items and not verdict.adjustment:
        raise Mistyped("Select a rubric item, or “none of these” (0).")


def _items(typed: Collection[str], count: int) -> frozenset[int]:
    numbers = {str(n) for n in range(1, count + 1)}
    wrong = [item for item in typed if item not in numbers]
    if wrong:
        raise Mistyped(f"{wrong[0][:20]!r} is not a rubric item; choose from 1 to {count}.")
    return frozenset(map(int, typed))


def _adjustment(typed: str, review: Review) -> float:
    text = typed.strip().replace("\N{MINUS SIGN}", "-").replace(",", ".")
    try:
        value = float(text) if text else 0.0
    except ValueError:
        value = math.nan
    if not abs(value) <= review.points:
        most = number(review.points)
        raise Mistyped(
            f"An adjustment must be a number from -{most} to {most}, not {typed[:20]!r}."
        )
    return round(value, 4) + 0.0
