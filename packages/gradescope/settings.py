"""The settings of an autograder: autograder.json, written when the package is made."""

from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from graders.errors import UsageError
from graders.model import Assignment

FILE = "autograder.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings chosen for a package.

    `draw` is a number in hexadecimal digits from which the inputs of all gradings are drawn, or
    empty if each grading has its own; `cpus` is the container's share of processors, `minutes` its
    time limit, `checks` a hash of the code that grades.
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
    """Return the settings of an unpacked package.

    Raises UsageError if they are missing or invalid.
    """
    try:
        return TypeAdapter(Settings).validate_json((package / FILE).read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{package / FILE}: {error}", "upload the package again") from error


def sized(assignment: Assignment, settings: Settings) -> Assignment:
    """Return the assignment with limits for the container; its slower CPU costs no points."""
    limits = assignment.limits
    share = min(settings.cpus, 1.0)
    sized = replace(
        limits,
        wall_seconds=limits.wall_seconds / share,
        total_seconds=limits.total_seconds / share,
        memory_bytes=min(limits.memory_bytes, settings.memory_mb * 2**20),
    )
    return replace(assignment, limits=sized)
