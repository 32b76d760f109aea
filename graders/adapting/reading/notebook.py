"""Read the cells of a notebook file, formats 3 and 4, without the notebook packages."""

import json
import re
from dataclasses import dataclass
from typing import Any

CELLS = re.compile(r'"cells"\s*:\s*\[\s*')
MAX_GAP = 1000  # characters of white space between two cells


class UnreadableNotebook(Exception):
    """The file is not a notebook; the message tells the student why."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells, and what is wrong with the file if only a part of it could be read."""

    cells: tuple["Cell", ...]
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its number counts all cells of the notebook, from 1."""

    number: int
    is_code: bool
    text: str


def read_notebook(data: bytes) -> Notebook:
    """Return the code and text cells in order; raises UnreadableNotebook.

    If the file is damaged (often in a widget's data), the cells before the damage are read.
    """
    text, damage = decoded(data), ""
    try:
        cells = _cells(json.loads(text))
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        damage = f"it is not valid JSON ({reason[:100]})"
        cells = _undamaged(text)
        if not cells:
            raise UnreadableNotebook(damage) from None
        damage += f", and only its first {len(cells)} cells were read"
    if cells is None:
        raise UnreadableNotebook("it has no list of cells")
    numbered = ((at, cell) for at, cell in enumerate(cells, 1) if isinstance(cell, dict))
    return Notebook(tuple(_cell(at, cell) for at, cell in numbered), damage)


def _undamaged(text: str) -> list[Any]:
    """Return the cells of a broken notebook before the first one that is not valid JSON."""
    start = CELLS.search(text)
    at, cells = start.end() if start else len(text), []
    decoder = json.JSONDecoder()
    while at < len(text):
        try:
            cell, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        cells.append(cell)
        at += len(text[at : at + MAX_GAP]) - len(text[at : at + MAX_GAP].lstrip(" \t\r\n,"))
    return cells


def looks_like_notebook(data: bytes) -> bool:
    """Return whether a file, whatever its name, is a notebook."""
    return data.lstrip()[:1] == b"{" and b'"cells"' in data and b'"cell_type"' in data


def _cells(document: Any) -> list[Any] | None:
    """Return the list of cells: format 4 has it at the top, format 3 in its worksheets."""
    if not isinstance(document, dict):
        return None
    if isinstance(document.get("cells"), list):
        return list(document["cells"])
    sheets = document.get("worksheets")
    if not isinstance(sheets, list):
        return None
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for cells in lists if isinstance(cells, list) for cell in cells]


def _cell(number: int, cell: dict[str, Any]) -> Cell:
    kind = cell.get("cell_type")
    text = _joined(cell.get("source", cell.get("input", "")))
    if kind == "heading":  # format 3 stores the level separately from the text
        text = f"{'#' * _level(cell)} {text}"
    return Cell(number, kind == "code", text)


def _level(cell: dict[str, Any]) -> int:
    level = cell.get("level")
    return level if isinstance(level, int) and 1 <= level <= 6 else 1


def _joined(source: Any) -> str:
    """Return the text of a cell, which is a string or a list of lines."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return one_newline(source) if isinstance(source, str) else ""


def decoded(data: bytes) -> str:
    """Return the text of a file: UTF-16 if it has a byte order mark, else UTF-8 or Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def one_newline(text: str) -> str:
    """Return the text with Unix line endings only."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
