"""Parse a typed formula into a tree: normalize, scan, arrange, then lark's LALR parser.

text -> notation -> scanner -> arrange -> grammar.lark -> builder -> Formula
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, UnexpectedInput
from lark.exceptions import VisitError
from lark.lexer import Lexer

from graders.written.formula.builder import Builder
from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.arrange import arranged
from graders.written.formula.reading.marked import Marked
from graders.written.formula.reading.notation import normalised, sides
from graders.written.formula.reading.scanner import Piece, Scanner
from graders.written.formula.tree import Name, Node, Total, walk
from graders.written.formula.vocabulary import Vocabulary

GRAMMAR = Path(__file__).with_name("grammar.lark")


@dataclass(frozen=True, slots=True)
class Formula:
    """A typed formula: `trees` contains one expression, or all that are equated with `=`."""

    text: str
    trees: tuple[Node, ...]
    words: Vocabulary

    @property
    def tree(self) -> Node:
        """The expression; with several `=`, the last one."""
        return self.trees[-1]

    @property
    def names(self) -> frozenset[str]:
        """All names used, in canonical spelling; a member `a_j` under `sum_j` counts as `a_i`."""
        return frozenset(name for tree in self.trees for name in used(tree, self.words))

    @property
    def unknown(self) -> frozenset[str]:
        """The names used that the question does not define."""
        members = (name for name in self.names if name.partition("_")[2].isdigit())
        known_members = {name for name in members if self.words.indexed(name.partition("_")[0])}
        return self.names - self.words.names - known_members


def used(tree: Node, words: Vocabulary) -> Iterator[str]:
    """Yield the names in a tree, without indices."""
    indices = {node.index for node in walk(tree) if isinstance(node, Total)}
    bounds = {id(node.high) for node in walk(tree) if isinstance(node, Total)}
    for node in walk(tree):
        if not isinstance(node, Name) or node.name in indices or id(node) in bounds:
            continue
        base, _, below = node.name.partition("_")
        yield (words.indexed(base) or node.name) if below in indices else node.name


class Pieces(Lexer):
    """A lexer that passes scanned pieces to lark."""

    def __init__(self, lexer_conf: Any) -> None:
        """Do nothing; there is no state."""

    def lex(self, pieces: Any) -> Iterator[Token]:  # type: ignore[override]
        for piece in pieces:
            yield Token(piece.kind, piece.value, start_pos=piece.at)


@cache
def grammar() -> Lark:
    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="lalr", lexer=Pieces)


def parse(text: str, names: Iterable[str]) -> Formula:
    """Return the formula in a text. Raises FormulaError, which points at what cannot be read."""
    words = Vocabulary.of(names)
    try:
        marked = normalised(text, words.names)
        *earlier, end = sides(marked, words)
        last = tree_of(end, words)
        if earlier and isinstance(last, Name) and last.name not in words.names:
            *earlier, end = earlier  # such as `2 A A^T = M`
            last = tree_of(end, words)
        trees = (*(tree for side in earlier if (tree := tree_if_read(side, words))), last)
    except FormulaError as error:
        raise error.within(text) from None
    return Formula(text, trees, words)


def tree_of(marked: Marked, words: Vocabulary) -> Node:
    end = marked.origin[-1]
    pieces = arranged(Scanner(marked, words).scan(), end)
    if not pieces:
        raise FormulaError("The formula is empty.", end)
    try:
        parsed = grammar().parse(pieces)
        node: Node = Builder(words).transform(parsed)
    except UnexpectedInput as error:
        raise unexpected(error, pieces, end) from None
    except VisitError as error:
        raise error.orig_exc from None
    return node


def tree_if_read(marked: Marked, words: Vocabulary) -> Node | None:
    """Return the tree of a step before the result, which may use notation of its own."""
    try:
        return tree_of(marked, words)
    except FormulaError:
        return None


def unexpected(error: UnexpectedInput, pieces: list[Piece], end: int) -> FormulaError:
    """Return the error for a piece in the wrong place."""
    token = getattr(error, "token", None)
    if token is None or token.type == "$END":
        return FormulaError("The formula ends too early.", end)
    at = int(token.start_pos or 0)
    if token.type == "COMMA":
        return FormulaError("Write only one expression; a comma only separates arguments.", at)
    if token.type == "EQUALS":
        return FormulaError("An `=` cannot be inside brackets.", at)
    shown = re.sub(r"\s+", " ", str(token))[:20]
    return FormulaError(f"`{shown}` cannot be here; something before it is missing.", at)
