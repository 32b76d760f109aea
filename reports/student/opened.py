"""Decide which criteria a student's page shows, and mark pages that show more than visible ones.

A page with only visible criteria has no mark. The mark is the page's last line, after everything
that a student could have written into it.
"""

import hashlib
import os
from pathlib import Path

from graders.model import Criterion, Result

MARK = "\n<!-- criteria opened: {} -->\n"
SIZE = len(MARK.format("0" * 64))
START = MARK.partition("{")[0].encode()


def is_shown(criterion: Criterion, opened: frozenset[str]) -> bool:
    """Return whether a student may see it; a criterion graded as `hidden` is never opened."""
    if criterion.visibility == "visible":
        return True
    return criterion.visibility != "hidden" and criterion.id in opened


def mark_of(result: Result, opened: frozenset[str]) -> str:
    """Return the mark of this Result's page, or nothing if it shows only visible criteria."""
    later = [each.criterion for each in result.criteria if each.criterion.visibility != "visible"]
    ids = sorted(each.id for each in later if is_shown(each, opened))
    return MARK.format(hashlib.sha256("\n".join(ids).encode()).hexdigest()) if ids else ""


def has_mark(page: Path, mark: str) -> bool:
    """Return whether a page has exactly this mark. Raises OSError if there is no page."""
    with page.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - SIZE, 0))
        end = file.read()
    return (end if end.startswith(START) else b"") == mark.encode()
