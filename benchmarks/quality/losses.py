"""Print the points that each planted wrong example loses, by criterion, the largest loss first.

    python benchmarks/quality/losses.py NAME [--kind code]

The points are those that examples.toml expects, which `grade.py validate NAME` verifies. Read
the top of each list as a teacher would: does so small a slip deserve so large a loss?
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graders.audit.examples import Expected, expectation, write_examples
from graders.model import Assignment, Criterion
from graders.registry.discovery import load_assignment


@dataclass(frozen=True, slots=True)
class Loss:
    """The points that one planted example loses in one criterion."""

    points: float
    example: str
    why: str


def losses(expectations: Mapping[str, Expected], criterion: Criterion) -> list[Loss]:
    """Return the planted examples that lose points in a criterion, the largest loss first."""
    rows = (
        Loss(expected.lost[criterion.id], name, expected.why)
        for name, expected in expectations.items()
        if criterion.id in expected.lost
    )
    return sorted(rows, key=lambda loss: (-loss.points, loss.example))


def lines(task: Assignment, kind: str) -> Iterator[str]:
    """Yield the lists of all criteria of a kind, or of all kinds."""
    with tempfile.TemporaryDirectory() as work:
        examples = {path.name: expectation(path, task) for path in write_examples(task, Path(work))}
    for criterion in task.rubric:
        if kind in ("", criterion.kind):
            rows = losses(examples, criterion)
            yield f"{criterion.id}: {criterion.points:g} points, {len(rows)} examples lose some"
            for loss in rows:
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
