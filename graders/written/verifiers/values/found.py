"""Values found in an answer, alone or among words, and the judgement that they permit.

A value on its own is graded as it is. A value found among words counts only if the words cannot
change its meaning; otherwise a person decides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from graders.written.question import Judgement, Misfit, Unreadable

T = TypeVar("T")
FEW_WORDS = 12  # around a value, so that it is certainly the answer
MOST = 6  # values of one answer that are graded


@dataclass(frozen=True, slots=True)
class Candidates(Generic[T]):
    """The values that may be the answer to a part, and their names in messages.

    `plain` means that there is only the value, `denied` that words may negate it, `sure` that an
    incorrect value makes the answer incorrect, `concluded` that the last value is the conclusion
    from the others, `led` that the first one is on its own before sentences with the others.
    """

    values: tuple[T, ...]
    shown: tuple[str, ...]
    plain: bool = True
    denied: bool = False
    sure: bool = True
    concluded: bool = False
    led: bool = False

    def accept(self, judged: Judgement) -> Judgement:
        """Return the judgement of these values.

        Raises Unreadable if the words may contradict it.
        """
        if self.plain:
            return judged
        start = f"`{self.shown[0][:80]}` was found in the answer"
        if self.denied:
            raise Unreadable(f"{start}, next to words that may contradict it.")
        if judged.fraction < 1 and not (judged.fraction == 0 and self.sure):
            raise Unreadable(f"{start}, next to words that may change its meaning.")
        return judged

    def only(self) -> T:
        """Return the only value. Raises Unreadable if there are several."""
        if len(self.values) > 1:
            raise self.several()
        return self.values[0]

    def several(self) -> Unreadable:
        names = ", ".join(dict.fromkeys(f"`{name[:60]}`" for name in self.shown[:MOST]))
        if len(set(self.shown)) == 1:
            words = "with and without the number that the answer gives for a constant"
            return Unreadable(f"{names} may have several values: {words}.")
        return Unreadable(f"The answer contains several different values: {names}.")


def judge_found(candidates: Candidates[T], judge: Callable[[T], Judgement]) -> Judgement:
    """Return the judgement of the values. Raises Unreadable if they don't earn the same."""
    if len(candidates.values) > MOST:
        raise candidates.several()
    judged = [_judged(candidates, judge, value) for value in candidates.values]
    if candidates.led and judged[0].fraction == 1:
        return judged[0]
    if candidates.concluded and judged[-1].fraction == 1:
        return candidates.accept(judged[-1])
    if len({round(judgement.fraction, 9) for judgement in judged}) > 1:
        raise candidates.several()
    return candidates.accept(judged[0])


def _judged(candidates: Candidates[T], judge: Callable[[T], Judgement], value: T) -> Judgement:
    try:
        return judge(value)
    except Misfit as error:
        if candidates.plain:
            raise
        return Judgement(0.0, str(error), actual=candidates.shown[0])
