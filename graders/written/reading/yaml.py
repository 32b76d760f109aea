r"""Find the answers in answers.yaml: a mapping from question to value, or to its parts.

    text -- parse --> one tree
         \- broken: cut at each line that names a question -> a tree per block, or unread text

Only the structure is YAML: every scalar remains text (`2.10`, `yes` and `1e2` stay as typed),
anchors and tags are ignored, and the depth and number of values are limited.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import yaml

from graders.written.reading.names import Meant, Names, looks_like_id
from graders.written.reading.question_parts import QuestionParts, label_of
from graders.written.reading.split import LOOKED_AT, Line, Section, Sections, listed

DEEPEST = 8
MOST_VALUES = 5000
MOST_BLOCKS = 500  # of a broken file
_LOADER: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_OPENED = ("quoted scalar", "flow sequence", "flow mapping")
_NOTHING = ("", "~", "null", "Null", "NULL")
# Matches `  q1: 3` or `- a: b`. The key begins with no blank: blanks are read once.
_PAIR = re.compile(r"^(\s*(?:- )?)([\w.\"'()\-][\w.\"'()\- ]{0,59}?)\s*:\s+(\S.*)$")
# What YAML makes of `\alpha`, `\beta`, `\eta`, `\frac`, `\theta`, `\Phi` and `\nu` in double
# quotes.
_ESCAPES = {"\a": "a", "\b": "b", "\x1b": "e", "\f": "f", "\r": "r", "\t": "t", "\v": "v"}
_ESCAPES |= {"\x85": "N", "\u2028": "L", "\u2029": "P"}
_ESCAPED = re.compile(f"([{''.join(_ESCAPES)}])(?=[A-Za-z])|\n(?=(?:u|abla|eq?|eg|ot)\\b)")
_TAKEN = ("'", '"', "|", ">", "[", "{", "#")
# Matches `1b:` or `- "1b":`.
_KEY = re.compile(r"""^( *)(?:- +)?(["']?)([^\s#"'|>\[{&*!%@`][^"':]{0,80}?)\2\s*:(?:\s|$)""")
_TABS = re.compile(r"^[ \t]*\t[ \t]*")
_HERE = 3  # levels of groups at which a broken file is split


class BadYaml(Exception):
    """The file cannot be read; the message is for the student."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its line: a text, a list of nodes, or pairs of nodes."""

    line: int
    text: str = ""
    items: tuple["Node", ...] = ()
    pairs: tuple[tuple["Node", "Node"], ...] = ()


def read_yaml(text: str, questions: Sequence[QuestionParts]) -> Sections:
    """Return the answers in a YAML text. Raises BadYaml if no question can be found."""
    names = Names({question.id: question.title for question in questions})
    by_id = {question.id: question for question in questions}
    try:
        top = _composed(text)
    except BadYaml as error:
        return _salvaged(text, names, by_id, error)
    answers = _read_tree(top, names, by_id)
    if answers is None:
        return Sections()
    _keep_swallowed(text, names, by_id, answers)
    return answers


def _read_tree(
    top: Node | None, names: Names, questions: dict[str, QuestionParts]
) -> Sections | None:
    """Return the answers in a tree; None if it is empty."""
    if top is None:
        return None
    top = _as_mapping(top)
    if not top.pairs:
        raise BadYaml("it contains no questions; write `1b: your answer`, one line per question")
    answers = Sections()
    _collect(top, names, questions, answers)
    return answers


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines from one key to the next: the key's meaning, and its line."""

    meant: Meant
    key: str
    line: int
    text: str
    above: tuple[str, ...]


def _salvaged(
    text: str, names: Names, questions: dict[str, QuestionParts], error: BadYaml
) -> Sections:
    """Return the answers of a broken file, each block parsed separately; the rest is unread."""
    before, blocks = _blocks(text, names)
    if not blocks or len(blocks) > MOST_BLOCKS:
        try:
            answers = _read_tree(_composed(_mended(text)), names, questions)
        except BadYaml:
            raise error from None
        if answers is None:
            raise error
        answers.notes.append(("", f"{error}. The values were read as written"))
        return answers
    answers = Sections()
    try:
        _composed(before)  # a name or a date above the answers is not an answer
    except BadYaml:
        answers.unread.append(("", before))
    for block in blocks:
        _read_block(block, names, questions, answers)
    _doubt_repeated(blocks, answers)
    unread = sorted({question for question, _ in answers.unread if question})
    rest = (
        f"a person will read {listed(unread)}; the other answers were read"
        if unread
        else "the answers were read as written"
    )
    answers.notes.insert(0, ("", f"{error}. Until you fix that, {rest}"))
    return answers


