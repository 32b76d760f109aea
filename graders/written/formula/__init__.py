"""Read formulas as people type them: parse, infer shapes, evaluate; never execute code."""

from graders.written.formula.errors import FormulaError, Mismatch
from graders.written.formula.evaluation import Value, evaluate
from graders.written.formula.parser import Formula, parse
from graders.written.formula.polynomial import Monomial, polynomial

__all__ = [
    "Formula",
    "FormulaError",
    "Mismatch",
    "Monomial",
    "Value",
    "evaluate",
    "parse",
    "polynomial",
]
