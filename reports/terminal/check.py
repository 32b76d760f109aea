"""Show a student's own check on one screen: missing files, one row per criterion, worst failures.

what is missing
✓ criterion              10 / 10
✗ criterion               0 / 4   2 of 9 failed, 5 skipped
the failures that cost most
the points
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from graders.model import UNANSWERED, CheckResult, CriterionResult, Result
from graders.written.decisions import unread
from reports.drawing.counterexamples import rows_in_order
from reports.terminal.results import (
    OUT,
    SIGNS,
    blocked_words,
    criterion_points,
    show_check_words,
    show_criterion,
    show_heading,
    show_points,
)
from reports.text import line, prose
from reports.words import criterion_word
from submissions.escaping import counted

SHOWN = 3  # failures
MISSED = 8  # sentences
ROWS = 16  # criteria
LONGEST = 300  # characters of a text; `--verbose` shows all of it
ROWS_OF_EXAMPLE = 4
NUMBER = re.compile(r"\d+")
FOLDED = 3  # consecutive written questions with the same outcome share a row


@dataclass(frozen=True, slots=True)
class Unseen:
    """The data that a Result lacks: missing files, and criteria that are not checked here."""

    missing: Mapping[str, str]
    not_graded: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    """A criterion in the table, or several with the same outcome."""

    status: str
    title: str
    points: str
    why: str


def show_check(result: Result, unseen: Unseen, *, verbose: bool = False) -> None:
    """Show one submission to the student who checks it."""
    show_heading(result)
    _show_missing(list(unseen.missing.values()), verbose)
    if verbose:
        for graded in result.criteria:
            show_criterion(graded)
    else:
        OUT.print()
        _show_rows(list(_folded(result.criteria, unseen.missing)))
        _show_failures(result, unseen.missing)
        _show_unread(result)
    if unseen.not_graded:
        titles = "; ".join(line(title) for title in unseen.not_graded)
        say = "Pass the folder with the course's files as --data DIR."
        OUT.print(f"Not checked here: {titles}. {say}", style="dim")
    show_points(result)


def _show_missing(sentences: Sequence[str], verbose: bool) -> None:
    if not sentences:
        return
    shown = sentences if verbose else sentences[:MISSED]
    OUT.print(Text("\nMissing", style="bold red"))
    for sentence in shown:
        OUT.print(Padding(prose(sentence), (0, 0, 0, 2)))
    if len(sentences) > len(shown):
        OUT.print(f"  and {len(sentences) - len(shown)} more (use --verbose)")


def _show_rows(rows: Sequence[_Row]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(width=1)
    table.add_column(overflow="fold", ratio=3)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold", ratio=2, style="dim")
    for row in rows[:ROWS]:
        sign, style = SIGNS[row.status]
        table.add_row(Text(sign, style=style), Text(row.title, style="bold"), row.points, row.why)
    OUT.print(table)
    if len(rows) > ROWS:
        OUT.print(f"  and {len(rows) - ROWS} more criteria (use --verbose)")


def _folded(criteria: Sequence[CriterionResult], missing: Mapping[str, str]) -> Iterator[_Row]:
    """Yield one row per criterion; consecutive written questions with equal outcomes share one."""
    pending: list[CriterionResult] = []
    for graded in (*criteria, None):
        if pending and (graded is None or _likeness(graded) != _likeness(pending[0])):
            yield from _rows(pending, missing)
            pending = []
        pending += [graded] if graded is not None else []


def _likeness(graded: CriterionResult) -> tuple[object, ...]:
    """Return a key that is equal for written questions in one row; other criteria never share."""
    if graded.criterion.kind != "written":
        return (graded.criterion.id,)
    return ("written", graded.status, *sorted({check.message for check in graded.checks}))


def _rows(alike: Sequence[CriterionResult], missing: Mapping[str, str]) -> Iterator[_Row]:
    if len(alike) < FOLDED:
        yield from map(_row, alike)
        return
    first, last = alike[0].criterion, alike[-1].criterion
    points = None if any(c.points is None for c in alike) else sum(c.points or 0 for c in alike)
    whole = replace(first, points=sum(c.criterion.points for c in alike))
    title = f"{len(alike)} questions, {line(first.id)} to {line(last.id)}"
    shown = criterion_points(replace(alike[0], criterion=whole, points=points, checks=()))
    gone = any(_explained(check, missing) for check in alike[0].checks)
    yield _Row(alike[0].status, title, shown, "Missing" if gone else criterion_word(alike[0]))


def _row(graded: CriterionResult) -> _Row:
    points = criterion_points(graded) if graded.criterion.points else "advice"
    return _Row(graded.status, line(graded.criterion.title), points, _why(graded))


def _why(graded: CriterionResult) -> str:
    """Return how many checks failed or were skipped; nothing if all is well."""
    failed = sum(check.status in ("failed", "partial") for check in graded.checks)
    blocked = sum(check.outcome == "blocked" for check in graded.checks)
    parts = [f"{failed} of {len(graded.checks)} failed"] if failed else []
    if not parts and graded.status != "passed":
        parts.append(criterion_word(graded))
    return ", ".join([*parts, f"{blocked} skipped"] if blocked else parts)


def _show_failures(result: Result, missing: Mapping[str, str]) -> None:
    """Show the failures that cost most, each once, without those that missing files explain."""
    failures = [
        failure for failure in _failures(result.criteria) if not _explained(failure[1], missing)
    ]
    for graded, check in failures[:SHOWN]:
        OUT.print()
        OUT.print(Text(line(graded.criterion.title), style="bold"))
        show_check_words(_short(check), LONGEST)
    blocked = sum(c.outcome == "blocked" for graded in result.criteria for c in graded.checks)
    OUT.print()
    if len(failures) > SHOWN:
        more = counted(len(failures) - SHOWN, "more failure")
        OUT.print(f"- {more} (use --verbose)")
    if blocked:
        other = "what is missing" if missing else "checks that did not pass"
        OUT.print(blocked_words(blocked, "these" if failures else other))


def _show_unread(result: Result) -> None:
    """Show the answers that could not be read automatically, each reason once."""
    waiting = (check for graded in result.criteria for check in graded.checks if unread(check))
    once: dict[tuple[str, ...], CheckResult] = {}
    for check in waiting:
        once.setdefault(_says(check), check)
    checks = list(once.values())
    if checks:
        OUT.print(Text("Needs manual grading", style="bold"))
    for check in checks[:MISSED]:
        show_check_words(_short(check), LONGEST)
    if len(checks) > MISSED:
        OUT.print(f"- {len(checks) - MISSED} more (use --verbose)")
    if checks:
        OUT.print()


def _failures(criteria: Sequence[CriterionResult]) -> list[tuple[CriterionResult, CheckResult]]:
    """Return the failed checks, equal messages once, those that cost most first.

    Questions without an answer come after them: the student knows what to do. A check that failed
    because another could not be run comes last: the other one says why.
    """
    broken = {c.id for graded in criteria for c in graded.checks if c.status == "error"}
    spoilt = _spoilt(criteria)
    failures = [
        (_lost(graded, check) + spoilt[check.id], graded, check)
        for graded in criteria
        for check in graded.checks
        if check.status in ("failed", "partial", "error")
    ]
    failures.sort(key=lambda row: (_follows(row[2], broken), row[2].message == UNANSWERED, -row[0]))
    once: dict[tuple[str, ...], tuple[CriterionResult, CheckResult]] = {}
    for _, graded, check in failures:
        once.setdefault(_says(check), (graded, check))
    return list(once.values())


def _lost(graded: CriterionResult, check: CheckResult) -> float:
    """Return the points that a check lost."""
    weight = sum(c.weight for c in graded.checks) or 1.0
    return graded.criterion.points * check.weight / weight * (1 - check.fraction)


def _spoilt(criteria: Sequence[CriterionResult]) -> Mapping[str, float]:
    """Return for each check the points of those that were skipped because they depend on it.

    So a table with the wrong shape comes before everything that depends on it.
    """
    pairs = [(graded, check) for graded in criteria for check in graded.checks]
    blocked = {c.id: c.check.depends_on for _, c in pairs if c.outcome == "blocked"}
    blocked_points: defaultdict[str, float] = defaultdict(float)
    for graded, check in pairs:
        for ground in _grounds(check.id, blocked):
            blocked_points[ground] += _lost(graded, check)
    return blocked_points


def _grounds(check_id: str, blocked: Mapping[str, Sequence[str]]) -> set[str]:
    """Return all checks that one depends on, directly or indirectly."""
    grounds: set[str] = set()
    ahead = [check_id]
    while ahead:
        new = set(blocked.get(ahead.pop(), ())) - grounds
        grounds |= new
        ahead += new
    return grounds


def _says(check: CheckResult) -> tuple[str, ...]:
    """Return a key that is equal for failures shown as one; numbers in messages don't count."""
    message = NUMBER.sub("0", check.message) if check.actual else check.message
    return message, check.hint, check.expected, check.actual


def _follows(check: CheckResult, broken: set[str]) -> bool:
    return check.status == "error" and not broken.isdisjoint(check.check.depends_on)


def _explained(check: CheckResult, missing: Mapping[str, str]) -> bool:
    """Return whether a failure only repeats that something is missing."""
    names = {quoted for name in missing for quoted in (f"`{name}`", f"'{name}'")}
    names |= {f"'{name.removesuffix('.py')}'" for name in missing}
    return any(name in check.message for name in names)


def _short(check: CheckResult) -> CheckResult:
    rows = rows_in_order(check)
    more = len(rows) - ROWS_OF_EXAMPLE
    if more > 1:  # a line that says that one is left out is as long as the one
        rows = (*rows[:ROWS_OF_EXAMPLE], ("…", f"and {more} more (use --verbose)"))
    return replace(check, counterexample=rows)