def _blocks(
    text: str, names: Names, first: int = 1, above: tuple[str, ...] = ()
) -> tuple[str, list[_Block]]:
    """Return the text before the first key, and a block for each key of the outermost level."""
    lines = text.split("\n")
    keys = [(n, match) for n, line in enumerate(lines) if (match := _KEY.match(line[:LOOKED_AT]))]
    for indent in sorted({len(match[1]) for _, match in keys})[:DEEPEST]:
        level = [(n, match[3]) for n, match in keys if len(match[1]) == indent]
        meant = [(n, key, names.meant(key, above)) for n, key in level[: MOST_BLOCKS + 1]]
        starts = [
            (n, key, meaning)
            for n, key, meaning in meant
            if meaning.question or meaning.group or looks_like_id(key)
        ]
        if any(meaning.question or meaning.group for _, _, meaning in starts):
            break
    else:
        return text, []
    ends = [*(n for n, _, _ in starts[1:]), len(lines)]
    blocks = [
        _Block(meaning, key, first + n, "\n".join(lines[n:end]), above)
        for (n, key, meaning), end in zip(starts, ends, strict=True)
    ]
    return "\n".join(lines[: starts[0][0]]), blocks


def _question_blocks(text: str, names: Names) -> Iterator[_Block]:
    """Yield the block of each question, including those below groups."""
    ahead, depth = _blocks(text, names)[1], 1
    while ahead and depth <= _HERE:
        yield from (block for block in ahead if block.meant.question)
        ahead = [inner for block in ahead[:MOST_BLOCKS] for inner in _inner_blocks(block, names)]
        depth += 1


def _read_block(
    block: _Block,
    names: Names,
    questions: dict[str, QuestionParts],
    answers: Sections,
    depth: int = 1,
) -> None:
    """Add the answers of a block: parsed, else fixed, else split again, else as unread text."""
    try:
        top = _tree_of(block)
    except BadYaml as error:
        inner = _inner_blocks(block, names) if depth < _HERE else []
        for piece in inner:
            _read_block(piece, names, questions, answers, depth + 1)
        if not inner:
            near = block.meant.question or ("" if block.meant.group else names.nearest(block.key))
            answers.notes.append((near, f"{error}; a person reads this answer"))
            answers.unread.append((near, block.text.strip()))
        return
    if top is not None:
        _collect(_as_mapping(top), names, questions, answers, block.above)


def _inner_blocks(block: _Block, names: Names) -> list[_Block]:
    """Return the blocks of the questions below a group."""
    if not block.meant.group:
        return []
    below = block.text.partition("\n")[2]
    return _blocks(below, names, block.line + 1, block.meant.group)[1]


def _tree_of(block: _Block) -> Node | None:
    try:
        return _composed(block.text, block.line)
    except BadYaml as error:
        try:
            return _composed(_mended(block.text), block.line)
        except BadYaml:
            raise error from None


def _doubt_repeated(blocks: Sequence[_Block], answers: Sections) -> None:
    """Leave a question with two blocks to a person: one may be text inside the other."""
    count = Counter(block.meant.question for block in blocks if block.meant.question)
    for block in blocks:
        if count[block.meant.question] > 1:
            answers.sections = [s for s in answers.sections if s.question != block.meant.question]
            answers.unread.append((block.meant.question, block.text.strip()))
    answers.unread = list(dict.fromkeys(answers.unread))


def _keep_swallowed(
    text: str, names: Names, questions: dict[str, QuestionParts], answers: Sections
) -> None:
    """Leave a question to a person if a missing quote merged it with another value.

    The question with the other value is left to a person, too.
    """
    sections = {section.question: section for section in answers.sections}
    before: _Block | None = None
    for block in islice(_question_blocks(text, names), MOST_BLOCKS):
        question = block.meant.question
        if question not in sections and block.text.partition(":")[2].strip():
            _doubt(block, answers)
            if before is not None:
                _doubt(before, answers)
        elif question in sections and _lacks_a_part(block, sections[question], questions[question]):
            _doubt(block, answers)
        if question in sections:
            before = block


def _doubt(block: _Block, answers: Sections) -> None:
    question = block.meant.question
    note = f"a quote seems to be missing near `{question}` in line {block.line}; a person reads it"
    answers.notes.append((question, note))
    answers.unread.append((question, block.text.strip()))
    answers.sections = [section for section in answers.sections if section.question != question]


