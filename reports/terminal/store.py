"""Print tables about uploads and the store: previews, generations, adjustments, requests."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from graders.course.extensions import Account, Granted
from graders.course.merges import Merge
from graders.course.preview import Preview
from graders.model import Difference, Generation, Regraded
from graders.storage.requests import Comment, Request
from graders.written.agreement import POINTS, Answer, LineAgreement, Pace
from graders.written.decisions import decided_as
from reports.course.regrade import FILE, by_loss
from reports.terminal.results import ERR, OUT, show_table
from reports.text import items, line, number, number_or_dash
from reports.words import STATUS_WORDS, for_staff
from submissions.escaping import counted, first_few

SHOWN = 40
MISSING = 400  # characters of the names of missing files
FEW = 4  # submissions that are named


def show_stored(stored: int, total: int, elsewhere: int) -> None:
    """Show how many results are reused, and what else is in the store."""
    if stored:
        ERR.print(f"{stored} of {total} reused from saved results", soft_wrap=True)
    if elsewhere:
        are = "submission is" if elsewhere == 1 else "submissions are"
        ERR.print(f"{elsewhere} earlier {are} not among these", soft_wrap=True)


def show_previews(uploads: Iterable[Preview], stored: Collection[str]) -> None:
    """A row for each upload: whether it would be graded, its files and what is missing."""
    uploaded, rows = list(uploads), list[Sequence[str]]()
    states = Counter[str]()
    for upload in uploaded:
        saved = upload.submission.id in stored
        state = "not accepted" if upload.rejected else "saved" if saved else "to grade"
        states[state] += 1
        files = "" if upload.rejected else first_few((*upload.code, *upload.artifacts)) or "-"
        missing = "" if upload.rejected else items(upload.missing, MISSING) or "-"
        rows.append((upload.submission.id, state, files, missing))
    show_table(("submission", "", "found", "missing"), rows, 2 * MISSING)
    counts = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    OUT.print(f"{counts}. Nothing was graded.")
    for upload in uploaded:
        notes = upload.notes if upload.missing else ()
        for note in (upload.rejected,) if upload.rejected else notes:
            ERR.print(f"{line(upload.submission.id)}: {line(note, 300)}", soft_wrap=True)


def show_interrupted(done: int, left: int, out: Path, *, force: bool = False) -> None:
    """Show what is graded and what is left after an interruption, and how to resume."""
    ERR.print(
        f"Interrupted: {done} of {done + left} submissions are graded and saved in {out}; "
        f"{left} left",
        soft_wrap=True,
    )
    again = "; --force grades all of them again" if force else " to resume"
    ERR.print(f"hint: run the same command again{again}", soft_wrap=True)


def show_generations(generations: Iterable[Generation], published: int, shown: int) -> None:
    """A row for each generation, and a line if the scores below are not the published ones."""
    rows = list[Sequence[str]]()
    for generation in generations:
        old = "replaced" if generation.published else "draft"
        state = "published" if generation.number == published else old
        made_at = f"{datetime.fromisoformat(generation.made_at):%Y-%m-%d %H:%M} UTC"
        counts = (str(generation.version), str(generation.submissions))
        rows.append((str(generation.number), made_at, *counts, state))
    show_table(("generation", "made", "version", "submissions", ""), rows)
    if shown != published:
        OUT.print(f"scores of generation {shown}, which are not published:")


def show_regraded(regraded: Regraded, out: Path) -> None:
    """Show who gains and loses, how much and why; the largest losses first."""
    touched = f" ({', '.join(map(line, regraded.touched))})" if regraded.touched else ""
    count = len(regraded.graded)
    which = f": {first_few(regraded.graded)}" if 0 < count < min(regraded.submissions, FEW) else ""
    OUT.print(
        f"generation {regraded.after}: {count} of {regraded.submissions} graded again{which}"
        f"{touched}",
        soft_wrap=True,
    )
    apart = sum(
        (difference.before is None) != (difference.after is None)
        for difference in regraded.differences
    )
    same = regraded.submissions - regraded.gaining - regraded.losing - apart
    open_ = f"; {apart} scored in only one of the two" if apart else ""
    OUT.print(f"{regraded.gaining} up, {regraded.losing} down, {same} unchanged{open_}")
    if regraded.max_before != regraded.max_after:
        OUT.print(f"maximum: {number(regraded.max_before)} -> {number(regraded.max_after)} points")
    rows = by_loss(regraded.differences)
    for difference in rows[:SHOWN]:
        _show_difference(difference)
    if len(rows) > SHOWN:
        OUT.print(f"and {len(rows) - SHOWN} more")
    for change in regraded.differences:
        for sentence in change.adjusted:
            OUT.print(line(f"review {change.submission}, {sentence}", 300), soft_wrap=True)
    if regraded.before != regraded.after:
        OUT.print(f"differences: {out / FILE}", soft_wrap=True)


def show_retry(questions: int, gone: Sequence[str]) -> None:
    """Show that nothing needs a retry, or the uploads that no longer exist."""
    if not questions:
        ERR.print("nothing to retry")
    show_sentences(gone)


def show_kinds(kinds: Iterable[tuple[str, int, Sequence[str], str]]) -> None:
    """Show what needs manual grading: name, submissions, checks and words of each kind."""
    rows = [
        (name, str(submissions), ", ".join(checks), why) for name, submissions, checks, why in kinds
    ]
    columns = ("kind", "submissions", "checks", "why")
    _show_rows(columns, rows, "nothing needs manual grading outside the written part")


def show_adjustments(rows: Iterable[tuple[str, ...]]) -> None:
    """Show the adjustments: what changed, whether it counts, reviewer, time and comment."""
    columns = ("submission", "criterion", "points", "", "by", "when", "comment")
    _show_rows(columns, [(*row[:-1], _flat(row[-1])) for row in rows], "no points were adjusted")


def show_comments(comments: Iterable[Comment]) -> None:
    """Show the comments: student, text, mistake, reviewer and time; one to many in one row."""
    groups = defaultdict[tuple[str, ...], list[str]](list)
    for comment in comments:
        cells = (_flat(comment.comment), comment.mistake, comment.reviewer, comment.made_at[:10])
        groups[(*cells, "" if comment.mistake else str(comment.number))].append(comment.submission)
    rows = [(first_few(names), *cells) for (*cells, _), names in groups.items()]
    _show_rows(("submission", "comment", "mistake", "by", "when"), rows, "no comments")


def show_extensions(granted: Iterable[Granted]) -> None:
    """Show who was given more time by whom, when and why."""
    rows = [
        (row.student, row.due.isoformat(), row.by, row.made_at[:10], row.comment) for row in granted
    ]
    _show_rows(("student", "due", "by", "when", "comment"), rows, "no extensions")


def show_accounts(accounts: Sequence[Account], folders: Sequence[str]) -> None:
    """Show the late days that students used in each folder, and those that are left."""
    rows = [
        (account.student, *map(number, account.used), number(account.left))
        for account in accounts
        if any(account.used)
    ]
    if rows:
        show_table(("student", *folders, "left"), rows)
    if rest := len(accounts) - len(rows):
        OUT.print(f"{counted(rest, 'student')} used none")


def show_merges(merges: Iterable[Merge]) -> None:
    """Show which submissions count for another student."""
    rows = [
        (row.submission, row.into, row.attempts, row.reviewer, row.made_at[:10], row.comment)
        for row in merges
    ]
    columns = ("submission", "counts for", "attempts", "by", "when", "comment")
    _show_rows(columns, rows, "no submissions are merged")


def show_drops(drops: Sequence[Mapping[str, str]]) -> None:
    """Show who was marked as dropped or enrolled, the oldest first."""
    rows = [
        (row["student"], row["status"], row["by"], row["made_at"][:10], row["comment"])
        for row in drops
    ]
    columns = ("student", "status", "by", "when", "comment")
    _show_rows(columns, rows, "nobody is marked as dropped by `drop`")


def _show_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], none: str) -> None:
    """Show a table, or a sentence if there are no rows."""
    if rows:
        show_table(columns, rows)
    else:
        ERR.print(none)


def show_sentences(sentences: Iterable[str]) -> None:
    """Show notes for staff, one per line."""
    for sentence in sentences:
        ERR.print(line(sentence, 1000), soft_wrap=True)


def show_requests(requests: Sequence[Request]) -> None:
    """Show a row for each regrade request."""
    if not requests:
        OUT.print("no requests")
        return
    rows = [
        (str(row.number), row.submission, row.criterion, row.state, line(_flat(row.reason), 60))
        for row in requests
    ]
    show_table(("request", "submission", "criterion", "", "reason"), rows)


def _flat(text: str) -> str:
    """Return what a person wrote in paragraphs as a cell of a table shows it."""
    return " ".join(text.split())


def show_request(request: Request) -> None:
    """Show one request with its replies."""
    time = request.made_at[:16].replace("T", " ")
    OUT.print(
        f"{request.number}: {line(request.submission)}, {line(request.criterion)}, "
        f"{request.state}; {time} UTC",
        soft_wrap=True,
    )
    for part in request.reason.splitlines():
        OUT.print(line(part, 10_000), soft_wrap=True)
    if request.attached:
        OUT.print(f"attached: {line(request.attached)} (--save FILE)", soft_wrap=True)
    for reply in request.replies:
        OUT.print(f"{reply.answer} by {line(reply.reviewer)}: {line(reply.comment, 10_000)}")


def show_lines(sentences: Iterable[str]) -> None:
    """Show sentences on stdout, one per line, such as a receipt to keep."""
    for sentence in sentences:
        OUT.print(line(sentence, 1000), soft_wrap=True)


def _show_difference(difference: Difference) -> None:
    text = Text(line(difference.submission), style="bold")
    points, sign = difference.gain, "+" if difference.gain > 0 else ""
    text.append(f"  {number_or_dash(difference.before)} -> {number_or_dash(difference.after)}")
    if difference.before is not None and difference.after is not None:
        text.append(f"  {sign}{number(points)}", style="red" if points < 0 else "green")
    text.append(f"  {STATUS_WORDS[difference.status]}", style="dim")
    OUT.print(text)
    for change in difference.changes:
        verdicts = f"{line(change.check)}: {line(change.before)} -> {line(change.after)}"
        OUT.print(Padding(f"{verdicts}: {line(for_staff(change.why), 200)}", (0, 0, 0, 4)))


def show_agreement(agreements: Sequence[LineAgreement], handles: Mapping[Answer, str]) -> None:
    """Show the agreement on each rubric item, and the answers on which people disagree."""
    if not agreements:
        ERR.print("no answer was read by two people who did not see each other's decision")
        return
    columns = ("question", "line", "read twice", "alpha", "95% interval", "both", "one", "neither")
    rows = []
    for item in agreements:
        about = (decided_as(item.check), item.line or "points", str(item.answers))
        bounds = f"{item.low:.2f} to {item.high:.2f}" if item.low is not None else "-"
        counts = ("-", "-", "-") if item.line == POINTS else map(str, item.confusion)
        rows.append((*about, _two_digits(item.alpha), bounds, *counts))
    show_table(columns, rows)
    for item in agreements:
        if item.line == POINTS and item.disagreements:
            names = ", ".join(
                handles.get(key, "an answer that has changed") for key in item.disagreements[:SHOWN]
            )
            OUT.print(f"{line(decided_as(item.check))}: different points for {line(names, 1000)}")


def show_paces(paces: Sequence[Pace]) -> None:
    """Show how fast each person decided, and whether later answers got more or fewer points."""
    rows = [
        (
            decided_as(pace.check), pace.reviewer, str(pace.decisions),
            "-" if pace.seconds is None else f"{pace.seconds:.0f}", _two_digits(pace.drift),
            "-" if pace.p_value is None else f"{pace.p_value:.3f}",
        )
        for pace in paces
    ]  # fmt: skip
    if rows:
        show_table(("question", "reviewer", "decisions", "seconds each", "drift", "p"), rows)


def _two_digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
