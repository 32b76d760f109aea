"""Make hostile text visible: what a student wrote or returned is shown, never obeyed."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

from submissions.escaping import escaped

LINE_LIMIT = 160
SPARE = 80  # characters: to say that fewer are left out takes as much room
PROSE_LIMIT = 1_200
VERBATIM_LIMIT = 1_500

# Categories that draw nothing, or draw it elsewhere: controls (ANSI escapes), format characters
# (right-to-left overrides, zero-width letters), lone surrogates, other line breaks.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_HARMLESS = "\u200c\u200d\u00a0\u202f"  # joiners that names and emoji need, spaces in "15%"
_MARKS_IN_A_ROW = 4  # more accents than any script stacks only paint over the lines above
_CODE = re.compile("`([^`\n]+)`")
_POINTED = re.compile(r"(?m)\n?^(.*\n *\^)$\n?")
# Text wider than a phone scrolls and doesn't wrap, so it must be reachable by keyboard.
_POINTED_AT = Markup('<code class="pointed" tabindex="0">{}</code>')
_KINDS = {" ": "sp", "\n": "nl", "□": "pad", "⁇": "mask"}


def line(text: str, limit: int = LINE_LIMIT) -> str:
    r"""Return the text on one line, with breaks as `\n` and controls as `\x1b`, cut at `limit`."""
    limit = _room(text, limit)
    return _visible(text[:limit], _HARMLESS) + cut_off(len(text) - limit)


def items(names: Sequence[str], limit: int = LINE_LIMIT) -> str:
    """Return a list on one line; if it is longer than `limit`, the first names and a number."""
    shown = list(names)
    while len(shown) > 1 and len(", ".join(shown)) > limit:
        shown.pop()
    if len(", ".join(names)) < limit + SPARE:
        shown = list(names)
    more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
    return line(", ".join(shown), limit + SPARE) + more


def prose(text: str, limit: int = PROSE_LIMIT) -> str:
    r"""Return the text with its line breaks and other controls as `\x1b`, cut at `limit`."""
    text = text.replace("\r\n", "\n").strip("\n")
    limit = _room(text, limit)
    return _visible(text[:limit], _HARMLESS + "\n") + cut_off(len(text) - limit)


def sentence(text: str, limit: int = PROSE_LIMIT) -> Markup:
    """Return HTML of the text as `prose` shows it, with words in backticks as code.

    A line with a caret below it, which points at one of its characters, is code, too.
    """
    pieces = _POINTED.split(prose(text, limit))  # every second piece has a line with a caret
    pieces[::2] = [_with_code(words) for words in pieces[::2]]
    pieces[1::2] = [_POINTED_AT.format(lines) for lines in pieces[1::2]]
    return Markup("").join(pieces)


def verbatim(text: str, limit: int = VERBATIM_LIMIT) -> Markup:
    """Return HTML in which every space, line break, PAD and MASK of the text is visible.

    A space is still a space in the source, so that students copy the original text.
    """
    pieces = [_marked(kind, "".join(run)) for kind, run in groupby(text[:limit], key=_kind)]
    if len(text) > limit:
        pieces.append(Markup('<span class="cut">{}</span>').format(cut_off(len(text) - limit)))
    return Markup("").join(pieces)


def number(value: float) -> str:
    """Return a score as people write it: at most two decimals, without trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def points(value: float, *, sign: bool = False) -> str:
    """Return points with their unit, as people write them."""
    shown = f"+{number(value)}" if sign and value > 0 else number(value)
    return f"{shown} {'point' if abs(value) == 1 else 'points'}"


def number_or_dash(value: float | None) -> str:
    """Return a score as people write it; a dash if there is none."""
    return "-" if value is None else number(value)


def _with_code(words: str) -> Markup:
    pieces = _CODE.split(words)  # every second piece was in backticks
    pieces[1::2] = [Markup("<code>{}</code>").format(code) for code in pieces[1::2]]
    return Markup("").join(pieces)


def _room(text: str, limit: int) -> int:
    """Return how many characters to show: a few more than `limit` if that shows all."""
    return len(text) if limit >= LINE_LIMIT and len(text) < limit + SPARE else limit


def cut_off(count: int) -> str:
    """Return the end of a text without its last characters; nothing if it has them all."""
    return f" … ({count:,} more characters)" if count > 0 else ""


def _visible(text: str, allowed: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        escaped(char) if is_unseen(char) and char not in allowed else char
        for char in filter(None, few_marks(text))
    )


def few_marks(text: str) -> Iterator[str]:
    """Yield each character, or nothing in place of an accent that only covers the lines above."""
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        yield char if marks <= _MARKS_IN_A_ROW else ""


def is_unseen(char: str) -> bool:
    """Return whether a character draws nothing, or draws it elsewhere."""
    category = unicodedata.category(char)
    return category in _UNSEEN or (category == "Zs" and char != " ")


def _kind(char: str) -> str:
    return _KINDS.get(char) or ("escape" if is_unseen(char) else "")


def _marked(kind: str, run: str) -> Markup:
    match kind:
        case "":
            return Markup("{}").format(_visible(run, ""))
        case "sp":
            return Markup('<span class="sp"> </span>') * len(run)
        case "nl":
            return Markup('<span class="nl">↵</span>\n') * len(run)
        case "escape":
            run = "".join(map(escaped, run))
    return Markup('<span class="{}">{}</span>').format(kind, run)
