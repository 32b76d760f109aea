"""Check the options of `package gradescope` against what the assignment and Gradescope offer."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.grading.secret import PUBLICLY, SECRET, settle_inputs_seed
from graders.model import Assignment
from graders.storage.store import open_store
from packages.gradescope.settings import Settings

FRESH = ""  # different inputs for each grading
# What Gradescope offers: CPUs, and the megabytes of memory of that size.
CONTAINERS = {"0.5": (0.5, 768), "1": (1.0, 1536), "2": (2.0, 3072), "4": (4.0, 6144)}
MINUTES = range(2, 41)


@dataclass(frozen=True, slots=True)
class Container:
    """The container that is set on Gradescope: its CPUs, as written there, and its minutes."""

    cpus: str
    minutes: int


def choose_settings(
    assignment: Assignment,
    only: frozenset[str] | None,
    *,
    container: Container,
    isolation: str,
    inputs: str,
) -> Settings:
    """Return a package's settings for a container. Raises UsageError."""
    if container.cpus not in CONTAINERS or container.minutes not in MINUTES:
        raise UsageError(
            f"Gradescope has no container of {container.cpus} CPUs and {container.minutes} minutes",
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
        draw=_inputs_seed(inputs),
        cpus=CONTAINERS[container.cpus][0],
        memory_mb=CONTAINERS[container.cpus][1],
        minutes=container.minutes,
    )


def _inputs_seed(inputs: str) -> str:
    """Return the seed as the package stores it; raises UsageError for a file without a secret."""
    if inputs in ("", SECRET):
        return FRESH
    if inputs == PUBLICLY:
        return "0"
    with tempfile.TemporaryDirectory(prefix="softmark-") as work, open_store(Path(work)) as store:
        return f"{settle_inputs_seed(store, inputs):x}"
