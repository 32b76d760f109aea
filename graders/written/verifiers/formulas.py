"""Find a student's formulas, alone or among words, and compute their values."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from graders.written.formula import Formula, FormulaError, Mismatch, Value, evaluate, parse
from graders.written.formula.evaluation import LONGEST_SUM
from graders.written.formula.reading.characters import GREEK
from graders.written.formula.reading.prose import (
    Statement,
    definitions,
    statements_in,
    without_marks,
)
from graders.written.formula.tree import (
    OPERATORS,
    Call,
    Name,
    Number,
    Total,
    children,
    substituted,
    walk,
)
from graders.written.formula.vocabulary import Vocabulary
from graders.written.question import Misfit, Unreadable
from graders.written.reading.plain import VANISHES
from graders.written.verifiers.values.found import FEW_WORDS, MOST, Candidates

Array = NDArray[np.float64]
Families = Mapping[str, Sequence[Value]]
# Subscripts and superscripts of HTML and Pandoc: `k<sub>a</sub>`, `k~a~`, `*k*~*a*~`, `x^2^`.
_BELOW = re.compile(r"\*?(?:<sub>\*?([\w, ]{1,20}?)\*?</sub>|(?<!~)~\*?(\w{1,20})\*?~(?!~))")
_ABOVE = re.compile(  # not `q_i^pos^T` and `2^n^2`
    r"\*?(?:<sup>\*?([^<>]{1,20}?)\*?</sup>"
    r"|\^\*?(\d{1,2}\*?(?=\^)|T\*?(?=\^)|\w{1,20}\*?(?=\^(?![\w({\\])))\^)"
)
_STACKED = r"\[[^\[\]=]{1,60}[,;][^\[\]=]{1,60}\]"
# A product of stacked vectors before the formula: `[x, p] . [y, w] =`.
_STACKS = re.compile(rf"^[^\[\]]{{0,80}}{_STACKED}[^\[\]=]{{0,20}}{_STACKED}[^\[\]=]{{0,10}}=")
# Matches `lim_{β → ∞}` or `lim β → ∞`.
_LIMIT = re.compile(
    r"\\?\blim(?:it)?\s*_?\s*[({]?\s*\\?[^\W\d_]{1,10}\s*(?:→|->|\\to|\\rightarrow)\s*"
    r"\+?(?:∞|\\infty|oo|inf(?:ty|inity)?)\s*[)}]?"
)
_DASH = re.compile(r"\s(?:[—―]+|-{2,3})\s")  # between a formula and a remark, and no minus
# A full stop that means a dot product: `x_1 . p_2` or `(x + p) . (y + q)`.
_SPACED_DOT = re.compile(
    r"(?<=[\w})])\s{1,9}\.\s{1,9}(?=\\?[A-Za-z]{1,9}_\w)|(?<=\))\s{1,9}\.\s{1,9}(?=\()"
)
_DECIMAL_COMMA = re.compile(r"(?<![\w.,(\[{])\d+,\d{1,2}(?![\d,\])}])")  # `1,5·10^4`, no list
# A scalar right behind a formula that begins a condition: `q = c k_a + c k_b c >> 0`.
_BESIDE = re.compile(
    rf"[\s\-–−](?P<name>[A-Za-zα-ω]|\\?(?:{'|'.join(GREEK.values())}))\$?"
    r"(?:\s{0,9}(?P<sign>[<>≫≪≥≤→⟶]|->|\\(?:gg|ll|geq?|leq?|to|rightarrow)\b)"
    r"|\s(?P<word>[^\W\d_]{2,}))"
)
FEW_BESIDE_A_NAME = 4  # words beside a single name or number that is the whole formula
_QUESTION = re.compile(r"\d([a-z])(?:\.i{1,3})?")  # `1b`, of which a text may speak
# Words that are the whole value, with or without a name: `K = the identity matrix`.
_IDENTITY = re.compile(
    r"\s*(?:\w{1,9}\s*:?=\s*)?(?:the\s+)?(?:identity(?:\s+matrix)?|unit\s+matrix|einheitsmatrix"
    r"|matriz\s+identidad|matrice\s+identité)[\s.,;]*",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
MOST_STEPS = 3000
MOST_MEMBERS = 32  # of a family, or the size of its vectors


def find_formulas(
    text: str, names: Iterable[str], results: Iterable[str] = (), free: str = ""
) -> Candidates[Formula]:
    """Return the formulas in a text. Raises Unreadable, which points at what cannot be read.

    `results` are the names of the result, such as `q` in `q = ...`. A scalar `free` may be chosen.
    """
    known_names = frozenset(names)
    text = "I" if _IDENTITY.fullmatch(text) else text
    text = _BELOW.sub(lambda match: f"_{{{match[1] or match[2]}}}", text.replace("&nbsp;", " "))
    text = _ABOVE.sub(lambda match: f"^{{{(match[1] or match[2]).rstrip('*')}}}", text)
    text = _SPACED_DOT.sub(" · ", _DASH.sub(" , ", _LIMIT.sub("", text, count=1)))
    if _DECIMAL_COMMA.search(without_marks(text)):
        raise Unreadable("A number contains a comma; write 0.5, not 0,5.")
    glued = _is_glued(text, Vocabulary.of(known_names))
    prose = statements_in(text, Vocabulary.of(known_names))
    meant = definitions(_renamed(prose.statements), {*known_names, *results} - {free})
    answers = _answers(prose.statements, frozenset(results), known_names, meant)
    if not prose.words and len(answers) < 2 and not meant:
        sides = [part for part in prose.statements if not (part.compared or part.lone)]
        formula = _plain(text if len(sides) < 2 else answers[0].text, answers, known_names)
        small = _vanishes(text, (formula,))
        glued |= _ends_in_number(formula)
        plain = not (small or glued)
        return Candidates((formula,), (formula.text,), plain=plain, denied=small, sure=not glued)
    if not answers:
        raise Unreadable("No formula was found in the answer.")
    formulas = [
        _parsed(_formula_of(answer, known_names), known_names) for answer in answers[: MOST + 1]
    ]
    meanings = {
        name: _parsed(_right(definition.text), known_names)
        for definition in meant.values()
        for name in _named(definition, known_names)
    }
    defined = [_defined(formula, meanings) for formula in formulas]
    numbers = free and any(not meaning.names for meaning in meanings.values())
    for value in defined:
        _refuse_costly(value)
    alone = [_is_alone(answer, known_names) for answer in answers[: MOST + 1]]
    values = (*defined, *(formulas if numbers else ()))
    few = FEW_WORDS if any(not answer.lone for answer in answers) else FEW_BESIDE_A_NAME
    small = _vanishes(text, values)
    glued |= _may_conclude(prose.statements, answers) or any(map(_ends_in_number, formulas))
    return Candidates(
        values,
        tuple(value.text for value in values),
        plain=len(answers) == 1 and (not prose.words or alone == [True]) and not (small or glued),
        denied=any(answer.denied for answer in answers) or small,
        sure=not (prose.calculates or glued) and (prose.words <= few or answers[0].name in results),
        concluded=answers[-1].concludes
        and not any(answer.name in results for answer in answers[:-1]),
        led=alone[0]
        and not any(alone[1:])
        and not answers[0].denied
        and all(answer.offered != "or" for answer in answers[1:]),
    )


def _is_glued(text: str, words: Vocabulary) -> bool:
    """Return True if a condition follows a formula directly, so it may look like a factor."""
    for match in _BESIDE.finditer(text):
        name = re.escape(match["name"])
        again = len(re.findall(rf"(?<![A-Za-z\\]){name}", text)) > 1
        word = match["word"] or ""
        if match["sign"] or (again and word not in GREEK.values() and not words.extends(word, ())):
            return True
    return False


def _may_conclude(statements: Iterable[Statement], answers: Sequence[Statement]) -> bool:
    """Return True if an equation without a name may be the answer: `2T, so Tm + Tm = 2Tm`."""
    read = {"".join(_right(statement.text).split()) for statement in answers}
    sides = (
        "".join(_right(statement.text).split())
        for statement in statements
        if _is_equation(statement) and not (statement.name or statement.compared)
    )
    return any(_LETTER.search(side) and side not in read for side in sides)


def _ends_in_number(formula: Formula) -> bool:
    """Return True if another equation may follow without a separator: `n = 2d + 2 (ii) d = 768`."""
    last = replace(formula, trees=formula.trees[-1:])
    return len(formula.trees) > 1 and not last.names


def _vanishes(text: str, formulas: Iterable[Formula]) -> bool:
    """Return whether the text says that a scalar in the formulas is small or negative."""
    names = (match["name"] or match["scalar"] for match in VANISHES.finditer(text))
    scalars = (name.removeprefix("\\") for name in names)
    small = {GREEK.get(name, name) for name in scalars}
    return any(small & formula.names for formula in formulas)


def _is_alone(statement: Statement, names: frozenset[str]) -> bool:
    """Return whether its line contains only the statement and conditions."""
    line = statements_in(statement.line, Vocabulary.of(names))
    statements = [item for item in line.statements if not (item.compared or item.lone)]
    return not line.words and len(statements) < 2


def _renamed(statements: Iterable[Statement]) -> list[Statement]:
    """Return the statements with Greek names spelled out."""
    return [
        replace(statement, name=GREEK.get(statement.name, statement.name))
        for statement in statements
    ]


def _answers(
    statements: Sequence[Statement],
    results: frozenset[str],
    known_names: frozenset[str],
    meant: Mapping[str, Statement],
) -> list[Statement]:
    """Return the statements that may be the answer: `q = ...`, else all but single names.

    Definitions and examples such as `d = 768` are excluded and, if there are others, statements on
    something else, such as `k_a^T k_b = 0`. Alternatives to an answer are included.
    """
    bases = {name.partition("_")[0] for name in known_names}
    candidates = [
        statement
        for statement in _renamed(statements)
        if not statement.compared
        and (statement.name not in bases or _LETTER.search(_right(statement.text)))
    ]
    left = [
        answer
        for answer in candidates
        if not _is_question(answer, bases) and answer.text.strip() not in results
    ]
    candidates = left or candidates
    rivals = [_offered(*pair) for pair in zip_longest(candidates, candidates[1:])]
    if any(answer.name in results for answer in candidates):
        pairs = zip(candidates, rivals, strict=True)
        return _once(answer for answer, rival in pairs if answer.name in results or rival)
    remaining = [answer for answer in candidates if answer.name not in meant]
    named = [answer for answer in remaining if answer.name or not _is_equation(answer)]
    remaining = named if any(not answer.lone for answer in named) else remaining
    either = {id(answer) for answer, rival in zip(candidates, rivals, strict=True) if rival == "or"}
    return _once(
        [answer for answer in remaining if not answer.lone or id(answer) in either] or remaining
    )


def _offered(statement: Statement, following: Statement | None) -> str:
    """Return how a formula without a name is connected to another one; "" if it is not."""
    if statement.name or _is_equation(statement):
        return ""
    after = following.offered if following is not None else ""
    offered = "or" if "or" in (statement.offered, after) else statement.offered or after
    return offered if offered == "or" or not statement.lone else ""


def _is_question(statement: Statement, bases: Set[str]) -> bool:
    """Return whether it names a question and is not a product such as `2d`."""
    match = _QUESTION.fullmatch(statement.text.strip())
    return match is not None and match[1] not in bases and statement.offered != "or"


def _is_equation(statement: Statement) -> bool:
    return re.search(r"[=≈]", statement.text) is not None


def _once(statements: Iterable[Statement]) -> list[Statement]:
    """Return the statements without repetitions; if any is negated, the remaining one is, too."""
    unique: dict[str, Statement] = {}
    for statement in statements:
        key = "".join(_right(statement.text).split())
        before = unique.get(key, statement)
        unique[key] = replace(statement, denied=statement.denied or before.denied)
    return list(unique.values())


def _named(definition: Statement, known_names: frozenset[str]) -> list[str]:
    """Return the names that a definition defines, with their subscripts: `c = S_1 = 1000`."""
    sides = re.split(r":?[=≈]", definition.text)
    left = [_parsed(side, known_names).tree for side in sides[:-1] or sides]
    names = [node.name for node in left if isinstance(node, Name)]
    return names if isinstance(left[0], Name) else [definition.name, *names]


def _formula_of(statement: Statement, known_names: frozenset[str]) -> str:
    """Return the formula of a statement, with at most a name on its left side."""
    if statement.name in {"", *known_names}:
        return statement.text
    return f"{statement.name} = {_right(statement.text)}"


def _right(text: str) -> str:
    return re.sub(r"^[^=≈]*[=≈]", "", text)


def _plain(text: str, answers: Sequence[Statement], names: frozenset[str]) -> Formula:
    """Return a formula without words around it: the whole text, or a part of it with conditions."""
    try:
        formula = parse(_STACKS.sub("", text, count=1), names)
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


def _defined(formula: Formula, meanings: Mapping[str, Formula]) -> Formula:
    """Return the formula with names replaced by their definitions."""
    trees = {name: meaning.tree for name, meaning in meanings.items()}
    return replace(formula, trees=tuple(substituted(tree, trees) for tree in formula.trees))


def with_known_names(formula: Formula, names: Sequence[str]) -> Formula:
    """Return the formula. Raises Unreadable if it uses names that the question does not define."""
    formula = _last_side(formula)
    if formula.unknown:
        strange = ", ".join(f"`{name[:20]}`" for name in sorted(formula.unknown)[:4])
        allowed = ", ".join(f"`{name}`" for name in names)
        raise Unreadable(
            f"The question does not define {strange}; write the formula with {allowed}."
        )
    return formula


def _last_side(formula: Formula) -> Formula:
    """Return an equation without sides that contain unknown names, as `z.w` in `z.w = ...`."""
    sides = (replace(formula, trees=(tree,)) for tree in formula.trees)
    trees = tuple(side.tree for side in sides if not side.unknown)
    return replace(formula, trees=trees) if trees and trees[-1] is formula.tree else formula


def value_of(
    formula: Formula, values: Mapping[str, Value], families: Families | None = None
) -> Array:
    """Return the value of a formula. Raises Misfit if its shapes don't match."""
    try:
        return np.asarray(evaluate(formula, values, families=families or {}), dtype=np.float64)
    except Mismatch as error:
        raise Misfit(f"{error.message}\n{error.pointed()}") from None
    except FormulaError as error:
        raise unreadable(error) from None


