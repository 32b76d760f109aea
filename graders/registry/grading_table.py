"""Read `[grading]` of an assignment.toml, strictly."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Self

from pydantic import AwareDatetime, BaseModel, BeforeValidator, Field, model_validator

from graders.errors import UsageError, did_you_mean
from graders.grading_policy import Drop, GradingPolicy, LateKind, Lateness, Rounding, TooLate

STEP = "a step such as 0.5; without this key, nothing is rounded"
DUE = "a date with a time and a time zone, such as 2026-12-01T23:59:00Z"


def _read_quoted(value: object) -> object:
    """Return the date and time in a string, as TOML reads it without quotes."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


# Without a time zone, nobody can say which submissions were late.
Due = Annotated[AwareDatetime, Field(strict=True, description=DUE), BeforeValidator(_read_quoted)]


class _Drop(BaseModel, extra="forbid"):
    criteria: tuple[str, ...] = Field(min_length=2)
    lowest: int = Field(ge=1)


class GradingTable(BaseModel, extra="forbid"):
    """`[grading]` as it is written in the file."""

    grace_minutes: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    late_percent_per_day: float = Field(default=0.0, ge=0, le=100)
    late_percent_per_hour: float = Field(default=0.0, ge=0, le=100)
    late_kind: LateKind = "of_score"
    late_max_days: int | None = Field(default=None, ge=0)
    too_late: TooLate = "zero"
    round_to: float | None = Field(default=None, ge=1e-3, allow_inf_nan=False, description=STEP)
    rounding: Rounding = "half_up"
    drop: tuple[_Drop, ...] = ()

    @model_validator(mode="after")
    def _refuse_two_rates(self) -> Self:
        if self.late_percent_per_day and self.late_percent_per_hour:
            raise ValueError("give late_percent_per_day or late_percent_per_hour, not both")
        return self

    def policy(self) -> GradingPolicy:
        """Return the policy that it declares."""
        hourly = self.late_percent_per_hour
        lateness = Lateness(
            self.grace_minutes,
            hourly or self.late_percent_per_day,
            3_600 if hourly else 86_400,
            self.late_kind,
            self.late_max_days,
            self.too_late,
        )
        drops = tuple(Drop(each.criteria, each.lowest) for each in self.drop)
        return GradingPolicy(lateness, drops, self.round_to, self.rounding)


def refuse_wrong_drops(drops: Sequence[Drop], points: Mapping[str, float], *, file: str) -> None:
    """Raise UsageError if a group is invalid; `points` are those of the droppable criteria.

    All criteria of a group must have equal points, so that the maximum is the same for everyone.
    """
    named = [name for drop in drops for name in drop.criteria]
    for name in named:
        if name not in points:
            near = did_you_mean(name, points)
            problem = f"{file}: `grading.drop`: no criterion `{name}` that could be dropped{near}"
            raise UsageError(problem, "name criteria of the rubric without extra credit")
        if named.count(name) > 1:
            raise UsageError(f"{file}: `grading.drop`: duplicate `{name}`")
    for drop in drops:
        if len({points[name] for name in drop.criteria}) > 1:
            problem = f"{file}: `grading.drop`: {', '.join(drop.criteria)} have unequal points"
            raise UsageError(problem, "give all criteria of one group the same points")
        if drop.lowest >= len(drop.criteria):
            problem = f"{file}: `grading.drop`: lowest = {drop.lowest} leaves nothing to count"
            raise UsageError(problem, "drop fewer than the group has")
