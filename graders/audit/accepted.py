"""Read audit.toml: the survivors that the author has looked at, and why they may survive.

[[survivor]]
id = "0d1f6a0c9be2"           # as the audit prints it
verdict = "equivalent"        # or "out of scope"
reason = "The mean of one row is the row."
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from graders.errors import UsageError
from graders.model import Assignment
from graders.tables import read_table

FILE = "audit.toml"
SHAPE = "docs/assignments.md describes its format"


class Accepted(BaseModel, extra="forbid"):
    """A survivor that may survive: the mutant means the same, or no check has to notice it."""

    id: str
    verdict: Literal["equivalent", "out of scope"]
    reason: Annotated[str, Field(min_length=1)]


class _Audited(BaseModel, extra="forbid"):
    survivor: list[Accepted] = []


def read_accepted(assignment: Assignment) -> dict[str, Accepted]:
    """Return the recorded survivors by id; raises UsageError if the file is malformed."""
    file = assignment.folder / FILE
    if not file.is_file():
        return {}
    found = read_table(file, _Audited, SHAPE).survivor
    for each in found:
        if [other.id for other in found].count(each.id) > 1:
            raise UsageError(f"{file}: survivor `{each.id}` is listed twice", "remove one of them")
    return {each.id: each for each in found}
