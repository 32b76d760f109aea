"""Rewrite correct submissions without changing what they compute: none may lose a point.

A rewrite is a transformer of libcst's syntax tree. `REWRITES` has their names; `rewritten.py`
applies some of them to a submission.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst
import libcst.matchers as m

from graders.audit.changes.operators import apart, called, name_of
from graders.audit.changes.restructure import (
    ConfigClass,
    ExtractFunctions,
    RenameHelpers,
    Reorder,
    TypeHints,
)
from graders.audit.changes.rewriter import BINDS, Rename, Rewriter, bound_names, find_all

Lines = cst.FlattenSentinel[cst.BaseStatement]
NUMERIC = (cst.Subtract, cst.Divide, cst.Power, cst.MatrixMultiply, cst.FloorDivide)
NUMBERS = (
    "len",
    "sum",
    "mean",
    "abs",
    "float",
    "int",
    "exp",
    "sqrt",
    "matmul",
    "size",
    "sin",
    "cos",
)
FLIPPED: Mapping[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.GreaterThan,
    cst.GreaterThan: cst.LessThan,
    cst.LessThanEqual: cst.GreaterThanEqual,
    cst.GreaterThanEqual: cst.LessThanEqual,
    cst.Equal: cst.Equal,
    cst.NotEqual: cst.NotEqual,
}


def _calls(node: cst.CSTNode) -> bool:
    return bool(find_all(node, m.Call() | m.Await() | m.Yield() | m.NamedExpr()))


class RenameLocals(Rewriter):
    """Renames the variables of functions without inner scopes."""

    INNER = m.FunctionDef() | m.Lambda() | m.ClassDef() | m.Global() | m.Nonlocal()
    READS_NAMES = m.Call(m.Name("locals") | m.Name("eval") | m.Name("exec") | m.Name("vars"))

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        body = updated_node.body
        if find_all(body, self.INNER | self.READS_NAMES) or not self.hit():
            return updated_node
        bound = {name for node in find_all(body, BINDS) for name in bound_names(node)}
        fixed = {node.name.value for node in find_all(updated_node.params, m.Param())}
        for line in find_all(body, m.Import() | m.ImportFrom() | m.ExceptHandler()):
            fixed |= {node.value for node in find_all(line, m.Name())}
        names = {name: self.fresh(name) for name in sorted(bound - fixed)}
        return updated_node.with_changes(body=body.visit(Rename(names)))


class UseMatmul(Rewriter):
    """Writes `a @ b` as torch.matmul, or as einsum if b is a transposed batch of matrices."""

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        torch = "import torch\n" in self.module.code
        if not isinstance(updated_node.operator, cst.MatrixMultiply) or not torch or not self.hit():
            return updated_node
        transposed = (
            called(updated_node.right) == "transpose" or name_of(updated_node.right) == "mT"
        )
        start = 'torch.einsum("...ij,...jk->...ik", a, b)' if transposed else "torch.matmul(a, b)"
        call = cast(cst.Call, cst.parse_expression(start))
        *first, left, right = call.args
        pair = (
            left.with_changes(value=updated_node.left),
            right.with_changes(value=updated_node.right),
        )
        return call.with_changes(args=[*first, *pair])


class UseEinsum(Rewriter):
    """Writes an einsum that is a product of two batches of matrices as torch.matmul."""

    PRODUCT = re.compile(r"(\S*)(\w)(\w),\1(\w\w)->\1(\w)(\w)")  # ...ij,...jk->...ik, or kj

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        args = updated_node.args
        torch_s = m.matches(updated_node.func, m.Attribute(m.Name("torch"), m.Name("einsum")))
        plain = len(args) == 3 and not any(arg.keyword or arg.star for arg in args)
        if not torch_s or not plain or not isinstance(args[0].value, cst.SimpleString):
            return updated_node
        equation = str(args[0].value.evaluated_value).replace(" ", "")
        product = self.PRODUCT.fullmatch(equation)
        if product is None:
            return updated_node
        batch, i, j, second, *ends = product.groups()
        transposed = second == ends[1] + j
        distinct = len({*batch.replace(".", ""), i, j, ends[1]}) == len(batch.strip(".")) + 3
        fit = ends[0] == i and (transposed or second == j + ends[1]) and distinct
        if not fit or not self.hit():
            return updated_node
        turned = "b.transpose(-2, -1)" if transposed else "b"
        call = cast(cst.Call, cst.parse_expression(f"torch.matmul(a, {turned})"))
        pair = {"a": args[1].value, "b": args[2].value}
        return cast(cst.Call, call.visit(_Insert(pair)))


class _Insert(cst.CSTTransformer):
    """Puts expressions in the places of names."""

    def __init__(self, expressions: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self._expressions = expressions

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        expression = self._expressions.get(updated_node.value)
        return apart(expression) if expression else updated_node


class Commute(Rewriter):
    """Swaps the two factors of a product, the two terms of a sum, the two sides of a comparison."""

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        left, right = updated_node.left, updated_node.right
        is_sum = isinstance(updated_node.operator, cst.Add) and (
            _is_number(left) or _is_number(right)
        )
        fit = is_sum or isinstance(updated_node.operator, cst.Multiply)
        if not fit or (_calls(left) and _calls(right)) or not self.hit():
            return updated_node
        return updated_node.with_changes(left=apart(right), right=apart(left))

    def leave_Comparison(
        self, original_node: cst.Comparison, updated_node: cst.Comparison
    ) -> cst.BaseExpression:
        target = updated_node.comparisons[0]
        left, right = updated_node.left, target.comparator
        operator = FLIPPED.get(type(target.operator))
        once = len(updated_node.comparisons) == 1 and not (_calls(left) and _calls(right))
        if operator is None or not once or not self.hit():
            return updated_node
        flipped = cst.ComparisonTarget(operator(), apart(left))
        return updated_node.with_changes(left=apart(right), comparisons=[flipped])


def _is_number(node: cst.CSTNode) -> bool:
    """Return whether an expression is certainly a number or a tensor, not a string or a list."""
    if isinstance(node, cst.BinaryOperation):
        sides = (_is_number(node.left), _is_number(node.right))
        of_numbers = all(sides) if isinstance(node.operator, cst.Multiply) else any(sides)
        return isinstance(node.operator, NUMERIC) or of_numbers  # [0] * len(x) is a list
    return isinstance(node, (cst.Integer, cst.Float)) or called(node) in NUMBERS


class InvertConditions(Rewriter):
    """Writes `if a: b else: c` as `if not a: c else: b`."""

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        other = updated_node.orelse
        if not isinstance(other, cst.Else) or not self.hit():
            return updated_node
        return updated_node.with_changes(
            test=_negated(updated_node.test),
            body=other.body,
            orelse=other.with_changes(body=updated_node.body),
            whitespace_before_test=cst.SimpleWhitespace(" "),
        )

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.IfExp:
        if not self.hit():
            return updated_node
        body, other = apart(updated_node.orelse), apart(updated_node.body)
        return updated_node.with_changes(test=_negated(updated_node.test), body=body, orelse=other)


def _negated(test: cst.BaseExpression) -> cst.BaseExpression:
    return cst.UnaryOperation(cst.Not(), apart(test))


class Floats(Rewriter):
    """Writes `x / 2`, `x > 0` and `10000 ** (i / d)` with a float, which makes no difference."""

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        left, right = updated_node.left, updated_node.right
        if isinstance(updated_node.operator, cst.Divide):
            return updated_node.with_changes(right=self._float(right))
        fraction = isinstance(right, cst.BinaryOperation) and isinstance(right.operator, cst.Divide)
        if isinstance(updated_node.operator, cst.Power) and fraction:
            return updated_node.with_changes(left=self._float(left))
        return updated_node

    def leave_ComparisonTarget(
        self, original_node: cst.ComparisonTarget, updated_node: cst.ComparisonTarget
    ) -> cst.ComparisonTarget:
        if type(updated_node.operator) not in FLIPPED:
            return updated_node
        return updated_node.with_changes(comparator=self._float(updated_node.comparator))

    def _float(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Return a whole number as a float that is equal to it."""
        if not isinstance(node, cst.Integer) or node.evaluated_value > 2**53 or not self.hit():
            return node
        return cst.Float(f"{node.evaluated_value}.0")


