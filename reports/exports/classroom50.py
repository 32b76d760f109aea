"""Write results for Classroom 50: one document of schema `classroom50/result/v1` per line.

The schema's name is known. Its fields are assumptions: the usual ones that a result needs, named as
in softmark/result/v1. This file contains all of them:

    {"schema", "assignment", "submission", "score", "max_score", "graded_at",
     "tests": [{"name", "status", "score", "max_score"}]}

Only visible criteria are tests: we don't know when a student sees the file. The score includes
all graded criteria. A Result without a total has no document, because readers would take a missing
score for a zero.
"""

import json

from graders.model import CriterionResult, Result
from reports.exports.export import Course, Export
from reports.exports.findings import points_in_words
from reports.text import line

SCHEMA = "classroom50/result/v1"


def classroom50_export(course: Course) -> Export:
    """Return one line of JSON per submission, and name those without a total."""
    lines, problems = [], []
    for result in course.results:
        text = classroom50_text(result)
        lines.append(text)
        if not text:
            problems.append(f"{line(result.submission.id)}: left out, {points_in_words(result)}")
    return Export("".join(lines), problems=tuple(problems))


def classroom50_text(result: Result) -> str:
    """Return the document of one Result on one line, or nothing if it has no total."""
    if result.score is None:
        return ""
    document = {
        "schema": SCHEMA,
        "assignment": result.assignment,
        "submission": line(result.submission.id),
        "score": result.score,
        "max_score": result.max_score,
        "graded_at": result.started_at.isoformat(timespec="seconds"),
        "tests": [_test(c) for c in result.criteria if c.criterion.visibility == "visible"],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def _test(graded: CriterionResult) -> dict[str, object]:
    return {
        "name": line(graded.criterion.title),
        "status": graded.status,
        "score": graded.points,
        "max_score": graded.criterion.maximum,
    }
