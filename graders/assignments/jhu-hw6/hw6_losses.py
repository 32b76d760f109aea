"""The gradients of a run beside those that its batches and weights ask for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hw6_batches import Batch, part
from hw6_oracle import ask
from hw6_replies import Floats
from hw6_runs import Run, Update
from numpy.typing import NDArray

from graders.boundary.student import Student
from graders.checks.compare import TOLERANCES
from graders.checks.mistakes import Mistake
from graders.errors import GraderFault

STEP = "each batch: forward, loss, backward, optimizer step, zero_grad"
LOSS = "the loss is the cross entropy of the logits and the batch's labels"

PILED = Mistake(
    "no-zero-grad",
    "The gradients of earlier batches are still in those of this one: zero_grad is missing, or "
    "it clears another optimizer's parameters",
    STEP,
)
UPHILL = Mistake("uphill", "The loss is made larger: its sign is wrong", LOSS)
LOSSES = {
    "softmax-twice": Mistake(
        "softmax-twice",
        "Cross entropy is given probabilities; it takes the softmax itself and wants logits",
        LOSS,
    ),
    "own-predictions": Mistake(
        "own-predictions", "The loss compares the logits with the model's own predictions", LOSS
    ),
    "labels-swapped": Mistake("labels-swapped", "The loss is that of the labels exchanged", LOSS),
    "unmasked": Mistake(
        "unmasked", "The model is called without the attention mask of the batch", STEP
    ),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """An update, which batch it saw, and the gradients asked for: the right one and wrong ones."""

    update: Update
    batch: int
    asked: Mapping[str, NDArray[Any]]

    @property
    def is_right(self) -> bool:
        """Whether the gradient points where the right one does; its length is the loop's choice."""
        return self.follows(self.asked["right"])

    def follows(self, gradient: Floats) -> bool:
        """Whether it points where this one does, in the parameters that the step was given.

        Which parameters are given is judged elsewhere.
        """
        given = self.update.gradients or self.update.before
        seen = flat({name: each * 0 + 1 for name, each in given.items()}, self.update.before)
        used = flat(self.update.gradients, self.update.before)
        return same_direction(used, gradient * seen)


def batch_of(update: Update, batches: Sequence[Batch]) -> int | None:
    """Which of the batches this update's forward saw."""
    for number, batch in enumerate(batches):
        if np.array_equal(update.input_ids, batch["input_ids"]):
            return number
    return None


def batches_of(batch: Batch, size: int) -> list[Batch]:
    """The batches that a loader makes."""
    count = len(batch["labels"])
    return [part(batch, slice(i, i + size)) for i in range(0, count, size)]


def judged(sandbox: Student, run: Run, batches: Sequence[Batch]) -> list[Judged]:
    """Every update that saw one of the batches, with the gradients asked for."""
    seen = [(each, batch_of(each, batches)) for each in run.updates or run.graded]
    known = [(each, number) for each, number in seen if number is not None]
    questions = [
        {"weights": dict(each.before), "batch": dict(batches[number])} for each, number in known
    ]
    replies = ask(sandbox, "gradients", questions=questions)
    if not isinstance(replies, list) or len(replies) != len(known):
        raise GraderFault("the oracle gave no gradients")
    return [
        Judged(each, number, {name: flat(g, each.before) for name, g in reply.items()})
        for (each, number), reply in zip(known, replies, strict=True)
        if isinstance(reply, dict)
    ]


def mistake_of(updates: Sequence[Judged]) -> Mistake | None:
    """The known mistake that explains every update, if there is one."""
    for mistake, wrong in _explanations(updates):
        if all(each.follows(g) for each, g in zip(updates, wrong, strict=True)):
            return mistake
    return None


def _explanations(updates: Sequence[Judged]) -> Iterator[tuple[Mistake, Sequence[Floats]]]:
    right = [each.asked["right"] for each in updates]
    yield PILED, list(np.cumsum(right, axis=0))
    yield UPHILL, [-each for each in right]
    for name, mistake in LOSSES.items():
        yield mistake, [each.asked[name] for each in updates]


def same_direction(one: Floats, other: Floats) -> bool:
    """Whether two vectors point the same way, however long; zero points where zero does."""
    lengths = [float(np.linalg.norm(each)) for each in (one, other)]
    if not all(np.isfinite(lengths)) or 0.0 in lengths:
        return lengths == [0.0, 0.0]
    apart = np.linalg.norm(one / lengths[0] - other / lengths[1])
    return bool(apart <= TOLERANCES["direction"].absolute)


def flat(gradients: Mapping[str, Any], like: Mapping[str, Floats]) -> Floats:
    """The gradients of all parameters one after the other."""
    none = {name: np.zeros_like(each) for name, each in like.items()}
    return np.concatenate([np.ravel({**none, **gradients}[name]) for name in sorted(like)])
