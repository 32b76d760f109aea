"""Compare how costs grow: the monomials inside O(...) and those of the key."""

from collections.abc import Mapping
from dataclasses import replace

from graders.errors import UsageError
from graders.written.formula import (
    Formula,
    FormulaError,
    Mismatch,
    Monomial,
    parse,
    polynomial,
)
from graders.written.question import Asked, Judgement, Misfit, Unreadable
from graders.written.verifiers.formulas import find_formulas, unreadable, with_known_names
from graders.written.verifiers.parts import judge_parts
from graders.written.verifiers.settings import of_part, required, texts
from graders.written.verifiers.values.found import judge_found

OTHERWISE = "This does not grow like the cost."
SCORES = "How many scores are there, and what does one of them cost?"


def complexity(answer: Asked) -> Judgement:
    """Grade complexities; constants are ignored, and O(...) may be left out.

    Settings: `names`, `key` (a monomial, or a table of part to monomial), `lower` (the monomials of
    the linear layers, which are allowed too, or a table of part to them), `aliases` (alternative
    names).
    """
    return judge_parts(answer, _judged)


def _judged(answer: Asked, part: str) -> Judgement:
    aliases = answer.machine.settings.get("aliases", {})
    names = (*texts(required(answer.machine, "names")), *aliases)
    formulas = find_formulas(answer.parts[part], names)
    return judge_found(
        formulas, lambda formula: _of(answer, part, with_known_names(formula, names))
    )


def _of(answer: Asked, part: str, formula: Formula) -> Judgement:
    """Grade the last of several equated sides, unless only an earlier one is correct."""
    sides = (replace(formula, trees=(tree,)) for tree in formula.trees)
    *earlier, last = [_of_side(answer, part, side) for side in sides]
    if any(judgement.fraction > last.fraction for judgement in earlier):
        raise Unreadable("The two sides of `=` grow differently; write only one.")
    return last


def _of_side(answer: Asked, part: str, formula: Formula) -> Judgement:
    machine = answer.machine
    names, aliases = texts(required(machine, "names")), machine.settings.get("aliases", {})
    try:
        terms = {_renamed(monomial, aliases) for monomial in polynomial(formula)}
    except Mismatch as error:
        raise Misfit(error.message) from None
    except FormulaError as error:
        raise unreadable(error) from None
    (key,) = _monomials(of_part(machine, "key", part), names)
    also = {
        monomial
        for text in texts(of_part(machine, "lower", part, ()))
        for monomial in _monomials(text, names)
    }
    allowed = {term for term in terms if term in also or _divides(term, key)}
    if key in terms and terms <= allowed:
        return Judgement(1.0, actual=formula.text)
    for mistake in machine.mistakes:
        if mistake.part == part and terms == _monomials(mistake.answer, names):
            return Judgement(mistake.fraction, OTHERWISE, mistake.hint, actual=formula.text)
    return Judgement(0.0, *_message_and_hint(terms, key, allowed), actual=formula.text)


def _renamed(monomial: Monomial, aliases: Mapping[str, str]) -> Monomial:
    exponents: dict[str, int] = {}
    for name, exponent in monomial:
        canonical = aliases.get(name, name)
        exponents[canonical] = exponents.get(canonical, 0) + exponent
    return tuple(sorted((name, exponent) for name, exponent in exponents.items() if exponent))


def _monomials(text: str, names: tuple[str, ...]) -> set[Monomial]:
    """Return the monomials of a formula of the assignment, whose faults are reported to staff."""
    try:
        return set(polynomial(parse(str(text), names)))
    except FormulaError as error:
        raise UsageError(
            f"the complexity `{text}` cannot be read: {error.message}", "fix it"
        ) from None


def _divides(one: Monomial, other: Monomial) -> bool:
    """Return whether a monomial grows no faster in any name."""
    exponents = dict(other)
    return all(exponent <= exponents.get(name, 0) for name, exponent in one)


def _message_and_hint(
    terms: set[Monomial], key: Monomial, allowed: set[Monomial]
) -> tuple[str, str]:
    """Return the message and the hint for an incorrect complexity."""
    if key in terms:
        return (
            "There is a term that does not belong here.",
            "Which step of the layer would cost that?",
        )
    for name, _ in key:
        if tuple(pair for pair in key if pair[0] != name) in terms and len(terms) == 1:
            missing = f"`{name}` is missing."
            return missing, f"How does the cost of one score grow with `{name}`?"
    degree = sum(exponent for _, exponent in key)
    highest = max((sum(exponent for _, exponent in monomial) for monomial in terms), default=0)
    if highest > degree:
        return "This grows too fast.", SCORES
    if all(_divides(term, key) for term in terms):
        return "This grows too slowly.", SCORES
    if terms <= allowed:
        return "The cost of the scores is missing.", f"The linear layers alone cost this. {SCORES}"
    hint = "How many queries and how many keys are there, and so how many pairs?"
    return OTHERWISE, hint
