"""Find the names that a statement binds, changes and reads, and the part that some names need."""

import __future__

import ast
import copy
import dis
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType

FLAGS = __future__.annotations.compiler_flag  # annotations stay text: their names may not exist
MUTATORS = frozenset(("append", "extend", "add", "update", "insert", "setdefault"))
OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Refuses = Callable[[ast.stmt], bool]


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
    binds = frozenset(instruction.argval for instruction in _of(code, "STORE_NAME"))
    binds |= frozenset(
        instruction.argval
        for inner in _below(code)
        if inner.co_name in ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")
        for instruction in _of(inner, "STORE_GLOBAL")
    )
    reads = frozenset(
        instruction.argval
        for inner in (code, *_below(code))
        for instruction in _of(inner, "LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
    )
    return StatementNames(binds, frozenset(touched(node)) - binds, reads)


def _of(code: CodeType, *operations: str) -> Iterator[dis.Instruction]:
    return (
        instruction
        for instruction in dis.get_instructions(code)
        if instruction.opname in operations
    )


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
        yield from root(called)
    if isinstance(node, ast.ClassDef):  # __init_subclass__ may change the base class
        for base in node.bases:
            yield from root(base)
    yield from changed(in_scope(node))


def changed(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names whose attributes, items or contents these nodes may change."""
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield from root(node)
        elif isinstance(node, ast.Call):
            yield from _changed_by(node)


def method_called(node: ast.stmt) -> ast.Attribute | None:
    """Return the method that a line like `parser.add_argument("--lr")` calls for its effect."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return node.value.func if isinstance(node.value.func, ast.Attribute) else None
    return None


def _changed_by(call: ast.Call) -> Iterator[str]:
    if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
        yield from root(call.func)
    elif isinstance(call.func, ast.Name) and call.func.id == "setattr" and call.args:
        yield from root(call.args[0])


def root(node: ast.expr) -> Iterator[str]:
    """Yield the name at the start of an expression such as `name.attribute[0](...)`."""
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


# ---------------------------------------------------------------- the part that is needed


def pruned(node: ast.stmt, names: set[str], refuses: Refuses) -> ast.stmt | None:
    """Return the part of a statement that binds or changes the names, or None if none may run.

    Only the lines for these names are kept of `if`, `with`, and a `try` that `refuses` rejects.
    Any other statement runs completely, or not at all if `refuses` rejects it.
    """
    if isinstance(node, ast.Try) and refuses(node):
        return _tried(node, names, refuses)
    if not isinstance(node, ast.If | ast.With):
        return None if refuses(node) else node
    part = copy.copy(node)
    part.body = _pruned_body(node.body, names, refuses)
    orelse: list[ast.stmt] = []
    if isinstance(part, ast.If) and isinstance(node, ast.If):
        orelse = part.orelse = _pruned_body(node.orelse, names, refuses)
    if not part.body and not orelse and not _binds_itself(node):
        return None
    part.body = part.body or [ast.copy_location(ast.Pass(), node)]
    return part


def _tried(node: ast.Try, names: set[str], refuses: Refuses) -> ast.stmt | None:
    """Return a `try` without the statements that may not run, or None."""
    part = copy.copy(node)
    part.body = _pruned_body(node.body, names, refuses)
    part.orelse = _pruned_body(node.orelse, names, refuses)
    part.finalbody = _pruned_body(node.finalbody, names, refuses)
    return part if part.body and not refuses(part) else None


def _pruned_body(body: Sequence[ast.stmt], names: set[str], refuses: Refuses) -> list[ast.stmt]:
    parts = [pruned(node, names, refuses) for node in body if _concerns(node, names)]
    return [part for part in parts if part is not None]


def _binds_itself(node: ast.If | ast.With) -> bool:
    """Return whether the line binds a name before its body: `with ... as x`, `if (x := ...)`."""
    if isinstance(node, ast.With):
        return any(item.optional_vars is not None for item in node.items)
    return any(isinstance(part, ast.NamedExpr) for part in in_scope(node.test))


def _concerns(node: ast.stmt, names: set[str]) -> bool:
    """Return whether the statement binds or changes one of the names."""
    bound = {_bound(part) for part in in_scope(node)}
    return not names.isdisjoint(bound) or not names.isdisjoint(touched(node))


def _bound(node: ast.AST) -> str | None:
    """Return the name that this part of a statement binds."""
    if isinstance(node, DEFINITION):
        return node.name
    if isinstance(node, ast.alias):
        return (node.asname or node.name).split(".")[0]
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None
