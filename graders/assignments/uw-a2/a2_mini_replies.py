"""What came back from the student's mini transformer, read as the hostile data it is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np
from a2_attention import Floats, Question

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.checks.score import Score
from graders.errors import BadReply, StudentRaised

LONGEST_KIND = 300  # characters
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
    "In float64 your code raises; it was asked in float32 instead, which costs nothing. "
    "torch.zeros and the like take a dtype: dtype=Q.dtype."
)
RANDOM = (
    "Asked the same twice, it gives two answers: is dropout switched on, or are heads shuffled?"
)
CUT = (
    "It costs nothing here, but a model with this attention cannot learn: .detach(), .data, "
    "torch.tensor(...), numpy and torch.no_grad() cut gradients off."
)
SEVERAL = "self_attention returns several things; the one of the output's shape is judged."


def answers(student: Student, function: str, calls: Sequence[Any], /, **values: Any) -> list[Any]:
    """The adapters' answers, one a call; fails where a function was not handed in."""
    return student.call(function, calls=list(calls), **values, read=partial(_answers, len(calls)))


def _answers(count: int, reply: Any) -> list[Any]:
    if isinstance(reply, dict) and isinstance(reply.get("missing"), str):
        fail(clean(str(reply["missing"])), hint="Hand it in as a function of this name.")
    if not isinstance(reply, list) or len(reply) != count:
        bad_reply()
    if not all(isinstance(each, dict) and "answer" in each for each in reply):
        bad_reply()
    return reply


def helper(
    student: Student, score: Score, function: str, calls: Sequence[Sequence[Any]]
) -> list[Any]:
    """What one of the eight functions gives for each list of arguments."""
    given = [list(call) for call in calls]
    replies = answers(student, "mini_helper", given, function=function, free=True)
    note_narrowed(replies, score)
    return [each["answer"] for each in replies]


def part(answer: Any, name: str) -> Any:
    """One part of an answer that has several."""
    if not isinstance(answer, dict) or name not in answer:
        bad_reply()
    return answer[name]


def note_narrowed(replies: Sequence[Mapping[str, Any]], score: Score) -> None:
    """Say where the student's code takes float32 alone."""
    if any(each.get("narrowed") is True for each in replies):
        score.note(NARROWED)


@dataclass(frozen=True, slots=True)
class Attended:
    """What self_attention gave for a question, and Q, K and V afterwards."""

    question: Question
    output: Floats
    after: Sequence[Any]

    @property
    def inputs_kept(self) -> bool:
        """Whether Q, K and V are what they were."""
        before = (self.question.q, self.question.k, self.question.v)
        return len(self.after) == 3 and all(
            isinstance(each, np.ndarray) and is_close(each, asked, "exact")
            for each, asked in zip(self.after, before, strict=True)
        )


def attend(
    student: Student, score: Score, questions: Sequence[Question], *, free: bool = False
) -> list[Attended]:
    """self_attention's output for each question; fails where it has not the shape of Q.

    Random numbers are the same for each question, unless they are `free`.
    """
    values = [_values(each) for each in questions]
    replies = answers(student, "mini_self_attention", values, free=free)
    note_narrowed(replies, score)
    return [
        _attended(question, reply["answer"], score)
        for question, reply in zip(questions, replies, strict=True)
    ]


def note_gradients(student: Student, score: Score, question: Question) -> None:
    """Say where no gradient comes back from the output to the inputs; it costs no points."""
    try:
        cut = student.call("mini_gradients", call=_values(question), read=_without_gradient)
    except StudentRaised:
        return
    if cut:
        score.note(f"No gradient reaches {', '.join(cut)}. {CUT}")


def _without_gradient(reply: Any) -> list[str]:
    reached = reply if isinstance(reply, list) and len(reply) == 3 else []
    return [name for name, each in zip("QKV", reached, strict=False) if each is False]


def _values(question: Question) -> list[Any]:
    given: list[Any] = [question.q, question.k, question.v]
    return given if question.defaults else [*given, question.n_heads, question.causal]


def _attended(question: Question, answer: Any, score: Score) -> Attended:
    result, after = part(answer, "result"), part(answer, "after")
    if isinstance(result, list):
        fitting = [each for each in result if _shape(each) == question.v.shape]
        if fitting:
            result = fitting[0]
            score.note(SEVERAL)
    output = as_floats(result)
    if output is None or output.shape != question.v.shape:
        fail(
            "self_attention does not give one vector for each token.",
            hint=_empty_hint(result) or "(B, T, C) goes in three times, and (B, T, C) comes out.",
            expected=f"real numbers of shape {question.v.shape}",
            actual=kind(result),
            counterexample={"asked": str(question)},
        )
    return Attended(question, output, after if isinstance(after, list) else [])


def _empty_hint(value: Any) -> str:
    if isinstance(value, dict) and value.get("type") == "NoneType":
        return "It returns None: is it still to be written, or is the return missing?"
    return ""


def _shape(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray) else ()


def as_floats(value: Any) -> Floats | None:
    """A float array as float64, or None when it is anything else."""
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return value.astype(np.float64)
    return None


def require_floats(value: Any, shape: tuple[int, ...], what: str, **said: Any) -> Floats:
    """The value as float64; fails where it is not an array of this shape.

    Axes of size one in front, which a broadcast mask leaves there, are taken off.
    """
    numbers = as_floats(value)
    while numbers is not None and numbers.ndim > len(shape) and numbers.shape[0] == 1:
        numbers = numbers[0]
    if numbers is None or numbers.shape != shape:
        hint = _empty_hint(value) or said.pop("hint", "")
        said.pop("hint", "")
        wanted = f"real numbers of shape {shape}"
        fail(what, hint=hint, expected=wanted, actual=kind(value), **said)
    return numbers


def same(actual: Floats, expected: Floats) -> bool:
    """Whether two arrays agree, and are undefined (nan) in the same places."""
    if actual.shape != expected.shape or not np.array_equal(_odd(actual), _odd(expected)):
        return False
    finite = np.isfinite(expected)
    return is_close(actual[finite], expected[finite], "attention")


def matches(actual: Sequence[Floats], expected: Iterable[Floats]) -> bool:
    """Whether these are the answers that a mistake gives; more than all nan, which many give."""
    alike = all(same(a, e) for a, e in zip(actual, expected, strict=True))
    return alike and any(np.isfinite(each).any() for each in actual)


def _odd(values: Floats) -> Floats:
    """Which numbers are not finite, and how."""
    return np.nan_to_num(np.where(np.isfinite(values), 0.0, values), nan=1, posinf=2, neginf=3)


def kind(value: Any) -> str:
    """What a value is, in a few words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    if isinstance(value, list):
        return f"several: {', '.join(kind(each) for each in value[:4])}"[:LONGEST_KIND]
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return f"a {clean(value['type'])[:40]}"
    return "nothing usable"


def sentence(equation: str) -> str:
    """An equation as a hint of its own."""
    return f"{equation[:1].upper()}{equation[1:]}."


def first_difference(actual: Floats, expected: Floats) -> str:
    """Where two arrays of one shape first differ, and how."""
    for at in np.ndindex(expected.shape):
        if not is_close(actual[at], expected[at], "attention"):
            place = ", ".join(str(i) for i in at)
            return f"at [{place}] {actual[at]:.6g} instead of {expected[at]:.6g}"
    return "no difference"


def bad_reply() -> NoReturn:
    """Give up on a reply that is not what the adapters send."""
    raise BadReply("What your code answered could not be read.")
