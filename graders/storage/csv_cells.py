"""Write CSV files whose cells no spreadsheet runs as formulas, and read a cell's text back.

    text --safe_cell--> cell --table--> file        cell --plain_cell--> text

Spreadsheets in other locales split at other characters, even inside quotes: `x,"Ada;=1"` split at
semicolons has the cell `=1"`. A text is therefore safe only if each of its pieces is, however it
is split. A piece that would be run gets an apostrophe before it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

# Characters that begin a formula; the full-width forms do in East Asian locales.
FORMULA = frozenset("=+-@\t\r＝＋－＠")
BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
SEPARATORS = frozenset(f",;\t{BREAKS}")
_QUOTED = re.compile(f'[,;\t"{BREAKS}]|^[\\s\ufeff]|\\s$')
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")


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
