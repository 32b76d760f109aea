"""Find the names that a top-level statement binds, changes and reads."""

import __future__

import ast
import dis
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType

FLAGS = __future__.annotations.compiler_flag  # annotations stay text: their names may not exist
MUTATORS = frozenset(("append", "extend", "add", "update", "insert", "setdefault"))
OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class StatementNames:
    """Names bound, names whose objects are changed, and names looked up at module level."""

    binds: frozenset[str]
    touches: frozenset[str]
    reads: frozenset[str]


def compiled(node: ast.stmt, filename: str) -> CodeType:
    """Return the compiled code of one statement."""
    module = ast.Module([node], type_ignores=[])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings such as for `x is 1` don't matter here
        code: CodeType = compile(module, filename, "exec", flags=FLAGS, dont_inherit=True)
    return code


def names_of(node: ast.stmt, code: CodeType) -> StatementNames:
    """Return the names of one statement, from its code."""
    binds = frozenset(each.argval for each in _of(code, "STORE_NAME"))
    binds |= frozenset(
        each.argval
        for inner in _below(code)
        if inner.co_name in ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")
        for each in _of(inner, "STORE_GLOBAL")
    )
    reads = frozenset(
        each.argval
        for inner in (code, *_below(code))
        for each in _of(inner, "LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
    )
    return StatementNames(binds, frozenset(touched(node)) - binds, reads)


def _of(code: CodeType, *operations: str) -> Iterator[dis.Instruction]:
    return (each for each in dis.get_instructions(code) if each.opname in operations)


def _below(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects of functions and classes inside, at any depth."""
    waiting = [code]
    while waiting:
        for constant in waiting.pop().co_consts:
            if isinstance(constant, CodeType):
                waiting.append(constant)
                yield constant


def touched(node: ast.stmt) -> Iterator[str]:
    """Yield the names whose attributes, items or contents the statement may change."""
    if isinstance(node, ast.If | ast.With):
        for inner in (*node.body, *getattr(node, "orelse", ())):
            yield from touched(inner)
    if called := method_called(node):
        yield from _root(called)
    if isinstance(node, ast.ClassDef):  # __init_subclass__ may change the base class
        for base in node.bases:
            yield from _root(base)
    yield from changed(in_scope(node))


def changed(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names whose attributes, items or contents these nodes may change."""
    for each in nodes:
        if isinstance(each, ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Store):
            yield from _root(each)
        elif isinstance(each, ast.Call):
            yield from _changed_by(each)


def method_called(node: ast.stmt) -> ast.Attribute | None:
    """Return the method that a line like `parser.add_argument("--lr")` calls for its effect."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return node.value.func if isinstance(node.value.func, ast.Attribute) else None
    return None


def _changed_by(call: ast.Call) -> Iterator[str]:
    if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
        yield from _root(call.func)
    elif isinstance(call.func, ast.Name) and call.func.id == "setattr" and call.args:
        yield from _root(call.args[0])


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node.id


def in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the node and its descendants, without the bodies of functions and classes."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        if not isinstance(here, OWN_SCOPE):
            waiting.extend(ast.iter_child_nodes(here))
