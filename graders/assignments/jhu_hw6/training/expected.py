"""Compare the gradients of a run with those required by its batches and weights."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import TOLERANCES
from graders.checks.mistakes import Mistake
from graders.errors import GraderFault

from ..batches import Batch, part
from ..replies import Floats
from .runs import Run, Update

STEP = "for each batch: forward, loss, backward, optimizer.step, zero_grad"
LOSS = "the loss is the cross entropy of the logits and the batch's labels"
MOST_SMOOTHING = 0.25  # even labels against own ones: label_smoothing=0.2
MOST_JUDGED = 100  # updates: the longest run needs 82, and the oracle takes its time for each

PILED = Mistake(
    "no-zero-grad",
    "Gradients accumulate over batches: zero_grad is missing, or it clears the parameters of "
    "another optimizer",
    STEP,
)
PILED_IN_EPOCHS = Mistake(
    "zero-grad-once-an-epoch",
    "Gradients accumulate over the batches of an epoch: zero_grad is called only once in an epoch, "
    "not for every batch",
    STEP,
)
DROPPED = Mistake(
    "rest-of-epoch-dropped",
    "The gradients of an epoch's last batches are cleared before a step uses them",
    "after the last batch of an epoch, step even if fewer batches than usual are accumulated",
)
CLEARED = Mistake(
    "cleared-for-every-batch",
    "A step follows several batches but uses only the gradient of the last: zero_grad is called "
    "for every batch",
    "to accumulate gradients, call zero_grad only after optimizer.step()",
)
UPHILL = Mistake("uphill", "Training increases the loss: its sign is wrong", LOSS)
LOSSES = {
    "softmax-twice": Mistake(
        "softmax-twice",
        "Pass logits to cross entropy, not probabilities: it applies the softmax itself",
        LOSS,
    ),
    "own-predictions": Mistake(
        "own-predictions", "The loss compares the logits with the model's own predictions", LOSS
    ),
    "labels-swapped": Mistake("labels-swapped", "The two labels are swapped in the loss", LOSS),
    "label-0-ignored": Mistake(
        "label-0-ignored",
        "Items with label 0 do not count in the loss: remove ignore_index=0 or the class weights",
        LOSS,
    ),
    "unmasked": Mistake(
        "unmasked",
        "The model is called without the attention mask, so padding counts as text",
        STEP,
    ),
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step, the batches whose gradients led to it, and the sums of the required gradients.

    Most loops step after each batch. `required` has the correct gradient and those of known
    mistakes. `current` is the correct one without the batches of the epoch before, `last` that of
    the last batch alone.
    """

    update: Update
    batches: Sequence[int]
    required: Mapping[str, Floats]
    current: Floats
    last: Floats

    def follows(self, gradient: Floats) -> bool:
        """Return whether the step has the direction of this gradient, whatever its length.

        Only parameters of the step's optimizer count; other checks test which these are.
        """
        return same_direction(self.gradient, gradient * self._seen)

    @property
    def smoothing(self) -> float:
        """The weight of even labels, beside the batch's own, that explains the step best."""
        sides = [self.required[name] * self._seen for name in ("right", "spread")]
        right, even = np.linalg.lstsq(np.stack(sides, axis=1), self.gradient, rcond=None)[0]
        return float(even / right) if right > 0 else 0.0

    @property
    def gradient(self) -> Floats:
        """The gradient that the step used."""
        return flat(self.update.gradients, self.update.before)

    @property
    def _seen(self) -> Floats:
        arrays = self.update.gradients or self.update.before
        return flat({name: array * 0 + 1 for name, array in arrays.items()}, self.update.before)


def batch_of(update: Update, batches: Sequence[Batch]) -> int | None:
    """Return which of the batches this update's forward pass saw; padding may have been removed."""
    ids = update.input_ids
    for number, batch in enumerate(batches):
        whole, mask = batch["input_ids"], batch["attention_mask"]
        if ids.ndim != 2 or len(ids) != len(whole) or ids.shape[1] > whole.shape[1]:
            continue
        T = ids.shape[1]
        if np.array_equal(ids, whole[:, :T]) and not mask[:, T:].any():
            return number
    return None


def batches_of(batch: Batch, size: int) -> list[Batch]:
    """Return the batches that a loader makes."""
    count = len(batch["labels"])
    return [part(batch, slice(i, i + size)) for i in range(0, count, size)]


def steps_of(sandbox: Student, run: Run, batches: Sequence[Batch]) -> list[Step]:
    """Return every step that resulted from known batches, with the required gradients.

    Of a run that is far too long, these are the first ones. In a run without any steps, one is
    assumed after each batch: the result of backward is graded.
    """
    updates = [(update, n) for update in run.graded if (n := batch_of(update, batches)) is not None]
    updates = updates[:MOST_JUDGED]
    gradients = _gradients(sandbox, updates, batches)
    steps: list[Step] = []
    waiting: list[tuple[int, Mapping[str, Floats]]] = []
    for (update, number), required in zip(updates, gradients, strict=True):
        waiting.append((number, required))
        if update.steps or not run.updates:
            sums = {name: reduce(add, (grads[name] for _, grads in waiting)) for name in required}
            numbers = [number for number, _ in waiting]
            of_epoch = waiting[_rest(numbers, run.plan.steps(run.task) - 1) :]
            current = reduce(add, (grads["right"] for _, grads in of_epoch))
            steps.append(Step(update, numbers, sums, current, waiting[-1][1]["right"]))
            waiting = []
    return steps


