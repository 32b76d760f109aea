"""A student's formula and its values: the formula alone, or found among words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graders.written.formula import Formula, FormulaError, Mismatch, Value, evaluate, parse
from graders.written.formula.characters import GREEK
from graders.written.formula.prose import Statement, definitions, statements_in
from graders.written.formula.tree import Call, Power, Total, children, substituted
from graders.written.formula.vocabulary import Vocabulary
from graders.written.judgement import Misfit, Unreadable
from graders.written.verifiers.found import FEW_WORDS, MOST, Found

Array = NDArray[np.float64]
Families = Mapping[str, Sequence[Value]]
_STACKED = r"\[[^\[\]=]{1,60}[,;][^\[\]=]{1,60}\]"
_STACKS = re.compile(rf"^[^\[\]]{{0,80}}{_STACKED}[^\[\]=]{{0,20}}{_STACKED}[^\[\]=]{{0,10}}=")
_LIMIT = re.compile(
    r"\\?\blim(?:it)?\s*_?\s*[({]?\s*\\?[^\W\d_]{1,10}\s*(?:→|->|\\to|\\rightarrow)\s*"
    r"\+?(?:∞|\\infty|oo|inf(?:ty|inity)?)\s*[)}]?"
)
_LETTER = re.compile(r"[^\W\d_]")
MOST_STEPS = 3000


def typed(
    text: str, names: Iterable[str], wanted: Iterable[str] = (), free: str = ""
) -> Found[Formula]:
    """The formulas in a text; raises Unreadable that points at what cannot be read.

    `wanted` are the names of what is asked for, as `q` in `q = ...`. A scalar `free` may be chosen.
    """
    known = frozenset(names)
    text = _LIMIT.sub("", _without_stacks(text), count=1)
    prose = statements_in(text, Vocabulary.of(known))
    meant = definitions(_renamed(prose.statements), {*known, *wanted} - {free})
    answers = _answers(prose.statements, frozenset(wanted), known, meant)
    if not prose.words and len(answers) < 2 and not meant:
        formula = _plain(text, answers, known)
        return Found((formula,), (formula.text,))
    if not answers:
        raise Unreadable("No formula was found in the answer.")
    formulas = [_parsed(each.text, known) for each in answers[: MOST + 1]]
    given = {name: _parsed(_right(each.text), known) for name, each in meant.items()}
    defined = [_defined(each, given) for each in formulas]
    numbers = free and any(not each.names for each in given.values())
    for each in defined:
        _refuse_costly(each)
    values = (*defined, *(formulas if numbers else ()))
    return Found(
        values,
        tuple(each.text for each in values),
        plain=not prose.words and len(answers) == 1,
        denied=any(each.denied for each in answers),
        sure=not prose.calculates and (prose.words <= FEW_WORDS or answers[0].name in wanted),
    )


def _renamed(statements: Iterable[Statement]) -> list[Statement]:
    """The statements with Greek names spelled out."""
    return [replace(each, name=GREEK.get(each.name, each.name)) for each in statements]


def _answers(
    statements: Sequence[Statement],
    wanted: frozenset[str],
    known: frozenset[str],
    meant: Mapping[str, Statement],
) -> list[Statement]:
    """The statements that may be the answer: those that say `q = ...`, else all but lone names.

    A definition is none, nor is an example such as `d = 768`, nor, beside others, what is said of
    something else, such as `k_a^T k_b = 0`.
    """
    given = [each for each in _renamed(statements) if not each.compared]
    given = [each for each in given if each.name not in known or _LETTER.search(_right(each.text))]
    named = [each for each in given if each.name in wanted]
    if named:
        return _once(named)
    others = [each for each in given if each.name not in meant]
    equations = [each for each in others if each.name and each.name not in known]
    plain = [each for each in others if not re.search(r"[=≈]", each.text)]
    others = plain if any(not each.lone for each in plain) else others
    return _once(equations or [each for each in others if not each.lone] or others)


def _once(statements: Iterable[Statement]) -> list[Statement]:
    """The statements without those that repeat another; one that is denied stays so."""
    found: dict[str, Statement] = {}
    for each in statements:
        key = "".join(_right(each.text).split())
        before = found.get(key, each)
        found[key] = replace(each, denied=each.denied or before.denied)
    return list(found.values())


def _right(text: str) -> str:
    """What is behind the first sign of equality."""
    return re.sub(r"^[^=≈]*[=≈]", "", text)


def _plain(text: str, answers: Sequence[Statement], names: frozenset[str]) -> Formula:
    """A formula without words around it: the whole text, or what it holds beside conditions."""
    try:
        formula = parse(text, names)
    except FormulaError as error:
        try:
            formula = parse(answers[0].text if answers else "", names)
        except FormulaError:
            raise unreadable(error) from None
    _refuse_costly(formula)
    return formula


def _parsed(text: str, names: frozenset[str]) -> Formula:
    try:
        return parse(text, names)
    except FormulaError as error:
        raise unreadable(error) from None


def _defined(formula: Formula, given: Mapping[str, Formula]) -> Formula:
    """The formula with what its names are said to stand for."""
    trees = {name: each.tree for name, each in given.items()}
    return replace(formula, trees=tuple(substituted(tree, trees) for tree in formula.trees))


def _without_stacks(text: str) -> str:
    """The formula without `[x, p] . [y, w] =` before it, a product of stacked vectors."""
    return _STACKS.sub("", text, count=1)


def known(formula: Formula, names: Sequence[str]) -> Formula:
    """The formula, in which no other names stand than those of the question."""
    formula = _last_side(formula)
    if formula.unknown:
        strange = ", ".join(f"`{name[:20]}`" for name in sorted(formula.unknown)[:4])
        given = ", ".join(f"`{name}`" for name in names)
        raise Unreadable(f"The question has no {strange}: write the formula in {given}.")
    return formula


def _last_side(formula: Formula) -> Formula:
    """What an equation ends with, where only its other sides hold strange names: `z.w = ...`."""
    last = replace(formula, trees=formula.trees[-1:])
    return last if formula.unknown and not last.unknown else formula


def value_of(
    formula: Formula, values: Mapping[str, Value], families: Families | None = None
) -> Array:
    """What a formula comes to; raises Misfit where its shapes do not go together."""
    try:
        return np.asarray(evaluate(formula, values, families=families or {}), dtype=np.float64)
    except Mismatch as error:
        raise Misfit(f"{error.message}\n{error.pointed()}") from None
    except FormulaError as error:
        raise unreadable(error) from None


def unreadable(error: FormulaError) -> Unreadable:
    """The fault with the student's text and a caret below what is meant."""
    return Unreadable(f"{error.message}\n{error.pointed()}")


def shape_of(value: Array) -> str:
    """A scalar, a vector or a matrix, in words."""
    if value.ndim == 0:
        return "a scalar"
    sizes = "×".join(map(str, value.shape))
    return f"a vector of {sizes}" if value.ndim == 1 else f"a matrix of {sizes}"


def _refuse_costly(formula: Formula) -> None:
    """Refuse a formula that is too long to be computed at many points."""
    waiting = [(tree, 1) for tree in formula.trees]
    steps = 0
    while waiting:
        node, times = waiting.pop()
        steps += times * (20 if isinstance(node, Power | Call) else 1)
        inside = times * 32 if isinstance(node, Total) else times
        waiting += [(each, inside) for each in children(node)]
        if steps > MOST_STEPS:
            raise Unreadable("The formula is too long: simplify it.")
