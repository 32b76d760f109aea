"""Define the mutation operators: small mistakes that students make, for any Python and for tensors.

An operator is a function from a node of libcst's syntax tree to the nodes that can replace it; it
yields nothing for a node that it does not apply to. `OPERATORS` has their names and what they do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import libcst as cst

Changes = Iterator[cst.CSTNode]


@dataclass(frozen=True, slots=True)
class Operator:
    """A kind of mistake: its name, what it does, and what can replace a node."""

    name: str
    does: str
    changes: Callable[[cst.CSTNode], Changes]


ARITHMETIC: Mapping[type[cst.BaseBinaryOp], Sequence[type[cst.BaseBinaryOp]]] = {
    cst.Add: (cst.Subtract,),
    cst.Subtract: (cst.Add,),
    cst.Multiply: (cst.Divide, cst.Add),
    cst.Divide: (cst.Multiply,),
    cst.FloorDivide: (cst.Multiply, cst.Divide),
    cst.Modulo: (cst.FloorDivide,),
    cst.Power: (cst.Multiply,),
    cst.BitAnd: (cst.BitOr,),
    cst.BitOr: (cst.BitAnd,),
}
COMPARISONS: Mapping[type[cst.BaseCompOp], Sequence[type[cst.BaseCompOp]]] = {
    cst.LessThan: (cst.LessThanEqual, cst.GreaterThanEqual),
    cst.LessThanEqual: (cst.LessThan, cst.GreaterThan),
    cst.GreaterThan: (cst.GreaterThanEqual, cst.LessThanEqual),
    cst.GreaterThanEqual: (cst.GreaterThan, cst.LessThan),
    cst.Equal: (cst.NotEqual,),
    cst.NotEqual: (cst.Equal,),
    cst.Is: (cst.IsNot,),
    cst.IsNot: (cst.Is,),
    cst.In: (cst.NotIn,),
    cst.NotIn: (cst.In,),
}
FUNCTIONS = {  # a name, and what is used by mistake
    **{"sin": "cos", "cos": "sin", "min": "max", "max": "min", "floor": "ceil", "ceil": "floor"},
    **{"round": "floor", "zeros": "ones", "ones": "zeros", "argmax": "argmin", "any": "all"},
    **{"all": "any", "tril": "triu", "triu": "tril", "cat": "stack", "stack": "cat"},
    **{"softmax": "sigmoid", "tanh": "relu", "relu": "gelu", "exp": "expm1", "sqrt": "square"},
    **{"zeros_like": "ones_like", "ones_like": "zeros_like", "real": "imag", "imag": "real"},
    **{"Tanh": "ReLU", "ReLU": "GELU", "GELU": "ReLU", "Softmax": "LogSoftmax", "items": "keys"},
    **{"randint": "randrange", "startswith": "endswith", "append": "extend", "expand": "repeat"},
}
MODES = {"train": "eval", "eval": "train", "no_grad": "enable_grad"}
REDUCTIONS = {"mean": "sum", "sum": "mean", "amax": "amin", "amin": "amax"}
DTYPES = {
    **{"long": "int", "int64": "int32", "float": "half", "float32": "float16", "double": "float"},
    **{"float64": "float32", "complex64": "complex128", "bool": "long", "int": "float"},
}
IN_PLACE = {name: f"{name}_" for name in ("masked_fill", "add", "sub", "mul", "div", "clamp")}
REMOVED = frozenset(
    {
        "transpose", "permute", "contiguous", "view", "reshape", "flatten", "unsqueeze",
        "squeeze", "t", "detach", "clone", "copy", "float", "long", "double", "to", "item",
        "masked_fill", "softmax", "tril", "lower", "strip", "tolist",
    }
)  # fmt: skip
TENSOR_CALLS = frozenset(
    {
        "matmul", "softmax", "cross_entropy", "masked_fill", "view", "transpose", "reshape",
        "cat", "stack", "sum", "mean", "einsum", "bmm", "exp", "log_softmax",
    }
)  # fmt: skip
LOOSE = (  # expressions that need parentheses inside of another one
    cst.BinaryOperation, cst.BooleanOperation, cst.Comparison, cst.UnaryOperation,
    cst.IfExp, cst.Lambda, cst.NamedExpr,
)  # fmt: skip
PASS = cst.SimpleStatementLine([cst.Pass()])


def apart(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the expression in parentheses where another one could take it apart."""
    if not isinstance(node, LOOSE) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def called(node: cst.CSTNode) -> str:
    """Return the last name of a called function: "softmax" for `torch.softmax(x)`; or ""."""
    if not isinstance(node, cst.Call):
        return ""
    return name_of(node.func)


