"""The results of evaluate on known predictions, and the model's mode during the call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graders.boundary.student import Student
from graders.checks.inputs import Inputs

from ..sst2.calls import answer_once, first_that_holds, unreadable
from ..sst2.rows import classes, labelled
from .updates import SOURCES


@dataclass(frozen=True, slots=True)
class Case:
    """A number of sentences and a batch size, with the correct predictions of each batch."""

    count: int
    size: int
    right: Callable[[int], bool]
    again: bool = False  # the previous sentences, after the model has changed
    most: int = 14  # words of a sentence


def _uneven(at: int) -> bool:
    """Return whether a sentence is correct: all but one in full batches, none in the last batch."""
    return at < 8 and at != 2


CASES = (
    Case(11, 4, _uneven, most=60),  # as long as the longest of SST-2
    Case(11, 11, _uneven),
    Case(11, 1, _uneven),
    Case(10, 4, lambda at: True),
    Case(9, 4, lambda at: False),
    Case(104, 1, lambda at: at < 52),  # an evaluation that stops after 100 batches is wrong
    Case(7, 5, lambda at: at in (1, 5, 6)),
    Case(7, 5, lambda at: at not in (1, 5, 6), again=True),
)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The results of all cases."""

    returned: Sequence[Any]
    passes: int
    masked: Sequence[bool]
    whole: Sequence[bool]
    training: Sequence[bool]
    gradient: Sequence[bool]
    changed: Sequence[str]
    held_back: bool  # whether train_one_epoch changes fewer weights afterwards


def _hits(case: Case) -> list[bool]:
    return [case.right(at) for at in range(case.count)]


def _batches(case: Case) -> list[list[bool]]:
    hits = _hits(case)
    return [hits[i : i + case.size] for i in range(0, case.count, case.size)]


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits)


# The accuracy of each case, and the lists of numbers that known mistakes give instead.
EXPECTED = [_share(_hits(case)) for case in CASES]
MISTAKES: Mapping[str, Sequence[float]] = {
    "The accuracies of the batches are averaged, although the last batch is smaller. Count "
    "sentences instead": [
        sum(map(_share, batches)) / len(batches) for batches in map(_batches, CASES)
    ],
    "The last batch is counted as if it were full": [
        sum(_hits(case)) / (len(_batches(case)) * case.size) for case in CASES
    ],
    "This is the accuracy of only the last batch": [_share(_batches(case)[-1]) for case in CASES],
    "This is the accuracy of only the first batch": [_share(_batches(case)[0]) for case in CASES],
    "This is the number of correct predictions; divide it by the number of sentences": [
        float(sum(_hits(case))) for case in CASES
    ],
    "The number of correct predictions is divided by batches, not by sentences": [
        sum(_hits(case)) / len(_batches(case)) for case in CASES
    ],
    "The accuracies of the batches are added": [sum(map(_share, _batches(case))) for case in CASES],
    "This is the error rate (1 - accuracy)": [1 - share for share in EXPECTED],
}


def evaluates(student: Student, inputs: Inputs, claim: Callable[[Evaluated], None]) -> None:
    """Pass if a claim is true with the handout's batches or with the student's own."""
    first_that_holds(
        [lambda source=source: claim(_observe(student, inputs, source))  # type: ignore[misc]
         for source in SOURCES]
    )  # fmt: skip


def _observe(student: Student, inputs: Inputs, source: str) -> Evaluated:
    seed = inputs.seed("evaluated weights")
    return answer_once(
        student,
        f"evaluation {source}",
        lambda: student.call(
            "sst2_evaluations",
            source=source,
            weights=seed,
            cases=_cases(inputs),
            classes=dict(classes(inputs)),
            read=_read,
        ),
    )


@lru_cache(maxsize=2)
def _cases(inputs: Inputs) -> list[Any]:
    """Return the sentences of each case, with the labels that it needs."""
    words = classes(inputs)
    return [
        {
            "rows": labelled(inputs, f"evaluated {at}", words, _hits(case), most=case.most),
            "size": case.size,
            "again": case.again,
        }
        for at, case in enumerate(CASES)
    ]


def _read(replies: Any) -> Evaluated:
    if not isinstance(replies, list) or len(replies) != len(CASES):
        unreadable()
    for reply in replies:
        if not isinstance(reply, dict) or not all(
            isinstance(reply.get(name), list)
            for name in ("masked", "whole", "training", "gradient", "changed")
        ):
            unreadable()
    return Evaluated(
        [reply.get("returned") for reply in replies],
        sum(len(reply["training"]) for reply in replies),
        [flag is not False for reply in replies for flag in reply["masked"]],
        [flag is not False for reply in replies for flag in reply["whole"]],
        [flag is not False for reply in replies for flag in reply["training"]],
        [flag is not False for reply in replies for flag in reply["gradient"]],
        [str(name)[:80] for reply in replies for name in reply["changed"]],
        any(reply.get("held_back") is True for reply in replies),
    )
