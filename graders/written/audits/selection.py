"""Check whether the chosen run is the best on the dev set, not on the test set."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.written.audits.finding import Finding
from graders.written.audits.reading.figure import Figure, figure_in
from graders.written.audits.reading.runs import SETTINGS, Report, Run

# Matches `run 2` or `#2`.
_COUNTED = re.compile(r"\b(?:run|row|test|trial|experiment)\s*#?(\d{1,3})\b|#(\d{1,3})\b", re.I)


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen run, or None; `ambiguous` if several runs match the description."""

    run: Run | None
    ambiguous: bool = False


def chosen_run(report: Report) -> Choice:
    """Return the run that the answer chose: marked, named, or the only one that was tested."""
    said = {name: figure for name, figure in report.choice.items() if name in SETTINGS}
    named = [run for run in report.runs if said and _agrees(run, said)]
    named = named if len(named) == 1 else _by_numbers(report) or named
    if len(named) == 1:
        return Choice(named[0])
    marked = [run for run in report.runs if run.chosen]
    if len(marked) == 1:
        return Choice(marked[0])
    if len(marked) > 1 or len(named) > 1:
        return Choice(None, ambiguous=True)
    return _implied(report)


def _by_numbers(report: Report) -> list[Run]:
    """Return the runs that a sentence on the choice identifies by numbers: `1e-4 / 9`, `run 2`."""
    text = report.choice_text
    pieces = re.split(r"[\s,;/()&|=]+", text)
    values = {figure.value for piece in pieces if (figure := figure_in(piece)) is not None}
    axes = ("lr", "epochs")
    both = [
        run
        for run in report.runs
        if all(name in run.values and run.values[name].value in values for name in axes)
    ]
    counted = _COUNTED.search(text)
    place = int(counted[1] or counted[2]) if counted else 0
    return both or list(report.runs[place - 1 : place] if place else ())


def _implied(report: Report) -> Choice:
    """Return the only run, the only tested one, or the only one with the named accuracy."""
    tested = [run for run in report.runs if "test" in run.values]
    if len(tested) == 1 or len(report.runs) == 1:
        return Choice((tested or list(report.runs))[0])
    dev = report.choice.get("dev")
    same = [run for run in report.runs if dev is not None and _is_same(run, "dev", dev)]
    return Choice(same[0] if len(same) == 1 else None, ambiguous=len(same) > 1)


def _agrees(run: Run, said: Mapping[str, Figure]) -> bool:
    return all(name not in run.values or _is_same(run, name, said[name]) for name in said) and any(
        name in run.values for name in said
    )


def _is_same(run: Run, name: str, figure: Figure) -> bool:
    return name in run.values and run.values[name].value == figure.value


def best(runs: Sequence[Run], split: str) -> tuple[Run, ...]:
    """Return the runs with the highest accuracy on the split; several if there is a tie."""
    scored = [run for run in runs if split in run.values]
    top = max((run.values[split].share for run in scored), default=None)
    return tuple(run for run in scored if run.values[split].share == top)


def selection_finding(report: Report, items: int = 0) -> Finding:
    """Check whether the best run on dev was chosen; `items` is the size of the dev set."""
    choice, tops = chosen_run(report), best(report.runs, "dev")
    if choice.run is None:
        return _no_choice(choice)
    run = choice.run
    if run in tops:
        tied = f" {len(tops)} runs are tied." if len(tops) > 1 else ""
        sentence = f"You chose the best run on dev: {run.title}.{tied}"
        return Finding("selection", "fine", sentence, f"Chosen by dev: {run.title}.{tied}")
    if not tops or "dev" not in run.values:
        sentence = f"The run that you chose, {run.title}, has no dev accuracy."
        return Finding("no-dev", "suspicious", sentence, sentence)
    return _not_best(run, tops[0], report, items)


def _no_choice(choice: Choice) -> Finding:
    if choice.ambiguous:
        sentence = "Several runs match your choice; state its learning rate and epochs."
    else:
        sentence = "You did not say which run you chose; add `chosen: ` and its settings below."
    return Finding("no-choice", "suspicious", sentence, sentence)


def _not_best(run: Run, top: Run, report: Report, items: int) -> Finding:
    mine, theirs = run.values["dev"], top.values["dev"]
    near = ""
    if items and theirs.share - mine.share < standard_error(float(theirs.share), items):
        near = " The two differ by less than one standard error of the dev set."
    tested = best(report.runs, "test")
    by_test = run in tested and top not in tested and "test" in top.values
    why = " It is the best on the test set; use only dev accuracy to choose." if by_test else ""
    sentence = (
        f"You chose {run.title} with dev {mine.text}, but {top.title} has {theirs.text}.{why}{near}"
    )
    name = "chosen-on-test" if by_test else "not-best-on-dev"
    return Finding(name, "suspicious", sentence, sentence)


def standard_error(share: float, items: int) -> float:
    """Return the standard error of an accuracy measured on `items` items."""
    share = min(max(share, 0.0), 1.0)
    return math.sqrt(share * (1 - share) / items)
