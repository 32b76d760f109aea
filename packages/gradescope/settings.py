"""How the autograder in a package grades: autograder.json, which the package's maker writes."""

from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from graders.errors import UsageError
from graders.model import Assignment

FILE = "autograder.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the maker of a package chose.

    `draw` is a number in hexadecimal digits that all gradings draw from, and empty where each has
    its own; `cpus` is the container's share of processors, `minutes` its time, `checks` a sum over
    the code that grades.
    """

    assignment: str
    only: tuple[str, ...] | None = None
    data: bool = False
    leaderboard: bool = False
    isolation: str = "auto"
    draw: str = ""
    cpus: float = 0.5
    memory_mb: int = 768
    minutes: int = 10
    checks: str = ""


def read_settings(package: Path) -> Settings:
    """The settings in an unpacked package; UsageError where they are missing or not such."""
    try:
        return TypeAdapter(Settings).validate_json((package / FILE).read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{package / FILE}: {error}", "upload the package again") from error


def sized(assignment: Assignment, settings: Settings) -> Assignment:
    """The assignment with limits for the container: its share of a processor costs no points."""
    limits = assignment.limits
    share = min(settings.cpus, 1.0)
    sized = replace(
        limits,
        wall_seconds=limits.wall_seconds / share,
        total_seconds=limits.total_seconds / share,
        memory_bytes=min(limits.memory_bytes, settings.memory_mb * 2**20),
    )
    return replace(assignment, limits=sized)
