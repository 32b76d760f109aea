"""Verify two queries, one per head: each head copies one value, and the average follows.

The queries are also tested with a random length of the key of `a`. A correct pair fails a draw only
if this length is below 0.01 (0.5% of the draws); a verdict uses the median of 15.
"""

from dataclasses import dataclass, replace

import numpy as np

from graders.written.formula import Formula
from graders.written.question import Asked, Judgement, Misfit
from graders.written.verifiers.attention.query import (
    Lookup,
    NoQuery,
    Query,
    lookups,
    queries_in,
    query_of,
)
from graders.written.verifiers.settings import share
from graders.written.verifiers.values.found import MOST, Candidates

TOP = 1e3
NEAR = 1e-3
STRETCHES = 15


@dataclass(frozen=True, slots=True)
class _Head:
    """The effect of one query: the values it copies, or would copy if it were longer."""

    part: str
    query: Query
    copies: frozenset[str]
    would_copy: frozenset[str]
    uses_keys: bool
    uses_values: bool


def two_queries(answer: Asked) -> Judgement:
    """Grade two queries, one copying v_a and the other v_b, in either order.

    Settings: `keys` ("mu", the default, if the queries must use the means, or "k"), `unscaled`,
    `keys_for_means` and `one_of_two`: the fractions if the scale is missing, if keys are used
    instead of means, and if only one query is correct; each defaults to one half.
    """
    means = answer.machine.settings.get("keys", "mu") == "mu"
    beside = "\n".join(answer.parts.values())  # `q1 = c mu_a, q2 = c mu_b, c is large`
    read = {
        part: queries_in(answer.parts[part], means=means, beside=beside)
        for part in answer.machine.parts
        if part in answer.parts
    }
    if len(read) < 2:
        return Judgement(0.0, f"Both are required: {' and '.join(answer.machine.parts)}.")
    text = "; ".join(f"{part} = {candidates.shown[0]}" for part, candidates in read.items())
    try:
        judged = _judged(answer, [_one_head(answer, part, read[part], means) for part in read])
    except Misfit as error:
        for candidates in read.values():
            candidates.accept(Judgement(0.0, str(error)))
        raise
    for candidates in read.values():
        candidates.accept(judged)
    return replace(judged, actual=text)


def _one_head(answer: Asked, part: str, candidates: Candidates[Formula], means: bool) -> _Head:
    """Return the head of a part. Raises Unreadable if its formulas copy different values."""
    if len(candidates.values) > MOST:
        raise candidates.several()
    heads = [_head(answer, part, query_of(value, means=means)) for value in candidates.values]
    if len({head.copies for head in heads}) > 1:
        raise candidates.several()
    return heads[0]


def _head(answer: Asked, part: str, query: Query) -> _Head:
    means = query.means
    scaled = bool(answer.machine.settings.get("scaled", False))
    instances = tuple(lookups(answer.draw, means=means, scaled=scaled))
    last = instances[-1]
    try:
        return _Head(
            part,
            query,
            copies=frozenset(
                letter for letter in "ab" if _copies(answer, query, instances, letter)
            ),
            would_copy=frozenset(
                letter for letter in "ab" if _copies(answer, query, instances, letter, factor=1e3)
            ),
            uses_keys=means and not query.same_with(last, last.with_keys(answer.draw)),
            uses_values=not query.same_with(last, last.with_values(answer.draw)),
        )
    except NoQuery as error:
        raise Misfit(f"`{part}`: {error}") from None


def _copies(
    answer: Asked, query: Query, instances: tuple[Lookup, ...], which: str, *, factor: float = 1.0
) -> bool:
    """Return whether nearly all weight is on `a` (or `b`), for any length of the key of `a`."""
    for instance in instances:
        at = instance.a if which == "a" else instance.b
        if not query.weights(instance, TOP, factor=factor)[at] >= 1 - NEAR:
            return False
    if not query.means:
        return True
    stretched = [instances[-1].stretched(answer.draw) for _ in range(STRETCHES)]
    weights = [query.weights(lookup, TOP, factor=factor)[at] for lookup in stretched]
    return bool(np.median(weights) >= 1 - NEAR)


def _judged(answer: Asked, heads: list[_Head]) -> Judgement:
    first, second = heads
    if any(head.uses_values for head in heads):
        hint = "A query is compared only with keys; it cannot contain the values v_a and v_b."
        return Judgement(0.0, "A query changes when the values change.", hint)
    if first.copies == second.copies and first.copies:
        hint = "Each head must copy one of the two values, so they need different queries."
        return Judgement(0.0, "Both heads copy the same value.", hint)
    copied = first.copies | second.copies
    if copied == {"a", "b"}:
        return _full(answer, heads)
    if first.would_copy | second.would_copy == {"a", "b"} and first.would_copy != second.would_copy:
        earned = share(answer.machine, "unscaled", 0.5) * _full(answer, heads).fraction
        hint = "How large are the weights of all other keys together, when there are many of them?"
        short = " and ".join(f"`{head.part}`" for head in heads if not head.copies)
        return Judgement(earned, f"Correct directions, but too short: {short}.", hint)
    return _wrong(answer, heads)


def _full(answer: Asked, heads: list[_Head]) -> Judgement:
    if not any(head.uses_keys for head in heads):
        return Judgement(1.0)
    return Judgement(
        share(answer.machine, "keys_for_means", 0.5),
        "The queries are built from keys, which are random and not known when they are chosen.",
        "Which vectors are fixed here and close in direction to every random key?",
    )


def _wrong(answer: Asked, heads: list[_Head]) -> Judgement:
    one, two = heads
    instance = next(iter(lookups(answer.draw, means=one.query.means, scaled=False)))
    if np.allclose(one.query.at(instance, TOP), two.query.at(instance, TOP)):
        hint = "With two equal queries, the second head adds nothing; let each copy one value."
        return Judgement(0.0, "Both queries are the same.", hint)
    right = [head.part for head in heads if head.copies]
    wrong = [head.part for head in heads if not head.copies]
    message = (
        f"Neither v_a nor v_b is copied alone by {' and '.join(f'`{part}`' for part in wrong)}."
    )
    hint = "One head must put all its weight on a, and the other all on b."
    earned = share(answer.machine, "one_of_two", 0.5) if right else 0.0
    return Judgement(earned, message, hint)
