"""The summary of a GitHub step: a Result, or a course, in Markdown with a little HTML.

No text of a student's can be markup: every sign in it that Markdown or HTML could read as more than
the sign is written as its HTML entity. What may have many lines stands in <pre>.
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
PLAIN = ",;'\"?%/"  # no mark-up, wherever they stand
ENTITIES = {ord(sign): f"&#{ord(sign)};" for sign in string.punctuation if sign not in PLAIN}
# GitHub looks for names and issues after it has read the entities; an unseen sign parts them.
UNLINKED = ENTITIES | {ord(sign): f"&#{ord(sign)};&#8203;" for sign in "@#"}
CODE = re.compile("`([^`]+)`")
CONDENSED = ("hint",)  # set as prose; expected and actual are compared sign by sign


def github_export(course: Course) -> Export:
    """A course as a table, a row a submission."""
    return Export(_fitted(_course(course)))


def summary_text(result: Result, notes: Sequence[str] = ()) -> str:
    """One Result for its student: points, criteria, and all that failed, folded.

    `notes` are sentences of ours about what was judged and what was not.
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
    """As many pieces as there is room for; a sentence says so where that is not all."""
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
    """The text on one line, with code between backticks set as code."""
    pieces = [each.translate(UNLINKED) for each in CODE.split(line(text.strip(), limit))]
    pieces[1::2] = [f"<code>{code}</code>" for code in pieces[1::2]]
    return "".join(pieces)


def _block(text: str) -> str:
    return f"<pre>{prose(text).translate(ENTITIES)}</pre>\n\n"
