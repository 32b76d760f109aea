"""Check whether the required runs are present, such as learning rates times epochs."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from graders.written.audits.finding import Finding
from graders.written.audits.reading.runs import Run

Point = tuple[Fraction, ...]
# A learning rate matches one of the grid if it is printed to two or more digits.
NEAR = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The points of a grid with their runs, the points without runs, and the runs on no point."""

    names: tuple[str, ...]
    found: Mapping[Point, tuple[Run, ...]]
    missing: tuple[Point, ...]
    off: tuple[Run, ...]

    @property
    def size(self) -> int:
        """The number of required runs."""
        return len(self.found) + len(self.missing)

    @property
    def summary(self) -> str:
        """A summary: `2 of the 6 required runs are reported; missing: ...`."""
        rows = "; ".join(self.words(point) for point in self.missing[:8])
        missing = f"; missing: {rows}" if rows else ""
        return f"{len(self.found)} of the {self.size} required runs are reported{missing}."

    def words(self, point: Point) -> str:
        """Return the point in words: `lr 0.001, epochs 7`."""
        return ", ".join(f"{n} {float(v):g}" for n, v in zip(self.names, point, strict=True))


def coverage(runs: Sequence[Run], grid: Mapping[str, Sequence[Fraction]]) -> Coverage:
    """Return which points of the grid were run."""
    names = tuple(grid)
    points = list(itertools.product(*grid.values()))
    found: dict[Point, tuple[Run, ...]] = {}
    off: list[Run] = []
    for run in runs:
        on = [point for point in points if _is_at(run, names, point)]
        for point in on:
            found[point] = (*found.get(point, ()), run)
        off += [] if on else [run]
    missing = tuple(point for point in points if point not in found)
    return Coverage(names, found, missing, tuple(off))


def _is_at(run: Run, names: Sequence[str], point: Point) -> bool:
    values = [run.values.get(name) for name in names]
    return all(
        figure is not None and abs(figure.value - at) <= NEAR * abs(at)
        for figure, at in zip(values, point, strict=True)
    )


def grid_findings(covered: Coverage) -> list[Finding]:
    """Return findings on runs that are missing, not required, or repeated."""
    count = f"{len(covered.found)}/{covered.size}"
    findings = []
    if covered.missing:
        numbers = (("grid", count),)
        findings.append(
            Finding("missing-runs", "suspicious", covered.summary, covered.summary, numbers)
        )
    if covered.off:
        rows = "; ".join(run.title for run in covered.off[:6])
        sentence = f"{len(covered.off)} of the reported runs are not required: {rows}."
        findings.append(Finding("off-grid", "note", sentence, sentence))
    twice = [point for point, runs in covered.found.items() if len(runs) > 1]
    if twice:
        sentence = f"{covered.words(twice[0])} appears more than once; state which run counts."
        findings.append(Finding("repeated-run", "note", sentence, sentence))
    if not findings:
        sentence = f"All {covered.size} required runs are reported."
        findings.append(Finding("grid", "fine", sentence, sentence, (("grid", count),)))
    return findings