def _lacks_a_part(block: _Block, section: Section, question: QuestionParts) -> bool:
    """Return True if a line names a part that the parsed answer does not have."""
    read = {label_of(line[4:], question) for _, line in section.body if line.startswith("### ")}
    keys = [match for line in block.text.split("\n")[1:] if (match := _KEY.match(line[:LOOKED_AT]))]
    outermost = min((len(match[1]) for match in keys), default=0)
    named = {label_of(match[3], question) for match in keys if len(match[1]) == outermost}
    return bool(read) and not named - {""} <= read


def _collect(
    node: Node,
    names: Names,
    questions: dict[str, QuestionParts],
    answers: Sections,
    above: tuple[str, ...] = (),
) -> None:
    before = ""
    for key, listed_value in node.pairs:
        value = _as_mapping(listed_value)
        meant = names.meant(key.text, above)
        if before and not meant.question and label_of(key.text, questions[before]):
            _outdent(before, key, value, questions[before], answers)
            continue
        before = meant.question
        if meant.question:
            lines = tuple(_lines(value, questions[meant.question]))
            answers.notes += _strange_parts(value, questions[meant.question])
            answers.left += _left(value, questions[meant.question])
            answers.sections.append(Section(meant.question, key.line, "", lines))
        elif meant.group and value.pairs:
            _collect(value, names, questions, answers, meant.group)
        elif looks_like_id(key.text) or value.pairs:
            near = names.nearest(key.text)
            remedy = f"; did you mean `{near}`?" if near else ""
            note = f"the key `{key.text[:80]}` in line {key.line} is not a question{remedy}"
            answers.notes.append((near, note))
            if near and (shown := _shown(value, questions[near]).strip()):
                answers.unread.append((near, f"{key.text}: {shown}"))


def _outdent(name: str, key: Node, value: Node, question: QuestionParts, answers: Sections) -> None:
    """Leave a part to a person if it is not indented below its question."""
    if shown := _shown(value, question).strip():
        note = f"indent `{key.text}` in line {key.line} below `{name}`"
        answers.notes.append((name, note))
        answers.unread.append((name, f"{key.text}: {shown}"))


def _as_mapping(node: Node) -> Node:
    """Merge a list of mappings: `- q1: ...` below `- q2: ...`."""
    if node.items and all(item.pairs for item in node.items):
        return Node(node.line, pairs=tuple(pair for item in node.items for pair in item.pairs))
    return node


def _lines(value: Node, question: QuestionParts) -> Iterator[Line]:
    """Yield the value as in a Markdown answer: `part: value`, or only the value."""
    if not value.pairs:
        yield from _numbered(value, _shown(value, question))
    if _is_table(value, question):
        for key, part in value.pairs:
            yield key.line, f"{key.text}: {_shown(part, question)}"
        return
    for key, part in value.pairs:
        if not question.text and not label_of(key.text, question):
            continue
        text = _shown(part, question)
        yield key.line, f"### {key.text}" if label_of(key.text, question) else f"{key.text}:"
        yield from _numbered(part, text)
        yield (part.line, "")


def _is_table(value: Node, question: QuestionParts) -> bool:
    """Return whether the keys are names of numbers: `lr: 1e-5` below a question on one table."""
    alone = question.kind == "table" and len(question.parts) == 1
    return alone and not any(label_of(key.text, question) for key, _ in value.pairs)


def _strange_parts(value: Node, question: QuestionParts) -> Iterator[tuple[str, str]]:
    for key, _ in value.pairs if not _is_table(value, question) else ():
        if not label_of(key.text, question):
            note = (
                f"`{key.text[:80]}` in line {key.line} is not a part of {question.id}, which has "
            )
            yield question.id, note + listed(question.parts)


def _left(value: Node, question: QuestionParts) -> Iterator[Section]:
    """Yield the text of strange parts where there is no free text that it could belong to."""
    for key, part in value.pairs if not (question.text or _is_table(value, question)) else ():
        if not label_of(key.text, question) and (shown := _shown(part, question).strip()):
            yield Section(question.id, key.line, "", ((key.line, f"{key.text}: {shown}"),))


def _numbered(node: Node, text: str) -> Iterator[Line]:
    for offset, line in enumerate(text.split("\n")):
        yield node.line + offset, line


