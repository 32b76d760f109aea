"""Reduce a compound statement to the part that some names need."""

import ast
import copy
from collections.abc import Callable, Sequence

from graders.adapting.reading.names import DEFINITION, in_scope, touched

Refuses = Callable[[ast.stmt], bool]


def pruned(node: ast.stmt, names: set[str], refuses: Refuses) -> ast.stmt | None:
    """Return the part of a statement that binds or changes the names, or None if none may run.

    Only the lines for these names are kept of `if`, `with`, and a `try` that `refuses` rejects.
    Any other statement runs completely, or not at all if `refuses` rejects it.
    """
    if isinstance(node, ast.Try) and refuses(node):
        return _tried(node, names, refuses)
    if not isinstance(node, ast.If | ast.With):
        return None if refuses(node) else node
    kept = copy.copy(node)
    kept.body = _kept(node.body, names, refuses)
    orelse: list[ast.stmt] = []
    if isinstance(kept, ast.If) and isinstance(node, ast.If):
        orelse = kept.orelse = _kept(node.orelse, names, refuses)
    if not kept.body and not orelse and not _binds_itself(node):
        return None
    kept.body = kept.body or [ast.copy_location(ast.Pass(), node)]
    return kept


def _tried(node: ast.Try, names: set[str], refuses: Refuses) -> ast.stmt | None:
    """Return a `try` without the statements that may not run, or None."""
    kept = copy.copy(node)
    kept.body = _kept(node.body, names, refuses)
    kept.orelse = _kept(node.orelse, names, refuses)
    kept.finalbody = _kept(node.finalbody, names, refuses)
    return kept if kept.body and not refuses(kept) else None


def _kept(body: Sequence[ast.stmt], names: set[str], refuses: Refuses) -> list[ast.stmt]:
    parts = [pruned(each, names, refuses) for each in body if _concerns(each, names)]
    return [each for each in parts if each is not None]


def _binds_itself(node: ast.If | ast.With) -> bool:
    """Return whether the line binds a name before its body: `with ... as x`, `if (x := ...)`."""
    if isinstance(node, ast.With):
        return any(each.optional_vars is not None for each in node.items)
    return any(isinstance(each, ast.NamedExpr) for each in in_scope(node.test))


def _concerns(node: ast.stmt, names: set[str]) -> bool:
    """Return whether the statement binds or changes one of the names."""
    bound = {_bound(each) for each in in_scope(node)}
    return not names.isdisjoint(bound) or not names.isdisjoint(touched(node))


def _bound(node: ast.AST) -> str | None:
    """Return the name that this part of a statement binds."""
    if isinstance(node, DEFINITION):
        return node.name
    if isinstance(node, ast.alias):
        return (node.asname or node.name).split(".")[0]
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None
