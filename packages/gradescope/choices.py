"""What the maker of an autograder asked for, checked against what there is."""

import tempfile
from pathlib import Path

from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.grading.secret import PUBLICLY, SECRET, settle_draw
from graders.model import Assignment
from graders.storage.results import open_store
from packages.gradescope.settings import Settings

FRESH = ""  # a draw of its own for each grading
# What Gradescope offers: CPUs, and the megabytes that come with them.
CONTAINERS = {"0.5": (0.5, 768), "1": (1.0, 1536), "2": (2.0, 3072), "4": (4.0, 6144)}
MINUTES = range(2, 41)


def choose_settings(
    assignment: Assignment,
    only: frozenset[str] | None,
    *,
    container: tuple[str, int],
    isolation: str,
    inputs: str,
) -> Settings:
    """The settings of a package for this container, of so many CPUs and minutes; or UsageError."""
    cpus, minutes = container
    if cpus not in CONTAINERS or minutes not in MINUTES:
        raise UsageError(
            f"Gradescope has no container of {cpus} CPUs and {minutes} minutes",
            f"--container is one of {', '.join(CONTAINERS)}, --minutes from 2 to 40",
        )
    if isolation not in ("auto", *(tier.value for tier in Tier)):
        raise UsageError(
            f"there is no isolation `{isolation}`", "choose from: auto, bubblewrap, landlock, none"
        )
    return Settings(
        assignment.name,
        only=None if only is None else tuple(sorted(only)),
        isolation=isolation,
        draw=_draw(inputs),
        cpus=CONTAINERS[cpus][0],
        memory_mb=CONTAINERS[cpus][1],
        minutes=minutes,
    )


def _draw(inputs: str) -> str:
    """What gradings draw from, as the package says it; UsageError where a file holds no secret."""
    if inputs in ("", SECRET):
        return FRESH
    if inputs == PUBLICLY:
        return "0"
    with tempfile.TemporaryDirectory(prefix="softmark-") as work, open_store(Path(work)) as store:
        return f"{settle_draw(store, inputs):x}"
