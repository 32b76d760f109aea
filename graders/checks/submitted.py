"""Read submitted files that are not code, up to a size limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graders.checks.compare import fail

LARGEST_TEXT = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SubmittedFiles:
    """The artifacts found in the submission, by name."""

    paths: Mapping[str, Path]

    def has(self, name: str) -> bool:
        """Return whether the submission has this file."""
        return name in self.paths

    def bytes(self, name: str, *, largest: int = LARGEST_TEXT) -> bytes:
        """Return the content of a file; fail the check if it is missing or too large."""
        path = self.paths.get(name)
        if path is None:
            fail(f"`{name}` is not in your submission.")
        with path.open("rb") as file:
            content = file.read(largest + 1)
        if len(content) > largest:
            most = f"{largest // 2**20} MB"
            fail(f"`{name}` is larger than {most}.", expected=f"at most {most}")
        return content
