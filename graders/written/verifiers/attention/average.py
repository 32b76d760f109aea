"""Verify a query whose output is the average of two values.

It is tested on random orthonormal keys, with increasing scales: for a correct query, the weights
approach one half each; if it is only nearly balanced, they come close and then move away again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from graders.written.formula import FormulaError, parse
from graders.written.question import Asked, Judgement
from graders.written.verifiers.attention.query import (
    Lookup,
    NoQuery,
    Query,
    lookups,
    names,
    queries_in,
    query_of,
)
from graders.written.verifiers.formulas import Array, refuse_pieces
from graders.written.verifiers.settings import share
from graders.written.verifiers.values.found import judge_found
from graders.written.verifiers.values.value import shown

# No round numbers, which a formula may contain: `c k_a + 1000 k_b` is not balanced.
LADDER, LADDER_WITH_MEANS = (1.3, 13.0, 1.3e2, 1.3e3, 1.3e4), (1.3, 13.0, 1.3e2, 1.3e3)
NEAR, NEAR_AS_A_NUMBER = 1e-3, 1e-2  # of one half, at the top; the second for numbers as scale
FLOOR, FLOOR_WITH_MEANS = 1e-6, 1e-3  # smaller changes between scales are rounding or scatter
BALANCED, BALANCED_WITH_MEANS = 1e-9, 1e-6


@dataclass(frozen=True)  # the ladder is cached, which slots would prevent
class _Trial:
    """A query, the instances on which it is tested, and the results."""

    query: Query
    instances: tuple[Lookup, ...]

    @cached_property
    def ladder(self) -> tuple[float, ...]:
        """The scales that are tested; only one if the query has no scalar of its own."""
        if not self.query.scalars:
            return (1.0,)
        sizes = LADDER_WITH_MEANS if self.query.means else LADDER
        finite = (size for size in sizes if self.query.is_finite(self.instances[1], size))
        return tuple(finite) or sizes[:1]

    def passes(self) -> bool:
        """Return whether the weights reach one half each and stay there, in every instance."""
        near = NEAR if self.query.scalars else NEAR_AS_A_NUMBER
        if self.uses_variance:  # beyond some scale, the scatter decides
            errors = [self.errors(instance) for instance in self.instances]
            if all(max(at_scale) > near for at_scale in zip(*errors, strict=True)):
                return False
        errors = [self.errors(instance, cut=True) for instance in self.instances]
        return all(self._climbs(error, near) for error in errors)

    @property
    def uses_variance(self) -> bool:
        """Whether the query contains the variance of the keys, so that its length is not cut."""
        return self.query.means and "alpha" in self.query.formula.names

    def errors(self, instance: Lookup, *, cut: bool | None = None) -> list[float]:
        """Return how far the two weights are from one half, for increasing scales."""
        all_weights = (self.query.weights(instance, size, cut=cut) for size in self.ladder)
        return [_error(weights, instance) for weights in all_weights]

    def _climbs(self, errors: Sequence[float], near: float) -> bool:
        floor = FLOOR_WITH_MEANS if self.query.means else FLOOR
        falls = (after <= before + floor for before, after in pairwise(errors))
        return errors[-1] <= near and all(falls)

    def is_too_long(self) -> bool:
        """Return whether a shorter query of this direction passes, but here the scatter decides."""
        if not self.uses_variance:
            return False
        size = self.ladder[-1]
        pairs = ((self.query.weights(lookup, size, cut=True), lookup) for lookup in self.instances)
        return all(_error(weights, lookup) <= NEAR for weights, lookup in pairs)

    def lacks_scale(self) -> bool:
        """Return whether the direction is correct and only the length is too small."""
        balanced = BALANCED_WITH_MEANS if self.query.means else BALANCED
        for lookup in self.instances:
            weights = self.query.weights(lookup, self.ladder[-1])
            pair, rest = weights[[lookup.a, lookup.b]], np.delete(weights, [lookup.a, lookup.b])
            long = self.query.weights(lookup, self.ladder[-1], factor=1e3)
            if abs(pair[0] - pair[1]) > balanced or pair[0] <= np.max(rest) + 1e-12:
                return False
            if _error(long, lookup) > NEAR:
                return False
        return True


def average_query(answer: Asked) -> Judgement:
    """Grade a query that must average the values of `a` and `b`.

    Settings: `keys` ("k", or "mu" if the query must use the means), `scaled` (scores are divided by
    sqrt(d)), `unscaled` (the fraction for the correct direction without a scale) and
    `keys_for_means` (the fraction for keys if means were required); both default to one half.
    """
    means = answer.machine.settings.get("keys", "k") == "mu"
    queries = queries_in(answer.parts[answer.machine.parts[0]], means=means)
    return judge_found(queries, lambda formula: _tried(answer, query_of(formula, means=means)))


def _tried(answer: Asked, query: Query) -> Judgement:
    scaled = bool(answer.machine.settings.get("scaled", False))
    trial = _Trial(query, tuple(lookups(answer.draw, means=query.means, scaled=scaled)))
    try:
        judged = _judged(answer, trial)
    except NoQuery as error:
        judged = Judgement(0.0, str(error), error.hint)
    return replace(judged, actual=query.formula.text)


def _judged(answer: Asked, trial: _Trial) -> Judgement:
    query, instance = trial.query, trial.instances[-1]
    if not query.same_with(instance, instance.with_values(answer.draw)):
        hint = "A query is compared only with keys; it cannot contain the values v_a and v_b."
        return Judgement(0.0, "The query changes when the values change.", hint)
    blind = not query.means or query.same_with(instance, instance.with_keys(answer.draw))
    earned = 1.0 if blind else share(answer.machine, "keys_for_means", 0.5)
    if trial.passes():
        refuse_pieces(query.formula)
        message = "The query is built from keys, which are random and not known when it is chosen."
        hint = "Which vectors are fixed here and close to every random key?"
        return Judgement(1.0) if blind else Judgement(earned, message, hint)
    if judgement := _known_mistake(answer, trial):
        return judgement
    if trial.is_too_long():
        return _beyond_scatter(answer, trial, earned)
    if trial.lacks_scale():
        return _without_scale(answer, trial, earned, blind=blind)
    return _wrong(trial, blind=blind)


def _known_mistake(answer: Asked, trial: _Trial) -> Judgement | None:
    """Return the judgement of an incorrect answer that the assignment lists."""
    for mistake in answer.machine.mistakes:
        try:
            formula = parse(mistake.answer, names(means=trial.query.means))
        except FormulaError:
            continue
        scalars = tuple(name for name in formula.names if name == "beta" or name in formula.unknown)
        listed = Query(formula, scalars, trial.query.means)
        if all(_equal(trial.query, listed, instance) for instance in trial.instances):
            message = f"The weights of a and b are {_pair(trial, trial.instances[1])}."
            return Judgement(mistake.fraction, message, mistake.hint)
    return None


def _equal(one: Query, other: Query, instance: Lookup) -> bool:
    sizes = (1.0, 10.0)
    pairs = ((one.at(instance, size), other.at(instance, size)) for size in sizes)
    return all(bool(np.allclose(first, second, rtol=1e-9, atol=1e-12)) for first, second in pairs)


def _without_scale(answer: Asked, trial: _Trial, earned: float, *, blind: bool) -> Judgement:
    worst = max(trial.instances, key=lambda instance: trial.errors(instance)[-1])
    weights, n = _pair(trial, worst), len(worst.keys)
    hint = "How large are the weights of all other keys together, when there are many of them?"
    if not blind:
        hint += " And the keys are random: what is fixed?"
    message = f"Correct direction, but too short: with {n} keys, the two weights are {weights}."
    return Judgement(earned * share(answer.machine, "unscaled", 0.5), message, hint)


def _beyond_scatter(answer: Asked, trial: _Trial, earned: float) -> Judgement:
    hint = (
        "The score of a key scatters by the length of the query times sqrt(alpha). The length must "
        "be large, but small compared to 1/sqrt(alpha)."
    )
    weights = _pair(trial, trial.instances[1])
    message = f"Correct direction, but too long: in one draw, the two weights are {weights}."
    return Judgement(earned * share(answer.machine, "unscaled", 0.5), message, hint)


def _wrong(trial: _Trial, *, blind: bool) -> Judgement:
    instance = trial.instances[1]
    weights = trial.query.weights(instance, trial.ladder[-1])
    message = f"The weights of a and b are {_pair(trial, instance)}, not one half each."
    hint = _hint(trial, weights, instance)
    if not blind:
        hint += " And the keys are random: what is fixed?"
    return Judgement(0.0, message, hint.strip())


def _hint(trial: _Trial, weights: Array, instance: Lookup) -> str:
    a, b = weights[instance.a], weights[instance.b]
    errors = trial.errors(instance)
    if trial.query.means and "alpha" in trial.query.formula.names:
        return "Here, `alpha` is the variance of the keys, which is very small."
    if min(errors) < errors[-1] / 2 and max(a, b) > 0.9:
        return "The scores of a and b differ slightly, and a larger scale increases the difference."
    if max(a, b) > 0.9:
        return "It attends to only one of the two. What are the scores of a and b?"
    if max(a, b) < 0.5 / len(weights):
        return "It avoids both a and b; check the signs of their scores."
    if np.ptp(weights) < 1e-6:
        return "All keys get the same weight. How must the scores of a and of other keys differ?"
    return "What are the scores of a and b, and those of all other keys?"


def _error(weights: Array, instance: Lookup) -> float:
    return float(max(abs(weights[instance.a] - 0.5), abs(weights[instance.b] - 0.5)))


def _pair(trial: _Trial, instance: Lookup) -> str:
    weights = trial.query.weights(instance, trial.ladder[-1])
    return shown(weights[[instance.a, instance.b]])
