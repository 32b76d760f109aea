"""List the failures in a Result, part by part, for the exports that show them."""

import re
from collections.abc import Iterator

from graders.model import CheckResult, CriterionResult, Result
from reports.provisional import provisional_total
from reports.text import line, number
from reports.words import STATUS_WORDS

# As the worker writes it (graders/boundary/child/worker.py), such as `attention.py, line 7`; six
# digits are more than any file has.
WHERE = re.compile(r"(?P<file>.+\.py), line (?P<line>[1-9][0-9]{0,5})")

# As graders/grading/rival_files.py writes it, such as "This check judges `double` in `work.py`."
JUDGED = re.compile(r"^This check judges .*?`([^`]+\.(?:py|ipynb))`", re.MULTILINE)


def failures(result: Result) -> Iterator[tuple[CriterionResult, CheckResult]]:
    """Yield every check that failed or earned partial credit, with its criterion."""
    for graded in result.criteria:
        for check in graded.checks:
            if check.status in ("failed", "partial"):
                yield graded, check


def parts_of(result: CheckResult) -> Iterator[tuple[str, str]]:
    """Yield label and text of everything in a check except its message; the texts are unescaped."""
    actual_label = "actual" if where_ended(result) is None else "at"
    named = (("hint", result.hint), ("expected", result.expected), (actual_label, result.actual))
    shown = ("expected", result.expected)
    rows = ((f"example {line(a)}", b) for a, b in result.counterexample if (a, b) != shown)
    return ((label, text) for label, text in (*named, *rows) if text)


def where_ended(result: CheckResult) -> tuple[str, int] | None:
    """Return file and line at which student code ended a check, relative to the code's folder."""
    match = WHERE.fullmatch(result.actual)
    return match and (match["file"], int(match["line"]))


def points_in_words(result: Result) -> str:
    """Return the points in a few words; without a total, the reason and the points so far."""
    most = f"of {number(result.max_score)} points"
    if result.score is not None:
        return f"{number(result.score)} {most}"
    if result.status != "needs_review":
        return STATUS_WORDS[result.status]
    return f"{number(provisional_total(result.criteria).earned)} {most} so far"
