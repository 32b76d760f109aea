"""The rows of the course page's table as data, which its script inserts only as text.

    {"words": [...], "most": [...],
     "rows": [[id, student, status, scores, points, endings, href, also, none, missing]]}

`student` is 0 if it equals the id; `status` is an index into STATUSES. `scores` contains the score
and, if the assignment declares one, the final grade (null if there is none). Instead of a score
that waits for decisions it contains words: "35.5 so far". `points` has a number per criterion: null
if it is undecided, "" if there is none. `endings` alternates between an index into `words` and a
count. `href` is present only if the link cannot be made from the id. `also` contains more text to
search: shortened names, emails, numbers. `none` is 1 if nothing was earned. `missing` names the
files that the upload lacks. Empty values at the end of a row are left out.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from markupsafe import Markup

from graders.model import ResultStatus
from reports.course.view import CourseView, CriterionSummary, Row
from reports.page import student_href
from reports.text import items, line, number
from reports.words import marked

STATUSES: tuple[ResultStatus, ...] = get_args(ResultStatus)
NAME = 60  # characters of a name, as in the table without a script
MISSING = 80  # characters of the names of missing files
FOUND_BY = 200  # characters: three people with an address and a number each
# What could end the script element or open a comment in it. JSON knows another way to write each.
HARMLESS = {ord(char): f"\\u{ord(char):04x}" for char in "<>&'\u2028\u2029"}


def table_data(course: CourseView) -> Markup:
    """Return the rows as JSON that is safe inside a `<script type="application/json">`."""
    words = sorted({word for row in course.rows for word in row.unanswered})
    places = {word: place for place, word in enumerate(words)}
    rows = [_row(row, course.rubric, places) for row in course.rows]
    names = Counter(row[1] for row in rows)
    for row in rows:
        if row[1] and names[row[1]] > 1:  # a phone does not show the column with the ID
            row[1] = f"{row[1]} ({row[0]})"
    document = {
        "words": words,
        "most": [_short(graded.criterion.points) for graded in course.rubric],
        "rows": rows,
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.translate(HARMLESS))  # noqa: S704  nothing is left in it that is markup


def status_counts(course: CourseView) -> tuple[tuple[ResultStatus, int], ...]:
    """Return the number of submissions for each status that occurs."""
    counts = {status: sum(row.status == status for row in course.rows) for status in STATUSES}
    return tuple((status, count) for status, count in counts.items() if count)


def filter_counts(course: CourseView) -> tuple[tuple[str, str, int], ...]:
    """Return the filters that apply to some submission: name, words and number of submissions."""
    zero = sum(row.has_no_points for row in course.rows)
    missing = sum(bool(row.missing) for row in course.rows)
    counts = (("zero", "Zero points", zero), ("missing", "Missing files", missing))
    return tuple(count for count in counts if count[-1])


def _row(row: Row, rubric: Sequence[CriterionSummary], places: Mapping[str, int]) -> list[object]:
    submission = row.submission
    name, student = line(submission.id, NAME), line(marked(submission.student), NAME)
    href = student_href(submission.id) if name != submission.id else 0
    also = (line(text, FOUND_BY) for text in (submission.id, submission.student))
    endings = [each for word, count in row.unanswered.items() for each in (places[word], count)]
    cells: list[object] = [
        name,
        0 if student.strip() in ("", name) else student,
        STATUSES.index(row.status),
        [_score(row), *([_short(row.final.final)] if row.final else [])],
        [_points(row, summary.criterion.id) for summary in rubric],
    ]
    shown = ("", name, student)
    found_by = " ".join(text for text in also if text.strip() not in shown)
    missing = items(row.missing, MISSING)
    rest = [endings, href, found_by, int(row.has_no_points), missing]
    while rest and not rest[-1]:
        rest.pop()
    return [*cells, *rest]


def _score(row: Row) -> object:
    if row.score is None and row.so_far is not None:
        return f"{number(row.so_far)} so far"
    return _short(row.score)


def _points(row: Row, criterion: str) -> object:
    if criterion in row.points and row.points[criterion] is not None:
        return _short(row.points[criterion])
    return None if criterion in row.points and row.status != "rejected" else ""


def _short(points: float | None) -> float | None:
    """Return the number with only the digits that the table shows."""
    if points is None:
        return None
    rounded = round(points, 2)
    return int(rounded) if rounded == int(rounded) else rounded
