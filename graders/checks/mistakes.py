"""Recognize known mistakes: compare a wrong answer with what each of them would produce."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from graders.checks.compare import Operation, is_close


class NamingHint(str):
    """A hint that names a known mistake and carries its id.

    Text built from it is a plain string, which names no mistake.
    """

    mistake: str

    def __new__(cls, text: str, mistake: str = "") -> "NamingHint":
        hint = super().__new__(cls, text)
        hint.mistake = mistake
        return hint


def mistake_named(hint: str) -> str:
    """Return the ID of the known mistake that a hint names, or ""."""
    return hint.mistake if isinstance(hint, NamingHint) else ""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake that students make, as a sentence with the correct equation."""

    id: str
    says: str
    equation: str

    @property
    def hint(self) -> NamingHint:
        """The hint that the student reads."""
        return NamingHint(sentence(f"{self.says} ({self.equation})"), self.id)


def sentence(text: str) -> str:
    """Return the text with a capital letter, unless it starts with a symbol, and a period."""
    first, *_ = text.split(maxsplit=1) or [""]
    word = first.rstrip(",:")
    is_word = word == "a" or (word.isalpha() and len(word) > 1)
    capital = text[:1].upper() if is_word else text[:1]
    return f"{capital}{text[1:]}{'' if text.endswith(('.', '!', '?', '…')) else '.'}"


def first_match(
    actual: NDArray[Any], candidates: Mapping[Mistake, NDArray[Any]], operation: Operation
) -> Mistake | None:
    """Return the first mistake whose answer equals this one, or None.

    Call it only with an incorrect answer, on inputs generic enough that no two mistakes agree on
    them.
    """
    return next(iter(_matches(actual, candidates, operation)), None)


def only_match(
    actual: NDArray[Any], candidates: Mapping[Mistake, NDArray[Any]], operation: Operation
) -> Mistake | None:
    """Return the only mistake whose answer equals this one; None if there are none or several."""
    mistakes = _matches(actual, candidates, operation)
    return mistakes[0] if len(mistakes) == 1 else None


def _matches(
    actual: NDArray[Any], candidates: Mapping[Mistake, NDArray[Any]], operation: Operation
) -> list[Mistake]:
    return [
        mistake for mistake, expected in candidates.items() if is_close(actual, expected, operation)
    ]
