"""Print data to stdout, progress and errors to stderr."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from graders.course.final_grades import FinalGrade
from graders.failures import message_of
from graders.model import Assignment, CheckResult, CriterionResult, Finding, Result, ResultStatus
from graders.scoring import maximum
from reports.course.twins import FILE, Twins
from reports.drawing.counterexamples import rows_in_order
from reports.provisional import provisional, provisional_total, so_far
from reports.text import LINE_LIMIT, PROSE_LIMIT, line, number, number_or_dash, points, prose
from reports.words import (
    STAFF_SENTENCES,
    STATUS_SENTENCES,
    STATUS_WORDS,
    adjusted_words,
    check_word,
    criterion_word,
    for_staff,
    intake_notes,
    is_without_points,
)
from submissions.escaping import counted

T = TypeVar("T")
# Columns that are aligned on the right.
NUMBERS = {"score", "final", "points", "submissions", "generation", "noticed", "95% interval"}
NARROW = 80  # columns; on a narrower terminal, a status is one short word
SHORT = {"needs_review": "To grade"}
SCREEN = 40  # rows of a table if the rest can be read elsewhere

OUT = Console(highlight=False, markup=False)
ERR = Console(stderr=True, highlight=False, markup=False)

SIGNS = {
    "passed": ("✓", "green"),
    "partial": ("~", "yellow"),
    "failed": ("✗", "red"),
    "skipped": ("-", "dim"),
    "needs_review": ("?", "cyan"),
    "error": ("!", "magenta"),
}


def progress_of(items: Iterable[T], total: int, doing: str = "grading") -> Iterator[T]:
    """Yield the same items and show a bar on stderr: number, time, time left."""
    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=ERR, transient=True, disable=not ERR.is_terminal) as bar:
        task = bar.add_task(doing, total=total)
        for item in items:
            bar.advance(task)
            yield item


def show_result(result: Result, grade: FinalGrade | None = None) -> None:
    """Show one submission in full to staff: what fails, why, and the final grade, if any."""
    show_heading(result)
    for criterion in result.criteria:
        checks = (replace(check, message=for_staff(check.message)) for check in criterion.checks)
        show_criterion(replace(criterion, checks=tuple(checks)))
    show_points(result, STAFF_SENTENCES)
    if grade is not None:
        final = "none" if grade.final is None else number(grade.final)
        OUT.print(line(f"Final grade: {final} ({grade.words.rstrip('.')})", 300), style="bold")


def show_heading(result: Result) -> None:
    """Show the submission's ID, the assignment, and what was taken from the upload."""
    OUT.print(f"{line(result.submission.id)}: {line(result.title)}", style="bold")
    for note in intake_notes(result):
        OUT.print(Padding(line(note, 300), (0, 0, 0, 2)), style="dim")


def show_points(result: Result, sentences: Mapping[ResultStatus, str] = STATUS_SENTENCES) -> None:
    """Show the points, and why there are not more of them."""
    if result.status in ("rejected", "needs_review"):
        OUT.print(sentences[result.status])
    OUT.print(_points_in_words(result), style="bold")


def _points_in_words(result: Result) -> str:
    """Return the points of what was graded, and of what needs manual grading."""
    total = provisional_total(result.criteria)
    if result.status == "needs_review" and total.waiting:
        most = number(result.max_score)
        return f"Score: {number(total.earned)} / {most} so far; {points(total.waiting)} ungraded"
    judged = [criterion for criterion in result.criteria if criterion.points is not None]
    whole = sum(criterion.criterion.points for criterion in judged)
    if not whole:  # "0 of 0" would look like a grade
        return "No score: nothing with points was graded here"
    earned = number(sum(criterion.points or 0.0 for criterion in judged))
    return f"Score: {earned} / {number(whole)} (criteria checked here)"


@dataclass(frozen=True, slots=True)
class _Scored:
    """One row of the table of scores."""

    name: str
    score: str
    most: str
    final: tuple[str, ...]
    status: ResultStatus


