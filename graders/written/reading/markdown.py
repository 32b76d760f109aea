"""Find the answers in answers.md: one heading per question, with the answer below it.

    text -- markdown-it --> headings, code blocks, paragraphs -- names --> one Section per question

A line that is completely bold and `##1b` without a space also count as headings if they name a
question. For questions without a heading, `1b: ...` at the start of a line does.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from graders.written.reading.names import (
    Meant,
    Names,
    asks,
    canonical,
    group_of,
    looks_like_id,
)
from graders.written.reading.plain import is_like
from graders.written.reading.question_parts import QuestionParts, label_of
from graders.written.reading.split import LOOKED_AT, Section, Sections

_LETTERED = ("choice", "choices", "true_false")
BOLD_LEVEL = 7  # below all headings
ALONE_LEVEL = 6  # of a line `Question 1`, above those of its parts: `(b) ...`
MOST_HEADINGS = 2000
_READER = MarkdownIt("zero").enable(["heading", "fence"]).disable("inline")
# Matches `**1b:**` or `- **Question 2**`.
_BOLD = re.compile(r"^ {0,3}(?:[-*+]\s+)?(?:\*\*|__)([^*]{1,150}?)(?:\*\*|__)\s*[:.]?")
_BULLET = re.compile(r"^ {0,3}[-*+]\s")
_TIGHT = re.compile(r"^ {0,3}(#{1,6})(?=[^#\s])")  # `##1b`
# Matches `1b:` or `- **1 (b)**:` or `1(a)(i):`.
_LABEL = re.compile(
    r"^ {0,3}(?:[-*+]\s++)?(?:\*\*)?([\w.()\[\] ]{1,40}?)(?:\*\*)?\s*+[:)](?![=:(])"
)
# Matches `Question 1 (b)` alone on its line.
_ALONE = re.compile(r"^ {0,3}[*_]{0,2}([^\W\d_]{2,12}\s[\w.()\[\] ]{1,20}?)[.:]?[*_]{0,2}\s*$")
# A bold id that begins an answer within a line (`**1b.**`), and words before one that only refers
# to an answer (`see`).
_INLINE = re.compile(r"(?:\*\*|__)\(?((?:[A-Za-z]?\d|[a-z]\.)[\w.()]{0,14}?)[.:]?(?:\*\*|__)[.:]?")
# Matches `see ` or `(`.
_REFERS = re.compile(
    r"(?:\b(?:in|see|as|from|of|to|with|by|and|or|question|part|like|for|than|the|cf\.?)|[,(:])\s*$",
    re.IGNORECASE,
)
# Matches `(ii) ...` or `b. ...`.
_ITEM = re.compile(r"^ {0,3}(?:[-*+]\s+)?(?:\*\*)?(\(?(?:[ivx]+|[a-z])[.)]\.?)(?:\*\*)?(?:\s+|$)")
# Matches `1.1 C` or `Q2 true`.
_NUMBER = re.compile(r"^ {0,3}(?:[-*+]\s+)?([A-Za-z]?\d[\w.()]{0,14}?)\.?\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class _Marker:
    """A line that may begin an answer; only a true heading may have an unknown name.

    `rest` is the text after it on its line, `before` the text before it. `listed` means that the
    line begins like an item of a list, which `(ii) ...` after 1d.i may be.
    """

    line: int
    level: int
    text: str
    rest: str = ""
    heading: bool = True
    before: str = ""
    listed: bool = False


@dataclass(frozen=True, slots=True)
class _Open:
    """A heading whose answer has not ended: its question, or those that it may mean.

    `after` is the question before a heading that names none.
    """

    marker: _Marker
    question: str = ""
    rest: str = ""
    maybe: tuple[str, ...] = ()
    after: str = ""


@dataclass(slots=True)
class _Walk:
    """The state of a walk over the markers.

    `missing` are the questions that a bare part name may mean. `beside` is the group of the last
    question; it is () once that answer numbers its own points: `### (i)` below 1d.i.
    """

    lines: Sequence[str]
    missing: Set[str] = frozenset()
    beside: tuple[str, ...] = ()
    groups: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    open: _Open | None = None
    read: Sections = field(default_factory=Sections)

    @property
    def answering(self) -> _Open | None:
        """The open answer, if its question is known."""
        return self.open if self.open is not None and self.open.question else None

    def is_bare(self, end: int) -> bool:
        """Return whether the open answer is empty up to this line."""
        if self.open is None or self.open.marker.rest or self.open.rest:
            return False
        return not any(line.strip() for line in self.lines[self.open.marker.line : end - 1])

    def close(self, end: int, before: str = "") -> None:
        """End the open answer before this line, or after the beginning of it."""
        if self.open is not None:
            marker = self.open.marker
            below = [(n, self.lines[n - 1]) for n in range(marker.line + 1, end)]
            below += [(end, before)] if before else []
            first = [(marker.line, marker.rest)] if marker.rest else []
            if self.open.question:
                body = (*first, *below)
                section = Section(self.open.question, marker.line, self.open.rest, body)
                self.read.sections.append(section)
            elif any(line.strip() for _, line in (*first, *below)):
                text = "\n".join(self.lines[marker.line - 1 : end - 1]).strip()
                self.read.unread += [(question, text) for question in self.open.maybe]
                self.read.outside.append(text)
                if self.open.after:
                    self.read.left.append(Section(self.open.after, marker.line, "", tuple(below)))
        self.open = None


def read_sections(text: str, questions: Sequence[QuestionParts]) -> Sections:
    """Return the answers in a Markdown text, in order."""
    names = Names({question.id: question.title for question in questions})
    lines = _without_comments(text).split("\n")
    tokens, open_fences = _blocks(lines)
    markers = list(islice(_markers(tokens, lines, names), MOST_HEADINGS))
    by_id = {question.id: question for question in questions}
    read = _walked(markers, lines, names, by_id)
    answered = {section.question for section in read.sections}
    labels = _without_option(list(islice(_labels(tokens, lines, names), MOST_HEADINGS)), names)
    missing = {name for name in by_id if name not in answered}
    unnamed = {canonical(name) for name in missing if len(name) > 1}
    more = [label for label in labels if not answered or canonical(label.text) in unnamed]
    if missing:
        taken = {marker.line for marker in (*markers, *more)}
        items = (item for item in _items(tokens, lines) if item.line not in taken)
        more += islice(items, MOST_HEADINGS)
        markers = sorted([*markers, *more], key=lambda marker: marker.line)
        read = _walked(markers, lines, names, by_id, missing)
    read.notes += [
        ("", f"the code block that begins in line {n} is not closed") for n in open_fences
    ]
    return read


def _without_comments(text: str) -> str:
    """Return the text with comments removed and all line numbers unchanged."""
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        pieces += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join([*pieces, text[position:]])


def _blocks(lines: Sequence[str]) -> tuple[list[Token], list[int]]:
    """Return the text's blocks; a code block that is never closed does not swallow the rest."""
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


