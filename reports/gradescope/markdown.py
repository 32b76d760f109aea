"""Write hostile text as Markdown that displays it as text: prose is escaped, values are in code.

The escapes work in CommonMark and similar dialects. Characters that could be HTML or a formula are
written as entities, which no Markdown reader treats as markup.
"""

import re
from collections.abc import Iterable

from reports.text import prose

_ENTITIES = {ord(char): f"&#{ord(char)};" for char in "<>&$"}
# Matches `*` or `www.` or `http://`.
_MARKUP = re.compile(r"([\\`*_\[\]#~|!@^])|(?<=www)(\.)|(:)(?=//)", re.IGNORECASE)
# At the start of a line: numbered lists (`1.`), other lists, rules, underlines of headings.
_OPENING = re.compile(r"^(\d{1,9}(?=[.)])|(?=[-+=]))")
_CODE = re.compile("`([^`\n]+)`")
_LAID_OUT = re.compile(r"\n(?:[ \t]|[-+?] )")
_TICKS = re.compile("`+")


def escaped(text: str) -> str:
    """Return Markdown that displays the text, including its line breaks."""
    lines = (_escaped_line(line.strip()) for line in prose(text).split("\n"))
    return "  \n".join(line for line in lines if line)


def spans(text: str) -> str:
    """Return the text as `escaped` does, but show words in backticks as code."""
    pieces = _CODE.split(prose(text))  # every second piece was in backticks
    for index, piece in enumerate(pieces):
        pieces[index] = f"`{piece}`" if index % 2 else _kept_apart(piece)
    return "".join(pieces).strip()


def block(rows: Iterable[tuple[str, str]]) -> str:
    """Return labeled, unescaped values in a code block that no value can end."""
    return _fenced("\n".join(_row(label, prose(value)) for label, value in rows))


def message_markdown(text: str) -> str:
    """Return a message as prose, or as a code block if its lines are aligned, as in diffs."""
    return _fenced(prose(text)) if _LAID_OUT.search(text) else spans(text)


def _fenced(text: str) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _row(label: str, value: str) -> str:
    return f"{label}: " + value.replace("\n", "\n" + " " * (len(label) + 2))


def _kept_apart(piece: str) -> str:
    """Escape the text, but keep the blanks next to a piece of code."""
    inner = escaped(piece)
    before = " " if piece[:1].isspace() else ""
    after = " " if inner and piece[-1:].isspace() else ""
    return f"{before}{inner}{after}"


def _escaped_line(line: str) -> str:
    marked = _MARKUP.sub(r"\\\g<0>", line).translate(_ENTITIES)
    return _OPENING.sub(_opened, marked)


def _opened(match: re.Match[str]) -> str:
    return f"{match[0]}\\" if match[0] else "\\"
