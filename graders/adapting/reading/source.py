"""Read one student file: its top-level statements, each with its place."""

import ast
import linecache
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.adapting.reading.magics import plain, without_cell_magic, without_indent
from graders.adapting.reading.notebook import (
    decoded,
    looks_like_notebook,
    one_newline,
    read_notebook,
)
from graders.adapting.reading.parsing import Broken, parse

MAX_STATEMENTS = 20_000  # of one file
HEADING = re.compile(r"^\s*(#{1,6})\s*(\S.*)$|^\s*<h([1-6])[^>]*>(.*)$", re.IGNORECASE)
COMMENT_HEADING = re.compile(r"^#\s+(#{1,6}\s*\S.*)$|^#\s*(?:%%+|@title)\s*(\S.*)$")
BEFORE_TITLE = re.compile(
    r"(?:[\s#=*_~>(\[-]|<[^>]*>)*(?:(?:part|section|question|problem|task|q)\b\s*)?", re.IGNORECASE
)
NUMBER = re.compile(r"\d+(?:\.\d+)*[.):\]]*[\s:-]+")
CODE = re.compile(r"[\w.]+(?:\(|\s*=[^=])")  # a comment that is commented-out code
LONGEST_TITLE = 80  # letters; a longer line is a sentence
LOWEST = 6  # the lowest heading level, used for a title without marks


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A top-level statement, the file name in its tracebacks, and how many borders precede it.

    Each heading that matches `until` is a border, and so is the main block: a name bound after a
    border does not replace a definition before it.
    """

    node: ast.stmt
    filename: str
    later: int


@dataclass(frozen=True, slots=True)
class Source:
    """The contents of one file, in order."""

    path: Path
    name: str
    places: tuple[PlacedStatement, ...]
    broken: tuple[Broken, ...]
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """Code that is parsed at once: a file or a cell."""

    filename: str
    text: str
    later: int


def read_source(path: Path, name: str, until: re.Pattern[str] | None) -> Source:
    """Return the statements of this file; raises UnreadableNotebook."""
    places: list[PlacedStatement] = []
    broken: list[Broken] = []
    above = 0
    pieces, damage = _pieces(path, until)
    for piece in pieces:
        parsed = parse(piece.text, piece.filename)
        _remember(piece)
        broken += parsed.broken
        borders = _borders(piece.text, parsed.statements, until)
        for node, in_main in _flat(parsed.statements):
            here = sum(line < node.lineno for line in borders) + in_main
            places.append(PlacedStatement(node, piece.filename, piece.later + above + here))
        above += len(borders)
    if len(places) > MAX_STATEMENTS:
        damage = f"it has more than {MAX_STATEMENTS} statements"
    return Source(path, name, tuple(places[:MAX_STATEMENTS]), tuple(broken), damage)


def _remember(piece: Piece) -> None:
    """Let tracebacks and `inspect` show the lines of this piece."""
    lines = [f"{line}\n" for line in piece.text.split("\n")]
    linecache.cache[piece.filename] = (len(piece.text), None, lines, piece.filename)


def _pieces(path: Path, until: re.Pattern[str] | None) -> tuple[list[Piece], str]:
    """Return the code of a file in order, and what is wrong with the file."""
    data = path.read_bytes()
    if path.suffix.lower() == ".py" and not looks_like_notebook(data):
        return [Piece(str(path), plain(one_newline(decoded(data))), later=0)], ""
    notebook = read_notebook(data)
    pieces: list[Piece] = []
    later = 0
    for cell in notebook.cells:
        if cell.is_code:
            text = plain(without_indent(without_cell_magic(cell.text)))
            pieces.append(Piece(f"{path}, cell {cell.number}", text, later))
        else:
            later += _ends(cell.text.split("\n"), until)
    return pieces, notebook.damage


def _ends(lines: list[str], until: re.Pattern[str] | None) -> bool:
    """Return whether the end of a text belongs to the section of a heading that matches."""
    level = 0
    if until is None:
        return False
    for line in lines:
        heading = HEADING.match(line)
        if heading is None:
            level = level or (LOWEST if _is_title(line, until) else 0)
            continue
        depth = len(heading[1] or "") or int(heading[3] or 1)
        if until.search(heading[2] or heading[4] or ""):
            level = min(level or depth, depth)
        elif level and depth <= level:
            level = 0
    return level > 0


def _borders(
    text: str, statements: Sequence[ast.stmt], until: re.Pattern[str] | None
) -> Sequence[int]:
    """Return the lines of matching headings in code, except comments inside a statement."""
    if until is None:
        return []
    inside = {at for statement in statements for at in _lines_inside(statement)}
    lines = enumerate(text.split("\n"), 1)
    borders = {at for at, line in lines if at not in inside and _is_comment_title(line, until)}
    strings = [(statement.lineno, _string(statement)) for statement in statements]
    borders |= {at for at, words in strings if words and _ends(words.split("\n"), until)}
    return sorted(borders)


def _lines_inside(node: ast.stmt) -> range:
    """Return the lines of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_comment_title(line: str, until: re.Pattern[str]) -> bool:
    heading = COMMENT_HEADING.match(line)
    if heading is not None and until.search(heading[1] or heading[2]):
        return True
    return line.startswith("#") and _is_title(line, until)


def _is_title(line: str, until: re.Pattern[str]) -> bool:
    """Return whether a short line, bold, numbered or plain, starts with words that match."""
    words = BEFORE_TITLE.sub("", line, count=1)
    if len(line) > LONGEST_TITLE or CODE.match(words):
        return False
    return any(until.match(text) for text in (words, NUMBER.sub("", words, count=1)))


def _string(node: ast.stmt) -> str:
    """Return the text of a string statement (as Colab exports text cells) or of a print."""
    value = node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "print" and len(value.args) == 1:
        value = value.args[0]
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    return ""


def _flat(statements: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the statements, imports split by name, with whether they are in the main block."""
    for node in statements:
        if isinstance(node, ast.If) and _is_main(node.test):
            yield from ((statement, True) for statement, _ in _flat(node.body))
        elif isinstance(node, ast.Import):
            for name in node.names:
                yield ast.copy_location(ast.Import([name]), node), False
        elif isinstance(node, ast.ImportFrom):
            yield from ((statement, False) for statement in _one_each(node))
        else:
            yield node, False


def _one_each(node: ast.ImportFrom) -> Iterator[ast.stmt]:
    if node.module != "__future__":
        for name in node.names:
            yield ast.copy_location(ast.ImportFrom(node.module, [name], node.level), node)


def _is_main(test: ast.expr) -> bool:
    """Return whether this is `__name__ == "__main__"`, in either order."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, *test.comparators)
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    texts = {side.value for side in sides if isinstance(side, ast.Constant)}
    return names == {"__name__"} and texts == {"__main__"}
