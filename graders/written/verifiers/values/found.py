"""Values that were found in an answer, alone or among words, and the verdict that they allow.

A value that stands alone is judged as it is. One that was found among words counts only where the
words cannot change what it says; else a person decides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from graders.written.judgement import Judgement, Misfit, Unreadable

T = TypeVar("T")
FEW_WORDS = 12  # around a value, so that it is surely the answer
MOST = 6  # values of one answer that are judged


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """The values that a part may answer with, and what a message calls them.

    `plain` says that there is nothing but the value, `denied` that words may speak against it,
    `sure` that a value which is wrong makes the answer wrong, `concluded` that the last value is
    what the others lead to, `led` that the first one stands alone before sentences with the others.
    """

    values: tuple[T, ...]
    shown: tuple[str, ...]
    plain: bool = True
    denied: bool = False
    sure: bool = True
    concluded: bool = False
    led: bool = False

    def accept(self, judged: Judgement) -> Judgement:
        """The judgement of these values; raises Unreadable where the words may say otherwise."""
        if self.plain:
            return judged
        found = f"`{self.shown[0][:80]}` was found in the answer"
        if self.denied:
            raise Unreadable(f"{found}, beside words that may speak against it.")
        if judged.fraction < 1 and not (judged.fraction == 0 and self.sure):
            raise Unreadable(f"{found}, beside words that may change what it says.")
        return judged

    def only(self) -> T:
        """The one value; raises Unreadable where there are several."""
        if len(self.values) > 1:
            raise self.several()
        return self.values[0]

    def several(self) -> Unreadable:
        """The fault of values that differ."""
        names = ", ".join(f"`{each[:60]}`" for each in self.shown[:MOST])
        return Unreadable(f"The answer holds several values that differ: {names}.")


def agreed(found: Found[T], judge: Callable[[T], Judgement]) -> Judgement:
    """The judgement of the values; raises Unreadable where they do not earn the same."""
    if len(found.values) > MOST:
        raise found.several()
    judged = [_judged(found, judge, each) for each in found.values]
    if found.led and judged[0].fraction == 1:
        return judged[0]
    if found.concluded and judged[-1].fraction == 1:
        return found.accept(judged[-1])
    if len({round(each.fraction, 9) for each in judged}) > 1:
        raise found.several()
    return found.accept(judged[0])


def _judged(found: Found[T], judge: Callable[[T], Judgement], value: T) -> Judgement:
    try:
        return judge(value)
    except Misfit as error:
        if found.plain:
            raise
        return Judgement(0.0, str(error), actual=found.shown[0])