def name_of(node: cst.CSTNode) -> str:
    """Return a name, or the last one of an attribute; or ""."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def _arithmetic(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.BinaryOperation):
        for other in ARITHMETIC.get(type(node.operator), ()):
            changed = node.with_changes(operator=other())
            yield apart(changed) if other is cst.Add else changed
    elif isinstance(node, cst.AugAssign):
        other_way = {cst.AddAssign: cst.SubtractAssign, cst.MultiplyAssign: cst.DivideAssign}
        other_way |= {there: here for here, there in other_way.items()}
        if type(node.operator) in other_way:
            yield node.with_changes(operator=other_way[type(node.operator)]())


def _operands(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.BinaryOperation):
        yield node.left
        yield node.right
        if not isinstance(node.operator, (cst.Add, cst.Multiply)):
            yield node.with_changes(left=apart(node.right), right=apart(node.left))


def _comparison(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.Comparison):
        first, *rest = node.comparisons
        for other in COMPARISONS.get(type(first.operator), ()):
            yield node.with_changes(comparisons=[first.with_changes(operator=other()), *rest])


def _logic(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.BooleanOperation):
        other = cst.Or if isinstance(node.operator, cst.And) else cst.And
        yield node.with_changes(operator=other())
    elif isinstance(node, cst.UnaryOperation):
        yield node.expression
    elif isinstance(node, cst.Name) and node.value in ("True", "False"):
        yield cst.Name("False" if node.value == "True" else "True")


def _off_by_one(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.Integer):
        for change in (1, -1):
            yield _number(node.evaluated_value + change)


def _scaled(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.Integer) and node.evaluated_value > 1:
        yield _number(2 * node.evaluated_value)
    elif isinstance(node, cst.Float):
        for factor in (10, 0.5, -1):
            yield _number(factor * node.evaluated_value)


def _number(value: float) -> cst.BaseExpression:
    return cst.parse_expression(f"({value!r})" if value < 0 else repr(value))


def _string(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.SimpleString) and isinstance(node.evaluated_value, str):
        text = {"mean": "sum", "sum": "mean"}.get(node.raw_value, f"{node.raw_value}x")
        yield cst.SimpleString(f"{node.prefix}{node.quote}{text}{node.quote}")


def _condition(node: cst.CSTNode) -> Changes:
    if isinstance(node, (cst.If, cst.IfExp, cst.While)):
        yield node.with_changes(test=cst.UnaryOperation(cst.Not(), apart(node.test)))
        yield node.with_changes(test=cst.Name("False"))
        if not isinstance(node, cst.While):
            yield node.with_changes(test=cst.Name("True"))


def _mask(node: cst.CSTNode) -> Changes:
    if called(node) in ("masked_fill", "masked_fill_", "where") and isinstance(node, cst.Call):
        first, *rest = node.args
        inverted = cst.UnaryOperation(cst.BitInvert(), apart(first.value))
        yield node.with_changes(args=[first.with_changes(value=inverted), *rest])


def _dim(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.Arg) and node.keyword and node.keyword.value in ("dim", "axis"):
        for dim in ("0", "1", "-1", "-2"):
            yield node.with_changes(value=cst.parse_expression(dim))


def _arguments(node: cst.CSTNode) -> Changes:
    """Swap two neighbors, or leave out the last positional one or one keyword."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return
    args = list(node.args)
    for k, (one, other) in enumerate(pairwise(args)):
        if one.keyword is None and other.keyword is None:
            values = (one.with_changes(value=other.value), other.with_changes(value=one.value))
            yield node.with_changes(args=[*args[:k], *values, *args[k + 2 :]])
    plain = [k for k, arg in enumerate(args) if arg.keyword is None]
    named = [k for k, arg in enumerate(args) if arg.keyword is not None]
    for k in (*plain[1:][-1:], *named):
        left = [*args[:k], *args[k + 1 :]]
        last = [arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in left[-1:]]
        yield node.with_changes(args=[*left[:-1], *last])


def _call_removed(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.Attribute) and node.attr.value in ("T", "mT"):
        yield node.value
    if not isinstance(node, cst.Call):
        return
    if isinstance(node.func, cst.Attribute) and called(node) in REMOVED:
        of_module = name_of(node.func.value) in ("torch", "F", "np")
        yield node.args[0].value if of_module and node.args else node.func.value
    elif len(node.args) == 1 and called(node) not in ("super", "len", "range"):
        yield node.args[0].value


def _detached(node: cst.CSTNode) -> Changes:
    tensor = called(node) in TENSOR_CALLS or (
        isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply)
    )
    if tensor and isinstance(node, cst.BaseExpression):
        yield cst.Call(cst.Attribute(apart(node), cst.Name("detach")))


def _renamed(names: Mapping[str, str]) -> Callable[[cst.CSTNode], Changes]:
    """Return an operator that takes another function, method or attribute."""

    def change(node: cst.CSTNode) -> Changes:
        if isinstance(node, cst.Attribute) and node.attr.value in names:
            yield node.with_changes(attr=cst.Name(names[node.attr.value]))
        elif (
            isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and called(node) in names
        ):
            yield node.with_changes(func=cst.Name(names[called(node)]))

    return change


