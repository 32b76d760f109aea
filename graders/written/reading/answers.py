"""Read as much as possible of a submission's answers file.

    bytes -- decode --> text -- markdown | yaml --> one section per question -- parts --> Answers

If a part has two values, both are kept, and the worse one counts, so submitting several has no
advantage. The contents of a file never raise anything but Unusable.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product

from graders.written.loading import ANSWERS
from graders.written.reading.latex_document import as_markdown
from graders.written.reading.markdown import read_sections
from graders.written.reading.names import names_question, siblings
from graders.written.reading.parts import split_parts
from graders.written.reading.placing import left_over
from graders.written.reading.plain import is_empty, is_like
from graders.written.reading.question_parts import QuestionParts
from graders.written.reading.split import Line, Section, Sections, Value
from graders.written.reading.yaml import BadYaml, read_yaml

LARGEST = 2**20
MOST_LINES = 20_000
MOST_VERSIONS = 16
NOT_TEXT = "(The answers file is not text. Open the uploaded file.)"
_POINTS = re.compile(  # `(2 points)` behind a title
    r"\W*\d+(?:[.,]\d+)?\s*(?:points?|pts?|marks?|credits?|punkte?|p)?\W*", re.IGNORECASE
)
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")  # pasted from web pages
_FORMATS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP or Word file",
    b"\xd0\xcf\x11\xe0": "a Word file",
    b"{\\rtf": "a rich text file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x1f\x8b": "a compressed file",
}


class Unusable(Exception):
    """A whole file cannot be read; the message tells the student why, and what to do.

    `content` is shown to graders; it is "" if the file is empty.
    """

    def __init__(self, message: str, content: str = "") -> None:
        super().__init__(message)
        self.content = content


@dataclass(frozen=True, slots=True)
class Answer:
    """One question's values by part; several if a part was answered more than once.

    `unplaced` is what was written here, or may have been, and could be given to no part. `leftover`
    was written here and belongs to no part: it may answer a question beside this one. `heading` is
    what its heading says behind the question's id.
    """

    parts: Mapping[str, tuple[Value, ...]]
    notes: tuple[str, ...] = ()
    unplaced: str = ""
    heading: str = ""
    leftover: tuple[Value, ...] = ()

    @property
    def whole(self) -> str:
        """The whole answer for a grader; if there are several parts, each with its name."""
        texts = [
            (name, "\n\n".join(value.text for value in values))
            for name, values in self.parts.items()
        ]
        if len(texts) == 1 and not self.unplaced:
            return texts[0][1]
        named = [f"{name}: {text}" for name, text in texts]
        return "\n\n".join(filter(None, (*named, self.unplaced)))

    def text(self, part: str) -> str:
        """Return everything that was written for a part; "" if there is nothing."""
        return "\n\n".join(value.text for value in self.parts.get(part, ()))

    def versions(self, parts: Iterable[str]) -> tuple[Mapping[str, str], ...]:
        """Return every combination of one value for each of these parts that has any."""
        pairs = [(part, self.parts[part]) for part in parts if part in self.parts]
        choices = islice(product(*(values for _, values in pairs)), MOST_VERSIONS + 1)
        names = [part for part, _ in pairs]
        return tuple(
            {name: value.text for name, value in zip(names, choice, strict=True)}
            for choice in choices
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one submission by question, and notes that belong to no question.

    `unread` is text that may answer any question that has no answer, and `outside` text that
    belongs to no question: it may answer one that it names. `from_latex` means that the text was a
    LaTeX document: what a person can read there may have been missed.
    """

    by_question: Mapping[str, Answer]
    notes: tuple[str, ...] = ()
    unread: str = ""
    outside: str = ""
    from_latex: bool = False

    @property
    def texts(self) -> Mapping[str, Mapping[str, str]]:
        """The parts of every answer as text; the first value if there are several."""
        return {
            question: {part: values[0].text for part, values in answer.parts.items()}
            for question, answer in self.by_question.items()
        }

    def of(self, question: str) -> Answer:
        """The answer to a question, which may be empty.

        Where there is none, its text is whatever names the question: `1b: ..., 1c: ...` on one line
        may have become the answer to 1b alone.
        """
        result = self.by_question.get(question) or Answer({})
        if result.parts or result.unplaced:
            return result
        naming = (
            answer.whole
            for name, answer in self.by_question.items()
            if names_question(f"{answer.heading}\n{answer.whole}", question, beside=name)
        )
        outside = self.outside if names_question(self.outside, question) else ""
        left = [
            (leftover, f"{leftover.file}: {left_over(leftover.line, name)}.")
            for name, answer in self.by_question.items()
            for leftover in answer.leftover
            if siblings(name, question) or names_question(leftover.text, question)
        ]
        texts = (self.unread, outside, *naming, *(leftover.text for leftover, _ in left))
        notes = dict.fromkeys((*result.notes, *(note for _, note in left)))
        return replace(result, unplaced="\n\n".join(filter(None, texts)), notes=tuple(notes))


