"""Find the answers in answers.md: a heading a question, whatever lies below it is the answer.

    text -- markdown-it --> headings, code blocks, paragraphs -- names --> Section a question

Beside headings a line all in bold counts, and `##1b` without a space, where it names a question.
For questions without a heading, `1b: ...` at the start of a line does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from graders.written.names import Meant, Names, canonical, looks_like_id
from graders.written.plain import is_like
from graders.written.wanted import Wanted, label_of

BOLD_LEVEL = 7  # below every heading
MOST_HEADINGS = 2000
LOOKED_AT = 200  # characters of a line that may name something; the rest is the answer's
Line = tuple[int, str]
_READER = MarkdownIt("zero").enable(["heading", "fence"]).disable("inline")
_BOLD = re.compile(r"^ {0,3}(?:[-*+]\s+)?(?:\*\*|__)([^*]{1,150}?)(?:\*\*|__)\s*[:.]?")
_TIGHT = re.compile(r"^ {0,3}(#{1,6})(?=[^#\s])")
_LABEL = re.compile(r"^ {0,3}(?:[-*+]\s+)?(?:\*\*)?([\w.()\[\] ]{1,40}?)(?:\*\*)?\s*[:)](?!=)")


_NUMBER = re.compile(r"^ {0,3}(?:[-*+]\s+)?([A-Za-z]?\d[\w.()]{0,14}?)\.?\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Section:
    """One answer as it stands in the file: its heading's line, and the lines below."""

    question: str
    line: int
    heading_rest: str
    body: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Sections:
    """The answers of a file, and what is wrong with its headings: by question, or for the file."""

    found: tuple[Section, ...]
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Marker:
    """A line that may begin an answer; only a true heading may also be an unknown one."""

    line: int
    level: int
    text: str
    rest: str = ""
    heading: bool = True


@dataclass(slots=True)
class _Walk:
    """Where a walk over the markers stands."""

    lines: Sequence[str]
    groups: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    open: tuple[str, _Marker, str] | None = None
    found: list[Section] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def close(self, end: int) -> None:
        """End the answer that is open before this line."""
        if self.open is not None:
            question, marker, rest = self.open
            below = [(n, self.lines[n - 1]) for n in range(marker.line + 1, end)]
            first = [(marker.line, marker.rest)] if marker.rest else []
            self.found.append(Section(question, marker.line, rest, (*first, *below)))
        self.open = None


def read_sections(text: str, wanted: Sequence[Wanted]) -> Sections:
    """The answers in a Markdown text, in its order."""
    names = Names({each.id: each.title for each in wanted})
    lines = _without_comments(text).split("\n")
    tokens, open_fences = _blocks(lines)
    markers = list(islice(_markers(tokens, lines), MOST_HEADINGS))
    known = {each.id: each for each in wanted}
    walk = _walked(markers, lines, names, known)
    found = {section.question for section in walk.found}
    labels = islice(_labels(tokens, lines, names), MOST_HEADINGS)
    missing = {canonical(each) for each in known if each not in found and len(each) > 1}
    more = [each for each in labels if not found or canonical(each.text) in missing]
    if more:
        walk = _walked(sorted([*markers, *more], key=_line_of), lines, names, known)
    unclosed = [("", f"the code block that begins in line {n} is not closed") for n in open_fences]
    return Sections(tuple(walk.found), (*walk.notes, *unclosed))


def _line_of(marker: _Marker) -> int:
    return marker.line


def _without_comments(text: str) -> str:
    """The text with its comments blank, line by line as before."""
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        pieces += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join([*pieces, text[position:]])


def _blocks(lines: Sequence[str]) -> tuple[list[Token], list[int]]:
    """The blocks of the text; a code block that nobody closed swallows nothing."""
    lines, unclosed = list(lines), []
    for _ in range(8):
        tokens = _READER.parse("\n".join(lines))
        last = tokens[-1] if tokens else None
        if last is None or last.type != "fence" or last.map is None:
            break
        start = last.map[0]
        ends = [line for line in lines[start + 1 :] if line.strip()]
        if ends and ends[-1].strip().startswith(last.markup):
            break
        unclosed.append(start + 1)
        lines[start] = ""
    return tokens, unclosed


