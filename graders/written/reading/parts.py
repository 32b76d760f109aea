"""Divide the text below a question into its parts: `formula: ...`, `### text`, `- q1: ...`.

lines -- labels --> chunks -- the rule for unlabeled text --> text by part, with its line
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches

from graders.written.reading.placing import detach_conditions, join_text, place, place_from_text
from graders.written.reading.question_parts import QuestionParts, label_of, spellings
from graders.written.reading.split import FENCE, LOOKED_AT, Line, Split, listed, paragraphs_of

# Matches `formula: x` or `- q1: x` or `**q1** = x`; `*+`: blanks are read once.
_LABEL = re.compile(
    r"^\s*(?:[-*+]\s+|\d+[.)]\s+|#{1,6}\s*)?(?P<open>(?:\*\*|__|`|\$|\\\(|\\\[|\\begin\{aligned\}\s*)*)\s*"
    r"(?P<name>\\?[A-Za-z1-9][\w{}\\ $\-]{0,30}?)\s*+(?P<close>(?:\*\*|__|`|\$)*+)\s*+"
    r"(?P<sign>:(?!=)|：|:=|=|&=|→|->|=>|(?<=\s)[-–—](?=\s))\s*"
)
_UNOPENED = re.compile(r"\*\*(?=[\s.,;]*$)")  # in `**q1 = a**`, after the label
# Matches `(ii)` or `- 1.` or `-`, before the name of a value.
_ITEM = re.compile(r"\s*(?:(?:[-*+]\s+)?\(?(?:\d{1,2}|[ivx]+|[a-z])[.)]|[-*+])\s*")
_POINTS = re.compile(r"\([\d.]{1,6} points?\) ")
_NOTATION = re.compile(r"(?:`|written like this:|a person reads it)$")
_STRANGE = re.compile(r"[^:=：]{1,40}[:=：]\s{0,9}\S")
_STRANGE_NAME = re.compile(r"\s*[^\W\d_]{3,}[^:=：,;()]{0,30}[:：]\s{0,9}\S")  # `Validierung: 872`
_NEXT = re.compile(  # where another named value may begin on a line: `..., 2 heads: ...`
    r"(?:[,;，；、]|\.(?=\s)|\b(?:and|und|et|y|e)\b)\s{0,9}"
    r"(?P<label>[$*`]{0,4}\s?(?P<name>[A-Za-z1-9][\w{}\\ \-]{0,30}?)\s?[$*`]{0,4}\s?"
    r"(?:[:：](?!=)|→|->|=>))"
)
# Matches `### formula` or `**formula:**`.
_HEADING = re.compile(r"^\s*(?:#{1,6}\s*(?P<head>.+?)[\s#:]*|(?:\*\*|__)(?P<bold>.+?)(?:\*\*|__))$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE_ROW = re.compile(r"^[\s|:=-]+$")
_RULE = re.compile(r"^\s*([-*_])(?:\s*\1){2,}\s*$")
_SEVERAL = re.compile(r"(?<!\s)\s*(?:[,;&/]|\band\b|\bund\b)\s*")  # between the names of parts
_LETTERS = re.compile(r"[^\W\d_]{3}")  # a line without words may be an answer: `> (3, 2, -4)`
_NUMERIC = re.compile(r"^\s*[\[({|+\-.\d]")


@dataclass(slots=True)
class _Chunk:
    """The lines below one label; "" for those above the first."""

    part: str
    lines: list[Line]


def split_parts(body: Iterable[Line], question: QuestionParts) -> Split:
    """Return the parts of one answer; notes name what could not be placed."""
    split = Split()
    body = _unfenced(tuple(body)) if question.machine else body
    if not question.machine:
        split.add(question.text, _unlabelled(_own_lines(body, question), question), question)
        return split
    chunks = _chunks(_own_lines(body, question), question, split)
    loose: list[Line] = []
    for chunk in chunks:
        value, rest = _cut(chunk, question)
        loose += rest
        if chunk.part:
            split.add(chunk.part, value, question)
    _keep_bare(loose, question, split)
    place(loose, question, split)
    place_from_text(question, split)
    _keep_strange(question, split)
    _keep_named(question, split)
    detach_conditions(question, split)
    join_text(question, split)
    return split


def _unfenced(body: Sequence[Line]) -> Sequence[Line]:
    """Return the lines without the code block that contains all of them, if there is one."""
    places = [at for at, (_, line) in enumerate(body) if line.strip() and not line.startswith(">")]
    marks = [at for at in places if FENCE.match(body[at][1])]
    if len(marks) != 2 or marks != [places[0], places[-1]]:
        return body
    return [*body[: marks[0]], *body[marks[0] + 1 : marks[1]], *body[marks[1] + 1 :]]


def _unlabelled(lines: Sequence[Line], question: QuestionParts) -> list[Line]:
    """Return a free text without the label that its first line may begin with."""
    at = next((at for at, (_, line) in enumerate(lines) if line.strip()), None)
    if at is None:
        return []
    part, rest = _labelled(lines[at][1], "", {""}, question)
    return [(lines[at][0], rest), *lines[at + 1 :]] if part else list(lines[at:])


def _own_lines(body: Iterable[Line], question: QuestionParts) -> list[Line]:
    """Return what the student wrote: without rules and the text of the template."""
    lines = _without_rows(_without_template(body, question), question)
    return [
        (number, "" if _RULE.match(line[:LOOKED_AT]) else line.rstrip())
        for number, line in _broken(lines, question)
    ]


def _without_template(body: Iterable[Line], question: QuestionParts) -> Iterator[Line]:
    """Yield the lines; those of the template are empty, with `>` or, in its order, without it."""
    quoted = " ".join(question.quoted.split())
    coming = [line.strip() for line in question.quoted.split("\n") if line.strip()]
    for number, line in _without_block(body, quoted):
        if coming and line.strip() == coming[0]:
            del coming[0]
            line = ""
        if line.lstrip().startswith(">"):
            line = line.lstrip(" >")
            words = " ".join(line.split())
            whole = words in question.quoted.split("\n")
            if whole or (words in quoted and len(words.split()) > 2 and _LETTERS.search(words)):
                line = ""
        yield number, line


def _without_block(body: Iterable[Line], quoted: str) -> Iterator[Line]:
    """Yield the lines; those of any version's template are empty, if they have their `>`.

    They are the first text below the heading and begin with `> (2 points)`. An answer may follow
    directly in the same quote: after the present words, or after the last line on notation.
    """
    lines = list(body)
    start = next((at for at, (_, line) in enumerate(lines) if line.strip()), len(lines))
    words, end, last = "", start, 0
    while end < len(lines) and lines[end][1].lstrip().startswith(">") and words != quoted:
        words = " ".join(f"{words} {lines[end][1].lstrip(' >')}".split())
        end += 1
        last = end if _NOTATION.search(words) else last
    ours = _POINTS.match(words) is not None
    end = end if words == quoted or not last else last
    for at, (number, line) in enumerate(lines):
        yield number, "" if ours and at < end else line


def _between(question: QuestionParts) -> re.Pattern[str] | None:
    """Return a pattern for the text between two named values on a line: `$q_1 = a$, $q_2 = b$`."""
    if len(question.machine) < 2:
        return None
    names = _spelled(question.machine)
    named = rf"[$*`]{{0,4}}\s{{0,2}}(?:{names})\}}?[$*`]{{0,4}}\s{{0,9}}"
    return re.compile(
        rf"(?:[,;，；、]|\b(?:and|und|et|y|e)\b|\\q?quad|\\\\)\s{{0,9}}(?={named}(?:&?=|[:：→]|->|=>))"
        rf"|(?<=[\s(])(?={named}=(?!=))"
    )


def _spelled(parts: Iterable[str]) -> str:
    """Return a pattern that finds a part's name in a text: `q1`, `Q_1`, `q_{1`."""
    names = [name for part in parts for name in spellings(part)]
    return "|".join(r"_?\{?".join(map(_either_case, name)) for name in names)


