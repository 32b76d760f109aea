"""Show a Result on GitHub: the summary of a step, and annotations at a student's lines.

The summary is Markdown with a little HTML. A student's text cannot be markup: every character in it
that is special in Markdown or HTML is written as its HTML entity. Text that may have many lines is
in <pre>.

Annotations are workflow commands, one per line:

    ::error file=src/attention.py,line=7,title=Causal mask::IndexError: ...

The runner obeys every line that begins with `::`, so a student's text must not begin such a line or
end it early: control characters are made visible, then the format's special characters are encoded.
"""

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graders.model import CheckResult, CriterionResult, Result
from reports.exports.export import Course, Export
from reports.exports.findings import failures, parts_of, points_in_words, where_ended
from reports.text import LINE_LIMIT, PROSE_LIMIT, line, number, prose
from reports.words import STATUS_SENTENCES, STATUS_WORDS, check_word, criterion_word, intake_notes

LIMIT = 1024 * 1024  # bytes; GitHub shows nothing of a step that writes more
CUT = "\n\nThere is more, but GitHub limits the summary of a step to 1024 KiB.\n"
PLAIN = ",;'\"?%/"  # never markup, wherever they appear
ENTITIES = {ord(sign): f"&#{ord(sign)};" for sign in string.punctuation if sign not in PLAIN}
# GitHub links names and issues after it decodes entities; an invisible character prevents that.
UNLINKED = ENTITIES | {ord(sign): f"&#{ord(sign)};&#8203;" for sign in "@#"}
CODE = re.compile("`([^`]+)`")
CONDENSED = ("hint",)  # shown as prose; expected and actual are compared character by character
SHOWN = 10  # GitHub shows at most this many errors per step
DATA = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
PROPERTY = (*DATA, (":", "%3A"), (",", "%2C"))


def github_export(course: Course) -> Export:
    """Return a course as a table with one row per submission."""
    return Export(_fitted(_course(course)))


def summary_text(result: Result, notes: Sequence[str] = ()) -> str:
    """Return one Result for its student: points, criteria, and all failures, folded.

    `notes` are our own sentences on what was graded and what was not.
    """
    return _fitted(_pieces(result, notes))


def _pieces(result: Result, notes: Sequence[str]) -> Iterator[str]:
    yield f"## {_inline(result.title)}: {points_in_words(result)}\n\n"
    for sentence in (STATUS_SENTENCES[result.status], *notes, *intake_notes(result)):
        if sentence:
            yield f"{_inline(sentence)}\n\n"
    yield "| Criterion | Points | Result | Checks |\n|---|---:|---|---|\n"
    yield from map(_row, result.criteria)
    for graded, check in failures(result):
        yield "".join(_failure(graded, check))
    yield "\n"


def _row(graded: CriterionResult) -> str:
    most = number(graded.criterion.points)
    points = "not decided" if graded.points is None else number(graded.points)
    counts = Counter(map(check_word, graded.checks))
    checks = ", ".join(f"{count} {word.lower()}" for word, count in counts.items())
    title = _inline(graded.criterion.title)
    return f"| {title} | {points} of {most} | {criterion_word(graded)} | {checks} |\n"


def _failure(graded: CriterionResult, result: CheckResult) -> Iterator[str]:
    title = f"{_inline(graded.criterion.title)}: {_inline(result.check.description)}"
    yield f"\n<details>\n<summary>{check_word(result)}. {title}</summary>\n\n"
    if result.message:
        yield _paragraph(result.message)
    for label, text in parts_of(result):
        shown = _paragraph(text) if label in CONDENSED else _block(text)
        yield f"**{_inline(label.capitalize())}**\n\n{shown}"
    yield "</details>\n"


def _course(course: Course) -> Iterator[str]:
    yield f"## {_inline(course.title or course.assignment.title)}\n\n"
    finals = course.assignment.grading.declared
    yield f"| Submission | Points |{' Final grade |' * finals} Result |\n"
    yield f"|---|---:|{'---:|' * finals}---|\n"
    for result in course.results:
        final = course.grade(result).final
        grade = "none" if final is None else number(final)
        words = [points_in_words(result), *([grade] * finals), STATUS_WORDS[result.status]]
        yield f"| {_inline(result.submission.id)} | {' | '.join(words)} |\n"


def _fitted(pieces: Iterable[str]) -> str:
    """Return as many pieces as fit; if some are left out, a sentence says so."""
    taken: list[str] = []
    room = LIMIT - len(CUT.encode())
    for piece in pieces:
        room -= len(piece.encode())
        if room < 0:
            return "".join((*taken, CUT))
        taken.append(piece)
    return "".join(taken)


def _paragraph(text: str) -> str:
    return _block(text) if "\n" in text.strip() else f"{_inline(text, PROSE_LIMIT)}\n\n"


def _inline(text: str, limit: int = 300) -> str:
    """Return the text on one line, with the words in backticks as code."""
    pieces = [piece.translate(UNLINKED) for piece in CODE.split(line(text.strip(), limit))]
    pieces[1::2] = [f"<code>{code}</code>" for code in pieces[1::2]]
    return "".join(pieces)


def _block(text: str) -> str:
    return f"<pre>{prose(text).translate(ENTITIES)}</pre>\n\n"


# ---------------------------------------------------------------- annotations


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, which is named as in the repository."""

    file: str
    line: int


def annotations(result: Result, files: Mapping[str, str]) -> Iterator[str]:
    """Yield the commands that show what failed where, and the points.

    `files` maps the student's files from their names in tracebacks to those in the repository.
    No other file is ever named.
    """
    places = _by_place(result, files)
    for place, failed in list(places.items())[:SHOWN]:
        yield _error(place, failed)
    if len(places) > SHOWN:
        yield f"::notice::{len(places) - SHOWN} more lines are named in the summary"
    words = points_in_words(result)
    if result.status == "rejected":
        words = line(": ".join((words, *intake_notes(result))))
    yield f"::notice title={_property(line(result.title))}::{_data(words)}"


def place_of(result: CheckResult, files: Mapping[str, str]) -> Place | None:
    """Return the student's line at which a check ended, or None if it is not a student's line."""
    file, number = where_ended(result) or ("", 0)
    named = files.get(file, "")
    # A name with invisible characters cannot be used, and once made visible it names no file.
    return Place(named, number) if named and line(named, len(named)) == named else None


FailedCheck = tuple[CriterionResult, CheckResult]


def _by_place(result: Result, files: Mapping[str, str]) -> dict[Place, list[FailedCheck]]:
    """Group failed checks by line: twenty checks that fail at the same line give one annotation."""
    places: dict[Place, list[FailedCheck]] = {}
    for graded, check in failures(result):
        place = place_of(check, files)
        if place is not None:
            places.setdefault(place, []).append((graded, check))
    return places


def _error(place: Place, all_found: list[FailedCheck]) -> str:
    graded, check = all_found[0]
    more = f"and {len(all_found) - 1} more checks end here" if len(all_found) > 1 else ""
    texts = (check.check.description, check.message, check.hint, more)
    message = "\n".join(prose(text) for text in texts if text)
    title = line(graded.criterion.title, LINE_LIMIT)
    where = f"file={_property(place.file)},line={place.line}"
    return f"::error {where},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return _encoded(text, DATA)


def _property(text: str) -> str:
    return _encoded(text, PROPERTY)


def _encoded(text: str, table: tuple[tuple[str, str], ...]) -> str:
    for sign, code in table:
        text = text.replace(sign, code)
    return text