def refuse_pieces(formula: Formula, keys: Sequence[Formula] = ()) -> None:
    """Refuse `min` and `max` in a formula that is correct where it was tried.

    Random points show that two polynomials are equal, but not that a bound is never reached. `keys`
    are formulas that it equals; what one of them contains may stay.
    """
    used = _pieces(formula)
    if used and not any(used <= _pieces(key) for key in keys):
        names = " and ".join(f"`{name}`" for name in sorted(used))
        raise Unreadable(
            "The formula is correct for the values that were tried, but others may reach the bound "
            f"of {names}, so a person reads this answer."
        )


def _pieces(formula: Formula) -> set[str]:
    calls = (node.function for node in walk(formula.tree) if isinstance(node, Call))
    return {function for function in calls if function in ("min", "max")}


def unreadable(error: FormulaError) -> Unreadable:
    """Return the error with the student's text and a caret below the position."""
    return Unreadable(f"{error.message}\n{error.pointed()}")


def shape_of(value: Array) -> str:
    """Return the shape in words: a scalar, a vector or a matrix."""
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
        steps += times * (20 if isinstance(node, Call) and node.function not in OPERATORS else 1)
        inside = times * _terms(node) if isinstance(node, Total) else times
        waiting += [(child, inside) for child in children(node)]
        if steps > MOST_STEPS:
            raise Unreadable("The formula is too long: simplify it.")


def _terms(total: Total) -> int:
    """Return how many terms a sum has; if its end is a name or open, as many as there are keys."""
    match total.low, total.high:
        case Number(low), Number(high):
            return int(min(max(float(high) - float(low) + 1, 1), LONGEST_SUM))
        case (None, _) | (_, None) | (Number(), Name()):
            return MOST_MEMBERS
    return LONGEST_SUM
