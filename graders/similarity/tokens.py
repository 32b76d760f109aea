"""Turn code and prose into tokens that renaming, formatting and dead statements do not change."""

import ast
import keyword
import re
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

TOKEN = re.compile(
    r"""(?P<skipped>\#[^\n]*|\\\n|\s+|->)
    |(?P<literal>[rbuf]{0,2}(?:\"{3}(?:\\.|[^\\])*?(?:\"{3}|\Z)|'{3}(?:\\.|[^\\])*?(?:'{3}|\Z)
        |"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|\d[\w.]*|\.\d\w*)
    |(?P<name>\w+)
    |(?P<operator>\*\*=|//=|>>=|<<=|\.\.\.|:=|[-+*/%@&|^<>=!]=|\*\*|//|<<|>>|.)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
WORD = re.compile(r"\w+")
STARTS_UNIT = ("def", "class")  # so that the order of functions and methods does not matter
# Characters of a file and of a line: generated code is not searched for dead statements.
MOST_PARSED, LONG = 300_000, 5_000
LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
Place = tuple[int, int, int, int]  # line and column of the start and the end, as `ast` counts


@dataclass(frozen=True, slots=True)
class Text:
    """A file, or a cell of a notebook, as staff read it."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens: their codes, and the text, the line (from 0) and the unit of each.

    A unit is a function or method, or the code between two of them.
    """

    texts: tuple[Text, ...]
    codes: NDArray[np.uint64]
    text: NDArray[np.int32]
    line: NDArray[np.int32]
    unit: NDArray[np.int32]


def code_tokens(texts: Sequence[Text], most: int) -> Tokens:
    """Return the first tokens of Python code, whether it parses or not."""
    rows: list[tuple[str, int, int, int]] = []
    unit = 0
    for at, text in enumerate(texts):
        unit += 1
        for word, line in _code_words("\n".join(text.lines)):
            unit += word in STARTS_UNIT
            rows.append((word, at, line, unit))
            if len(rows) == most:
                return _tokens(texts, rows)
    return _tokens(texts, rows)


def word_tokens(texts: Sequence[Text], most: int) -> Tokens:
    """Return the first words of prose; their case does not matter."""
    rows = [
        (word.casefold(), at, number, at)
        for at, text in enumerate(texts)
        for number, line in enumerate(text.lines)
        for word in WORD.findall(line)
    ]
    return _tokens(texts, rows[:most])


def _tokens(texts: Sequence[Text], rows: Sequence[tuple[str, int, int, int]]) -> Tokens:
    codes = np.array([zlib.crc32(row[0].encode("utf-8", "replace")) for row in rows], np.uint64)
    places = np.array([row[1:] for row in rows], np.int32).reshape(-1, 3)
    return Tokens(tuple(texts), codes, places[:, 0], places[:, 1], places[:, 2])


def _code_words(source: str) -> Iterator[tuple[str, int]]:
    """Yield each token that counts, normalised, with its line."""
    left_out = iter(_without_meaning(source))
    start, end = next(left_out, (len(source), len(source)))
    line = seen = 0
    for match in TOKEN.finditer(source):
        line += source.count("\n", seen, match.start())
        seen = match.start()
        while start < len(source) and seen >= end:
            start, end = next(left_out, (len(source), len(source)))
        if seen >= start or match.lastgroup == "skipped":
            continue
        if match.lastgroup == "name":
            yield match[0] if keyword.iskeyword(match[0]) else "name", line
        else:
            yield "literal" if match.lastgroup == "literal" else match[0], line


def _without_meaning(source: str) -> list[tuple[int, int]]:
    """Return the places of what computes nothing, sorted; none if the source does not parse."""
    lines = source.split("\n")
    if len(source) > MOST_PARSED or max(map(len, lines)) > LONG:
        return []
    try:
        with warnings.catch_warnings(action="ignore"):
            nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def offset(line: int, column: int) -> int:
        before = lines[line - 1].encode("utf-8", "replace")[:column]
        return starts[line - 1] + len(before.decode("utf-8", "replace"))

    places = chain(_annotations(nodes), _dead(nodes))
    return sorted((offset(*place[:2]), offset(*place[2:])) for place in places)


def _annotations(nodes: Iterable[ast.AST]) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.arg) and node.annotation:
            start = node.lineno, node.col_offset + len(node.arg.encode())
            yield *start, *_place(node.annotation)[2:]
        elif isinstance(node, ast.AnnAssign):
            yield *_place(node.target)[2:], *_place(node.annotation)[2:]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns:
            yield _place(node.returns)


def _dead(nodes: Sequence[ast.AST]) -> Iterator[Place]:
    """Yield the places of imports, prints and statements without an effect."""
    names = [node for node in nodes if isinstance(node, ast.Name)]
    read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    for node in nodes:
        if isinstance(node, ast.stmt) and _does_nothing(node):
            yield _place(node)
        if isinstance(node, (ast.If, ast.While)) and _is_false(node.test):
            yield (*_place(node)[:2], *_place(node.body[-1])[2:])
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = (inner for inner in ast.walk(node) if isinstance(inner, ast.stmt))
            yield from (_place(inner) for inner in inside if _is_unread(inner, read))
        body = getattr(node, "body", None)
        statements: Iterator[ast.stmt] = iter(body if isinstance(body, list) else ())
        if any(isinstance(statement, LEAVES) for statement in statements):
            yield from map(_place, statements)


def _place(node: ast.stmt | ast.expr) -> Place:
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return node.lineno, node.col_offset, *end


def _does_nothing(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr):
        return isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass))
    value = node.value
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "print"
    return isinstance(value, (ast.Constant, ast.Name))


def _is_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _is_unread(node: ast.stmt, read: Collection[str]) -> bool:
    """Return whether a statement only binds names that the file never reads."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        targets = [node.target]
    else:
        return False
    return all(isinstance(target, ast.Name) and target.id not in read for target in targets)
