"""Keep the partial credit and notes of one run of one check."""

from dataclasses import dataclass, field
from typing import Unpack

from graders.checks.compare import Details, Explanation
from graders.figures import Figure, drawable


@dataclass(slots=True)
class Partial:
    """A share of the check's points, and why."""

    fraction: float
    why: Explanation


@dataclass(slots=True)
class Score:
    """What a check reports besides passing or failing; a new one for each submission."""

    partial_credit: Partial | None = None
    notes: list[str] = field(default_factory=list)
    needs_person: Explanation | None = None
    doubts: list[Explanation] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    def partial(self, fraction: float, message: str, **details: Unpack[Details]) -> None:
        """Give `fraction` (0..1) of the check's points, with a sentence that says why."""
        self.partial_for(fraction, Explanation(message, **details))

    def partial_for(self, fraction: float, why: Explanation) -> None:
        """Give `fraction` (0..1) of the check's points, such as for a CheckFailed's explanation."""
        if not 0.0 <= fraction <= 1.0:
            raise ValueError(f"a fraction must be between 0 and 1, not {fraction}")
        self.partial_credit = Partial(fraction, why)

    def note(self, message: str) -> None:
        """Add a note for the student that does not affect the points."""
        if message not in self.notes:
            self.notes.append(message)

    def show(self, figure: Figure) -> None:
        """Show a figure, whatever the verdict, unless one of its numbers is not finite."""
        if drawable(figure) and figure not in self.figures:
            self.figures.append(figure)

    def needs_review(self, reason: str, **details: Unpack[Details]) -> None:
        """Leave the verdict to a person; the reason and the details are shown."""
        self.needs_person = Explanation(reason, **details)

    def confirm(self, reason: str, **details: Unpack[Details]) -> None:
        """Ask a person to confirm the points that the check earns; they count until then.

        This has no effect if the check earns nothing. Only the first reason is shown.
        """
        self.doubts.append(Explanation(reason, **details))