def _markers(tokens: Sequence[Token], lines: Sequence[str], names: Names) -> Iterator[_Marker]:
    for token, inside in pairwise(tokens):
        if token.map is None:
            continue
        if token.type == "heading_open" and inside.content.strip():
            yield _Marker(token.map[0] + 1, len(token.markup), _unmarked(inside.content))
        elif token.type == "paragraph_open":
            yield from _informal(token.map, lines, names)


def _informal(span: list[int], lines: Sequence[str], names: Names) -> Iterator[_Marker]:
    """Yield what was meant as a heading in a paragraph."""
    for number in range(span[0], span[1]):
        line = lines[number]
        if tight := _TIGHT.match(line):
            text = _unmarked(line[tight.end() :].rstrip("# "))
            yield _Marker(number + 1, len(tight[1]), text, heading=False)
            continue
        inline = list(_inline(line, names))
        first = number == span[0] or _BULLET.match(line)
        if first and (bold := _BOLD.match(line[:LOOKED_AT])):
            inline = [bold, *(match for match in inline if match.start() >= bold.end())]
        ends = [*(match.start() for match in inline[1:]), len(line)]
        for at, (match, end) in enumerate(zip(inline, ends, strict=False)):
            rest = line[match.end() : end].strip(" \t–—")
            before = "" if at else line[: match.start()].strip(" \t-*+>")
            yield _Marker(number + 1, BOLD_LEVEL, match[1], rest, heading=False, before=before)


