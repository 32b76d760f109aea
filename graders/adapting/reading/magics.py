"""Remove what is not Python from notebook cells: magics, shell commands and help requests."""

import ast
import re
import textwrap
import warnings

KEPT = frozenset(("time", "timeit", "capture", "prun", "python", "python3"))
LINE = re.compile(r"^(\s*)(%|!|\?|[\w.]+\?{1,2}\s*(#.*)?$|/(?=\w))")
RESULT = re.compile(r"^(\s*)([A-Za-z_][\w.,\s\[\]]*?)\s*=\s*[!%](?!=)")
RUN = re.compile(r"^%run\s+(?:-\w\s+)*['\"]?(?:\./)?([A-Za-z_][\w/]*)\.(?:py|ipynb)\b")
TIMED = re.compile(r"^(\s*)%time\s+(\S.*)$")
MAX_REPAIRS = 300
MAX_WORK = 20_000_000  # characters parsed for one text


def without_cell_magic(text: str) -> str:
    """Return the cell without its cell magic, or "" if the magic means that it isn't Python."""
    first = re.match(r"\s*%%(\w+)[^\n]*", text)
    if first is None:
        return text
    if first[1] == "writefile" and re.search(r"\.py\b", first[0]):
        return _blanked_first(text, first.end())
    return _blanked_first(text, first.end()) if first[1] in KEPT else ""


def without_indent(text: str) -> str:
    """Return the cell without a common indent, as the notebook runs it."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    return textwrap.dedent(text) if first.startswith((" ", "\t")) else text


def _blanked_first(text: str, end: int) -> str:
    return "\n" * text[:end].count("\n") + text[end:]


def plain(text: str) -> str:
    """Return the text without the shell lines that make it invalid Python.

    A line is replaced only if the parser fails there, because a line that starts with % may also
    continue an expression. Line numbers don't change.
    """
    for _ in range(min(MAX_REPAIRS, MAX_WORK // (len(text) + 1))):
        line = _stumbles_at(text)
        repaired = _repaired(text, line) if line is not None else None
        if repaired is None:
            break
        text = repaired
    return text


def _stumbles_at(text: str) -> int | None:
    """Return the line at which the parser fails, if it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return error.lineno
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _repaired(text: str, number: int) -> str | None:
    """Return the text with this line replaced, or None if it is not a shell line."""
    lines = text.split("\n")
    for at in (number - 1, number - 2):
        if 0 <= at < len(lines) and (instead := _instead(lines[at])) is not None:
            end = at
            while lines[end].rstrip().endswith("\\") and end + 1 < len(lines):
                end += 1
            lines[at : end + 1] = [instead, *[""] * (end - at)]
            return "\n".join(lines)
    return None


def _instead(line: str) -> str | None:
    """Return the replacement of a shell line; running a file becomes importing all it defines."""
    if run := RUN.match(line):
        return f"from {run[1].replace('/', '.')} import *"
    if timed := TIMED.match(line):
        return f"{timed[1]}{timed[2]}"
    if result := RESULT.match(line):
        return f"{result[1]}{result[2]} = []"
    if magic := LINE.match(line):
        return f"{magic[1]}pass"
    return None