def _markers(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[_Marker]:
    for token, inside in pairwise(tokens):
        if token.map is None:
            continue
        if token.type == "heading_open":
            yield _Marker(token.map[0] + 1, len(token.markup), _unmarked(inside.content))
        elif token.type == "paragraph_open":
            yield from _informal(token.map, lines)


def _informal(span: list[int], lines: Sequence[str]) -> Iterator[_Marker]:
    """Lines of a paragraph that were meant as headings."""
    for number in range(span[0], span[1]):
        line = lines[number]
        if tight := _TIGHT.match(line):
            text = _unmarked(line[tight.end() :].rstrip("# "))
            yield _Marker(number + 1, len(tight[1]), text, heading=False)
        elif number == span[0] and (bold := _BOLD.match(line[:LOOKED_AT])):
            rest = line[bold.end() :].strip(" \t–—")
            yield _Marker(number + 1, BOLD_LEVEL, bold[1], rest, heading=False)


def _labels(tokens: Sequence[Token], lines: Sequence[str], names: Names) -> Iterator[_Marker]:
    """Lines such as `1b: ...` and `1.1 C`, for files without headings that name a question."""
    for token in tokens:
        for number in range(*(token.map or (0, 0))) if token.type == "paragraph_open" else ():
            name, rest = _numbered(lines[number])
            if name and not names.meant(name).rest:
                yield _Marker(number + 1, BOLD_LEVEL, name, rest, heading=False)


def _numbered(line: str) -> tuple[str, str]:
    """What a line begins with that may be an id, and what follows: `1b: ...`, `1.1 C`."""
    if found := _LABEL.match(line[:LOOKED_AT]):
        return found[1], line[found.end() :].strip()
    found = _NUMBER.match(line[:LOOKED_AT])
    rest = line[found.end() :].strip() if found else ""
    value = is_like(rest, "choices") or is_like(rest, "formula")
    return (found[1], rest) if found and value else ("", "")


def _unmarked(heading: str) -> str:
    return re.sub(r"\*\*|__|`|\\(?=[^\w])", "", heading).strip()


def _walked(
    markers: Sequence[_Marker], lines: Sequence[str], names: Names, wanted: dict[str, Wanted]
) -> _Walk:
    walk = _Walk(lines)
    for marker in markers:
        while walk.groups and walk.groups[-1][0] >= marker.level:
            walk.groups.pop()
        above = walk.groups[-1][1] if walk.groups else ()
        meant = names.meant(marker.text, above)
        if not _belongs(marker, meant, walk, wanted):
            _begin(marker, meant, walk, names)
    walk.close(len(lines) + 1)
    return walk


def _belongs(marker: _Marker, meant: Meant, walk: _Walk, wanted: dict[str, Wanted]) -> bool:
    """Whether the line is a part of the answer that is open: `### formula`, `### Proof`."""
    if walk.open is None:
        return not marker.heading and not meant.question
    question, before, _ = walk.open
    deeper = marker.level > before.level
    if label_of(marker.text, wanted[question]):
        return True
    if meant.question:
        return deeper and meant.lone
    return deeper or not marker.heading


def _begin(marker: _Marker, meant: Meant, walk: _Walk, names: Names) -> None:
    """Open the answer that the line names, or note that it names none."""
    started = bool(walk.found) or walk.open is not None
    walk.close(marker.line)
    if meant.question:
        walk.open = (meant.question, marker, meant.rest)
    elif meant.either:
        both = " or ".join(f"`{name}`" for name in meant.either)
        note = f"the heading `{marker.text}` in line {marker.line} could mean {both}, so what "
        walk.notes.append((meant.either[0], f"{note}stands below it was not read: write the id"))
    elif meant.group:
        walk.groups.append((marker.level, meant.group))
    elif started or looks_like_id(marker.text):
        walk.notes.append(_unknown(marker, names))


def _unknown(marker: _Marker, names: Names) -> tuple[str, str]:
    near = names.nearest(marker.text)
    remedy = f"; did you mean `{near}`?" if near else "; nothing below it was read"
    return near, f"the heading `{marker.text}` in line {marker.line} is no question{remedy}"