class ScoreTable:
    """One row per submission, and one line per error for staff; Results are read once."""

    def __init__(self) -> None:
        self._rows: list[_Scored] = []
        self._finals = False
        self._broken: list[str] = []
        self.waiting = 0  # submissions that need manual grading
        self.unconfirmed = 0  # those among them whose points only have to be confirmed
        self.rejected = 0  # the reason of exit code 1
        self.without_points = 0  # graded ones, perhaps empty or the starter code alone

    def add(self, result: Result, grade: FinalGrade | None = None) -> None:
        """Note a Result's score, final grade and faults."""
        score = number_or_dash(result.score)
        if result.status == "needs_review" and result.score is None:
            score = f"{number(so_far(result) or 0.0)} so far"
        final = () if grade is None else (number_or_dash(grade.final),)
        name, most = line(result.submission.id), number(result.max_score)
        self._rows.append(_Scored(name, score, most, final, result.status))
        self._finals |= grade is not None
        self._broken += _faults(result)
        self.waiting += result.status == "needs_review"
        self.unconfirmed += result.status == "needs_review" and result.score is not None
        self.rejected += result.status == "rejected"
        self.without_points += is_without_points(result)

    def show(self, rest: str = "") -> None:
        """Print the rows to stdout, if there are any.

        If `rest` says where to find the rest, print at most one screen, starting with submissions
        that are not simply graded.
        """
        rows = self._rows
        if rest and len(rows) > SCREEN:
            rows = sorted(rows, key=lambda row: row.status == "graded")[:SCREEN]
        if rows:
            self._show_rows(rows)
        if len(rows) < len(self._rows):
            OUT.print(f"and {len(self._rows) - len(rows):,} more: {rest}", soft_wrap=True)

    def _show_rows(self, rows: Sequence["_Scored"]) -> None:
        """Print the rows; the maximum is in the heading if it is the same for all."""
        most = {row.most for row in rows}
        heading = f"score / {most.pop()}" if len(most) == 1 else "score"
        words = STATUS_WORDS | (SHORT if OUT.width < NARROW else {})
        cells = [
            (
                row.name,
                row.score if heading != "score" else f"{row.score} / {row.most}",
                *row.final,
                words[row.status],
            )
            for row in rows
        ]
        final = ("final",) if self._finals else ()
        show_table(("submission", heading, *final, "status"), cells)

    def show_faults(self) -> None:
        """Print the errors to stderr."""
        for fault in self._broken:
            ERR.print(fault, soft_wrap=True)


def show_batch(scores: ScoreTable, out: Path, twins: Sequence[Twins] = ()) -> None:
    """Show one row per submission, and the paths of the pages."""
    scores.show(rest=str(out / "grades.csv"))
    OUT.print(f"course page: {out / 'index.html'}", soft_wrap=True)
    OUT.print(f"student pages: {out / 'reports'}", soft_wrap=True)
    if scores.waiting:
        who = f"{scores.waiting} submission{' needs' if scores.waiting == 1 else 's need'}"
        OUT.print(f"{who} manual grading: python grade.py review {out}", soft_wrap=True)
    if scores.unconfirmed > 1:
        who = f"points of {scores.unconfirmed} submissions need to be confirmed"
        OUT.print(f"{who}, all at once with: python grade.py decide {out}", soft_wrap=True)
    if scores.rejected:
        who = counted(scores.rejected, "submission")
        OUT.print(f"{who} not accepted; the course page says why", soft_wrap=True)
    if scores.without_points:
        who = counted(scores.without_points, "submission")
        OUT.print(f"{who} without any points; the course page lists them", soft_wrap=True)
    if twins:
        count = len({submission.id for group in twins for submission in group.submissions})
        OUT.print(f"equal files in {count} submissions: {out / FILE}", soft_wrap=True)
    scores.show_faults()


