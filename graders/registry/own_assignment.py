"""Detect which assignment a folder belongs to, if the student does not name it."""

from collections.abc import Sequence
from pathlib import Path

from graders.errors import UsageError
from graders.model import Assignment
from graders.registry.contents import Contents, look_into
from graders.registry.discovery import assignment_names, load_assignment
from graders.written.loading import ANSWERS

LEAST = 0.1  # of the names and files; a single name such as `train` is not a submission
CLEARLY = 2.0  # how much better than the next one it must be


def own_assignment(upload: Path) -> Assignment:
    """Return the assignment whose files and names are there; raises UsageError if unclear."""
    known = [load_assignment(name) for name in assignment_names()]
    if len(known) == 1:
        return known[0]
    contents = look_into(upload)
    ranked = sorted(known, key=lambda each: -_fit(each, contents))
    best, second = (_fit(each, contents) for each in ranked[:2])
    if best < LEAST or best < CLEARLY * second:
        names = ", ".join(f"`{each.name}`" for each in known)
        raise UsageError(
            f"{upload}: could not detect the assignment",
            f"name it with --assignment: there is {names}",
        )
    return ranked[0]


def _fit(assignment: Assignment, contents: Contents) -> float:
    """Return how much of an assignment's names, files and answers is there, from 0 to 3."""
    files = assignment.files
    names = [*(contents.defines(name) for name in files.names)]
    names += [name in contents.files for name in files.code if "*" not in name]
    artifacts = [name in contents.files for name in files.artifacts if name not in ANSWERS]
    # The title is in the first line of the file that `answers-template` writes.
    return _share(names) + _share(artifacts) + float(assignment.title in contents.answers)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0
