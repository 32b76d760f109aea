"""Read prediction files as students really write them: one line per question, sometimes more.

    Correct: 92.0 out of 500.0: 18.4%     a remark: dropped, with a note
    Berlin                                prediction 1
                                          prediction 2: an empty line counts
    ...
    (blank lines at the end)              dropped, with a note

Lines are dropped only if there is no doubt: the file has too many, and there is exactly one way to
explain the surplus by lines that cannot be predictions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...text import LARGEST, decode, is_blank, split_lines

# No birth place has a digit, punctuation other than ' . , - or one of these words. Only lines
# above the first prediction or below the last are tested, and only in a file with too many.
REMARK_SIGNS = re.compile(r"[\t0-9%:=<>{}\[\]()_/\\|#*@+~]|\.\.\.|--")
REMARK_WORDS = re.compile(
    r"\b(acc|accuracy|answers?|assignment|baseline|birth ?places?|checkpoint|correct|corpus|cpu"
    r"|cuda|data|dataset|dev|development|device|done|epoch|evaluat\w*|extra|file|final|finetun\w*"
    r"|finished|header|homework|incorrect|labels?|lines?|load\w*|loss|model|mps|none|nopretrain\w*"
    r"|outputs?|parameters|places?|pred|predict\w*|preds|pretrain\w*|questions?|results?|rope"
    r"|running|sav(ed|ing)|scores?|student|submission|summary|test|total|train\w*|vanilla"
    r"|warnings?|written)\b",
    re.IGNORECASE,
)
LONGEST_REMARK = 5  # lines; with more at one end, it is another kind of file
MOST_LINES = 4  # per question; a file with more is not a prediction file


@dataclass(frozen=True, slots=True)
class Aligned:
    """One prediction per question, with notes about what was dropped or is unusual."""

    predictions: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Misaligned:
    """No unique way to match lines to questions."""

    reason: str
    lines: tuple[str, ...]


def read_predictions(raw: bytes, count: int) -> Aligned | Misaligned:
    """Return the predictions for `count` questions, or why these bytes do not contain them."""
    if len(raw) > LARGEST:
        return Misaligned(f"The file has {len(raw)} bytes, too many for {count} places.", ())
    text, notes = decode(raw)
    lines, other_ends = split_lines(text)
    if other_ends:
        notes += ("lines end with CR or CRLF",)
    if len(lines) == count:
        if lines and re.search(r"[0-9]", lines[0]) and is_remark(lines[0]):
            notes += (
                "the first line looks like an accuracy, but was read as the first prediction",
            )
        return Aligned(tuple(lines), notes)
    if count < len(lines) <= MOST_LINES * count:
        aligned = _ends_dropped(lines, count) or _blanks_dropped(lines, count)
        # If most lines look like remarks, as in a numbered file, none can be treated as one.
        if aligned is not None and 2 * sum(map(is_remark, aligned.predictions)) <= count:
            return Aligned(aligned.predictions, notes + aligned.notes)
    return Misaligned(_reason(lines, count), tuple(lines))


def is_remark(line: str) -> bool:
    """Return whether the line cannot be a place: a number, a log line, a heading, a rule."""
    if is_blank(line):
        return False
    has_letters = any(map(str.isalpha, line))
    return not has_letters or bool(REMARK_SIGNS.search(line) or REMARK_WORDS.search(line))


def _ends_dropped(lines: list[str], count: int) -> Aligned | None:
    """Return the lines without remarks and blanks at the ends, if only one way gives `count`."""
    surplus = len(lines) - count
    fewest_above, most_above = _droppable(lines, surplus)
    fewest_below, most_below = _droppable(lines[::-1], surplus)
    fewest = max(fewest_above, surplus - most_below)
    most = min(most_above, surplus - fewest_below)
    return _without_ends(lines, fewest, surplus - fewest) if fewest == most else None


def _without_ends(lines: list[str], above: int, below: int) -> Aligned:
    end = len(lines) - below
    notes = (_dropped(lines[:above], "above"), _dropped(lines[end:], "below"))
    return Aligned(tuple(lines[above:end]), tuple(note for note in notes if note))


def _droppable(lines: list[str], surplus: int) -> tuple[int, int]:
    """Return the fewest and the most lines to drop: all remarks, and blank lines next to them.

    A line before a remark is not a prediction either, whatever it looks like.
    """
    first = min(surplus, LONGEST_REMARK)
    remarks = [i + 1 for i, line in enumerate(lines[:first]) if is_remark(line)]
    fewest = most = max(remarks, default=0)
    while most < surplus and is_blank(lines[most]):
        most += 1
    return fewest, most


def _blanks_dropped(lines: list[str], count: int) -> Aligned | None:
    """Return the lines without all blank ones, or without every second one, if `count` are left.

    Remarks at the ends are dropped as well.
    """
    surplus = len(lines) - count
    body = _without_ends(lines, _droppable(lines, surplus)[0], _droppable(lines[::-1], surplus)[0])
    inked = tuple(line for line in body.predictions if not is_blank(line))
    every_second = tuple(_every_second(body.predictions))
    for remaining, what in ((inked, "blank lines"), (every_second, "every second line, blank")):
        if len(remaining) == count < len(body.predictions):
            return Aligned(remaining, (*body.notes, f"{what}: ignored"))
    return None


def _every_second(lines: Sequence[str]) -> Sequence[str]:
    """Return every second line if all the others are blank, else none."""
    for half, other in ((lines[::2], lines[1::2]), (lines[1::2], lines[::2])):
        if all(is_blank(line) for line in other):
            return half
    return ()


def _dropped(lines: list[str], where: str) -> str:
    if not lines:
        return ""
    shown = next((line for line in lines if not is_blank(line)), "")
    what = "a line" if len(lines) == 1 else f"{len(lines)} lines"
    quoted = f" ({shown.strip()[:60]!r})" if shown else ", blank"
    return f"{what} {where} the predictions ignored{quoted}"


def _reason(lines: list[str], count: int) -> str:
    blank = sum(is_blank(line) for line in lines)
    if len(lines) == blank:
        return f"The file is empty; expected {count} lines, one place per question."
    if len(lines) < count:
        actual = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
        return f"The file has {actual}; expected {count}, one place per question."
    which = f" ({blank} of them blank)" if blank else ""
    return (
        f"The file has {len(lines)} lines{which}; expected {count}. We could not tell which lines "
        "are extra."
    )
