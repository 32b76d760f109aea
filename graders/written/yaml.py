"""Find the answers in answers.yaml: a mapping from question to value, or to its parts.

Only the structure is YAML's: every scalar keeps its text (`2.10`, `yes` and `1e2` stay what was
typed), anchors and tags mean nothing, and depth and number of values are bounded.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import yaml

from graders.written.markdown import Line, Section
from graders.written.names import Names, looks_like_id
from graders.written.split import listed
from graders.written.wanted import Wanted, label_of

DEEPEST = 8
MOST_VALUES = 5000
_LOADER: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_NOTHING = ("", "~", "null", "Null", "NULL")
_PAIR = re.compile(r"^(\s*(?:- )?)([\w.\"'()\- ]{1,60}?)\s*:\s+(\S.*)$")
_TAKEN = ("'", '"', "|", ">", "[", "{", "#")


class BadYaml(Exception):
    """The file cannot be read; the message is for the student."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value with the line it stands in: a text, a list of nodes or pairs of nodes."""

    line: int
    text: str = ""
    items: tuple["Node", ...] = ()
    pairs: tuple[tuple["Node", "Node"], ...] = ()


@dataclass(slots=True)
class YamlAnswers:
    """The answers of a file: each with the lines a Markdown answer would have."""

    found: list[Section] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)


def read_yaml(text: str, wanted: Sequence[Wanted]) -> YamlAnswers:
    """The answers in a YAML text; raises BadYaml with line and remedy."""
    answers = YamlAnswers()
    try:
        top = _composed(text)
    except BadYaml as error:
        mended = _mended(text)
        try:
            top = _composed(mended)
        except BadYaml:
            raise error from None
        answers.notes.append(("", f"{error}; the values were read as they stand all the same"))
    if top is None:
        return answers
    top = _as_mapping(top)
    if not top.pairs:
        raise BadYaml("it holds no questions; write `1b: your answer`, a question a line")
    names = Names({each.id: each.title for each in wanted})
    _collect(top, names, {each.id: each for each in wanted}, answers)
    return answers


def _collect(
    node: Node,
    names: Names,
    wanted: dict[str, Wanted],
    answers: YamlAnswers,
    above: tuple[str, ...] = (),
) -> None:
    for key, listed_value in node.pairs:
        value = _as_mapping(listed_value)
        meant = names.meant(key.text, above)
        if meant.question:
            lines = tuple(_lines(value, wanted[meant.question]))
            answers.notes += _strange_parts(value, wanted[meant.question])
            answers.found.append(Section(meant.question, key.line, "", lines))
        elif meant.group and value.pairs:
            _collect(value, names, wanted, answers, meant.group)
        elif looks_like_id(key.text) or value.pairs:
            near = names.nearest(key.text)
            remedy = f"; did you mean `{near}`?" if near else ""
            note = f"the key `{key.text[:80]}` in line {key.line} is no question{remedy}"
            answers.notes.append((near, note))
            if near and (shown := _shown(value, wanted[near]).strip()):
                answers.unread.append((near, f"{key.text}: {shown}"))


def _as_mapping(node: Node) -> Node:
    """A list of mappings as one: `- q1: ...` below `- q2: ...`."""
    if node.items and all(each.pairs for each in node.items):
        return Node(node.line, pairs=tuple(pair for each in node.items for pair in each.pairs))
    return node


def _lines(value: Node, wanted: Wanted) -> Iterator[Line]:
    """The value as a Markdown answer has it: `part: value`, or the value alone."""
    if not value.pairs:
        yield from _numbered(value, _shown(value, wanted))
    for key, part in value.pairs:
        if not wanted.text and not label_of(key.text, wanted):
            continue
        text = _shown(part, wanted)
        yield key.line, f"### {key.text}" if label_of(key.text, wanted) else f"{key.text}:"
        yield from _numbered(part, text)
        yield (part.line, "")


def _strange_parts(value: Node, wanted: Wanted) -> Iterator[tuple[str, str]]:
    for key, _ in value.pairs:
        if not label_of(key.text, wanted):
            note = f"`{key.text[:80]}` in line {key.line} is no part of {wanted.id}, which has "
            yield wanted.id, note + listed(wanted.parts)


def _numbered(node: Node, text: str) -> Iterator[Line]:
    for offset, line in enumerate(text.split("\n")):
        yield node.line + offset, line


def _shown(node: Node, wanted: Wanted, depth: int = 0) -> str:
    """A node as text: numbers in brackets, lines of text below each other."""
    if node.pairs:
        pairs = [f"{key.text}: {_shown(value, wanted, depth + 1)}" for key, value in node.pairs]
        return "\n".join(pairs) if depth == 0 else "{" + ", ".join(pairs) + "}"
    if not node.items:
        return node.text
    items = [_shown(each, wanted, depth + 1) for each in node.items]
    plain = depth == 0 and wanted.kind not in ("vector", "matrix", "number")
    if plain and not any(each.items for each in node.items):
        return ", ".join(items) if wanted.kind == "choices" else "\n".join(items)
    return "[" + ", ".join(items) + "]"


def _composed(text: str) -> Node | None:
    """The tree of a YAML text, None where it is empty."""
    try:
        events = _Events(text)
        return _document(events)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else "it"
        problem = getattr(error, "problem", None) or "cannot be read"
        raise BadYaml(
            f"{where} is no YAML ({problem}): put the value between single quotes"
        ) from None


class _Events:
    """The events of a YAML text, counted."""

    def __init__(self, text: str) -> None:
        self._events = yaml.parse(text, Loader=_LOADER)
        self._count = 0

    def next(self) -> yaml.Event:
        self._count += 1
        if self._count > 4 * MOST_VALUES:
            raise BadYaml(f"it holds more than {MOST_VALUES} values; write only your answers")
        return next(self._events)


def _document(events: _Events) -> Node | None:
    event = events.next()
    while not isinstance(event, yaml.DocumentStartEvent):
        if isinstance(event, yaml.StreamEndEvent):
            return None
        event = events.next()
    node = _node(events.next(), events, 1)
    return None if not (node.pairs or node.items) and _is_nothing(node.text) else node


def _is_nothing(text: str) -> bool:
    return text.strip() in _NOTHING


def _node(event: yaml.Event, events: _Events, depth: int) -> Node:
    line = event.start_mark.line + 1 if event.start_mark is not None else 1
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise BadYaml(
            f"line {line} has an anchor or alias (`&` or `*` before a word): put the value "
            "between single quotes"
        )
    if depth > DEEPEST:
        raise BadYaml(f"line {line} is nested too deep; write values as text between quotes")
    if isinstance(event, yaml.ScalarEvent):
        plain = event.style is None and event.value in _NOTHING
        return Node(line + (event.style in ("|", ">")), "" if plain else event.value)
    children = list(_children(events, depth + 1))
    if isinstance(event, yaml.SequenceStartEvent):
        return Node(line, items=tuple(children))
    return Node(line, pairs=tuple(zip(children[::2], children[1::2], strict=True)))


def _children(events: _Events, depth: int) -> Iterator[Node]:
    while not isinstance(event := events.next(), yaml.SequenceEndEvent | yaml.MappingEndEvent):
        yield _node(event, events, depth)


def _mended(text: str) -> str:
    """The text with a quote around each value that stands behind a key without one."""
    return "\n".join(map(_quoted, text.split("\n")))


def _quoted(line: str) -> str:
    found = _PAIR.match(line) if len(line) < 2000 else None
    if found is None or found[3].startswith(_TAKEN):
        return line
    value = found[3].rstrip().replace("'", "''")
    return f"{found[1]}{found[2]}: '{value}'"
