"""Compare the effect of train_one_epoch on a small classifier with the correct effect."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.inputs import Inputs
from graders.errors import StudentFault, StudentRaised, Unavailable

from ..sst2.calls import answer_once, first_that_holds, unreadable
from ..sst2.rows import Row, rows
from ..sst2_data.batches import Ids, tokens_of

Weights = Mapping[str, NDArray[Any]]
SIZE, COUNT, EPOCHS = 4, 11, 2  # the last batch is smaller
LEARNING_RATE = 0.25
LONG = 104  # batches: a training that stops after 100 leaves sentences out
SOURCES = ("given", "own")  # batches in the handout's format, or the student's own

# Relative errors of the whole update. float32 in any order of summation has an error of 1e-4,
# bfloat16 of 0.02. Known mistakes have 0.08 and more; between EXACT and COARSE an update must still
# be closer to the correct one than to any known mistake.
EXACT, COARSE = 0.002, 0.05
MOST_IDS = 10**6  # of all batches together


@dataclass(frozen=True, slots=True)
class Observed:
    """Two observed epochs of training."""

    rows: Sequence[Row]
    right_ids: Sequence[Sequence[Ids]]
    ids: Sequence[Any]
    training: Sequence[bool]
    gradient: Sequence[bool]
    steps: Sequence[int]
    weights: Weights
    expected: Weights
    start: Weights
    pad: int

    @property
    def error(self) -> float:
        """The error of the weights, relative to the correct update."""
        return distance(self.weights, self.expected) / distance(self.expected, self.start)

    @property
    def moved(self) -> bool:
        """Return whether any weight changed."""
        return distance(self.weights, self.start) > 0

    def still(self) -> list[str]:
        """The weights that have not moved at all, but should have by more than a rounding error."""
        least = EXACT / 2 * distance(self.expected, self.start)
        return [
            name
            for name, weights in self.expected.items()
            if np.linalg.norm(weights - self.start[name]) > least
            and np.array_equal(self.weights[name], self.start[name])
        ]

    def nearest(self, mistakes: Mapping[str, Weights]) -> str:
        """The mistake whose weights are closer to these than the correct ones, or nothing."""
        far = {name: distance(self.weights, weights) for name, weights in mistakes.items()}
        name = min(far, key=far.__getitem__)
        update = distance(mistakes[name], self.start)
        closer = far[name] < distance(self.weights, self.expected)
        return name if closer and far[name] <= COARSE * update else ""

    def batches_seen(self) -> list[list[list[int]]]:
        """The batches that were trained on, in order; immediate repeats count once."""
        seen: list[list[list[int]]] = []
        for ids, gradient in zip(self.ids, self.gradient, strict=True):
            batch = _without(ids, self.pad)
            if gradient and (not seen or batch != seen[-1]):
                seen.append(batch)
        return seen


def distance(some: Weights, others: Weights) -> float:
    """Return the norm of the difference of all weights; infinite if one is not a number."""
    parts = [np.sum((some[n].astype(np.float64) - others[n]) ** 2) for n in others]
    total = float(np.sqrt(np.sum(parts)))
    return total if np.isfinite(total) else float("inf")


def learns(
    student: Student, sandbox: Student, inputs: Inputs, claim: Callable[[Observed], None]
) -> None:
    """Pass if a claim is true with the handout's batches or with the student's own.

    So neither a wrong collate_fn nor a loop that reads batches in another format fails here.
    """
    first_that_holds(
        [lambda source=source: claim(_observe(student, sandbox, inputs, source))  # type: ignore[misc]
         for source in SOURCES]
    )  # fmt: skip


def mistaken(sandbox: Student, inputs: Inputs, names: Sequence[str]) -> Mapping[str, Weights]:
    """Return the weights that each mistake leads to."""
    reply: Any = sandbox.call("sst2_updates", **_question(inputs), rules=list(names))
    return {name: reply[name] for name in names}


def _question(inputs: Inputs) -> dict[str, Any]:
    return {
        "weights": inputs.seed("training weights"),
        "rows": rows(inputs, "training", COUNT),
        "plan": {"size": SIZE, "epochs": EPOCHS, "lr": LEARNING_RATE},
    }


def refused(student: Student, sandbox: Student, inputs: Inputs) -> StudentRaised | None:
    """Return what train_one_epoch raises for the student's own batches, but not for others."""
    try:
        _observe(student, sandbox, inputs, "given")
    except (CheckFailed, StudentFault):
        return None  # other checks report it
    try:
        _observe(student, sandbox, inputs, "own")
    except StudentRaised as problem:
        return problem
    except (CheckFailed, StudentFault):
        pass
    return None


