"""Hostile text made visible: what a student wrote or returned is shown, never obeyed."""

import re
import unicodedata
from itertools import groupby

from markupsafe import Markup

LINE_LIMIT = 160
PROSE_LIMIT = 1_200
VERBATIM_LIMIT = 1_500

# Categories that draw nothing, or draw something elsewhere: controls (ANSI escapes), formats
# (right-to-left overrides, zero-width letters), halves of surrogate pairs, other line breaks.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_HARMLESS = "\u200c\u200d\u00a0\u202f"  # joiners that names and emoji need, spaces in "15%"
_MARKS_IN_A_ROW = 4  # more accents than any script stacks only paint over the lines above
_CODE = re.compile("`([^`\n]+)`")
_POINTED = re.compile(r"(?m)\n?^(.*\n *\^)$\n?")
# Wider than a phone it is scrolled, not broken, and so a keyboard must reach it.
_POINTED_AT = Markup('<code class="pointed" tabindex="0">{}</code>')
_KINDS = {" ": "sp", "\n": "nl", "□": "pad", "⁇": "mask"}


def line(text: str, limit: int = LINE_LIMIT) -> str:
    r"""The text on one line: breaks and control characters as `\n` and `\x1b`, cut at `limit`."""
    return _visible(text[:limit], _HARMLESS) + _more(len(text) - limit)


def prose(text: str, limit: int = PROSE_LIMIT) -> str:
    r"""The text with its line breaks: other control characters as `\x1b`, cut at `limit`."""
    text = text.replace("\r\n", "\n").strip("\n")
    return _visible(text[:limit], _HARMLESS + "\n") + _more(len(text) - limit)


def sentence(text: str, limit: int = PROSE_LIMIT) -> Markup:
    """HTML of the text as `prose` shows it, with code between backticks set as code.

    So is a line with a caret below it, which points at one of its characters.
    """
    pieces = _POINTED.split(prose(text, limit))  # what is pointed at comes second
    pieces[::2] = [_with_code(words) for words in pieces[::2]]
    pieces[1::2] = [_POINTED_AT.format(lines) for lines in pieces[1::2]]
    return Markup("").join(pieces)


def verbatim(text: str, limit: int = VERBATIM_LIMIT) -> Markup:
    """HTML in which every space, line break, PAD and MASK of the text can be seen and counted.

    A space stays a space in the source, so that what a student copies is what was there.
    """
    pieces = [_marked(kind, "".join(run)) for kind, run in groupby(text[:limit], key=_kind)]
    if len(text) > limit:
        pieces.append(Markup('<span class="cut">{}</span>').format(_more(len(text) - limit)))
    return Markup("").join(pieces)


def number(value: float) -> str:
    """A score as people write it: at most two decimals, none that say nothing."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _with_code(words: str) -> Markup:
    pieces = _CODE.split(words)  # what stands between backticks comes second
    pieces[1::2] = [Markup("<code>{}</code>").format(code) for code in pieces[1::2]]
    return Markup("").join(pieces)


def _more(count: int) -> str:
    return f" … ({count:,} more characters)" if count > 0 else ""


def _visible(text: str, kept: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    shown, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= _MARKS_IN_A_ROW:
            shown.append(_escaped(char) if _unseen(char) and char not in kept else char)
    return "".join(shown)


def _unseen(char: str) -> bool:
    category = unicodedata.category(char)
    return category in _UNSEEN or (category == "Zs" and char != " ")


def _escaped(char: str) -> str:
    # As Python writes it: every student of these courses reads it, and every font has it.
    return char.encode("unicode_escape").decode("ascii")


def _kind(char: str) -> str:
    return _KINDS.get(char) or ("escape" if _unseen(char) else "")


def _marked(kind: str, run: str) -> Markup:
    match kind:
        case "":
            return Markup("{}").format(_visible(run, ""))
        case "sp":
            return Markup('<span class="sp"> </span>') * len(run)
        case "nl":
            return Markup('<span class="nl">↵</span>\n') * len(run)
        case "escape":
            run = "".join(map(_escaped, run))
    return Markup('<span class="{}">{}</span>').format(kind, run)
