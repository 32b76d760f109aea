"""Check several runs together: the grid, the choice by dev accuracy, and copied numbers."""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from graders.written.audits.accuracy import Split
from graders.written.audits.finding import Finding
from graders.written.audits.reading.figure import Figure, figure_in
from graders.written.audits.reading.runs import SETTINGS, Report, Run

Point = tuple[Fraction, ...]
# A learning rate matches one of the grid if it is printed to two or more digits.
NEAR = Fraction(1, 100)
MOST_RUNS = 200  # runs that are compared with each other
TELLING = Fraction(1, 10**4)  # with such a last digit, or more, equality is significant
TOO_FAR = 3  # standard errors
# Matches `run 2` or `#2`.
_COUNTED = re.compile(r"\b(?:run|row|test|trial|experiment)\s*#?(\d{1,3})\b|#(\d{1,3})\b", re.I)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The points of a grid with their runs, the points without runs, and the runs on no point."""

    names: tuple[str, ...]
    reported: Mapping[Point, tuple[Run, ...]]
    missing: tuple[Point, ...]
    off: tuple[Run, ...]

    @property
    def size(self) -> int:
        return len(self.reported) + len(self.missing)

    @property
    def summary(self) -> str:
        """A summary: `2 of the 6 required runs are reported; missing: ...`."""
        rows = "; ".join(self.words(point) for point in self.missing[:8])
        missing = f"; missing: {rows}" if rows else ""
        return f"{len(self.reported)} of the {self.size} required runs are reported{missing}."

    def words(self, point: Point) -> str:
        """Return the point in words: `lr 0.001, epochs 7`."""
        return ", ".join(f"{n} {float(v):g}" for n, v in zip(self.names, point, strict=True))


def coverage(runs: Sequence[Run], grid: Mapping[str, Sequence[Fraction]]) -> Coverage:
    points = list(itertools.product(*grid.values()))
    runs_at: dict[Point, tuple[Run, ...]] = {}
    off: list[Run] = []
    for run in runs:
        on = [point for point in points if _is_at(run, tuple(grid), point)]
        for point in on:
            runs_at[point] = (*runs_at.get(point, ()), run)
        off += [] if on else [run]
    missing = tuple(point for point in points if point not in runs_at)
    return Coverage(tuple(grid), runs_at, missing, tuple(off))


def _is_at(run: Run, names: Sequence[str], point: Point) -> bool:
    return all(
        name in run.values and abs(run.values[name].value - at) <= NEAR * abs(at)
        for name, at in zip(names, point, strict=True)
    )


def grid_findings(covered: Coverage) -> list[Finding]:
    """Return findings on runs that are missing, not required, or repeated."""
    numbers = (("grid", f"{len(covered.reported)}/{covered.size}"),)
    findings = []
    if covered.missing:
        findings.append(Finding("missing-runs", "suspicious", covered.summary, numbers))
    if covered.off:
        rows = "; ".join(run.title for run in covered.off[:6])
        sentence = f"{len(covered.off)} of the reported runs are not required: {rows}."
        findings.append(Finding("off-grid", "note", sentence))
    twice = [point for point, runs in covered.reported.items() if len(runs) > 1]
    if twice:
        sentence = f"{covered.words(twice[0])} appears more than once; state which run counts."
        findings.append(Finding("repeated-run", "note", sentence))
    if not findings:
        sentence = f"All {covered.size} required runs are reported."
        findings.append(Finding("grid", "fine", sentence, numbers))
    return findings


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen run, or None; `ambiguous` if several runs match the description."""

    run: Run | None
    ambiguous: bool = False


