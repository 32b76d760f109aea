"""Represent an assignment's `[grading]`: lateness, drops and rounding."""

from dataclasses import dataclass, field
from typing import Literal

LateKind = Literal["of_score", "of_maximum"]
TooLate = Literal["zero", "not_accepted"]
Rounding = Literal["half_up", "half_even", "up", "down"]


@dataclass(frozen=True, slots=True)
class Lateness:
    """The late penalty: `percent` for each started `unit_seconds` after the due date.

    There is no penalty within the grace period; after `max_days` started days, `too_late` applies.
    """

    grace_minutes: float = 0.0
    percent: float = 0.0
    unit_seconds: int = 86_400
    kind: LateKind = "of_score"
    max_days: int | None = None
    too_late: TooLate = "zero"


@dataclass(frozen=True, slots=True)
class Drop:
    """A group of criteria; `lowest` is the number of lowest scores to drop."""

    criteria: tuple[str, ...]
    lowest: int


@dataclass(frozen=True, slots=True)
class GradingPolicy:
    """How a score becomes a grade; the default policy changes nothing."""

    lateness: Lateness = field(default_factory=Lateness)
    drops: tuple[Drop, ...] = ()
    round_to: float | None = None
    rounding: Rounding = "half_up"

    @property
    def declared(self) -> bool:
        """Whether the assignment declares a policy."""
        return self != GradingPolicy()