def _gradients(
    sandbox: Student, updates: Sequence[tuple[Update, int]], batches: Sequence[Batch]
) -> list[Mapping[str, Floats]]:
    """Return the gradients that each update's batch requires at its weights."""
    questions: list[Value] = [
        {"weights": dict(update.before), "batch": dict(batches[number])}
        for update, number in updates
    ]
    replies: Any = sandbox.call("gradients", questions=questions)
    if not isinstance(replies, list) or len(replies) != len(updates):
        raise GraderFault("the oracle gave no gradients")
    return [
        {name: flat(gradient, update.before) for name, gradient in reply.items()}
        for (update, _), reply in zip(updates, replies, strict=True)
        if isinstance(reply, dict)
    ]


def are_right(steps: Sequence[Step]) -> bool:
    """Return whether every step follows the gradient of its batches.

    Labels may be smoothed, by the same amount in every step.
    """
    if not steps:
        return False
    smoothing = min(max(steps[0].smoothing, 0.0), MOST_SMOOTHING)
    return any(
        all(step.follows(step.required["right"] + even * step.required["spread"]) for step in steps)
        for even in (0.0, smoothing)
    )


def is_accumulated(steps: Sequence[Step], batches: int) -> bool:
    """Return whether gradients of a fixed number of batches are accumulated for each step.

    A loop may count all its batches, or those of each epoch. Then the rest of an epoch is added to
    the next step.
    """
    if sum(len(step.batches) for step in steps) < batches:
        return False
    last = batches - 1
    ends = {i for i, step in enumerate(steps) if step.batches[-1] == last} | {len(steps) - 1}
    for rests in (0, 1):
        sizes = [len(step.batches) - rests * _rest(step.batches, last) for step in steps]
        short = {i for i, size in enumerate(sizes) if size < max(sizes)}
        if 1 < max(sizes) < batches and short <= ends:
            return True
    return False


def _rest(numbers: Sequence[int], last: int) -> int:
    """Return how many batches of a step belong to the epoch before."""
    return max((i for i, number in enumerate(numbers[:-1], 1) if number == last), default=0)


def mistake_of(steps: Sequence[Step]) -> Mistake | None:
    """Return the only known mistake that explains every step."""
    mistakes = {
        mistake
        for mistake, wrong in _explanations(steps)
        if all(step.follows(g) for step, g in zip(steps, wrong, strict=True))
    }
    return mistakes.pop() if len(mistakes) == 1 else None


def _explanations(steps: Sequence[Step]) -> Iterator[tuple[Mistake, Sequence[Floats]]]:
    right = [step.required["right"] for step in steps]
    for mistake, cleared in ((PILED, {0}), (PILED_IN_EPOCHS, _first_steps(steps))):
        yield mistake, _piled(steps, cleared)
        yield mistake, _piled(steps, cleared, clipped=True)
    yield DROPPED, [step.current for step in steps]
    yield CLEARED, [step.last for step in steps]
    yield UPHILL, [-gradient for gradient in right]
    for name, mistake in LOSSES.items():
        yield mistake, [step.required[name] for step in steps]


def _piled(steps: Sequence[Step], cleared: set[int], *, clipped: bool = False) -> list[Floats]:
    """Return the gradients of a loop that clears them only before some of the steps.

    If it clips them, what is left after a step is shorter than their sum.
    """
    sums: list[Floats] = []
    for number, step in enumerate(steps):
        left = steps[number - 1].gradient if clipped else sums[-1] if sums else 0.0
        sums.append(step.required["right"] + (0.0 if number in cleared else left))
    return sums


def _first_steps(steps: Sequence[Step]) -> set[int]:
    """Return the numbers of the first steps of the epochs."""
    first, seen = {0}, set[int]()
    for number, step in enumerate(steps):
        if seen & {*step.batches}:
            first.add(number)
            seen = set()
        seen |= {*step.batches}
    return first


def same_direction(one: Floats, other: Floats) -> bool:
    """Return whether two vectors have the same direction; zero only equals zero."""
    lengths = [float(np.linalg.norm(vector)) for vector in (one, other)]
    if not all(np.isfinite(lengths)) or 0.0 in lengths:
        return lengths == [0.0, 0.0]
    apart = np.linalg.norm(one / lengths[0] - other / lengths[1])
    return bool(apart <= TOLERANCES["direction"].absolute)


def flat(gradients: Mapping[str, Any], like: Mapping[str, Floats]) -> Floats:
    """Return the gradients of all parameters, concatenated."""
    none = {name: np.zeros_like(array) for name, array in like.items()}
    return np.concatenate([np.ravel({**none, **gradients}[name]) for name in sorted(like)])
