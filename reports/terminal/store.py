"""Print the contents of the store: generations, and differences between two of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from graders.model import Difference, Generation, Regraded
from reports.course.regrade import FILE, by_loss
from reports.terminal.results import ERR, OUT
from reports.text import line, number
from reports.words import STATUS_WORDS

SHOWN = 40


def show_stored(stored: int, total: int, elsewhere: int) -> None:
    """Show how many results are reused, and what else is in the store."""
    if stored:
        ERR.print(f"{stored} of {total} reused from saved results", soft_wrap=True)
    if elsewhere:
        are = "submission is" if elsewhere == 1 else "submissions are"
        ERR.print(f"{elsewhere} earlier {are} not among these", soft_wrap=True)


def show_generations(generations: Iterable[Generation], current: int) -> None:
    """Show one row per generation, the published one marked."""
    table = Table(box=None, pad_edge=False)
    for name in ("generation", "made", "version", "submissions", ""):
        table.add_column(name, overflow="fold")
    for each in generations:
        state = "published" if each.number == current else "" if each.published else "draft"
        row = (each.number, each.made_at, each.version, each.submissions)
        table.add_row(*map(str, row), state)
    OUT.print(table)


def show_regraded(regraded: Regraded, out: Path) -> None:
    """Show who gains and loses, how much and why; the largest losses first."""
    touched = ", ".join(map(line, regraded.touched)) or "nothing"
    OUT.print(
        f"generation {regraded.after}: {regraded.graded} of {regraded.submissions} graded again "
        f"({touched})",
        soft_wrap=True,
    )
    apart = sum((each.before is None) != (each.after is None) for each in regraded.differences)
    same = regraded.submissions - regraded.gaining - regraded.losing - apart
    open_ = f"; {apart} scored in only one of the two" if apart else ""
    OUT.print(f"{regraded.gaining} up, {regraded.losing} down, {same} unchanged{open_}")
    rows = by_loss(regraded.differences)
    for difference in rows[:SHOWN]:
        _show_difference(difference)
    if len(rows) > SHOWN:
        OUT.print(f"and {len(rows) - SHOWN} more")
    if regraded.before != regraded.after:
        OUT.print(f"differences: {out / FILE}", soft_wrap=True)


def show_retry(questions: int, gone: Sequence[str]) -> None:
    """Show that nothing needs a retry, or the uploads that no longer exist."""
    if not questions:
        ERR.print("nothing to grade again")
    show_sentences(gone)


def show_kinds(kinds: Iterable[tuple[str, int, Sequence[str], str]]) -> None:
    """Show what needs manual grading: name, submissions, checks and words of each kind."""
    table = Table(box=None, pad_edge=False)
    for name in ("kind", "submissions", "checks", "why"):
        table.add_column(name, overflow="fold")
    for name, submissions, checks, why in kinds:
        table.add_row(name, str(submissions), line(", ".join(checks)), line(why, 300))
    if table.row_count:
        OUT.print(table)
    else:
        ERR.print("nothing needs manual grading outside the written part")


def show_sentences(sentences: Iterable[str]) -> None:
    """Show notes for staff, one per line."""
    for sentence in sentences:
        ERR.print(line(sentence, 1000), soft_wrap=True)


def _show_difference(difference: Difference) -> None:
    text = Text(line(difference.submission), style="bold")
    points, sign = difference.gain, "+" if difference.gain > 0 else ""
    text.append(f"  {_score(difference.before)} -> {_score(difference.after)}")
    if difference.before is not None and difference.after is not None:
        text.append(f"  {sign}{number(points)}", style="red" if points < 0 else "green")
    text.append(f"  {STATUS_WORDS[difference.status]}", style="dim")
    OUT.print(text)
    for change in difference.changes:
        verdicts = f"{line(change.check)}: {line(change.before)} -> {line(change.after)}"
        OUT.print(Padding(f"{verdicts}: {line(change.why, 200)}", (0, 0, 0, 4)))


def _score(score: float | None) -> str:
    return "-" if score is None else number(score)
