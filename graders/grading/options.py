"""The options of a grading, and the text that stores them so that it can be repeated.

{"assignment", "data", "only", "rerun": {"wall_seconds", "gpu", "schedule"}}
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from graders.boundary.tiers.sandbox import Tier
from graders.checks.inputs import PUBLIC
from graders.errors import UsageError
from graders.grading.rerun import RerunPlan, Schedule
from graders.model import Assignment
from graders.registry.discovery import ASSIGNMENTS, load_assignment, name_of
from graders.storage.store import Store


@dataclass(frozen=True, slots=True)
class Options:
    """How to grade: the criteria, the data and the sandbox.

    `inputs_seed` is the seed of the checks' inputs: PUBLIC, or a secret known only to staff.
    """

    tier: Tier
    data: Path | None = None
    only: frozenset[str] | None = None
    rerun: RerunPlan | None = None
    inputs_seed: int = field(default=PUBLIC, repr=False)


@dataclass(frozen=True, slots=True)
class GradingRequest:
    """An assignment, and how to grade its submissions."""

    assignment: Assignment
    options: Options


def options_text(assignment: Assignment, options: Options) -> str:
    """Return the options as text, without the tier, which each machine chooses."""
    chosen = {
        "assignment": _named(assignment),
        "data": options.data and str(options.data.absolute()),
        "only": options.only and sorted(options.only),
        "rerun": options.rerun and asdict(options.rerun),
    }
    return json.dumps(chosen, sort_keys=True)


def is_installed(assignment: Assignment) -> bool:
    """Return whether the assignment is one of Softmark's own, and no course's copy."""
    return assignment.folder.parent == ASSIGNMENTS


def _named(assignment: Assignment) -> str:
    return name_of(assignment.folder) if is_installed(assignment) else str(assignment.folder)


def assignment_in(stored: str) -> str:
    """Return the name or folder of the assignment in the stored options."""
    return str(json.loads(stored)["assignment"])


def only_in(stored: str) -> frozenset[str] | None:
    """Return the criteria of the stored options; None means all."""
    named = json.loads(stored)["only"]
    return frozenset(named) if named else None


def stored_assignment(store: Store, generation: int = 0) -> Assignment:
    """Return a store's assignment, read again from its folder; raises UsageError if it is empty.

    It is that of the published generation, unless another one is named.
    """
    for member in store.members(generation):
        return assignment_of(member.cache_key.options)
    raise UsageError("no grading results found", "grade with `run` or `batch` first")


def assignment_of(stored: str) -> Assignment:
    """Return the assignment in the stored options; raises UsageError if its folder is gone."""
    if is_gone(stored):
        raise UsageError(
            f"the results were graded with {assignment_in(stored)}, which does not exist anymore",
            "if you moved the folder, pass its new path once: `regrade FOLDER --out DIR`",
        )
    return load_assignment(assignment_in(stored))


def is_gone(stored: str) -> bool:
    """Return whether the folder in the stored options does not exist (anymore)."""
    named = Path(assignment_in(stored))
    return named.is_absolute() and not named.exists()


def follow_assignment(store: Store, assignment: Assignment) -> str:
    """Store this folder in all Results whose own folder is gone; return a sentence if it is new."""
    gone: list[str] = []

    def followed(stored: str) -> str:
        if not is_gone(stored):
            return stored
        gone.append(assignment_in(stored))
        return json.dumps(json.loads(stored) | {"assignment": _named(assignment)}, sort_keys=True)

    store.change_options(followed)
    return f"{gone[0]} does not exist anymore: {assignment.folder} is used instead" if gone else ""


def options_in(stored: str, tier: Tier) -> Options:
    """Return the stored options, with this tier."""
    fields = json.loads(stored)
    return Options(
        tier,
        data=Path(fields["data"]) if fields["data"] else None,
        only=only_in(stored),
        rerun=_plan(fields["rerun"]) if fields["rerun"] else None,
    )


def _plan(stored: Mapping[str, Any]) -> RerunPlan:
    schedule = Schedule(**stored["schedule"]) if stored["schedule"] else None
    return RerunPlan(stored["wall_seconds"], stored["gpu"], schedule)
