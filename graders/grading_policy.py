"""What an assignment declares of grades: lateness, drops, rounding (`[grading]`)."""

from dataclasses import dataclass, field
from typing import Literal

LateKind = Literal["of_score", "of_maximum"]
TooLate = Literal["zero", "not_accepted"]
Rounding = Literal["half_up", "half_even", "up", "down"]


@dataclass(frozen=True, slots=True)
class Lateness:
    """What lateness costs: `percent` for every `unit_seconds` begun after the due date.

    Within the grace nothing is lost; after `max_days` days begun, `too_late` holds.
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
    """How a score becomes a grade; the plain one changes nothing."""

    lateness: Lateness = field(default_factory=Lateness)
    drops: tuple[Drop, ...] = ()
    round_to: float | None = None
    rounding: Rounding = "half_up"

    @property
    def declared(self) -> bool:
        """Whether the assignment says anything of it."""
        return self != GradingPolicy()