def _inline(line: str, names: Names) -> Iterator[re.Match[str]]:
    """Yield the bold ids that begin an answer in a line and are not just references."""
    for match in _INLINE.finditer(line[: 10 * LOOKED_AT]):
        meant = names.meant(match[1])
        alone = meant.question and not meant.rest and not meant.lone
        if alone and not _REFERS.search(line[max(0, match.start() - 20) : match.start()]):
            yield match


def _labels(tokens: Sequence[Token], lines: Sequence[str], names: Names) -> Iterator[_Marker]:
    """Yield lines such as `1b: ...` and `1.1 C`, for files whose headings name no question."""
    for token in tokens:
        span = range(*(token.map or (0, 0))) if token.type == "paragraph_open" else range(0)
        for number in span:
            alone = _ALONE.match(lines[number])
            if alone and asks(alone[1]) and (number == span.start or alone[1][0].isupper()):
                meant = names.meant(alone[1])
                if (meant.question or meant.group) and not meant.rest:
                    yield _Marker(number + 1, ALONE_LEVEL, alone[1])
                    continue
            name, rest = _numbered(lines[number])
            part = _ITEM.match(rest[:LOOKED_AT])  # `(c) (i) ...`
            if part and names.meant(f"{name} {part[1]}").question not in (
                "",
                names.meant(name).question,
            ):
                name, rest = f"{name} {part[1]}", rest[part.end() :].strip()
            if name and not names.meant(name).rest:
                yield _Marker(number + 1, BOLD_LEVEL, name, rest, heading=False)


def _without_option(labels: Sequence[_Marker], names: Names) -> Sequence[_Marker]:
    """Leave out a capital that is the only letter: `(A) ...` may be an option, and no question."""
    letters = {label.text.strip("(") for label in labels if names.meant(label.text).lone}
    option = letters.pop() if len(letters) == 1 else ""
    return [label for label in labels if not option.isupper() or label.text.strip("(") != option]


