"""The nodes of a formula, with their positions in the student's text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal

PRODUCTS = ("*", "·", "⊗", "")  # the last one for operands without a sign between them
OPERATORS = frozenset((*PRODUCTS, "/", "+", "-", "neg", "⊤"))  # cheap, in contrast to functions


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was typed."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Constant:
    """`e`, `pi`, or the identity matrix `I`, whose size depends on its neighbors."""

    name: Literal["e", "pi", "I"]
    at: int


@dataclass(frozen=True, slots=True)
class Name:
    """A name in canonical spelling."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an operator with its arguments; `neg`, `^` and `⊤` are operators, too."""

    function: str
    arguments: tuple["Node", ...]
    at: int


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over an index; without bounds it runs over all members of a family."""

    index: str
    low: "Node | None"
    high: "Node | None"
    body: "Node"
    at: int


Node = Number | Constant | Name | Call | Total


def children(node: Node) -> Iterator[Node]:
    """Yield the direct children of a node."""
    for field in fields(node):
        below = getattr(node, field.name)
        if isinstance(below, tuple):
            yield from below
        elif isinstance(below, Node):
            yield below


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it."""
    waiting = [node]
    while waiting:
        yield (current := waiting.pop())
        waiting += children(current)


def substituted(node: Node, replacements: Mapping[str, Node]) -> Node:
    """Return the tree with these names replaced by nodes."""
    if isinstance(node, Name):
        return replacements.get(node.name, node)
    changed: dict[str, object] = {}
    for field in fields(node):
        below = getattr(node, field.name)
        if isinstance(below, tuple):
            changed[field.name] = tuple(substituted(one, replacements) for one in below)
        elif isinstance(below, Node):
            changed[field.name] = substituted(below, replacements)
    return replace(node, **changed)  # type: ignore[arg-type]
