"""Read the replies of the student's mini transformer as untrusted data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import as_floats, describe, fail, is_close
from graders.checks.score import Score
from graders.errors import BadReply, StudentRaised

from .expected import Floats, Question

ARGUMENTS = {
    "pairwise_similarities": ("Q", "K"),
    "attn_scaled": ("A", "n_embd", "n_heads"),
    "attn_softmax": ("A",),
    "compute_outputs": ("A", "V"),
    "apply_causal_mask": ("A",),
    "split_heads": ("x", "n_heads"),
    "merge_heads": ("y",),
}
NARROWED = (
    "Your code raises for float64 inputs, so it was tested with float32; no points are deducted. "
    "Pass dtype=Q.dtype to torch.zeros and similar functions."
)
RANDOM = "The same input gives two different outputs. Is dropout active, or are heads shuffled?"
CUT = (
    "No points are deducted, but a model with this attention cannot learn: .detach(), .data, "
    "torch.tensor(...), numpy and torch.no_grad() stop gradients."
)
UNTRACKED = ("numpy", "don't support automatic differentiation")  # the latter raises for out=...
SEVERAL = "self_attention returns several values; the one with the output's shape is tested."


def answers(student: Student, function: str, calls: Sequence[Any], /, **values: Any) -> list[Any]:
    """Return the student side's answers, one per call; fail if a function is missing."""
    return student.call(function, calls=list(calls), **values, read=partial(_answers, len(calls)))


def _answers(count: int, reply: Any) -> list[Any]:
    if isinstance(reply, dict) and isinstance(reply.get("missing"), str):
        fail(clean(str(reply["missing"])), hint="Submit a function with this name.")
    if not isinstance(reply, list) or len(reply) != count:
        bad_reply()
    if not all(isinstance(entry, dict) and "answer" in entry for entry in reply):
        bad_reply()
    return reply


def helper(
    student: Student, score: Score, function: str, calls: Sequence[Sequence[Any]]
) -> list[Any]:
    """Return the result of one of the eight functions for each list of arguments."""
    arguments = [list(call) for call in calls]
    replies = answers(student, "mini_helper", arguments, function=function, free=True)
    note_narrowed(replies, score)
    return [reply["answer"] for reply in replies]


def part(answer: Any, name: str) -> Any:
    """Return one part of an answer that has several."""
    if not isinstance(answer, dict) or name not in answer:
        bad_reply()
    return answer[name]


def note_narrowed(replies: Sequence[Mapping[str, Any]], score: Score) -> None:
    """Add a note if the student's code accepts only float32."""
    if any(reply.get("narrowed") is True for reply in replies):
        score.note(NARROWED)


@dataclass(frozen=True, slots=True)
class Attended:
    """The output of self_attention for a question, and Q, K and V after the call."""

    question: Question
    output: Floats
    after: Sequence[Any]
    half: bool  # in half precision, which no layer of the model accepts

    @property
    def inputs_kept(self) -> bool:
        """Return whether Q, K and V are unchanged."""
        before = (self.question.q, self.question.k, self.question.v)
        return len(self.after) == 3 and all(
            isinstance(tensor, np.ndarray) and is_close(tensor, original, "exact")
            for tensor, original in zip(self.after, before, strict=True)
        )


def attend(
    student: Student, score: Score, questions: Sequence[Question], *, free: bool = False
) -> list[Attended]:
    """Return self_attention's output for each question; fail if it does not have the shape of Q.

    The random number generators are reset for each question unless `free`.
    """
    values = [_values(question) for question in questions]
    replies = answers(student, "mini_self_attention", values, free=free)
    note_narrowed(replies, score)
    return [
        _attended(question, reply["answer"], score)
        for question, reply in zip(questions, replies, strict=True)
    ]


def note_gradients(student: Student, score: Score, question: Question) -> None:
    """Add a note, worth no points, if no gradient reaches the inputs from the output."""
    try:
        cut, _ = _gradients(student, question)
    except StudentRaised:
        return
    if len(cut) == len("QKV"):  # require_backward reports a part of them
        score.note(f"No gradient reaches {', '.join(cut)}. {CUT}")


