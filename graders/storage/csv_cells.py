"""Write CSV files whose cells no spreadsheet runs as formulas, and read a cell's text back.

    text --safe_cell--> cell --table--> file        cell --plain_cell--> text

A StaffTable is a file that staff write by hand, too: its rows are read strictly, and new rows are
added after those that are there.

Spreadsheets in other locales split at other characters, even inside quotes: `x,"Ada;=1"` split at
semicolons has the cell `=1"`. A text is therefore safe only if each of its pieces is, however it
is split. A piece that would be run gets an apostrophe before it.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.errors import UsageError, did_you_mean
from graders.storage.files import write_whole

# Characters that begin a formula; the full-width forms do in East Asian locales.
FORMULA = frozenset("=+-@\t\r＝＋－＠")
BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
SAVE_IT = "save it as CSV UTF-8"  # as spreadsheets call it
_ON_ONE_LINE = str.maketrans(dict.fromkeys(BREAKS, " "))
SEPARATORS = frozenset(f",;\t{BREAKS}")
_QUOTED = re.compile(f'[,;\t"{BREAKS}]|^[\\s\ufeff]|\\s$')
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class StaffTable:
    """A CSV in DIR with some columns that it must have, and others that it may have."""

    file: Path
    needed: Sequence[str]
    optional: Sequence[str] = ()

    def rows(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield each row with its file and line; none if there is no file.

        Raises UsageError if it is not such a table.
        """
        if not self.file.exists():
            return
        header, lines = self._read()
        for number, cells in lines:
            where = f"{self.file}: line {number}"
            if any(cell.strip() for cell in cells[len(header) :]):
                problem = f"{where} has more cells than the first line"
                raise UsageError(problem, "put a text with commas in quotes")
            padded = (*map(plain_cell, cells), *[""] * len(header))
            row = {name: cell.strip() for name, cell in zip(header, padded, strict=False)}
            yield where, dict.fromkeys((*self.needed, *self.optional), "") | row

    def all_rows(self) -> list[Mapping[str, str]]:
        """Return all rows, the oldest first; none if there is no file."""
        return [row for _, row in self.rows()]

    def append(self, rows: Sequence[Mapping[str, str]]) -> None:
        """Add rows at the end, all or none; what is there stays as it is."""
        old, header = "", tuple(self.needed)
        if self.file.exists():
            header, _ = self._read()
            old = self.file.read_text(encoding="utf-8-sig").partition("\n")[2]
        names = (*header, *(name for name in self.optional if name not in header))
        new = [[row.get(name, "").translate(_ON_ONE_LINE) for name in names] for row in rows]
        end = "" if old.endswith("\n") or not old else "\n"
        comma = self._delimiter()
        text = table([names], delimiter=comma) + old + end + table(new, delimiter=comma)
        remedy = "make room and run the command again"
        write_whole(self.file, text.encode(), remedy=remedy, durable=True)

    def _delimiter(self) -> str:
        """Return the delimiter, which is a semicolon in the spreadsheets of many countries."""
        if not self.file.exists():
            return ","
        first = self.file.read_text(encoding="utf-8-sig").partition("\n")[0]
        return max(",;\t", key=first.count)

    def _read(self) -> tuple[tuple[str, ...], list[tuple[int, list[str]]]]:
        columns = ", ".join((*self.needed, *self.optional))
        try:
            text = io.StringIO(self.file.read_bytes().decode("utf-8-sig"), newline="")
            reader = csv.reader(text, delimiter=self._delimiter(), strict=True)
            header = tuple(cell.strip().casefold() for cell in next(reader, []))
            lines = [(reader.line_num, cells) for cells in reader if any(cells)]
        except UnicodeDecodeError as error:
            raise UsageError(f"{self.file} is not UTF-8 text", SAVE_IT) from error
        except (OSError, csv.Error) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"{self.file}: {reason}", f"its columns are {columns}") from error
        for name in header:
            if name not in (*self.needed, *self.optional):
                near = did_you_mean(name, (*self.needed, *self.optional))
                problem = f"{self.file}: there is no column `{name}`{near}"
                raise UsageError(problem, f"its columns are {columns}; remove all others")
            if header.count(name) > 1:
                problem = f"{self.file}: the column `{name}` occurs {header.count(name)} times"
                raise UsageError(problem, "keep one of them")
        if not header:
            raise UsageError(f"{self.file} is empty", f"its columns are {columns}")
        if missing := [name for name in self.needed if name not in header]:
            problem = f"{self.file}: the column `{missing[0]}` is missing"
            raise UsageError(problem, f"its columns are {columns}; name them in the first line")
        return header, lines


def table(rows: Iterable[Sequence[str]], *, delimiter: str = ",", end: str = "\n") -> str:
    """Return the rows as CSV, with every cell made safe."""
    return "".join(delimiter.join(map(_quoted, map(safe_cell, row))) + end for row in rows)


def safe_cell(text: str) -> str:
    """Return the text with an apostrophe before each piece that a spreadsheet would run."""
    if _NUMBER.fullmatch(text):
        return text
    risky = set(_risky(text))
    return "".join(f"'{char}" if at in risky else char for at, char in enumerate(text))


def plain_cell(cell: str) -> str:
    """Return the text from which `safe_cell` made this cell."""
    if _NUMBER.fullmatch(cell):
        return cell
    added = {at for at in _risky(cell) if cell[at] == "'"}
    return "".join(char for at, char in enumerate(cell) if at not in added)


def _risky(text: str) -> Iterator[int]:
    """Yield where each piece begins that a spreadsheet may run as a formula, the last one first."""
    ahead = False  # whether a formula follows, apart from spaces, quotes and apostrophes
    for at in range(len(text) - 1, -1, -1):
        ahead = text[at] in FORMULA or (ahead and _is_skipped(text[at]))
        if ahead and (at == 0 or text[at - 1] in SEPARATORS):
            yield at


def _is_skipped(char: str) -> bool:
    """Return True if a spreadsheet may drop the character before a formula."""
    return char in "\"' " or char.isspace() or unicodedata.category(char) in ("Cc", "Cf")


def _quoted(cell: str) -> str:
    """Return the cell, in quotes if any program might split it."""
    return '"{}"'.format(cell.replace('"', '""')) if _QUOTED.search(cell) else cell