def show_scores(graded: Iterable[tuple[Result, FinalGrade | None]]) -> None:
    """Show one row per submission, without errors."""
    scores = ScoreTable()
    for result, grade in graded:
        scores.add(result, grade)
    scores.show()


def show_findings(findings: Sequence[Finding]) -> None:
    """Show the findings of validate: one line if as expected, and the reasons if not."""
    for finding in sorted(findings, key=lambda finding: (bool(finding.problems), finding.name)):
        lost = ", ".join(f"{name} -{number(points)}" for name, points in finding.lost.items())
        sign, style = SIGNS["failed" if finding.problems else "passed"]
        text = Text(f"{sign} ", style=style)
        text.append(finding.name, style="bold")
        usual = "" if finding.problems else "loses nothing"
        text.append(f"  {lost or usual}", style="dim")
        OUT.print(text)
        for problem in finding.problems:
            OUT.print(Padding(prose(problem), (0, 0, 0, 4)))
    wrong = sum(bool(finding.problems) for finding in findings)
    OUT.print(f"{len(findings)} graded, {len(findings) - wrong} as expected, {wrong} not")


def show_assignments(assignments: Sequence[Assignment]) -> None:
    """A row per assignment: its name, title and points."""
    rows = [
        (assignment.name, assignment.title, number(maximum(assignment.rubric)))
        for assignment in assignments
    ]
    show_table(("assignment", "title", "points"), rows)


def show_criteria(assignment: Assignment) -> None:
    """A row per criterion of an assignment."""
    title = f"{assignment.name}: {assignment.title}, {number(maximum(assignment.rubric))} points"
    OUT.print(Text(line(title), style="bold"))
    rows = [
        (
            criterion.id,
            criterion.title,
            number(criterion.points),
            criterion.kind,
            criterion.visibility,
        )
        for criterion in assignment.rubric
    ]
    show_table(("criterion", "title", "points", "kind", "visibility"), rows)


