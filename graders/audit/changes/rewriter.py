"""Provide the base class of the rewrites, a transformer that changes some places of a file."""

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst
import libcst.matchers as m

BINDS = m.AssignTarget() | m.For() | m.NamedExpr() | m.AsName() | m.AnnAssign() | m.AugAssign()


class Rewriter(cst.CSTTransformer):
    """Rewrites some places of a file: all of them, or each with a chance of 0.3."""

    def __init__(self, module: cst.Module, rng: random.Random, elsewhere: str) -> None:
        super().__init__()
        self.module, self.elsewhere = module, elsewhere
        self._rng, self._chance = rng, rng.choice((0.3, 1.0))
        self._names = {*re.findall(r"\w+", module.code)}

    def hit(self) -> bool:
        """Return whether to rewrite this place."""
        return self._rng.random() < self._chance

    def fresh(self, name: str) -> str:
        """Return a name that the file does not use yet."""
        while name in self._names:
            name += self._rng.choice(("_2", "_new", "_x"))
        self._names.add(name)
        return name


class Rename(cst.CSTTransformer):
    """Renames variables, also to an attribute, but no attributes and no keywords of calls."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        new = self._names.get(updated_node.value)
        return cst.parse_expression(new) if new else updated_node

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


def find_all(node: cst.CSTNode, matcher: m.BaseMatcherNode) -> list[Any]:
    """Return the nodes that match; the matcher says which type they have."""
    return list(m.findall(node, matcher))


def bound_names(node: cst.CSTNode) -> Iterator[str]:
    """Yield the names that a node binds."""
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            yield from bound_names(element.value)
    elif isinstance(node, cst.AsName):
        yield from bound_names(node.name)
    elif isinstance(node, (cst.AssignTarget, cst.For, cst.NamedExpr, cst.AnnAssign, cst.AugAssign)):
        yield from bound_names(node.target)
