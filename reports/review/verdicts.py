"""What a reviewer typed, read: items, adjustment, comment; and decisions made of it."""

import math
import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from graders.course.review import Answer
from graders.written.decisions import Decision, JudgedItem
from graders.written.question import Review
from reports.text import number

COMMENT_LIMIT = 2_000
NONE = "none"
_STRIPPED = {code: None for code in range(32) if chr(code) not in "\n\t"} | {127: None}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one decision says, before it is of an answer; `items` counts from 1.

    `none` says that no item is meant, and not that somebody forgot to tick one.
    """

    items: frozenset[int]
    adjustment: float = 0.0
    comment: str = ""
    none: bool = False


class Mistyped(Exception):
    """What was typed is no verdict; the message says what to type instead."""


def read_verdict(items: Iterable[str], adjustment: str, comment: str, review: Review) -> Verdict:
    """The verdict that was typed; raises Mistyped."""
    comment = comment.replace("\r\n", "\n").translate(_STRIPPED).strip()
    if len(comment) > COMMENT_LIMIT:
        raise Mistyped(f"A comment has at most {COMMENT_LIMIT:,} characters, not {len(comment):,}.")
    typed = [each.strip() for each in items]
    verdict = Verdict(
        _items([each for each in typed if each != NONE], len(review.items)),
        _adjustment(adjustment, review),
        comment,
        NONE in typed,
    )
    _refuse_contradiction(verdict)
    return verdict


def make_decision(
    verdict: Verdict, review: Review, answer: Answer, *, reviewer: str, seen: int
) -> Decision:
    """This verdict on this answer, by somebody who knew of all decisions up to `seen`."""
    items = tuple(
        JudgedItem(each.text, each.points, n in verdict.items)
        for n, each in enumerate(review.items, 1)
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
    """The verdict of a decision, as far as its items still stand in the rubric."""
    ticked = {each.text for each in decision.items if each.ticked}
    items = frozenset(n for n, each in enumerate(review.items, 1) if each.text in ticked)
    none = not any(each.ticked for each in decision.items)
    return Verdict(items, decision.adjustment, decision.comment, none)


def same_rubric(decision: Decision, review: Review) -> bool:
    """Whether a decision was made by the rubric as it stands now."""
    then = tuple((each.text, each.points) for each in decision.items), decision.points
    return then == (tuple((each.text, each.points) for each in review.items), review.points)


def new_action() -> str:
    """A name for all that is said in one go."""
    return uuid.uuid4().hex


def whole(text: str) -> int:
    """The number that a text is, or 0."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0


def _refuse_contradiction(verdict: Verdict) -> None:
    """A zero is said, never left: Enter on an untouched form must not give one."""
    if verdict.none and verdict.items:
        raise Mistyped("Select rubric items or “none of these”, not both.")
    if not verdict.none and not verdict.items and not verdict.adjustment:
        raise Mistyped("Select a rubric item, or “none of these” (0).")


def _items(typed: Collection[str], count: int) -> frozenset[int]:
    known = {str(n) for n in range(1, count + 1)}
    wrong = [each for each in typed if each not in known]
    if wrong:
        raise Mistyped(f"The rubric has the items 1 to {count}, not {wrong[0][:20]!r}.")
    return frozenset(map(int, typed))


def _adjustment(typed: str, review: Review) -> float:
    text = typed.strip().replace("\N{MINUS SIGN}", "-").replace(",", ".")
    try:
        value = float(text) if text else 0.0
    except ValueError:
        value = math.nan
    if not abs(value) <= review.points:
        most = number(review.points)
        raise Mistyped(f"An adjustment is a number from -{most} to {most}, not {typed[:20]!r}.")
    return round(value, 4) + 0.0