def read_answers(
    files: Mapping[str, bytes],
    questions: tuple[QuestionParts, ...],
    called: Mapping[str, str] | None = None,
) -> Answers:
    """Return the answers in the answers files. Raises Unusable if none of them can be read.

    A file that counts under another name than its own is `called` by its own.
    """
    read: list[Answers] = []
    problems: list[str] = []
    contents: list[str] = []
    for name, content in files.items():
        try:
            read.append(_read(name, content, questions))
        except Unusable as error:
            problems.append(f"{(called or {}).get(name, name)}: {error}.")
            contents.append(error.content)
    unread = "\n\n".join(filter(None, (*contents, *(one.unread for one in read))))
    if not read:
        raise Unusable(" ".join(problems), unread)
    answers = _merged(pair for one in read for pair in one.by_question.items())
    notes = [*problems, *(note for one in read for note in one.notes)]
    if len(files) > 1:
        names = " and ".join(f"`{name}`" for name in files)
        twice = f"you submitted {names}; keep only one. Where they differ, the weaker answer counts"
        notes.insert(len(problems), twice)
    outside = "\n\n".join(one.outside for one in read)
    from_latex = any(one.from_latex for one in read)
    return Answers(answers, tuple(dict.fromkeys(notes)), unread, outside, from_latex)


@lru_cache(maxsize=4)
def _read(name: str, content: bytes, questions: tuple[QuestionParts, ...]) -> Answers:
    """Read one file; cached, because every check of a submission needs it."""
    decoded, strange = _decoded(content)
    text = as_markdown(decoded)
    from_latex = text != decoded
    if text.count("\n") > MOST_LINES or (from_latex and not text.strip()):
        raise Unusable("its LaTeX cannot be read as text", decoded)
    if not text.strip():
        raise Unusable("it is empty; write your answers in it")
    try:
        read = read_yaml(text, questions) if name != ANSWERS[0] else read_sections(text, questions)
    except BadYaml as error:
        raise Unusable(str(error), text) from None
    by_id = {question.id: question for question in questions}
    noted = [(question, f"{name}: {_as_sentence(note)}") for question, note in read.notes]
    answers = [
        (section.question, _answer(section, by_id[section.question], name))
        for section in read.sections
    ]
    answers += [(question, Answer({}, (), text)) for question, text in read.unread if question]
    answers += [(question, Answer({}, (note,))) for question, note in noted if question]
    answers += [
        (section.question, Answer({}, leftover=_leftover(section.body, name)))
        for section in read.left
    ]
    answers += _below_unknown_headings(read, tuple(by_id))
    notes = [note for question, note in noted if not question]
    notes += [f"{name}: {note}" for note in strange]
    unread = "\n\n".join(text for question, text in read.unread if not question)
    if from_latex or not (read.sections or read.unread or is_empty(text)):
        unread = text
    outside = "\n\n".join(read.outside)
    return Answers(_merged(answers), tuple(notes), unread, outside, from_latex)


def _below_unknown_headings(
    read: Sections, questions: Sequence[str]
) -> Iterator[tuple[str, Answer]]:
    """Yield text below a heading that names no question for the next question without an answer."""
    answered = {section.question for section in read.sections}
    for section in read.left:
        later = questions[questions.index(section.question) + 1 :]
        following = next((question for question in later if question not in answered), "")
        text = "\n".join(line for _, line in section.body).strip()
        if following and text and not siblings(section.question, following):
            yield following, Answer({}, unplaced=text)


