"""The sections of an answers file, and the values of one answer by part."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from graders.written.reading.plain import bare, is_empty
from graders.written.reading.question_parts import QuestionParts

Line = tuple[int, str]
LOOKED_AT = 200  # characters of a line that may name something; the rest belongs to the answer
FENCE = re.compile(r"^\s*(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Section:
    """One answer as written in the file: its heading's line, and the lines below."""

    question: str
    line: int
    heading_rest: str
    body: tuple[Line, ...]


@dataclass(slots=True)
class Sections:
    """The answers of a file, and problems with its headings: by question, or for the file.

    `unread` is text below ambiguous headings, by the question that may be meant ("" if it may be
    any). `outside` is text above the first heading, or below a heading that names no question; the
    latter is in `left` as well, with the question before it.
    """

    sections: list[Section] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    left: list[Section] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a part, and where it is."""

    text: str
    line: int
    file: str = ""


@dataclass(slots=True)
class Split:
    """The values of one answer by part; several if a part is given more than once.

    `unplaced` are lines that may contain a missing part, `leftover` those that belong to no part:
    they may answer a question beside this one. `guessed` means that no line was a value, so one
    was searched for in the text.
    """

    parts: dict[str, list[Value]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unplaced: list[Line] = field(default_factory=list)
    leftover: list[Line] = field(default_factory=list)
    guessed: bool = False

    def add(self, part: str, lines: Sequence[Line], question: QuestionParts) -> None:
        """Store these lines as a value of the part, unless they are empty."""
        text = "\n".join(line for _, line in lines)
        text = bare(text, question.kind) if part in question.machine else text.strip()
        if not is_empty(text):
            first = next(number for number, line in lines if line.strip())
            self.parts.setdefault(part, []).append(Value(text, first))


def paragraphs_of(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Split lines at blank ones, but not inside a code block or a displayed formula."""
    paragraph: list[Line] = []
    fence, display = False, False
    for number, line in lines:
        fence = fence != bool(FENCE.match(line))
        display = display != (line.count("$$") % 2 == 1)
        if not line.strip() and not fence and not display:
            if paragraph:
                yield paragraph
            paragraph = []
        else:
            paragraph.append((number, line))
    if paragraph:
        yield paragraph


def listed(parts: Sequence[str]) -> str:
    """Return the names in backticks, the last one with `and`."""
    names = [f"`{part}`" for part in parts]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
