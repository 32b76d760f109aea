"""Run all audits on an answer that reports training runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from graders.written.audits.copies import dev_equals_test, identical_runs, test_above_dev
from graders.written.audits.finding import Finding, by_severity
from graders.written.audits.granularity import (
    KNOWN_SIZES,
    debug_finding,
    debug_subset,
    granularity,
    out_of_range,
)
from graders.written.audits.grid import Coverage, coverage, grid_findings
from graders.written.audits.majority import Split, majority_class
from graders.written.audits.reading.figure import Figure
from graders.written.audits.reading.runs import ACCURACIES, Report
from graders.written.audits.selection import selection_finding

MOST_FIGURES = 600  # accuracies of one answer that are audited


@dataclass(frozen=True, slots=True)
class Rules:
    """An assignment's rules for runs: splits, grid, the small subset and the required digits.

    `selects` means that the answer must choose a run.
    """

    splits: Mapping[str, Split] = field(default_factory=dict)
    grid: Mapping[str, Sequence[Fraction]] = field(default_factory=dict)
    subset: int = 0
    digits: int = 4
    selects: bool = False
    sizes: tuple[int, ...] = KNOWN_SIZES


@dataclass(frozen=True, slots=True)
class Accuracy:
    """One reported accuracy: its name in sentences, its split, and the figure."""

    name: str
    split: str
    figure: Figure


def accuracies(report: Report) -> list[Accuracy]:
    """Return the accuracies of all runs, named by split and, if there are several runs, by run."""
    several = len(report.runs) > 1
    found = [
        Accuracy(f"{split} ({run.title})" if several else split, split, run.values[split])
        for run in report.runs
        for split in ACCURACIES
        if split in run.values
    ]
    return found[:MOST_FIGURES]


def audit(report: Report, rules: Rules) -> tuple[Finding, ...]:
    """Return every finding on the runs of an answer, the most severe first."""
    findings = [*_not_finite(report), *_of_figures(report, rules)]
    if covered := covered_grid(report, rules):
        findings += grid_findings(covered)
    if rules.selects:
        dev = rules.splits.get("dev")
        findings.append(selection_finding(report, dev.items if dev else 0))
    findings += identical_runs(report.runs)
    findings += test_above_dev(report.runs, rules.splits)
    if (equal := dev_equals_test(report.runs)) is not None:
        findings.append(equal)
    return by_severity(findings)


def covered_grid(report: Report, rules: Rules) -> Coverage | None:
    """Return how the runs cover the grid, or None if there is no grid."""
    return coverage(report.runs, rules.grid) if rules.grid else None


def is_debug(report: Report, rules: Rules) -> bool:
    """Return whether all accuracies are those of the small subset."""
    known = _known(report, rules)
    return bool(rules.subset and known) and debug_subset(known, rules.subset, rules.digits)


def is_possible(accuracy: Accuracy, rules: Rules) -> bool:
    """Return whether the figure is an accuracy, and a fraction of its split's items."""
    split = rules.splits.get(accuracy.split)
    if split is None:
        return 0 <= accuracy.figure.share <= 1
    finding = granularity(accuracy.figure, accuracy.name, split.items, rules.sizes)
    return finding.severity != "impossible"


def has_learned(accuracy: Accuracy, rules: Rules) -> bool:
    """Return whether the accuracy is better than the largest class, as far as that is known."""
    split = rules.splits.get(accuracy.split)
    return split is None or majority_class(accuracy.figure, accuracy.name, split) is None


def _known(report: Report, rules: Rules) -> list[tuple[str, Figure, int]]:
    return [
        (each.name, each.figure, rules.splits[each.split].items)
        for each in accuracies(report)
        if each.split in rules.splits
    ]


def _of_figures(report: Report, rules: Rules) -> Iterator[Finding]:
    debug = is_debug(report, rules)
    for each in accuracies(report):
        split = rules.splits.get(each.split)
        if split is not None and not debug:
            yield granularity(each.figure, each.name, split.items, rules.sizes)
            collapsed = majority_class(each.figure, each.name, split)
            if collapsed is not None:
                yield collapsed
        elif split is None and not 0 <= each.figure.share <= 1:
            yield out_of_range(each.figure, each.name)
    if debug:
        yield debug_finding(_known(report, rules), rules.subset)


def _not_finite(report: Report) -> Iterator[Finding]:
    for run in report.runs:
        for name in run.not_finite:
            sentence = f"{name} in line {run.line} is not a finite number."
            yield Finding("not-finite", "impossible", sentence, sentence)
