"""Read audit.toml: which submissions are changed, and which survivors the author has accepted.

bases = ["right-loops"]       # optional: the examples that are changed besides the solution

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
    """An accepted survivor: the mutant computes the same, or no check has to notice it."""

    id: str
    verdict: Literal["equivalent", "out of scope"]
    reason: Annotated[str, Field(min_length=1)]


class AuditSettings(BaseModel, extra="forbid"):
    """The contents of audit.toml; without `bases`, the audit samples the correct examples."""

    bases: list[str] | None = None
    survivor: list[Accepted] = []

    @property
    def accepted(self) -> dict[str, Accepted]:
        """Return the recorded survivors by id."""
        return {survivor.id: survivor for survivor in self.survivor}


def read_audit_settings(assignment: Assignment) -> AuditSettings:
    """Return the contents of audit.toml, if any; raises UsageError if it is malformed."""
    file = assignment.folder / FILE
    if not file.is_file():
        return AuditSettings()
    settings = read_table(file, AuditSettings, SHAPE)
    ids = [survivor.id for survivor in settings.survivor]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise UsageError(f"{file}: survivor `{id_}` is listed twice", "remove one of them")
    return settings