def _decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text, and a note if it was not saved as UTF-8.

    A quotation mark costs no answers.
    """
    if len(content) > LARGEST:
        message = "it is larger than 1 MiB; answers are text, so leave out pictures and data"
        raise Unusable(message, content[:LARGEST].decode("utf-8", errors="replace"))
    if kind := next((name for magic, name in _FORMATS.items() if content.startswith(magic)), ""):
        raise Unusable(f"it is {kind}, not text; save it as plain text in UTF-8", NOT_TEXT)
    encoding = next((e for mark, e in _MARKS.items() if content.startswith(mark)), "")
    encoding = encoding or _unmarked_utf16(content) or "utf-8"
    notes: tuple[str, ...] = ()
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding.startswith("utf-16") or b"\0" in content:
            raise Unusable("it is not text; save it as plain text in UTF-8", NOT_TEXT) from None
        line = content.count(b"\n", 0, error.start) + 1
        notes = (f"line {line} is not UTF-8 and was read as Windows-1252: save it as UTF-8.",)
        text = content.decode("cp1252", errors="replace")
    if "\0" in text:
        raise Unusable("it is not text; save it as plain text in UTF-8", NOT_TEXT)
    text = _INVISIBLE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = _cells_of_notebook(text)
    if text.count("\n") > MOST_LINES:
        message = f"it has more than {MOST_LINES} lines; answers are text, so leave out data"
        raise Unusable(message, text)
    return text, notes


def _cells_of_notebook(text: str) -> str:
    """Return the cells of a Jupyter notebook, code cells as code blocks; other text as it is."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        cells = json.loads(text)["cells"]
        sources = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (ValueError, RecursionError, KeyError, TypeError):
        return text
    return "\n\n".join(
        f"```\n{source}\n```" if kind == "code" else source for kind, source in sources
    )


def _unmarked_utf16(content: bytes) -> str:
    """Return the encoding of UTF-16 text without a byte order mark; "" for other text."""
    half = len(content) // 2
    ends = content[0::2].count(0), content[1::2].count(0)
    if half < 4 or min(ends) > half // 20 or max(ends) < half // 2:
        return ""
    return "utf-16-be" if ends[0] > ends[1] else "utf-16-le"


def _answer(section: Section, question: QuestionParts, file: str) -> Answer:
    split = split_parts(section.body, question)
    rest = "" if _is_title(section.heading_rest, question) else section.heading_rest
    missing = question.machine and (split.guessed or question.machine[0] not in split.parts)
    if missing and rest and len(question.machine) == 1 and is_like(rest, question.kind):
        label = (section.line, f"{question.machine[0]}: {rest}")
        split = split_parts((label, (section.line, ""), *section.body), question)
    elif rest and any(part not in split.parts for part in question.machine or question.parts):
        split.unplaced.insert(0, (section.line, rest))
    parts = {
        name: _distinct(replace(value, file=file) for value in values)
        for name, values in split.parts.items()
    }
    notes = tuple(f"{file}: {note}." for note in split.notes)
    unplaced = "\n".join(line for _, line in split.unplaced).strip()
    return Answer(parts, notes, unplaced, section.heading_rest, _leftover(split.leftover, file))


def _leftover(lines: Sequence[Line], file: str) -> tuple[Value, ...]:
    """Return the text of these lines, if there is any."""
    text = "\n".join(line for _, line in lines).strip()
    return (Value(text, lines[0][0], file),) if text else ()


def _is_title(rest: str, question: QuestionParts) -> bool:
    """Return True if the text after a heading's ID is a title or points, not an answer."""
    titled = rest.casefold().startswith(question.title.casefold()[:12])
    return titled or _POINTS.fullmatch(rest) is not None


def _distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values without those that differ only by spaces."""
    distinct: dict[str, Value] = {}
    for value in values:
        distinct.setdefault(" ".join(value.text.split()), value)
    return tuple(distinct.values())


def _as_sentence(note: str) -> str:
    return note if note.endswith(("?", ".")) else f"{note}."


def _merged(answers: Iterable[tuple[str, Answer]]) -> dict[str, Answer]:
    """Return one answer per question, with everything that was written for it."""
    several: dict[str, list[Answer]] = {}
    for question, answer in answers:
        several.setdefault(question, []).append(answer)
    return {question: _joined(some) for question, some in several.items()}


def _joined(answers: Sequence[Answer]) -> Answer:
    parts: dict[str, tuple[Value, ...]] = {}
    for answer in answers:
        for part, values in answer.parts.items():
            parts[part] = _distinct((*parts.get(part, ()), *values))
    return Answer(
        parts,
        tuple(dict.fromkeys(note for one in answers for note in one.notes)),
        "\n\n".join(filter(None, dict.fromkeys(one.unplaced for one in answers))),
        " ".join(one.heading for one in answers if one.heading),
        tuple(left for one in answers for left in one.leftover),
    )
