"""Known mistakes: a wrong answer is compared with what each of them would have given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from graders.checks.compare import Operation, is_close


class NamingHint(str):
    """A hint that names a known mistake and carries its id.

    Text that is built from it is a plain string again, and names nothing.
    """

    mistake: str

    def __new__(cls, text: str, mistake: str = "") -> "NamingHint":
        hint = super().__new__(cls, text)
        hint.mistake = mistake
        return hint


def mistake_named(hint: str) -> str:
    """The id of the known mistake that a hint names, or nothing."""
    return hint.mistake if isinstance(hint, NamingHint) else ""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake students make, in a sentence, with the equation that is right."""

    id: str
    says: str
    equation: str

    @property
    def hint(self) -> NamingHint:
        """What the student reads."""
        return NamingHint(sentence(f"{self.says} ({self.equation})"), self.id)


def sentence(text: str) -> str:
    """The text with a capital in front, unless it starts with a symbol, and one full stop."""
    first, *_ = text.split(maxsplit=1) or [""]
    word = first.rstrip(",:")
    is_word = word == "a" or (word.isalpha() and len(word) > 1)
    capital = text[:1].upper() if is_word else text[:1]
    return f"{capital}{text[1:]}{'' if text.endswith(('.', '!', '?', '…')) else '.'}"


def first_match(
    actual: NDArray[Any], candidates: Mapping[Mistake, NDArray[Any]], operation: Operation
) -> Mistake | None:
    """The first mistake whose answer is this one, or None.

    Call it only with an answer that differs from the right one, on inputs generic enough that no
    two mistakes agree on them.
    """
    return next(iter(_matches(actual, candidates, operation)), None)


def only_match(
    actual: NDArray[Any], candidates: Mapping[Mistake, NDArray[Any]], operation: Operation
) -> Mistake | None:
    """The one mistake whose answer is this one; None where none is, or where several are."""
    found = _matches(actual, candidates, operation)
    return found[0] if len(found) == 1 else None


def _matches(
    actual: NDArray[Any], candidates: Mapping[Mistake, NDArray[Any]], operation: Operation
) -> list[Mistake]:
    return [
        mistake for mistake, expected in candidates.items() if is_close(actual, expected, operation)
    ]
