"""Test one of the mini transformer's functions, on tokens and on heads.

A function is correct if it is correct on the shapes that self_attention passes to it: code that
always splits needs only four axes, code that loops over heads only three.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, as_floats, describe, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import Mistake, sentence
from graders.checks.score import Score
from graders.errors import StudentRaised

from .expected import Floats, past, softmax
from .mistakes import MASK, MASKS, NAN
from .questions import Draws, Size
from .replies import (
    ARGUMENTS,
    RANDOM,
    answers,
    first_difference,
    helper,
    matches,
    note_narrowed,
    part,
    require_floats,
    same,
)

Calls = Sequence[Sequence[Any]]
Build = Callable[[Draws, Size, Any], list[Any]]
SHAPES = {3: "(B, T, ...)", 4: "(B, n_heads, T, ...)"}


@dataclass(frozen=True, slots=True)
class Function:
    """One of the functions: its name, the correct result, and known mistakes."""

    name: str
    right: Callable[..., Floats]
    mistakes: Mapping[Mistake, Callable[..., Floats]]
    equation: str


MASKED = Function(
    "apply_causal_mask",
    lambda scores: softmax(past(scores)),
    {mistake: lambda s, mask=mask: softmax(mask(s)) for mistake, mask in MASKS.items()},
    MASK,
)


@dataclass(frozen=True, slots=True)
class Judge:
    """Calls the functions of one submission."""

    student: Student
    score: Score
    inputs: Inputs

    def function(self, function: Function, tokens: Build, heads: Build) -> None:
        """Fail if it is wrong on tokens (three axes) or on heads (four)."""
        draws = Draws(self.inputs, function.name)
        self._either(
            function.name,
            lambda: self.calls(function, draws.calls(tokens)),
            lambda: self.calls(function, draws.calls(heads)),
        )

    def mask(self, tokens: Build, heads: Build) -> None:
        """Fail if mask and softmax together are wrong on tokens or on heads."""
        draws = Draws(self.inputs, MASKED.name)
        self._either(
            MASKED.name,
            lambda: self._masked(draws.calls(tokens)),
            lambda: self._masked(draws.calls(heads)),
        )

    def _either(self, name: str, *judgements: Callable[[], None]) -> None:
        """Run both tests, on three axes and on four; only one if the other does not matter."""
        problems: dict[int, CheckFailed | StudentRaised] = {}
        for axes, judgement in zip(SHAPES, judgements, strict=True):
            try:
                judgement()
            except (CheckFailed, StudentRaised) as problem:
                problems[axes] = problem
        if problems and not self._is_unused(name, problems):
            raise list(problems.values())[
                -1
            ]  # the one on four axes: no two of them can be confused

    def calls(self, function: Function, calls: Calls) -> None:
        """Fail if it returns wrong values."""
        replies = helper(self.student, self.score, function.name, calls)
        outputs = []
        for call, reply in zip(calls, replies, strict=True):
            shape = function.right(*_exact(call)).shape
            outputs.append(require_floats(reply, shape, **_shape_words(function, call, reply)))
        for call, values in zip(calls, outputs, strict=True):
            expected = function.right(*_exact(call))
            if not is_close(values, expected, "attention"):
                fail(
                    f"{function.name} returns wrong values.",
                    hint=self._hint(function, calls, outputs),
                    actual=first_difference(values, expected),
                    counterexample=described_arguments(function.name, call),
                )

    def _hint(self, function: Function, calls: Calls, outputs: Sequence[Floats]) -> str:
        """Return a hint if it is random, or the known mistake that gives these values."""
        again = {"function": function.name, "free": True}
        replies = answers(self.student, "mini_helper", [list(calls[0])] * 6, **again)
        one, *rest = (as_floats(reply["answer"]) for reply in replies)
        if one is not None and any(output is None or not same(output, one) for output in rest):
            return RANDOM
        return known_mistake(function, calls, outputs)

    def _masked(self, calls: Calls) -> None:
        """Fail if neither their softmax nor ours turns the masked scores into correct weights."""
        replies = answers(self.student, "mini_masked", [list(call) for call in calls])
        note_narrowed(replies, self.score)
        weights = [
            _weights(scores, reply["answer"])
            for (scores,), reply in zip(calls, replies, strict=True)
        ]
        for (scores,), (ours, theirs) in zip(calls, weights, strict=True):
            expected = MASKED.right(scores.astype(np.float64))
            if not (is_close(ours, expected, "attention") or _fits(theirs, expected)):
                fail(
                    "With the causal mask applied, the softmax returns wrong weights.",
                    hint=known_mistake(MASKED, calls, [ours for ours, _ in weights]),
                    actual=first_difference(ours, expected),
                    counterexample=described_arguments(MASKED.name, (scores,)),
                )

    def _is_unused(self, name: str, problems: Mapping[int, Exception]) -> bool:
        """Return whether it fails only on shapes that self_attention never passes to it."""
        if len(problems) != 1:
            return False
        (axes,) = problems
        if axes in self._dimensions(name):
            return False
        self.score.note(
            f"{name} does not accept {SHAPES[axes]}. Your self_attention never passes that shape, "
            "so no points are deducted."
        )
        return True

    def _dimensions(self, name: str) -> set[int]:
        """Return the numbers of axes of the tensors that self_attention passes to this function."""
        draws = Draws(self.inputs, "dimensions")
        calls: list[Any] = []
        for heads in (False, True):
            question = draws.question(draws.attention_sizes(heads=heads)[0], causal=True)
            calls.append([question.q, question.k, question.v, question.n_heads, question.causal])
        try:
            return self.student.call("mini_dimensions", function=name, calls=calls, read=_axes)
        except StudentRaised:
            return set()


def _axes(reply: Any) -> set[int]:
    counts = reply if isinstance(reply, list) else []
    return {count for count in counts if isinstance(count, int) and count in SHAPES}


def known_mistake(function: Function, calls: Calls, outputs: Sequence[Floats]) -> str:
    """Return the hint of the known mistake that gives these values, or the equation."""
    for mistake, wrong in function.mistakes.items():
        with np.errstate(all="ignore"):
            if matches(outputs, (wrong(*_exact(call)) for call in calls)):
                return mistake.hint
    is_nan = function.name == MASKED.name and all(np.isnan(output).all() for output in outputs)
    return sentence(NAN if is_nan else function.equation)


def described_arguments(name: str, call: Sequence[Any]) -> dict[str, str]:
    """Describe the arguments."""
    return {
        label: describe(value) if isinstance(value, np.ndarray) else str(value)
        for label, value in zip(ARGUMENTS[name], call, strict=True)
    }


def _weights(scores: Floats, answer: Any) -> tuple[Floats, Any]:
    """Return the softmax of masked scores, ours and the student's."""
    masked = require_floats(
        part(answer, "masked"),
        scores.shape,
        "apply_causal_mask does not return scores of the shape of A.",
        hint=sentence(MASK),
        counterexample=described_arguments(MASKED.name, (scores,)),
    )
    with np.errstate(all="ignore"):
        return softmax(masked), part(answer, "weights")


