"""Print what an audit found: the scores, and what the author has to look at."""

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from graders.audited import Audit, Change, Mutations, Rate
from reports.terminal.results import OUT, SIGNS
from reports.text import line, prose

MOST = 20  # survivors, rewrites and so on; the page lists all of them


def show_audit(audit: Audit) -> None:
    """Print one section for each part."""
    _show_mutations(audit.mutations)
    news = audit.news
    for each in news[:MOST]:
        criteria = ", ".join(each.criteria)
        _show_change(each.change, f"no points lost; {criteria}; suspicion {each.suspicion:.2f}")
    if len(news) > MOST:
        OUT.print(f"and {len(news) - MOST} more survivors")


def _show_mutations(found: Mutations) -> None:
    OUT.print(Text("Mutants", style="bold"))
    news = sum(not each.record for each in found.survivors)
    noticed, recorded = len(found.noticed), len(found.survivors) - news
    OUT.print(
        f"{found.graded} of {found.planned} graded ({found.possible:,} places to mutate): "
        f"{noticed} lost points, {recorded} survivors are in audit.toml, {news} are new"
    )
    for title, rates in (("criterion", found.by_criterion), ("operator", found.by_operator)):
        if rates:
            OUT.print(_rates(title, rates))
    OUT.print(f"Hints named a mistake for {found.named} of {noticed} that lost points.")
    for words in found.disagreeing:
        OUT.print(Padding(line(f"different mistakes for {words}", 300), (0, 0, 0, 2)))
    for name in found.stale:
        OUT.print(f"audit.toml: `{line(name)}` matches no survivor any more; remove the entry")
    for fault in found.faults:
        OUT.print(f"could not be graded: {line(fault, 300)}", style="magenta")


def _rates(title: str, rates: tuple[Rate, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(title, overflow="fold")
    for name in ("noticed", "score", "95% interval"):
        table.add_column(name, justify="right")
    for each in rates:
        interval = f"{100 * each.low:.0f} to {100 * each.high:.0f}%"
        share = f"{100 * each.noticed / each.of:.0f}%"
        table.add_row(line(each.name), f"{each.noticed} of {each.of}", share, interval)
    return table


def _show_change(change: Change, found: str) -> None:
    """Print the place and the diff of a change that the author has to look at."""
    sign, style = SIGNS["failed"]
    text = Text.assemble((f"{sign} ", style), (line(change.id), "bold"))
    text.append(f"  {line(change.operator)} in {line(change.definition)}, {line(change.file)}")
    text.append(f" of {line(change.base)}: {line(found, 300)}", style="dim")
    OUT.print(text)
    OUT.print(Padding(prose(change.diff), (0, 0, 0, 4)))