def _shown(node: Node, question: QuestionParts, depth: int = 0) -> str:
    """Return a node as text: numbers in brackets, lines of text below each other."""
    if node.pairs:
        pairs = [f"{key.text}: {_shown(value, question, depth + 1)}" for key, value in node.pairs]
        return "\n".join(pairs) if depth == 0 else "{" + ", ".join(pairs) + "}"
    if not node.items:
        return node.text
    items = [_shown(item, question, depth + 1) for item in node.items]
    plain = depth == 0 and question.kind not in ("vector", "matrix", "number")
    if plain and not any(item.items for item in node.items):
        return ", ".join(items) if question.kind == "choices" else "\n".join(items)
    return "[" + ", ".join(items) + "]"


def _composed(text: str, first: int = 1) -> Node | None:
    """Return the tree of a YAML text that begins in line `first`; None if it is empty."""
    try:
        return _documents(_Events(text, first))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        begun = getattr(error, "context_mark", None)
        context = getattr(error, "context", None) or ""
        # An unclosed quote or bracket is reported at the end of the text.
        mark = begun if begun is not None and context.endswith(_OPENED) else mark
        last = text.rstrip().count("\n")
        where = f"line {min(mark.line, last) + first}" if mark is not None else "the file"
        raise BadYaml(f"{where} is not valid YAML: {_remedy(error)}") from None


def _remedy(error: yaml.YAMLError) -> str:
    """Return how to fix a broken line, without a parser's terms."""
    context, problem = getattr(error, "context", None) or "", getattr(error, "problem", None) or ""
    if context.endswith("quoted scalar"):
        return "close the quote that begins there"
    if context.endswith(("flow sequence", "flow mapping", "flow node")):
        return "close the bracket that begins there, or put the value between single quotes"
    if "cannot start any token" in problem:
        return "indent with spaces, not tabs, and put the value between single quotes"
    return f"{problem or 'it cannot be read'}; put the value between single quotes"


class _Events:
    """The events of a YAML text, with a limit on their number."""

    def __init__(self, text: str, first: int = 1) -> None:
        self._events = yaml.parse(text, Loader=_LOADER)
        self._count = 0
        self.first = first

    def next(self) -> yaml.Event:
        self._count += 1
        if self._count > 4 * MOST_VALUES:
            raise BadYaml(f"it contains more than {MOST_VALUES} values; write only your answers")
        return next(self._events)


def _documents(events: _Events) -> Node | None:
    """Return all documents of a text as one: several mappings are merged."""
    nodes: list[Node] = []
    while not isinstance(event := events.next(), yaml.StreamEndEvent):
        if isinstance(event, yaml.DocumentStartEvent):
            node = _node(events.next(), events, 1)
            if node.pairs or node.items or node.text.strip() not in _NOTHING:
                nodes.append(_as_mapping(node))
    if len(nodes) < 2 or not all(node.pairs for node in nodes):
        return nodes[0] if nodes else None
    return Node(nodes[0].line, pairs=tuple(pair for node in nodes for pair in node.pairs))


def _node(event: yaml.Event, events: _Events, depth: int) -> Node:
    line = events.first + (event.start_mark.line if event.start_mark is not None else 0)
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise BadYaml(
            f"line {line} has an anchor or alias (`&` or `*` before a word): put the value "
            "between single quotes"
        )
    if depth > DEEPEST:
        raise BadYaml(f"line {line} is nested too deeply; write values as text between quotes")
    if isinstance(event, yaml.ScalarEvent):
        value = _typed(event.value) if event.style == '"' else event.value
        plain = event.style is None and event.value in _NOTHING
        return Node(line + (event.style in ("|", ">")), "" if plain else value)
    children = list(_children(events, depth + 1))
    if isinstance(event, yaml.SequenceStartEvent):
        return Node(line, items=tuple(children))
    return Node(line, pairs=tuple(zip(children[::2], children[1::2], strict=True)))


def _typed(value: str) -> str:
    """Return LaTeX in double quotes as typed; YAML reads the `t` of `theta` as a tab."""
    return _ESCAPED.sub(lambda match: "\\" + _ESCAPES.get(match[0], "n"), value)


def _children(events: _Events, depth: int) -> Iterator[Node]:
    while not isinstance(event := events.next(), yaml.SequenceEndEvent | yaml.MappingEndEvent):
        yield _node(event, events, depth)


def _mended(text: str) -> str:
    """Return the text indented with spaces, with quotes around each value after a key."""
    return "\n".join(
        _quoted(_TABS.sub(lambda match: match[0].replace("\t", "    "), line))
        for line in text.split("\n")
    )


def _quoted(line: str) -> str:
    pair = _PAIR.match(line) if len(line) < 2000 else None
    if pair is None or pair[3].startswith(_TAKEN):
        return line
    value = pair[3].rstrip().replace("'", "''")
    return f"{pair[1]}{pair[2]}: '{value}'"