def show_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], most: int = LINE_LIMIT
) -> None:
    """Show a table; if the window is too narrow, show a paragraph for each row.

    Text is wrapped, but numbers are not.
    """
    shown = [[line(cell, most) for cell in row] for row in rows]
    named = list(zip(columns, *shown, strict=True))
    numeric = [name.partition(" / ")[0] in NUMBERS for name in columns]
    longest = [
        max(map(cell_len, cells)) if fixed else _longest_word(cells)
        for cells, fixed in zip(named, numeric, strict=True)
    ]
    widths = [min(width, OUT.width * 2 // 3) for width in longest]
    spare = OUT.width - sum(widths) - 2 * (len(widths) - 1)
    if spare < 0:
        return _show_paragraphs(columns, shown)
    table = Table(box=None, pad_edge=False)
    for name, cells, width, fixed in zip(columns, named, widths, numeric, strict=True):
        more = min(spare, max(map(cell_len, cells)) - width)
        spare -= more
        justify: JustifyMethod = "right" if fixed else "left"
        table.add_column(name, width=width + more, overflow="fold", justify=justify)
    for row in shown:
        table.add_row(*row)
    OUT.print(table)


def _longest_word(cells: Sequence[str]) -> int:
    return max((cell_len(word) for cell in cells for word in cell.split()), default=0)


def _show_paragraphs(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    for first, *rest in rows:
        OUT.print(first, style="bold", soft_wrap=True)
        for name, value in zip(columns[1:], rest, strict=True):
            if value:
                OUT.print(Padding(f"{name}: {value}" if name else value, (0, 0, 0, 2)))


def show_rows(rows: Iterable[tuple[str, str, bool]]) -> None:
    """Show names and findings, each with a sign for pass or fail."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(width=1)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text, good in rows:
        sign, style = SIGNS["passed" if good else "failed"]
        table.add_row(Text(sign, style=style), name, text)
    OUT.print(table)


def clear() -> None:
    """Clear the screen, if there is one."""
    if OUT.is_terminal:
        OUT.clear()


@contextmanager
def checking(seconds: float) -> Iterator[None]:
    """Show in a terminal that a check runs, and when code that hangs is stopped."""
    # Not for pipes: their reader wants the result alone.
    with ERR.status(f"checking (code that hangs is stopped within {seconds:.0f} s)"):
        yield


def show_waiting() -> None:
    """Show that a check waits for the next change."""
    ERR.print("waiting for a change; Ctrl-C ends", style="dim")


def show_misuse(message: str, hint: str) -> None:
    """Show one line that says what is wrong, and one that says what to do."""
    ERR.print(Text.assemble(("Error: ", "bold red"), line(message, 1000)), soft_wrap=True)
    if hint:
        ERR.print(Text.assemble(("hint: ", "bold"), line(hint, 1000)), soft_wrap=True)


def show_warning(message: str) -> None:
    """One line on stderr."""
    ERR.print(Text.assemble(("Warning: ", "bold yellow"), line(message, 1000)), soft_wrap=True)


def criterion_points(result: CriterionResult) -> str:
    """Return the points earned, or certain so far, and the maximum."""
    if result.is_excused:
        return "does not count"
    earned = provisional(result).earned
    sure = (
        f"{number(earned)} so far"
        if result.points is None and earned
        else number_or_dash(result.points)
    )
    return f"{sure} / {number(result.criterion.points)}"


def show_criterion(result: CriterionResult) -> None:
    """Show one criterion with every check that has something to report."""
    sign, style = SIGNS[result.status]
    points = criterion_points(result)
    text = Text(f"{sign} ", style=style)
    text.append(line(result.criterion.title), style="bold")
    text.append(f"  {criterion_word(result)}, {points}", style="dim")
    OUT.print(text)
    if result.adjusted:
        OUT.print(Padding(adjusted_words(result), _IN))
        OUT.print(Padding(prose(f"Comment: {result.adjusted.comment}"), _IN))
    shown = [
        c for c in result.checks if c.status != "skipped" and (c.status != "passed" or c.message)
    ]
    for check in shown:
        show_check_words(check)
    blocked = sum(check.outcome == "blocked" for check in result.checks)
    if blocked:
        all_passed = all(check.status == "passed" for check in shown)
        named = "checks of other criteria that did not pass" if all_passed else "these"
        OUT.print(Padding(blocked_words(blocked, named, more=bool(shown)), _IN))
    skipped = sum(check.status == "skipped" for check in result.checks) - blocked
    if skipped:
        more = " more" if shown or blocked else ""
        OUT.print(Padding(f"- {skipped}{more} skipped: nothing to check", _IN))


def blocked_words(count: int, named: str, *, more: bool = True) -> str:
    """Return a line about checks that were skipped, and the checks on which they depend."""
    depend = "it depends" if count == 1 else "they depend"
    return f"- {count} {'more ' if more else ''}skipped because {depend} on {named}"


def show_check_words(result: CheckResult, most: int = PROSE_LIMIT) -> None:
    """Show one check: expected, actual, an example, a hint; each cut at `most`."""
    sign, style = SIGNS[result.status]
    text = Text.assemble((f"{sign} ", style), line(result.check.description, 300))
    if result.outcome:
        text.append(f"  {check_word(result)}", style="dim")
    OUT.print(Padding(text, _IN))
    rows = [
        ("", message_of(result)),
        ("expected", result.expected),
        ("got", result.actual),
        *rows_in_order(result),
        ("hint", result.hint),
    ]
    limit = min(most, WAITING_LIMIT) if result.status == "needs_review" else most
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", overflow="fold", max_width=22)
    table.add_column(overflow="fold")
    for label, value in rows:
        if value:
            table.add_row(line(label), prose(value, limit))
    if table.row_count:
        OUT.print(Padding(table, (0, 0, 0, 6)))


def _faults(result: Result) -> list[str]:
    return [f"{line(result.submission.id)}: {line(fault, 400)}" for fault in result.faults]


_IN = (0, 0, 0, 4)
WAITING_LIMIT = 300  # for texts that a person reads anyway
