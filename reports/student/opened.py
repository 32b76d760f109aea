"""Mark a student's page with a hash of what it shows in addition to the Result.

These are criteria opened later, the final grade, regrade requests and comments; a page without them
has no mark. The mark is the last line of the page, after all text by the student. It depends only
on what the page shows: from a hash over hidden points, a student could find these by trial.
"""

import hashlib
import os
from pathlib import Path

from graders.course.release import CourseRules
from graders.model import Result
from reports.student.grade import about_grade
from reports.student.requests import AboutRequests, about_requests, comments_on
from reports.student.withheld import is_shown

MARK = "\n<!-- shown by: {} -->\n"
SIZE = len(MARK.format("0" * 64))
START = MARK.partition("{")[0].encode()


def mark_of(result: Result, rules: CourseRules) -> str:
    """Return the mark of this Result's page; empty if it shows only visible criteria."""
    later = [
        graded.criterion for graded in result.criteria if graded.criterion.visibility != "visible"
    ]
    shown = sorted(criterion.id for criterion in later if is_shown(criterion, rules.opened))
    about = about_grade(result, rules)
    requests = about_requests(result, rules)
    shown += [str(part) for part in (about, requests) if part and part != AboutRequests()]
    shown += comments_on(result, rules)
    return MARK.format(hashlib.sha256("\n".join(shown).encode()).hexdigest()) if shown else ""


def has_mark(page: Path, mark: str) -> bool:
    """Return whether a page has exactly this mark. Raises OSError if there is no page."""
    with page.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - SIZE, 0))
        end = file.read()
    return (end if end.startswith(START) else b"") == mark.encode()
