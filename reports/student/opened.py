"""Which criteria a student's page shows, and a mark of what it shows beside the Result.

That is the criteria opened later, the final grade, regrade requests and comments; a page without
them has no mark. The mark is its last line, behind all that a student could have written there. It
is made from what the page shows and nothing else: a sum over hidden points could be tried out.
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
    """The mark of this Result's page; nothing where it shows visible criteria alone."""
    later = [each.criterion for each in result.criteria if each.criterion.visibility != "visible"]
    shown = sorted(each.id for each in later if is_shown(each, rules.opened))
    about = about_grade(result, rules)
    asked = about_requests(result, rules)
    shown += [str(each) for each in (about, asked) if each and each != AboutRequests()]
    shown += comments_on(result, rules)
    return MARK.format(hashlib.sha256("\n".join(shown).encode()).hexdigest()) if shown else ""


def has_mark(page: Path, mark: str) -> bool:
    """Return whether a page has exactly this mark. Raises OSError if there is no page."""
    with page.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - SIZE, 0))
        end = file.read()
    return (end if end.startswith(START) else b"") == mark.encode()
