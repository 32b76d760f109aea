"""Read the gradescope-utils decorators of a test method without running them."""

import ast
import math
from collections.abc import Mapping
from typing import Any, get_args

from graders.errors import UsageError
from graders.model import Visibility

WEIGHTS = ("weight", "partial_credit")
KNOWN = (*WEIGHTS, "number", "visibility", "hide_errors", "leaderboard", "tags")
DEFAULTS = {"hide_errors": "Test failed"}
Method = ast.FunctionDef | ast.AsyncFunctionDef


def read_decorators(node: Method, names: Mapping[str, str], where: str) -> dict[str, Any]:
    """Return the SuiteTest fields in its decorators; raises UsageError if one cannot be read.

    The topmost decorator is applied last and wins, as it does when they run.
    """
    args: dict[str, Any] = {}
    for decorator in reversed(node.decorator_list):
        name = _name(decorator, names)
        if name in KNOWN and isinstance(decorator, ast.Call):
            args["weight" if name in WEIGHTS else name] = _value(decorator, name, where)
    fields: dict[str, Any] = {name: args[name] for name in ("weight", "visibility") if name in args}
    if "leaderboard" in args:  # gradescope-utils gives no points for these, whatever their weight
        fields |= {"leaderboard": str(args["leaderboard"]), "weight": 0.0}
    if "number" in args:
        fields["number"] = str(args["number"])
    if "hide_errors" in args:
        fields["hidden_errors"] = str(args["hide_errors"])
    return fields


def _name(decorator: ast.expr, names: Mapping[str, str]) -> str:
    """Return the last part of the decorator's name in the module that defines it."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    plain = ast.unparse(target)
    return names.get(plain, plain).rpartition(".")[2]


def _value(call: ast.Call, name: str, where: str) -> Any:
    """Return the first argument, checked; the tags need none."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not values and name in (*DEFAULTS, "tags"):
        return DEFAULTS.get(name, "")
    try:
        value = ast.literal_eval(values[0])
    except (ValueError, IndexError, TypeError):
        raise UsageError(
            f"{where}: `@{name}` has no literal value",
            "write the number or the text itself; the file is read without running it",
        ) from None
    if name in WEIGHTS:
        return _weight(value, name, where)
    if name == "visibility" and value not in get_args(Visibility):
        choices = ", ".join(f"`{choice}`" for choice in get_args(Visibility))
        raise UsageError(f"{where}: `@visibility` is {value!r}", f"choose from: {choices}")
    return value


def _weight(value: object, name: str, where: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= float(str(value)) < math.inf:
        raise UsageError(f"{where}: `@{name}` is {value!r}", "points must be a number, 0 or more")
    return float(str(value))
