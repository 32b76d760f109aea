"""Known mistakes: a wrong answer is compared with what each of them would have given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from graders.checks.compare import Operation, is_close


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake students make, in a sentence, with the equation that is right."""

    id: str
    says: str
    equation: str

    @property
    def hint(self) -> str:
        """What the student reads."""
        return f"{self.says} ({self.equation})."


def first_match(
    actual: NDArray[Any], candidates: Mapping[Mistake, NDArray[Any]], operation: Operation
) -> Mistake | None:
    """The first mistake whose answer is this one, or None.

    Call it only with an answer that differs from the right one, on inputs generic enough that no
    two mistakes agree on them.
    """
    for mistake, expected in candidates.items():
        if is_close(actual, expected, operation):
            return mistake
    return None