def require_backward(student: Student, question: Question) -> None:
    """Fail if gradients reach only some of the inputs, or computing them raises.

    For code that no gradient can pass, such as numpy, a note is enough.
    """
    cut, raised = _gradients(student, question)
    if 0 < len(cut) < len("QKV"):
        fail(
            f"Gradients of the output reach some of Q, K and V, but not {', '.join(cut)}, so a "
            "model with this attention learns only in part.",
            hint="Remove .detach(), .data, torch.tensor(...) and torch.no_grad() from these "
            "functions, and use each of Q, K and V.",
            counterexample={"asked": str(question)},
        )
    if raised and not any(words in raised for words in UNTRACKED):
        fail(
            "self_attention raises an error when Q, K and V need gradients, so no model with it "
            "can be trained.",
            hint="Don't change tensors in place (A[...] =, A /= s, A.mul_(s)) that backward needs.",
            actual=raised,
            counterexample={"asked": str(question)},
        )


def _gradients(student: Student, question: Question) -> tuple[list[str], str]:
    """Return the inputs that no gradient reaches, and what is raised."""
    return student.call("mini_gradients", call=_values(question), read=_without_gradient)


def _without_gradient(reply: Any) -> tuple[list[str], str]:
    reached = part(reply, "reached")
    reached = reached if isinstance(reached, list) and len(reached) == 3 else []
    cut = [name for name, flag in zip("QKV", reached, strict=False) if flag is False]
    return cut, clean(str(part(reply, "raised")))


def _values(question: Question) -> list[Any]:
    arguments: list[Any] = [question.q, question.k, question.v]
    return arguments if question.defaults else [*arguments, question.n_heads, question.causal]


def _attended(question: Question, answer: Any, score: Score) -> Attended:
    result, after = part(answer, "result"), part(answer, "after")
    if isinstance(result, list):
        fitting = [value for value in result if _shape(value) == question.v.shape]
        if fitting:
            result = fitting[0]
            score.note(SEVERAL)
    output = as_floats(result)
    if output is None or output.shape != question.v.shape:
        fail(
            "self_attention does not return one vector per token.",
            hint=_empty_hint(result) or "Q, K and V have shape (B, T, C), and so does the output.",
            expected=f"real numbers of shape {question.v.shape}",
            actual=describe(result),
            counterexample={"asked": str(question)},
        )
    half = result.dtype == np.float16
    return Attended(question, output, after if isinstance(after, list) else [], half)


def _empty_hint(value: Any) -> str:
    if isinstance(value, dict) and value.get("type") == "NoneType":
        return "It returns None. Have you implemented it yet, or is the return missing?"
    return ""


def _shape(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray) else ()


def require_floats(
    value: Any, shape: tuple[int, ...], what: str, *, hint: str = "", **shown: Any
) -> Floats:
    """Return the value as float64; fail if it is not an array of this shape.

    Leading axes of size one, which a broadcast mask may leave, are removed.
    """
    numbers = as_floats(value)
    while numbers is not None and numbers.ndim > len(shape) and numbers.shape[0] == 1:
        numbers = numbers[0]
    if numbers is None or numbers.shape != shape:
        expected = f"real numbers of shape {shape}"
        hint = _empty_hint(value) or hint
        fail(what, hint=hint, expected=expected, actual=describe(value), **shown)
    return numbers


def same(actual: Floats, expected: Floats) -> bool:
    """Return whether two arrays agree, with nan in the same places."""
    if actual.shape != expected.shape or not np.array_equal(_odd(actual), _odd(expected)):
        return False
    finite = np.isfinite(expected)
    return is_close(actual[finite], expected[finite], "attention")


def matches(actual: Sequence[Floats], expected: Iterable[Floats]) -> bool:
    """Return whether a mistake gives these answers, excluding all nan, which many give."""
    alike = all(same(a, e) for a, e in zip(actual, expected, strict=True))
    return alike and any(np.isfinite(output).any() for output in actual)


def _odd(values: Floats) -> Floats:
    """Describe the numbers that are not finite."""
    return np.nan_to_num(np.where(np.isfinite(values), 0.0, values), nan=1, posinf=2, neginf=3)


def first_difference(actual: Floats, expected: Floats) -> str:
    """Describe the first difference of two arrays of equal shape."""
    for at in np.ndindex(expected.shape):
        if not is_close(actual[at], expected[at], "attention"):
            place = ", ".join(str(i) for i in at)
            return f"at [{place}] {actual[at]:.6g} instead of {expected[at]:.6g}"
    return "no difference"


def bad_reply() -> NoReturn:
    """Reject a reply that the student side would not send."""
    raise BadReply("Your code's return value could not be read.")
