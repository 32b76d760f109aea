"""One file of a student: its top-level statements, each with where it stands."""

import ast
import linecache
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .magics import plain, without_cell_magic, without_indent
from .notebook import decoded, looks_like_notebook, one_newline, read_notebook
from .parsing import Broken, parse

MAX_STATEMENTS = 20_000  # of one file
HEADING = re.compile(r"^\s*(#{1,6})\s*(\S.*)$|^\s*<h([1-6])[^>]*>(.*)$", re.IGNORECASE)
COMMENT_HEADING = re.compile(r"^#\s+(#{1,6}\s*\S.*)$|^#\s*(?:%%+|@title)\s*(\S.*)$")


@dataclass(frozen=True, slots=True)
class Place:
    """A top-level statement, the file name in its tracebacks, and if it is a later thought.

    Below the heading `until` and in the main block a name is only taken that nothing else binds.
    """

    node: ast.stmt
    filename: str
    later: bool


@dataclass(frozen=True, slots=True)
class Source:
    """What one file says, in order."""

    path: Path
    name: str
    places: tuple[Place, ...]
    broken: tuple[Broken, ...]
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """Code that is parsed in one go: a file or a cell."""

    filename: str
    text: str
    later: bool


def read_source(path: Path, name: str, until: re.Pattern[str] | None) -> Source:
    """The statements of this file; raises UnreadableNotebook."""
    places: list[Place] = []
    broken: list[Broken] = []
    later = False
    pieces, damage = _pieces(path, until)
    for piece in pieces:
        later = later or piece.later
        parsed = parse(piece.text, piece.filename)
        _remember(piece)
        broken += parsed.broken
        border = _border(piece.text, parsed.statements, until)
        for node, in_main in _flat(parsed.statements):
            below = later or in_main or (border is not None and node.lineno > border)
            places.append(Place(node, piece.filename, below))
        later = later or border is not None
    if len(places) > MAX_STATEMENTS:
        damage = f"it has more than {MAX_STATEMENTS} statements"
    return Source(path, name, tuple(places[:MAX_STATEMENTS]), tuple(broken), damage)


def _remember(piece: Piece) -> None:
    """Let tracebacks and `inspect` show the lines of this piece."""
    lines = [f"{line}\n" for line in piece.text.split("\n")]
    linecache.cache[piece.filename] = (len(piece.text), None, lines, piece.filename)


def _pieces(path: Path, until: re.Pattern[str] | None) -> tuple[list[Piece], str]:
    """The code of a file in order, and what is wrong with the file."""
    data = path.read_bytes()
    if path.suffix.lower() == ".py" and not looks_like_notebook(data):
        return [Piece(str(path), plain(one_newline(decoded(data))), later=False)], ""
    notebook = read_notebook(data)
    pieces: list[Piece] = []
    later = False
    for cell in notebook.cells:
        if cell.is_code:
            text = plain(without_indent(without_cell_magic(cell.text)))
            pieces.append(Piece(f"{path}, cell {cell.number}", text, later))
        else:
            later = later or _ends(cell.text.split("\n"), until)
    return pieces, notebook.damage


def _ends(lines: list[str], until: re.Pattern[str] | None) -> bool:
    """Say whether the headings of a text leave the reader below one that matches."""
    level = 0
    for line in lines:
        heading = HEADING.match(line)
        if heading is None or until is None:
            continue
        depth = len(heading[1] or "") or int(heading[3] or 1)
        if until.search(heading[2] or heading[4] or ""):
            level = min(level or depth, depth)
        elif level and depth <= level:
            level = 0
    return level > 0


def _border(text: str, statements: Sequence[ast.stmt], until: re.Pattern[str] | None) -> int | None:
    """The line of the first heading in code that matches."""
    if until is None:
        return None
    headings = ((at, COMMENT_HEADING.match(line)) for at, line in enumerate(text.split("\n"), 1))
    lines = [at for at, found in headings if found and until.search(found[1] or found[2])]
    strings = [(each.lineno, _string(each)) for each in statements]
    lines += [at for at, words in strings if words and _ends(words.split("\n"), until)]
    return min(lines, default=None)


def _string(node: ast.stmt) -> str:
    """The text of a string that stands alone, as Colab writes its text cells."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else ""
    return ""


def _flat(statements: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements with one import each; those of the main block alone, too, and marked."""
    for node in statements:
        if isinstance(node, ast.If) and _is_main(node.test):
            yield from ((each, True) for each, _ in _flat(node.body))
        elif isinstance(node, ast.Import):
            for name in node.names:
                yield ast.copy_location(ast.Import([name]), node), False
        elif isinstance(node, ast.ImportFrom):
            yield from ((each, False) for each in _one_each(node))
        else:
            yield node, False


def _one_each(node: ast.ImportFrom) -> Iterator[ast.stmt]:
    if node.module != "__future__":
        for name in node.names:
            yield ast.copy_location(ast.ImportFrom(node.module, [name], node.level), node)


def _is_main(test: ast.expr) -> bool:
    """Say whether this is `__name__ == "__main__"`, either way round."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, *test.comparators)
    names = {each.id for each in sides if isinstance(each, ast.Name)}
    texts = {each.value for each in sides if isinstance(each, ast.Constant)}
    return names == {"__name__"} and texts == {"__main__"}
