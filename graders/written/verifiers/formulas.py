"""A student's formula and its values, with every fault told to the student."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graders.written.formula import Formula, FormulaError, Value, evaluate, parse
from graders.written.formula.tree import Call, Power, Total, children
from graders.written.judgement import Asked, Unreadable

Array = NDArray[np.float64]
Families = Mapping[str, Sequence[Value]]
_STACKED = r"\[[^\[\]=]{1,60}[,;][^\[\]=]{1,60}\]"
_STACKS = re.compile(rf"^[^\[\]]{{0,80}}{_STACKED}[^\[\]=]{{0,20}}{_STACKED}[^\[\]=]{{0,10}}=")
_LIMIT = re.compile(
    r"\\?\blim(?:it)?\s*_?\s*[({]?\s*\\?[^\W\d_]{1,10}\s*(?:→|->|\\to|\\rightarrow)\s*"
    r"\+?(?:∞|\\infty|oo|inf(?:ty|inity)?)\s*[)}]?"
)
# Words and what parts them share no character, so that no text takes these long.
_SAID = re.compile(
    r"\s{0,9}(?P<words>(?:[A-Za-z]{2,20}[ \t]{1,4}){1,8}[A-Za-z]{2,20})\s{0,4}[=:](?!=)"
)
_QUOTED = re.compile(
    r"\s{0,9}(?P<words>(?:[A-Za-z'-]{1,20}[\s,:]{1,4}){2,15}|)\${1,2}(?P<formula>[^$]{1,600})\${1,2}"
    r"(?:(?:[\s,.()]{1,4}[A-Za-z'-]{1,20}){2,25})?[\s.)]{0,4}$"
)
MOST_STEPS = 3000
_UNIT = re.compile(
    r"(?<=[\w)}\]$])\s+(?:(?:new|extra|additional|trainable|learnable|learned|parameters?|params|"
    r"scalars?|numbers?|weights|values|embeddings?|operations|flops|tokens|total|per|each|the|in|"
    r"for|layers?)\b[\s.]*)+$",
    re.IGNORECASE,
)


def typed_formula(asked: Asked, part: str, names: Iterable[str]) -> Formula:
    """The formula of a part; raises Unreadable that points at what cannot be read."""
    try:
        text = _LIMIT.sub("", _without_stacks(asked.parts[part]), count=1)
        formula = parse(_without_unit(_without_words(text, names)), names)
    except FormulaError as error:
        raise unreadable(error) from None
    _refuse_costly(formula)
    return formula


def _without_stacks(text: str) -> str:
    """The formula without `[x, p] . [y, w] =` before it, a product of stacked vectors."""
    return _STACKS.sub("", text, count=1)


def _without_words(text: str, names: Iterable[str]) -> str:
    """The formula of `we need $2n$ numbers in all`, and of `number of weights = 2n`."""
    if (said := _SAID.match(text)) and not set(said["words"].split()) & set(names):
        return text[said.end() :]
    quoted = _QUOTED.match(text)
    if quoted is None or set(re.findall(r"[A-Za-z]+", quoted["words"])) & set(names):
        return text
    return quoted["formula"]


def _without_unit(text: str) -> str:
    """The formula without `parameters per layer` and the like behind it."""
    cut = max(0, len(text) - 60)  # a bounded search
    found = _UNIT.search(text, cut)
    return text[: found.start()] if found else text


def known_formula(asked: Asked, part: str, names: Sequence[str]) -> Formula:
    """A formula in which no other names stand than those of the question."""
    formula = _last_side(typed_formula(asked, part, names))
    if formula.unknown:
        strange = ", ".join(f"`{name[:20]}`" for name in sorted(formula.unknown)[:4])
        known = ", ".join(f"`{name}`" for name in names)
        raise Unreadable(f"The question has no {strange}: write the formula in {known}.")
    return formula


def _last_side(formula: Formula) -> Formula:
    """What an equation ends with, where only its other sides hold strange names: `z.w = ...`."""
    last = replace(formula, trees=formula.trees[-1:])
    return last if formula.unknown and not last.unknown else formula


def value_of(
    formula: Formula, values: Mapping[str, Value], families: Families | None = None
) -> Array:
    """What a formula comes to; raises Unreadable where its shapes do not go together."""
    try:
        return np.asarray(evaluate(formula, values, families=families or {}), dtype=np.float64)
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