def chosen_run(report: Report) -> Choice:
    """Return the run that the answer chose: marked, named, or the only one that was tested."""
    settings = {name: figure for name, figure in report.choice.items() if name in SETTINGS}
    named = [run for run in report.runs if settings and _agrees(run, settings)]
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
    both = [
        run
        for run in report.runs
        if all(name in run.values and run.values[name].value in values for name in ("lr", "epochs"))
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


def _agrees(run: Run, figures: Mapping[str, Figure]) -> bool:
    names = [name for name in figures if name in run.values]
    return bool(names) and all(_is_same(run, name, figures[name]) for name in names)


def _is_same(run: Run, name: str, figure: Figure) -> bool:
    return name in run.values and run.values[name].value == figure.value


def best(runs: Sequence[Run], split: str) -> tuple[Run, ...]:
    """Return the runs with the highest accuracy on the split; several if there is a tie."""
    scored = [run for run in runs if split in run.values]
    top = max((run.values[split].share for run in scored), default=None)
    return tuple(run for run in scored if run.values[split].share == top)


def selection_finding(report: Report, splits: Mapping[str, Split]) -> Finding:
    """Check whether the best run on dev was chosen."""
    choice, tops = chosen_run(report), best(report.runs, "dev")
    run = choice.run
    if run is None:
        remedy = (
            "Several runs match your choice; state its learning rate and epochs."
            if choice.ambiguous
            else "You did not say which run you chose; add `chosen: ` and its settings below."
        )
        return Finding("no-choice", "suspicious", remedy)
    if run in tops:
        tied = f" {len(tops)} runs are tied." if len(tops) > 1 else ""
        return Finding("selection", "fine", f"You chose the best run on dev: {run.title}.{tied}")
    if not tops or "dev" not in run.values:
        sentence = f"The run that you chose, {run.title}, has no dev accuracy."
        return Finding("no-dev", "suspicious", sentence)
    return _not_best(run, tops[0], report, splits)


def _not_best(run: Run, top: Run, report: Report, splits: Mapping[str, Split]) -> Finding:
    mine, theirs = run.values["dev"], top.values["dev"]
    near = ""
    if "dev" in splits and theirs.share - mine.share < standard_error(theirs, splits["dev"]):
        near = " The two differ by less than one standard error of the dev set."
    tested = best(report.runs, "test")
    by_test = run in tested and top not in tested and "test" in top.values
    why = " It is the best on the test set; use only dev accuracy to choose." if by_test else ""
    sentence = (
        f"You chose {run.title} with dev {mine.text}, but {top.title} has {theirs.text}.{why}{near}"
    )
    return Finding("chosen-on-test" if by_test else "not-best-on-dev", "suspicious", sentence)


def standard_error(accuracy: Figure, split: Split) -> float:
    """Return the standard error of an accuracy that was measured on a split."""
    share = min(max(float(accuracy.share), 0.0), 1.0)
    return math.sqrt(share * (1 - share) / split.items)


def identical_runs(runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield a finding for each pair of runs with identical dev and test accuracies."""
    for one, other in itertools.combinations(runs[:MOST_RUNS], 2):
        pairs = [(one.values.get(name), other.values.get(name)) for name in ("dev", "test")]
        if all(a and b and a.value == b.value and a.share_unit <= TELLING for a, b in pairs):
            shown = " / ".join(a.text for a, _ in pairs if a is not None)
            titles = f"{one.title} (line {one.line}) and {other.title} (line {other.line})"
            sentence = (
                f"{titles} have identical dev and test accuracies ({shown}); check that they are "
                "different runs."
            )
            yield Finding("identical-runs", "suspicious", sentence, ((titles, shown),))


def dev_equals_test(runs: Sequence[Run]) -> Finding | None:
    """Return a finding if dev and test accuracy are equal in every run: leaked, or a debug run."""
    both = [run for run in runs if "dev" in run.values and "test" in run.values]
    if not both or any(run.values["dev"].share != run.values["test"].share for run in both):
        return None
    sentence = (
        "Dev and test accuracy are equal in every run: were they measured on the same items, "
        "such as the small subset?"
    )
    numbers = (("dev = test", f"{len(both)}/{len(both)} runs"),)
    return Finding("dev-equals-test", "suspicious", sentence, numbers)


def test_above_dev(runs: Sequence[Run], splits: Mapping[str, Split]) -> Iterator[Finding]:
    """Yield the runs whose test accuracy is over three standard errors above the dev accuracy."""
    if "dev" not in splits or "test" not in splits:
        return
    for run in runs[:MOST_RUNS]:
        dev, test = run.values.get("dev"), run.values.get("test")
        if dev is None or test is None:
            continue
        error = math.hypot(standard_error(dev, splits["dev"]), standard_error(test, splits["test"]))
        if float(test.share) - float(dev.share) > TOO_FAR * error:
            sentence = (
                f"{run.title}: test {test.text} is higher than dev {dev.text} by more than chance "
                "can explain; is the test set part of the training data?"
            )
            yield Finding("test-above-dev", "suspicious", sentence)
