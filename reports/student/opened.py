"""Which criteria a student's page shows, and a mark by which a page says that it shows later ones.

A page of visible criteria alone has no mark. The mark is its last line, behind all that a student
could have written there.
"""

import hashlib
import os
from pathlib import Path

from graders.model import Criterion, Result

MARK = "\n<!-- criteria opened: {} -->\n"
SIZE = len(MARK.format("0" * 64))
START = MARK.partition("{")[0].encode()


def is_shown(criterion: Criterion, opened: frozenset[str]) -> bool:
    """Whether a student may see it: `hidden` as it was graded is never opened."""
    if criterion.visibility == "visible":
        return True
    return criterion.visibility != "hidden" and criterion.id in opened


def mark_of(result: Result, opened: frozenset[str]) -> str:
    """The mark of this Result's page; nothing where it shows visible criteria alone."""
    later = [each.criterion for each in result.criteria if each.criterion.visibility != "visible"]
    ids = sorted(each.id for each in later if is_shown(each, opened))
    return MARK.format(hashlib.sha256("\n".join(ids).encode()).hexdigest()) if ids else ""


def has_mark(page: Path, mark: str) -> bool:
    """Whether a page has exactly this mark; OSError where there is no page."""
    with page.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - SIZE, 0))
        end = file.read()
    return (end if end.startswith(START) else b"") == mark.encode()
