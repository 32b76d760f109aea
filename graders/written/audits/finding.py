"""The finding of an audit of reported numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["fine", "note", "suspicious", "impossible"]
WORST_FIRST: tuple[Severity, ...] = ("impossible", "suspicious", "note", "fine")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of an audit: a sentence for the student, and the numbers as k/n by name."""

    id: str
    severity: Severity
    sentence: str
    numbers: tuple[tuple[str, str], ...] = ()


def by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings without duplicates, the most severe first."""
    once = dict.fromkeys(findings)
    return tuple(sorted(once, key=lambda finding: WORST_FIRST.index(finding.severity)))