def _items(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[_Marker]:
    """Yield lines such as `(ii) ...`."""
    for token in tokens:
        for number in range(*(token.map or (0, 0))) if token.type == "paragraph_open" else ():
            if match := _ITEM.match(lines[number][:LOOKED_AT]):
                rest = lines[number][match.end() :].strip()
                yield _Marker(number + 1, BOLD_LEVEL, match[1], rest, heading=False, listed=True)


def _numbered(line: str) -> tuple[str, str]:
    """Return a possible id at the start of a line, and the text after it: `1b: ...`, `1.1 C`."""
    if match := _LABEL.match(line[:LOOKED_AT]):
        return match[1], line[match.end() :].strip()
    match = _NUMBER.match(line[:LOOKED_AT])
    rest = line[match.end() :].strip() if match else ""
    value = any(is_like(rest, kind) for kind in ("choices", "formula", "vector"))
    return (match[1], rest) if match and value else ("", "")


def _unmarked(heading: str) -> str:
    return re.sub(r"\*\*|__|`|\\(?=[^\w])", "", heading).strip()


def _walked(
    markers: Sequence[_Marker],
    lines: Sequence[str],
    names: Names,
    questions: dict[str, QuestionParts],
    missing: Set[str] = frozenset(),
) -> Sections:
    walk = _Walk(lines, missing)
    for marker in markers:
        while walk.groups and walk.groups[-1][0] >= marker.level:
            walk.groups.pop()
        above = walk.groups[-1][1] if walk.groups else ()
        meant = names.meant(marker.text, above)
        if marker.listed or not (meant.question or meant.either or meant.group):
            meant = _continued(marker, walk, names, questions)
        elif meant.lone and walk.is_bare(marker.line):
            meant = _first_of_group(marker, walk, names) or meant
        if marker.listed and not _is_next(meant, walk, questions):
            continue
        if not _belongs(marker, meant, walk, questions):
            _begin(marker, meant, walk, names)
    walk.close(len(lines) + 1)
    preamble = lines[: min((section.line for section in walk.read.sections), default=1) - 1]
    walk.read.outside.append("\n".join(line for line in preamble if not line.startswith(">")))
    return walk.read


def _continued(
    marker: _Marker, walk: _Walk, names: Names, questions: dict[str, QuestionParts]
) -> Meant:
    """Return the missing question that a bare part name means: `### (ii)` after 1d.i is 1d.ii."""
    answering = walk.answering
    lettered = answering is not None and questions[answering.question].kind in _LETTERED
    if lettered and not (marker.heading and not walk.is_bare(marker.line)):
        return Meant()  # `(b)` below 1a may be its answer
    deeper = answering is not None and marker.level > answering.marker.level
    deeper = deeper or marker.listed
    meant = names.beside(marker.text, walk.beside, climb=not deeper)
    key = meant.question or meant.group
    if key and answering is not None and key in (answering.question, group_of(answering.question)):
        walk.beside = ()
        return Meant()
    members = {meant.question, *(names.members(meant.group) if meant.group else ())}
    return Meant() if walk.missing.isdisjoint(members) else meant


def _first_of_group(marker: _Marker, walk: _Walk, names: Names) -> Meant | None:
    """Return what a letter right below its group's heading means: `# i` below `# c` is c.i."""
    meant = names.beside(marker.text, walk.beside, climb=False)
    return meant if walk.open and meant.question in walk.open.maybe else None


def _is_next(meant: Meant, walk: _Walk, questions: dict[str, QuestionParts]) -> bool:
    """Return whether an item is the next question: in a free text alone it may be a point of it."""
    answering = walk.answering
    if answering is None or not meant.question:
        return False
    return questions[answering.question].kind is not None


def _belongs(
    marker: _Marker, meant: Meant, walk: _Walk, questions: dict[str, QuestionParts]
) -> bool:
    """Return whether the line is part of the open answer: `### formula`, `### Proof`."""
    answering = walk.answering
    if answering is None:
        return not marker.heading and not meant.question
    deeper = marker.level > answering.marker.level
    if label_of(marker.text, questions[answering.question]):
        return True
    if meant.question:
        return meant.lone and (deeper or _is_option(marker, meant, walk, questions))
    strange = not (meant.either or meant.group or looks_like_id(marker.text))
    return deeper or not marker.heading or (strange and walk.is_bare(marker.line))


def _is_option(
    marker: _Marker, meant: Meant, walk: _Walk, questions: dict[str, QuestionParts]
) -> bool:
    """Return whether a letter is a chosen option and no question: `(A) ...` below `h:`."""
    answering = walk.answering
    if answering is None or marker.heading or questions[answering.question].kind not in _LETTERED:
        return False
    order = list(questions)
    earlier = order.index(meant.question) < order.index(answering.question)
    return earlier and walk.is_bare(marker.line)


def _begin(marker: _Marker, meant: Meant, walk: _Walk, names: Names) -> None:
    """Open the answer that the line names, or note that it names none."""
    walk.close(marker.line, marker.before)
    started = bool(walk.read.sections)
    if meant.question:
        walk.beside = group_of(meant.question)
        walk.open = _Open(marker, meant.question, meant.rest)
    elif meant.either and not meant.group:
        both = " or ".join(f"`{name}`" for name in meant.either)
        note = f"the heading `{marker.text}` in line {marker.line} could mean {both}, so a person "
        walk.read.notes.append((meant.either[0], f"{note}reads the text below it; write the ID"))
        walk.open = _Open(marker, maybe=meant.either)
    elif meant.group:
        walk.beside = meant.group
        walk.groups.append((marker.level, meant.group))
        walk.open = _Open(marker, maybe=(*names.members(meant.group), *meant.either))
    elif started or looks_like_id(marker.text):
        near, note = _unknown(marker, names, walk.beside)
        walk.read.notes.append((near, note))
        after = walk.read.sections[-1].question if started else ""
        maybe = (near,) if near or looks_like_id(marker.text) else ()
        walk.open = _Open(marker, maybe=maybe, after=after)


def _unknown(marker: _Marker, names: Names, beside: tuple[str, ...]) -> tuple[str, str]:
    near = names.beside(marker.text, beside).question or names.nearest(marker.text)
    remedy = f"; did you mean `{near}`?" if near else "; nothing below it was read"
    return near, f"the heading `{marker.text}` in line {marker.line} is not a question{remedy}"
