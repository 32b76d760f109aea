"""Prints what each planted wrong example costs, criterion by criterion, the largest loss first.

    python benchmarks/losses.py NAME [--kind code]

The points are those of each example's expected.toml, which `grade.py validate NAME` proves. Read
the top of each list as a teacher would: does so small a slip deserve so large a loss?
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from graders.discovery import load_assignment
from graders.model import Assignment, Criterion
from graders.validate import example_folders, expectation


@dataclass(frozen=True, slots=True)
class Loss:
    """What one planted example loses in one criterion."""

    points: float
    example: str
    why: str


def losses(task: Assignment, criterion: Criterion) -> list[Loss]:
    """The planted examples that lose points in a criterion, the largest loss first."""
    found = (
        Loss(expected.lost[criterion.id], folder.name, expected.why)
        for folder in example_folders(task)
        if criterion.id in (expected := expectation(folder, task)).lost
    )
    return sorted(found, key=lambda loss: (-loss.points, loss.example))


def lines(task: Assignment, kind: str) -> Iterator[str]:
    """The lists of all criteria of a kind, or of all kinds."""
    for criterion in task.rubric:
        if kind in ("", criterion.kind):
            found = losses(task, criterion)
            yield f"{criterion.id}: {criterion.points:g} points, {len(found)} examples lose some"
            for loss in found:
                share = loss.points / criterion.points if criterion.points else 0.0
                yield f"  {loss.points:6.2f}  {share:4.0%}  {loss.example}: {loss.why}"


def main() -> None:
    """Print the lists."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="the assignment")
    parser.add_argument("--kind", default="", help="only criteria of this kind, such as code")
    options = parser.parse_args()
    print(*lines(load_assignment(options.name), options.kind), sep="\n")


if __name__ == "__main__":
    main()