class ExtractReturns(Rewriter):
    """Gives a returned value a name first."""

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | Lines:
        last = updated_node.body[-1]
        named = isinstance(last, cst.Return) and isinstance(last.value, (cst.Name, type(None)))
        if not isinstance(last, cst.Return) or named or not self.hit() or last.value is None:
            return updated_node
        name = cst.Name(self.fresh("result"))
        first = cst.Assign([cst.AssignTarget(name)], last.value)
        return cst.FlattenSentinel(
            [
                updated_node.with_changes(body=[*updated_node.body[:-1], first]),
                cst.SimpleStatementLine([cst.Return(name)]),
            ]
        )


class Loops(Rewriter):
    """Writes `x = [f(y) for y in z]` in a function as a loop that appends."""

    def __init__(self, module: cst.Module, rng: random.Random, elsewhere: str) -> None:
        super().__init__(module, rng, elsewhere)
        self._inside: list[bool] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._inside.append(True)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self._inside.pop()
        return updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | Lines:
        assign = updated_node.body[0]
        if not self._inside or not isinstance(assign, cst.Assign) or len(updated_node.body) > 1:
            return updated_node
        target, value = assign.targets[0].target, assign.value
        plain = len(assign.targets) == 1 and isinstance(target, cst.Name)
        if not plain or not isinstance(value, cst.ListComp) or not _is_plain(value.for_in):
            return updated_node
        return self._loop(updated_node, assign, value) if self.hit() else updated_node

    def _loop(
        self, line: cst.SimpleStatementLine, assign: cst.Assign, value: cst.ListComp
    ) -> Lines:
        names = {name: self.fresh(name) for name in bound_names(value.for_in.target)}
        rename, gathered = Rename(names), cst.Name(self.fresh("gathered"))
        element = cast(cst.BaseExpression, value.elt.visit(rename))
        append = cst.Call(cst.Attribute(gathered, cst.Name("append")), [cst.Arg(element)])
        body: cst.BaseStatement = cst.SimpleStatementLine([cst.Expr(append)])
        for condition in reversed(value.for_in.ifs):
            test = cast(cst.BaseExpression, condition.test.visit(rename))
            body = cst.If(test, cst.IndentedBlock([body]))
        target = cast(cst.BaseAssignTargetExpression, value.for_in.target.visit(rename))
        start = cst.Assign([cst.AssignTarget(gathered)], cst.List([]))
        return cst.FlattenSentinel(
            [
                line.with_changes(body=[start]),
                cst.For(target, value.for_in.iter, cst.IndentedBlock([body])),
                cst.SimpleStatementLine([assign.with_changes(value=gathered)]),
            ]
        )


