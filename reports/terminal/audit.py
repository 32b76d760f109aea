"""Print the results of an audit: the scores, and what the author has to look at."""

from rich.padding import Padding
from rich.text import Text

from graders.audited import Audit, Change, Mutations, Nulls, Rate, Rewrites, Steadiness
from graders.statistics import percentage
from reports.terminal.results import OUT, SIGNS, show_rows, show_table
from reports.text import line, number, prose
from submissions.escaping import first_few

FEW = 5  # failed checks of one rewrite
MOST = 20  # survivors, rewrites and so on; the page lists all of them


def show_audit(audit: Audit) -> None:
    """Print one section for each part, and what could not be graded."""
    _show_nulls(audit.nulls)
    _show_steadiness(audit.steadiness)
    _show_rewrites(audit.rewrites)
    _show_mutations(audit.mutations)
    _show_survivors(audit)
    if audit.attacks:
        OUT.print(Text("Attacks", style="bold"))
        show_rows(
            (line(attack.name), line(attack.found), attack.failed) for attack in audit.attacks
        )
    for fault in audit.faults:
        OUT.print(f"could not be graded: {line(fault, 300)}", style="magenta")


def _show_nulls(nulls: Nulls) -> None:
    _show_title("Null submissions", len(nulls.graded), nulls.planned)
    for name, criterion, share in nulls.above:
        limit = percentage(nulls.most)
        _show_row(f"{name} earns {percentage(share)} of {criterion}, more than {limit}")
    if nulls.graded and not nulls.above:
        OUT.print(f"  none earns more than {percentage(nulls.most)} of a criterion")


def _show_steadiness(steadiness: Steadiness) -> None:
    _show_title("Steadiness", steadiness.submissions, steadiness.planned)
    for check in steadiness.flipping:
        names = ", ".join(check.submissions)
        share = f"{check.flips} of {check.gradings} gradings (at most {check.bound:.1%})"
        _show_row(f"{check.check} changes its verdict in {share}: {names}")
    if steadiness.checks and not steadiness.flipping:
        least = max(check.bound for check in steadiness.checks)
        OUT.print(
            f"  no verdict changed under {steadiness.repeats} secrets; of each check, at most"
        )
        OUT.print(f"  {least:.1%} of verdicts may change (exact 95% bound)")


def _show_rewrites(rewrites: Rewrites) -> None:
    _show_title("Rewrites with the same meaning", rewrites.graded, rewrites.planned)
    for rewrite in rewrites.lost[:MOST]:
        lost = ", ".join(f"{name} -{number(points)}" for name, points in rewrite.lost.items())
        _show_change(rewrite.change, f"{lost}; {first_few([*rewrite.checks], FEW)}")
    if rewrites.graded and not rewrites.lost:
        OUT.print("  none loses points")


def _show_title(title: str, done: int, planned: int) -> None:
    OUT.print(Text.assemble((title, "bold"), f": {done} of {planned} graded"))


def _show_row(text: str) -> None:
    sign, style = SIGNS["failed"]
    OUT.print(Text.assemble((f"{sign} ", style), line(text, 400)))


def _show_survivors(audit: Audit) -> None:
    unrecorded = audit.unrecorded
    for mutant in unrecorded[:MOST]:
        criteria = ", ".join(mutant.criteria)
        _show_change(mutant.change, f"no points lost; {criteria}; suspicion {mutant.suspicion:.2f}")
    if len(unrecorded) > MOST:
        OUT.print(f"and {len(unrecorded) - MOST} more survivors")


def _show_mutations(mutations: Mutations) -> None:
    _show_title("Mutants", mutations.graded, mutations.planned)
    unrecorded = sum(not survivor.record for survivor in mutations.survivors)
    killed, recorded = len(mutations.killed), len(mutations.survivors) - unrecorded
    OUT.print(
        f"  {killed} lost points, {recorded} survivors are in audit.toml, {unrecorded} are new"
    )
    for title, rates in (
        ("criterion", mutations.by_criterion),
        ("operator", mutations.by_operator),
    ):
        if rates:
            _show_rates(title, rates)
    OUT.print(f"  hints named a mistake for {mutations.named} of the {killed} that lost points")
    for words in mutations.disagreeing:
        OUT.print(Padding(line(f"different mistakes for {words}", 300), (0, 0, 0, 2)))
    for name in mutations.stale:
        OUT.print(f"audit.toml: `{line(name)}` matches no survivor any more; remove the entry")


def _show_rates(title: str, rates: tuple[Rate, ...]) -> None:
    rows = [
        (
            rate.name,
            f"{rate.killed} of {rate.of}",
            f"{100 * rate.killed / rate.of:.0f}%",
            f"{100 * rate.low:.0f} to {100 * rate.high:.0f}%",
        )
        for rate in rates
    ]
    show_table((title, "killed", "score", "95% interval"), rows)


def _show_change(change: Change, finding: str) -> None:
    """Print the place and the diff of a change that the author has to look at."""
    sign, style = SIGNS["failed"]
    text = Text.assemble((f"{sign} ", style), (line(change.id), "bold"))
    place = ", ".join(line(part) for part in (change.definition, change.file) if part)
    text.append(f"  {line(change.operator)} in {place}")
    text.append(f" of {line(change.base)}: {line(finding, 300)}", style="dim")
    OUT.print(text)
    OUT.print(Padding(prose(change.diff), (0, 0, 0, 4)))