def _in_place(node: cst.CSTNode) -> Changes:
    yield from _renamed(IN_PLACE)(node)
    if isinstance(node, cst.Assign) and isinstance(node.value, cst.BinaryOperation):
        target, value = node.targets[0].target, node.value
        grows = {cst.Add: cst.AddAssign, cst.Multiply: cst.MultiplyAssign}
        if type(value.operator) in grows and target.deep_equals(value.left):
            yield cst.AugAssign(target, grows[type(value.operator)](), value.right)


def _slice(node: cst.CSTNode) -> Changes:
    if not isinstance(node, cst.Slice):
        return
    for part in ("lower", "upper"):
        bound = getattr(node, part)
        if bound is None:
            yield node.with_changes(
                **{part: cst.parse_expression("1" if part == "lower" else "-1")}
            )
            continue
        yield node.with_changes(**{part: None})
        for operator in (cst.Add(), cst.Subtract()):
            moved = cst.BinaryOperation(apart(bound), operator, cst.Integer("1"))
            yield node.with_changes(**{part: moved})


def _dropped(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.IndentedBlock):
        for k, statement in enumerate(node.body):
            if _acts(statement):
                yield node.with_changes(body=[*node.body[:k], PASS, *node.body[k + 1 :]])


def _swapped(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.IndentedBlock):
        for k, pair in enumerate(pairwise(node.body)):
            if all(map(_is_simple, pair)):
                yield node.with_changes(body=[*node.body[:k], *pair[::-1], *node.body[k + 2 :]])


def _acts(node: cst.CSTNode) -> bool:
    """Return whether a statement does something that could be forgotten."""
    return _is_simple(node) or isinstance(node, (cst.If, cst.For, cst.While, cst.With))


def _is_simple(node: cst.CSTNode) -> bool:
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    first = node.body[0]
    text = isinstance(first, cst.Expr) and isinstance(first.value, cst.BaseString)
    return isinstance(first, (cst.Expr, cst.Assign, cst.AugAssign)) and not text


def _loop(node: cst.CSTNode) -> Changes:
    if isinstance(node, (cst.For, cst.While)) and isinstance(node.body, cst.IndentedBlock):
        end = cst.SimpleStatementLine([cst.Break()])
        yield node.with_changes(body=node.body.with_changes(body=[*node.body.body, end]))


def _unwrapped(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.With):
        yield cst.If(cst.Name("True"), node.body)
    elif isinstance(node, cst.FunctionDef):
        needed = ("property", "staticmethod", "classmethod", "setter")
        if node.decorators and name_of(node.decorators[0].decorator) not in needed:
            yield node.with_changes(decorators=node.decorators[1:])


def _return(node: cst.CSTNode) -> Changes:
    if isinstance(node, cst.Return) and isinstance(node.value, cst.Tuple):
        values = [element.value for element in node.value.elements]
        elements = [cst.Element(value) for value in reversed(values)]
        yield node.with_changes(value=node.value.with_changes(elements=elements))


OPERATORS = (
    Operator("arithmetic", "another arithmetic operator", _arithmetic),
    Operator("operands", "one operand alone, or the two swapped", _operands),
    Operator("comparison", "another comparison, such as < for <=", _comparison),
    Operator("logic", "and/or, True/False swapped; not, - or ~ removed", _logic),
    Operator("off-by-one", "a whole number one larger or smaller", _off_by_one),
    Operator("scaled", "a constant doubled, halved, negated or ten times larger", _scaled),
    Operator("string", "another string, or the other reduction", _string),
    Operator("condition", "a condition inverted, always true or always false", _condition),
    Operator("mask", "a mask inverted", _mask),
    Operator("dim", "another dim or axis", _dim),
    Operator("arguments", "arguments swapped, or one removed", _arguments),
    Operator(
        "call-removed", "a call removed: transpose, masked_fill, detach, clone", _call_removed
    ),
    Operator("detached", "detach() added", _detached),
    Operator("function", "another function: sin/cos, min/max, tril/triu", _renamed(FUNCTIONS)),
    Operator("mode", "train/eval or no_grad/enable_grad swapped", _renamed(MODES)),
    Operator("reduction", "mean for sum and the reverse", _renamed(REDUCTIONS)),
    Operator("dtype", "another dtype", _renamed(DTYPES)),
    Operator("in-place", "an operation in place instead of on a copy", _in_place),
    Operator("slice", "a bound of a slice moved, removed or added", _slice),
    Operator("dropped", "a statement removed, such as zero_grad() or step()", _dropped),
    Operator("reordered", "two neighboring statements swapped", _swapped),
    Operator("loop", "a loop that ends after its first round", _loop),
    Operator("unwrapped", "a with block or a decorator removed", _unwrapped),
    Operator("return", "returned values in reverse order", _return),
)