def _fits(value: Any, expected: Floats) -> bool:
    """Return whether these weights are correct; leading axes of size one do not matter."""
    numbers = as_floats(value)
    if numbers is None or numbers.size != expected.size:
        return False
    return is_close(numbers.reshape(expected.shape), expected, "attention")


def _exact(call: Sequence[Any]) -> list[Any]:
    """Return the arguments in float64."""
    return [value.astype(np.float64) if hasattr(value, "astype") else value for value in call]


def _shape_words(function: Function, call: Sequence[Any], reply: Any) -> dict[str, Any]:
    """Return the message for a result with a wrong shape."""
    return {
        "what": f"{function.name} does not return the shape given in the handout.",
        "hint": _layout(function, call, reply),
        "counterexample": described_arguments(function.name, call),
    }


def _layout(function: Function, call: Sequence[Any], reply: Any) -> str:
    """Return a hint if the reply is correct except for the order of its axes."""
    general = sentence(function.equation)
    if isinstance(reply, list):
        return f"Return one tensor, not several. {general}"
    right = function.right(*_exact(call))
    if not isinstance(reply, np.ndarray) or reply.ndim != right.ndim:
        return general
    for one in range(right.ndim):
        for other in range(one):
            turned = right.swapaxes(one, other)
            if reply.shape == turned.shape and is_close(reply, turned, "attention"):
                return f"Axes {other} and {one} are swapped. {general}"
    return general
