"""Collect the accuracies that checks measured on all submissions, as data for a chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import quantiles

from graders.figures import Accuracy, drawable
from graders.model import Criterion, Result, Submission
from graders.statistics import wilson

SERIES_SHOWN = 12  # more would not be an overview


@dataclass(frozen=True, slots=True)
class Measured:
    """One submission's accuracy, from 0 to 1, with its 95% Wilson interval."""

    submission: Submission
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AccuracySeries:
    """One accuracy of all submissions that have it, the lowest first.

    `baselines` are those that are the same for all submissions.
    """

    label: str
    criterion: Criterion
    threshold: float | None
    baselines: tuple[tuple[str, float], ...]
    measured: tuple[Measured, ...]

    @property
    def reached(self) -> int:
        """The number of submissions at or above the threshold."""
        return sum(accuracy.share >= (self.threshold or 0.0) for accuracy in self.measured)

    @property
    def close(self) -> tuple[Submission, ...]:
        """The submissions whose interval includes the threshold: they are within sampling error."""
        edge = self.threshold
        return tuple(
            accuracy.submission
            for accuracy in self.measured
            if edge is not None and accuracy.low <= edge <= accuracy.high
        )

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The lower quartile, the median and the upper quartile of the accuracies."""
        shares = [accuracy.share for accuracy in self.measured]
        if len(shares) == 1:
            return shares[0], shares[0], shares[0]
        first, middle, third = quantiles(shares, n=4, method="inclusive")
        return first, middle, third


@dataclass(slots=True)
class _ReportedAccuracy:
    """An accuracy as the first submission by name reports it, and all submissions' values."""

    first: tuple[str, int]
    criterion: Criterion
    figure: Accuracy
    baselines: frozenset[tuple[str, float]]
    measured: dict[str, Measured] = field(default_factory=dict)


class Accuracies:
    """The accuracies of a course, collected Result by Result."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _ReportedAccuracy] = {}

    def add(self, result: Result) -> None:
        """Add the accuracies of a Result, which may be discarded afterwards."""
        for place, (criterion, figure) in enumerate(_shown(result)):
            first, key = (result.submission.id, place), (criterion.id, figure.label)
            baselines = frozenset(figure.baselines)
            entry = self._found.setdefault(
                key, _ReportedAccuracy(first, criterion, figure, baselines)
            )
            entry.baselines &= baselines
            if first < entry.first:
                entry.first, entry.criterion, entry.figure = first, criterion, figure
            share, interval = figure.correct / figure.n, wilson(figure.correct, figure.n)
            measured = Measured(result.submission, share, *interval)
            entry.measured[result.submission.id] = measured

    def series(self) -> tuple[AccuracySeries, ...]:
        """Return one series per accuracy, in the order in which the first submission has them."""
        entries = sorted(self._found.values(), key=lambda entry: entry.first)
        return tuple(
            AccuracySeries(
                label=entry.figure.label,
                criterion=entry.criterion,
                threshold=entry.figure.threshold,
                baselines=tuple(b for b in entry.figure.baselines if b in entry.baselines),
                measured=_sorted(tuple(entry.measured.values())),
            )
            for entry in entries[:SERIES_SHOWN]
        )


def _shown(result: Result) -> Iterator[tuple[Criterion, Accuracy]]:
    for graded in result.criteria:
        for check in graded.checks:
            for figure in check.figures:
                if isinstance(figure, Accuracy) and drawable(figure):
                    yield graded.criterion, figure


def _sorted(measured: Sequence[Measured]) -> tuple[Measured, ...]:
    return tuple(sorted(measured, key=lambda accuracy: (accuracy.share, accuracy.submission.id)))