class Comprehensions(Rewriter):
    """Writes a loop in a function that only appends to a new list as a comprehension."""

    START = m.SimpleStatementLine([m.Assign([m.AssignTarget(m.Name())], m.List([]))])
    APPEND = m.SimpleStatementLine(
        [m.Expr(m.Call(m.Attribute(m.Name(), m.Name("append")), [m.Arg(keyword=None, star="")]))]
    )
    LATE = m.Lambda() | m.Await() | m.Yield() | m.NamedExpr() | m.Call(m.Name("super"))

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        body, lines, place = updated_node.body, list[cst.BaseStatement](), 0
        if not isinstance(body, cst.IndentedBlock):
            return updated_node
        while place < len(body.body):
            merged = self._comprehension(body.body[place : place + 2], updated_node)
            lines.append(merged or body.body[place])
            place += 2 if merged else 1
        return updated_node.with_changes(body=body.with_changes(body=lines))

    def _comprehension(
        self, pair: Sequence[cst.BaseStatement], function: cst.FunctionDef
    ) -> cst.SimpleStatementLine | None:
        """Return the comprehension of `x = []` and a loop; None if they are something else."""
        if len(pair) < 2 or not m.matches(pair[0], self.START) or not isinstance(pair[1], cst.For):
            return None
        start, loop, tests = cast(cst.SimpleStatementLine, pair[0]), pair[1], []
        assign, line = cast(cst.Assign, start.body[0]), _only(loop.body)
        while isinstance(line, cst.If) and line.orelse is None:
            tests.append(cst.CompIf(line.test))
            line = _only(line.body)
        name = name_of(assign.targets[0].target)
        plain = loop.orelse is None and loop.asynchronous is None
        if not plain or line is None or not m.matches(line, self.APPEND):
            return None
        (call,) = find_all(line, m.Call(m.Attribute(attr=m.Name("append"))))[:1]
        inside = find_all(loop, m.Name(name))
        seen = {
            target: len(find_all(function, m.Name(target))) for target in bound_names(loop.target)
        }
        leaves = any(count > len(find_all(loop, m.Name(target))) for target, count in seen.items())
        other = name_of(call.func.value) != name
        if other or len(inside) > 1 or leaves or find_all(loop, self.LATE) or not self.hit():
            return None
        comprehension = cst.ListComp(call.args[0].value, cst.CompFor(loop.target, loop.iter, tests))
        return start.with_changes(body=[assign.with_changes(value=comprehension)])


