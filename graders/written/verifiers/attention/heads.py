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
from graders.written.verifiers.values.found import MOST, Found

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


def two_queries(asked: Asked) -> Judgement:
    """Grade two queries, one copying v_a and the other v_b, in either order.

    Settings: `keys` ("mu", the default, if the queries must use the means, or "k"), `unscaled`,
    `keys_for_means` and `one_of_two`: the fractions if the scale is missing, if keys are used
    instead of means, and if only one query is correct; each defaults to one half.
    """
    means = asked.machine.settings.get("keys", "mu") == "mu"
    beside = "\n".join(asked.parts.values())  # `q1 = c mu_a, q2 = c mu_b, c is large`
    read = {
        part: queries_in(asked.parts[part], means=means, beside=beside)
        for part in asked.machine.parts
        if part in asked.parts
    }
    if len(read) < 2:
        return Judgement(0.0, f"Both are required: {' and '.join(asked.machine.parts)}.")
    text = "; ".join(f"{part} = {answer.shown[0]}" for part, answer in read.items())
    try:
        judged = _judged(asked, [_one_head(asked, part, read[part], means) for part in read])
    except Misfit as error:
        for answer in read.values():
            answer.accept(Judgement(0.0, str(error)))
        raise
    for answer in read.values():
        answer.accept(judged)
    return replace(judged, actual=text)


def _one_head(asked: Asked, part: str, found: Found[Formula], means: bool) -> _Head:
    """Return the head of a part. Raises Unreadable if its formulas copy different values."""
    if len(found.values) > MOST:
        raise found.several()
    heads = [_head(asked, part, query_of(value, means=means)) for value in found.values]
    if len({head.copies for head in heads}) > 1:
        raise found.several()
    return heads[0]


def _head(asked: Asked, part: str, query: Query) -> _Head:
    means = query.means
    scaled = bool(asked.machine.settings.get("scaled", False))
    instances = tuple(lookups(asked.draw, means=means, scaled=scaled))
    last = instances[-1]
    try:
        return _Head(
            part,
            query,
            copies=frozenset(letter for letter in "ab" if _copies(asked, query, instances, letter)),
            would_copy=frozenset(
                letter for letter in "ab" if _copies(asked, query, instances, letter, factor=1e3)
            ),
            uses_keys=means and not query.same_with(last, last.with_keys(asked.draw)),
            uses_values=not query.same_with(last, last.with_values(asked.draw)),
        )
    except NoQuery as error:
        raise Misfit(f"`{part}`: {error}") from None


def _copies(
    asked: Asked, query: Query, instances: tuple[Lookup, ...], which: str, *, factor: float = 1.0
) -> bool:
    """Return whether nearly all weight is on `a` (or `b`), for any length of the key of `a`."""
    for instance in instances:
        at = instance.a if which == "a" else instance.b
        if not query.weights(instance, TOP, factor=factor)[at] >= 1 - NEAR:
            return False
    if not query.means:
        return True
    stretched = [instances[-1].stretched(asked.draw) for _ in range(STRETCHES)]
    weights = [query.weights(lookup, TOP, factor=factor)[at] for lookup in stretched]
    return bool(np.median(weights) >= 1 - NEAR)


def _judged(asked: Asked, heads: list[_Head]) -> Judgement:
    first, second = heads
    if any(head.uses_values for head in heads):
        hint = "A query is compared only with keys; it cannot contain the values v_a and v_b."
        return Judgement(0.0, "A query changes when the values change.", hint)
    if first.copies == second.copies and first.copies:
        hint = "Each head must copy one of the two values, so they need different queries."
        return Judgement(0.0, "Both heads copy the same value.", hint)
    copied = first.copies | second.copies
    if copied == {"a", "b"}:
        return _full(asked, heads)
    if first.would_copy | second.would_copy == {"a", "b"} and first.would_copy != second.would_copy:
        earned = share(asked.machine, "unscaled", 0.5) * _full(asked, heads).fraction
        hint = "How large are the weights of all other keys together, when there are many of them?"
        return Judgement(earned, "Correct directions, but too short.", hint)
    return _wrong(asked, heads)


def _full(asked: Asked, heads: list[_Head]) -> Judgement:
    if not any(head.uses_keys for head in heads):
        return Judgement(1.0)
    return Judgement(
        share(asked.machine, "keys_for_means", 0.5),
        "The queries are built from keys, which are random and not known when they are chosen.",
        "Which vectors are fixed here and close in direction to every random key?",
    )


def _wrong(asked: Asked, heads: list[_Head]) -> Judgement:
    one, two = heads
    instance = next(iter(lookups(asked.draw, means=one.query.means, scaled=False)))
    if np.allclose(one.query.at(instance, TOP), two.query.at(instance, TOP)):
        hint = "With two equal queries, the second head adds nothing; let each copy one value."
        return Judgement(0.0, "Both queries are the same.", hint)
    right = [head.part for head in heads if head.copies]
    wrong = [head.part for head in heads if not head.copies]
    message = (
        f"Neither v_a nor v_b is copied alone by {' and '.join(f'`{part}`' for part in wrong)}."
    )
    hint = "One head must put all its weight on a, and the other all on b."
    earned = share(asked.machine, "one_of_two", 0.5) if right else 0.0
    return Judgement(earned, message, hint)