def require_long_epoch(student: Student, inputs: Inputs) -> None:
    """Fail if an epoch of many batches returns before the last one; what it raises is unknown."""

    def claim(source: str) -> None:
        steps = student.call(
            "sst2_long_epoch",
            source=source,
            weights=inputs.seed("training weights"),
            rows=list(rows(inputs, "long epoch", 2 * LONG)),
            size=2,
            read=_count,
        )
        if steps < LONG:
            fail(
                "An epoch ends before the last batch.",
                hint="Is a `break` for debugging left in the loop over batches?",
                expected=f"{LONG} steps for {LONG} batches",
                actual=f"{steps} steps",
            )

    with suppress(StudentFault):
        first_that_holds([partial(claim, source) for source in SOURCES])


def _count(reply: Any) -> int:
    return reply if isinstance(reply, int) else unreadable()


def require_device(student: Student, inputs: Inputs, name: str) -> None:
    """Fail if a loop moves only some of its tensors, or none although the other loop does."""
    question = _question(inputs)
    asks = {"weights": question["weights"], "rows": question["rows"], "size": SIZE}
    try:
        left = answer_once(
            student, "devices", lambda: student.call("sst2_left_on_cpu", **asks, read=_names)
        )
    except (CheckFailed, StudentFault, Unavailable):
        return  # other checks report it
    if name in left and name == "main":
        fail(
            "The batches are moved to DEVICE, but the model is not; a GPU raises an error.",
            hint="Move the model when it is made: model.to(DEVICE).",
        )
    if name in left:
        fail(
            f"{name} leaves tensors of a batch on the CPU: on a GPU, this raises an error.",
            hint="Move text_encoding and labels to the model's device: batch[...].to(DEVICE). "
            "`.to()` returns the moved tensor and does not change the original.",
        )


def _names(reply: Any) -> Sequence[str]:
    return [str(name) for name in reply] if isinstance(reply, list) else unreadable()


def _observe(student: Student, sandbox: Student, inputs: Inputs, source: str) -> Observed:
    question = _question(inputs)
    right: Any = sandbox.call("sst2_updates", **question, rules=["right"])
    texts = [row["text"] for row in question["rows"]]
    tokens = tokens_of(sandbox, "roberta", texts)
    chunks = [tokens.ids[i : i + SIZE] for i in range(0, COUNT, SIZE)]
    read = partial(_read, question["rows"], chunks * EPOCHS, tokens.pad, right)
    return answer_once(
        student,
        f"training {source}",
        lambda: student.call("sst2_training", source=source, **question, read=read),
    )


def _read(
    asked_rows: Sequence[Row], right_ids: Sequence[Any], pad: int, right: Any, reply: Any
) -> Observed:
    names = ("ids", "training", "gradient", "steps")
    if not isinstance(reply, dict) or not all(isinstance(reply.get(n), list) for n in names):
        unreadable()
    ids, training, gradient, steps = (reply[name] for name in names)
    count = min(len(ids), len(training), len(gradient))
    if sum(np.size(batch) for batch in ids) > MOST_IDS:
        unreadable()
    weights = reply.get("weights")
    if not isinstance(weights, dict) or not _alike(weights, right["start"]):
        unreadable()
    return Observed(
        asked_rows,
        right_ids,
        ids[:count],
        [flag is True for flag in training[:count]],
        [flag is True for flag in gradient[:count]],
        [step for step in steps if isinstance(step, int)],
        weights,
        right["right"],
        right["start"],
        pad,
    )


def _alike(weights: Mapping[str, Any], others: Weights) -> bool:
    """Return whether these are float arrays of the same names and shapes."""
    return set(weights) == set(others) and all(
        isinstance(weights[name], np.ndarray)
        and weights[name].shape == others[name].shape
        and weights[name].dtype.kind in "fiub"
        for name in others
    )


def _without(ids: Any, pad: int) -> list[list[int]]:
    """Return the rows of a batch without padding; an empty list if it is not a matrix of ids."""
    if not isinstance(ids, np.ndarray) or ids.ndim != 2 or ids.dtype.kind not in "iu":
        return []
    return [[int(token) for token in row if token != pad] for row in ids]