def _either_case(letter: str) -> str:
    if letter.isdigit():
        return f"[{letter}{'₀₁₂₃₄₅₆₇₈₉'[int(letter)]}]"
    return f"[{letter.lower()}{letter.upper()}]" if letter.isalpha() else re.escape(letter)


def _without_rows(body: Iterable[Line], question: QuestionParts) -> Iterator[Line]:
    """Yield the lines; a table that names the parts becomes one line per part: `| q1 | ... |`."""
    columns: list[str] = []
    for number, line in body:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        is_row = len(question.machine) > 1 and question.kind != "table" and _ROW.match(line)
        named = [label_of(cell, question) for cell in cells] if is_row else []
        if is_row and sum(map(bool, named)) > 1:
            columns = named
        elif is_row and columns and not _RULE_ROW.match(line):
            yield from (
                (number, f"{name}: {cell}")
                for name, cell in zip(columns, cells, strict=False)
                if name
            )
        elif is_row and named[0] and len(cells) > 1:
            yield number, f"{cells[0]}: {' '.join(cells[1:])}"
        elif not (is_row and (columns or _RULE_ROW.match(line))):
            columns = []
            yield number, line


def _broken(body: Iterable[Line], question: QuestionParts) -> Iterator[Line]:
    """Yield the lines, split if another value begins on them."""
    between = _between(question)
    for number, line in body:
        pieces = between.split(line) if between and len(line) < 10 * LOOKED_AT else [line]
        for piece in pieces if len(pieces) == 1 else (p for p in pieces if not _ITEM.fullmatch(p)):
            yield from ((number, text) for text in _named(piece, question))


def _named(line: str, question: QuestionParts) -> Iterator[str]:
    """Split a line such as `1 head: ..., 2 heads: ...` at any name of a part."""
    start, many = 0, len(question.machine) > 1 and len(line) < 10 * LOOKED_AT
    for match in _NEXT.finditer(line) if many else ():
        if label_of(match["name"], question) in question.machine:
            yield line[start : match.start()]
            start = match.start("label")
    yield line[start:]


