"""Represent figures of a check: the student's numbers, and what they are compared with."""

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Accuracy:
    """`correct` of `n` items; `threshold` and the baselines are shares from 0 to 1."""

    label: str
    correct: int
    n: int
    threshold: float | None = None
    baselines: tuple[tuple[str, float], ...] = ()
    kind: Literal["accuracy"] = "accuracy"


@dataclass(frozen=True, slots=True)
class Rotation:
    """Angles in radians over positions 0, 1, ...: expected and actual."""

    label: str
    expected: tuple[float, ...]
    actual: tuple[float, ...]
    kind: Literal["rotation"] = "rotation"


@dataclass(frozen=True, slots=True)
class Curve:
    """A number over training steps, `(step, value)`; `quantity` says which, such as "loss"."""

    label: str
    quantity: str
    points: tuple[tuple[float, float], ...]
    kind: Literal["curve"] = "curve"


Figure = Accuracy | Rotation | Curve


def drawable(figure: Figure) -> bool:
    """Return whether there is something to draw and all of its numbers are finite."""
    match figure:
        case Accuracy():
            shares = [share for _, share in figure.baselines]
            numbers = [*shares, figure.threshold or 0.0]
            return 0 <= figure.correct <= figure.n > 0 and all(map(math.isfinite, numbers))
        case Rotation():
            return bool(figure.actual) and all(
                map(math.isfinite, (*figure.expected, *figure.actual))
            )
        case Curve():
            return bool(figure.points) and all(
                math.isfinite(number) for point in figure.points for number in point
            )