def _only(body: cst.BaseSuite) -> cst.CSTNode | None:
    """Return the only statement of a block, or None."""
    return body.body[0] if len(body.body) == 1 else None


def _is_plain(loop: cst.CompFor) -> bool:
    late = find_all(loop, m.Lambda() | m.Await() | m.NamedExpr())
    return loop.inner_for_in is None and loop.asynchronous is None and not late


class Keywords(Rewriter):
    """Calls the file's own functions with keywords instead of positions."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        names = _parameters(self.module).get(name_of(updated_node.func), [])
        args = updated_node.args
        fit = isinstance(updated_node.func, cst.Name) and 0 < len(args) <= len(names)
        if not fit or any(arg.keyword or arg.star for arg in args) or not self.hit():
            return updated_node
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        named = [
            arg.with_changes(keyword=cst.Name(name), equal=equal)
            for arg, name in zip(args, names, strict=False)
        ]
        return updated_node.with_changes(args=named)


def _parameters(module: cst.Module) -> dict[str, list[str]]:
    """Return the parameters of the functions that have only plain ones."""
    return {
        node.name.value: [param.name.value for param in node.params.params]
        for node in module.body
        if isinstance(node, cst.FunctionDef)
        and not node.decorators
        and not node.params.posonly_params
        and not node.params.kwonly_params
        and not isinstance(node.params.star_arg, cst.Param)
        and node.params.star_kwarg is None
    }


class Comments(Rewriter):
    """Adds comments."""

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        if not self.hit():
            return updated_node
        comment = cst.EmptyLine(comment=cst.Comment("# the next step"))
        return updated_node.with_changes(leading_lines=[*updated_node.leading_lines, comment])


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A kind of rewrite: its name, and the transformer that applies it to a file."""

    name: str
    transformer: Callable[[cst.Module, random.Random, str], Rewriter]


REWRITES = (
    Rewrite("locals renamed", RenameLocals),
    Rewrite("helpers renamed", RenameHelpers),
    Rewrite("matmul and einsum", UseMatmul),
    Rewrite("matmul for einsum", UseEinsum),
    Rewrite("sides swapped", Commute),
    Rewrite("conditions inverted", InvertConditions),
    Rewrite("floats for whole numbers", Floats),
    Rewrite("results named", ExtractReturns),
    Rewrite("functions extracted", ExtractFunctions),
    Rewrite("constants in a dataclass", ConfigClass),
    Rewrite("loops for comprehensions", Loops),
    Rewrite("comprehensions for loops", Comprehensions),
    Rewrite("keywords for positions", Keywords),
    Rewrite("type hints", TypeHints),
    Rewrite("comments", Comments),
    Rewrite("definitions reordered", Reorder),
)
