"""Expand a count or a complexity into an exact polynomial in its names."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from graders.written.formula.errors import FormulaError, Mismatch
from graders.written.formula.parser import Formula
from graders.written.formula.tree import PRODUCTS, Call, Name, Node, Number

Monomial: TypeAlias = tuple[tuple[str, int], ...]  # (name, exponent), sorted; () is the constant
Polynomial: TypeAlias = dict[Monomial, Fraction]
ONE: Polynomial = {(): Fraction(1)}
MINUS_ONE: Polynomial = {(): Fraction(-1)}
MOST_TERMS = 400
HIGHEST = 64  # the degree
MOST_DIGITS = 300


def polynomial(formula: Formula) -> Mapping[Monomial, Fraction]:
    """Return the expanded polynomial, without terms that are zero; O(...) and Θ(...) are dropped.

    Raises Mismatch if its growth is not polynomial, and FormulaError for anything else that is not
    part of a polynomial.
    """
    try:
        sides = [expanded(tree) for tree in formula.trees]
        for tree, side in zip(formula.trees, sides, strict=True):
            if side != sides[-1]:
                raise FormulaError("The two sides of `=` are not equal.", tree.at)
    except FormulaError as error:
        raise error.within(formula.text) from None
    return sides[-1]


def expanded(node: Node) -> Polynomial:
    match node:
        case Number(text, at):
            return clean({(): exact(text, at)})
        case Name(name):
            return {((name, 1),): Fraction(1)}
        case Call("neg", (of,)):
            return times(expanded(of), MINUS_ONE, node)
        case Call("+" | "-" as function, (left, right)):
            sign = MINUS_ONE if function == "-" else ONE
            return plus(expanded(left), times(expanded(right), sign, node))
        case Call("^", (base, exponent)):
            return raised(expanded(base), expanded(exponent), node)
        case Call(function, (left, right)) if function in (*PRODUCTS, "/"):
            second = expanded(right)
            return times(expanded(left), inverse(second, node) if function == "/" else second, node)
        case Call("order", arguments):
            return expanded(arguments[0])
        case _:
            raise no_polynomial(node)


def no_polynomial(node: Node) -> FormulaError:
    function = node.function if isinstance(node, Call) else ""
    if function == "⊤":
        return FormulaError("A count cannot contain a transpose.", node.at)
    message = "Only sums, products and integer powers of names are expected here."
    if function in ("log", "log2", "log10", "sqrt", "exp"):
        return Mismatch(message, node.at)
    return FormulaError(message, node.at)


def exact(text: str, at: int) -> Fraction:
    """Return a number without rounding."""
    _, _, exponent = text.lower().partition("e")
    if len(text) > MOST_DIGITS or abs(int(exponent or 0)) > MOST_DIGITS:
        raise FormulaError("This number is too large or too small.", at)
    return Fraction(text)


def clean(terms: Polynomial) -> Polynomial:
    """Return the terms that are not zero."""
    return {monomial: factor for monomial, factor in terms.items() if factor}


def plus(left: Polynomial, right: Polynomial) -> Polynomial:
    names = {**left, **right}
    return clean({name: left.get(name, Fraction()) + right.get(name, Fraction()) for name in names})


def times(left: Polynomial, right: Polynomial, node: Node) -> Polynomial:
    """Return the product. Raises FormulaError if it is too large."""
    if len(left) * len(right) > MOST_TERMS:
        raise FormulaError("This has too many terms when it is expanded.", node.at)
    product: Polynomial = {}
    for one, factor in left.items():
        for other, second in right.items():
            both = merged(one, other)
            product[both] = product.get(both, Fraction()) + factor * second
    check(product, node)
    return clean(product)


def merged(one: Monomial, other: Monomial) -> Monomial:
    exponents = dict(one)
    for name, exponent in other:
        exponents[name] = exponents.get(name, 0) + exponent
    return tuple(sorted((name, exponent) for name, exponent in exponents.items() if exponent))


def check(terms: Polynomial, node: Node) -> None:
    """Raise FormulaError for a degree or a factor that is too large."""
    degree = max((abs(exponent) for monomial in terms for _, exponent in monomial), default=0)
    factors = (factor.as_integer_ratio() for factor in terms.values())
    if degree > HIGHEST or any(
        abs(part) > 10**MOST_DIGITS for factor in factors for part in factor
    ):
        raise FormulaError("This grows too large when it is expanded.", node.at)


def inverse(terms: Polynomial, node: Node) -> Polynomial:
    """Return the reciprocal of a single term."""
    if len(terms) != 1:
        raise FormulaError("A denominator must be one nonzero term here.", node.at)
    ((monomial, factor),) = terms.items()
    return {tuple((name, -exponent) for name, exponent in monomial): 1 / factor}


def raised(base: Polynomial, exponent: Polynomial, node: Node) -> Polynomial:
    if set(exponent) - {()}:
        raise Mismatch("An exponent in a count cannot contain a name.", node.at)
    times_ = exponent.get((), Fraction())
    if times_.denominator != 1 or abs(times_) > HIGHEST:
        raise FormulaError("Only small integer exponents are expected here.", node.at)
    power = ONE
    for _ in range(abs(int(times_))):
        power = times(power, base, node)
    return inverse(power, node) if times_ < 0 else power