def _chunks(lines: Iterable[Line], question: QuestionParts, split: Split) -> list[_Chunk]:
    chunks, fence, parts = [_Chunk("", [])], "", {""}
    for number, line in lines:
        if mark := FENCE.match(line):
            fence = "" if mark[1][:3] == fence else (fence or mark[1][:3])
        part, rest = ("", line) if fence else _labelled(line, chunks[-1].part, parts, question)
        if part:
            chunks.append(_Chunk(part, []))
            parts.add(part)
        elif not fence:
            _note_strange(number, line, question, split)
        chunks[-1].lines.append((number, rest))
    return chunks


def _labelled(line: str, now: str, parts: Set[str], question: QuestionParts) -> tuple[str, str]:
    """Return the part that a line begins and the text after its label.

    If the line begins no part, return "" and the line.
    """
    in_text = now == question.text != ""
    if len(line) <= LOOKED_AT and (alone := _HEADING.match(line)):
        part = label_of((alone["head"] or alone["bold"]).rstrip(": "), question)
        if part and not (in_text and part in parts):
            return part, ""
    match = _LABEL.match(line[:LOOKED_AT])
    if match is None:
        return "", line
    part = label_of(match["name"], question)
    equated = match["sign"] not in (":", "：")
    single = len(question.machine) < 2 and match["name"].casefold() != part
    if not part or (equated and (part not in question.machine or single)):
        return "", line
    if in_text and (equated or part in parts):
        return "", line  # an explanation that mentions `q1 = ...` is not a new answer
    rest = line[match.end() :]
    if match["open"] and not match["close"]:  # as in `**formula:** ...`
        rest = rest.removeprefix("**").removeprefix("__")
        if rest.count("**") == 1:
            rest = _UNOPENED.sub("", rest)
    opened = match["open"].replace("*", "").replace("_", "")
    if "$" in match["name"]:  # as in `$k$ heads: ...`
        opened = opened.replace("$", "")
    return part, (opened + rest).strip()


def _keep_strange(question: QuestionParts, split: Split) -> None:
    """Keep unknown named lines of other parts if a part is missing: they may be that part."""
    if question.kind == "table" or all(part in split.parts for part in question.machine):
        return
    for part in question.machine:
        for value in split.parts.get(part, ()):
            first, *later = value.text.split("\n")
            beside = re.split(r"[,;]\s", first[:LOOKED_AT])[1:]
            strange = [line for line in later if _STRANGE.match(line)]
            strange += [piece for piece in beside if _STRANGE_NAME.match(piece)]
            split.unplaced += [(value.line, line) for line in strange]


def _keep_bare(lines: Iterable[Line], question: QuestionParts, split: Split) -> None:
    """Keep names of missing parts before another one's: `q1 and q2: ...` may mean both.

    Without a free text, all lines without a label are kept anyway.
    """
    for number, line in lines if question.text else ():
        names = [label_of(name, question) for name in _SEVERAL.split(line[:LOOKED_AT])]
        if any(name in question.machine and name not in split.parts for name in names) and all(
            names
        ):
            split.unplaced.append((number, line))


def _keep_named(question: QuestionParts, split: Split) -> None:
    """Keep the lines that name a missing part in another part's value: `q1: a / q2: b`."""
    missing = [part for part in question.machine if part not in split.parts]
    if not missing or question.kind == "table":
        return
    named = re.compile(rf"(?<![^\W_])(?:{_spelled(missing)})(?![^\W_])")
    values = [value for part in question.machine for value in split.parts.get(part, ())]
    split.unplaced += [(value.line, value.text) for value in values if named.search(value.text)]


def _note_strange(number: int, line: str, question: QuestionParts, split: Split) -> None:
    """Note a label that is almost one of the question's, such as `formular:`."""
    match = _LABEL.match(line[:LOOKED_AT])
    if match is None or len(question.parts) < 2 or match["sign"] not in (":", "："):
        return
    if label_of(match["name"], question):
        return  # named again in an explanation
    name = match["name"].strip().casefold()
    if get_close_matches(name, [part.casefold() for part in question.parts], n=1, cutoff=0.75):
        split.notes.append(
            f"`{name}` in line {number} is not a part of {question.id}, which has "
            f"{listed(question.parts)}"
        )


def _cut(chunk: _Chunk, question: QuestionParts) -> tuple[list[Line], list[Line]]:
    """Return the lines of a value, and the unlabeled paragraphs after it."""
    if not chunk.part:
        return [], chunk.lines
    if chunk.part not in question.machine:
        return chunk.lines, []
    paragraphs = list(paragraphs_of(chunk.lines))
    size = 1
    while size < len(paragraphs) and _goes_on(paragraphs[size], question):
        size += 1
    lines = [line for paragraph in paragraphs[:size] for line in paragraph]
    if question.kind == "table":
        lines = chunk.lines  # text below a table may say which of its rows counts
        if len(question.parts) == 1:
            return lines, []
    return lines, [line for paragraph in paragraphs[size:] for line in (*paragraph, (0, ""))]


def _goes_on(paragraph: Sequence[Line], question: QuestionParts) -> bool:
    rows = question.kind in ("vector", "matrix")
    return rows and bool(_NUMERIC.match(paragraph[0][1]))
