"""Write the summary of a GitHub step: a Result or a course in Markdown with a little HTML.

A student's text cannot be markup: every character in it that is special in Markdown or HTML is
written as its HTML entity. Text that may have many lines is in <pre>.
"""

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from graders.model import CheckResult, CriterionResult, Result
from reports.exports.export import Course, Export
from reports.exports.findings import failures, parts_of, points_in_words
from reports.text import PROSE_LIMIT, line, number, prose
from reports.words import STATUS_SENTENCES, STATUS_WORDS, check_word, criterion_word, intake_notes

LIMIT = 1024 * 1024  # bytes; GitHub shows nothing of a step that writes more
CUT = "\n\nThere is more, but the summary of a step holds no more than 1024 KiB.\n"
PLAIN = ",;'\"?%/"  # never markup, wherever they appear
ENTITIES = {ord(sign): f"&#{ord(sign)};" for sign in string.punctuation if sign not in PLAIN}
# GitHub links names and issues after it decodes entities; an invisible character prevents that.
UNLINKED = ENTITIES | {ord(sign): f"&#{ord(sign)};&#8203;" for sign in "@#"}
CODE = re.compile("`([^`]+)`")
CONDENSED = ("hint",)  # shown as prose; expected and actual are compared character by character


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
    for graded, found in failures(result):
        yield "".join(_failure(graded, found))
    yield "\n"


def _row(graded: CriterionResult) -> str:
    most = number(graded.criterion.points)
    points = "not decided" if graded.points is None else number(graded.points)
    counts = Counter(map(check_word, graded.checks))
    checks = ", ".join(f"{count} {word.lower()}" for word, count in counts.items())
    title = _inline(graded.criterion.title)
    return f"| {title} | {points} of {most} | {criterion_word(graded)} | {checks} |\n"


def _failure(graded: CriterionResult, found: CheckResult) -> Iterator[str]:
    title = f"{_inline(graded.criterion.title)}: {_inline(found.check.description)}"
    yield f"\n<details>\n<summary>{check_word(found)}. {title}</summary>\n\n"
    if found.message:
        yield _paragraph(found.message)
    for label, text in parts_of(found):
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
        given = "none" if final is None else number(final)
        words = [points_in_words(result), *([given] * finals), STATUS_WORDS[result.status]]
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
    pieces = [each.translate(UNLINKED) for each in CODE.split(line(text.strip(), limit))]
    pieces[1::2] = [f"<code>{code}</code>" for code in pieces[1::2]]
    return "".join(pieces)


def _block(text: str) -> str:
    return f"<pre>{prose(text).translate(ENTITIES)}</pre>\n\n"
