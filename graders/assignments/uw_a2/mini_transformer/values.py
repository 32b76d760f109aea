"""Test the values of self_attention, and find the known mistake that gives wrong ones."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, Explanation, fail, is_close
from graders.checks.mistakes import sentence
from graders.checks.score import Score
from graders.errors import StudentRaised

from .composition import Composition
from .expected import Attention, Question
from .mistakes import ATTENTIONS, NAN, ROLES, attention_pairs
from .replies import RANDOM, Attended, attend, first_difference, matches, same

DEFAULTS = "The handout's defaults are n_heads=1 and causal=True. "


def require_values(student: Student, score: Score, questions: Sequence[Question]) -> None:
    """Fail if self_attention does not compute attention."""
    attended = attend(student, score, questions)
    wrong = [call for call in attended if not _is_right(call)]
    if wrong:
        question, output = wrong[0].question, wrong[0].output
        fail(
            "self_attention returns wrong values.",
            hint=f"{DEFAULTS if question.defaults else ''}{_hint(student, score, attended)}",
            actual=first_difference(output, Attention()(question)),
            counterexample={"asked": str(question)},
        )


def require_composition(student: Student, score: Score, questions: Sequence[Question]) -> None:
    """Fail if self_attention gives neither attention nor what the student's functions give.

    If all of it is nan, which a wrong mask may cause, it is asked without a mask.
    """
    attended = attend(student, score, questions)
    if all(map(_is_right, attended)):
        return
    is_nan = all(np.isnan(call.output).all() for call in attended)
    if is_nan and any(question.causal for question in questions):
        unmasked = [replace(question, causal=False) for question in questions]
        return require_composition(student, score, unmasked)
    compositions = [Composition(student, head_by_head) for head_by_head in (False, True)]
    if not is_nan and any(_is_composed(composition, attended) for composition in compositions):
        score.note(
            "self_attention combines your functions correctly; its wrong values come from a "
            "function that is graded in another check."
        )
        return
    wrong = next(call for call in attended if not _is_right(call))
    fail(
        "self_attention does not combine split, scores, scale, mask, softmax and values correctly.",
        hint=_hint(student, score, attended),
        counterexample={"asked": str(wrong.question)},
    )


def _is_composed(own: Composition, attended: Sequence[Attended]) -> bool:
    """Return whether all outputs are attention, or what the student's own functions give."""
    return all(_is_right(call) or same(call.output, own.output(call.question)) for call in attended)


def each_counts(score: Score, judgements: Sequence[Callable[[], None]]) -> None:
    """Give points for each test that passes; the student reads the first that fails."""
    problems: list[CheckFailed | StudentRaised] = []
    for judgement in judgements:
        try:
            judgement()
        except (CheckFailed, StudentRaised) as problem:
            problems.append(problem)
    if len(problems) == len(judgements):
        raise problems[0]
    if problems:
        score.partial_for(1 - len(problems) / len(judgements), _explanation(problems[0]))


def _explanation(problem: CheckFailed | StudentRaised) -> Explanation:
    if isinstance(problem, CheckFailed):
        return problem.explanation
    return Explanation(str(problem), hint=problem.hint, actual=problem.where)


def _is_right(attended: Attended) -> bool:
    return is_close(attended.output, Attention()(attended.question), "attention")


def _hint(student: Student, score: Score, attended: Sequence[Attended]) -> str:
    """Return the known mistake that gives these outputs, or the equation."""
    if _is_random(student, score, attended):
        return RANDOM
    outputs = [call.output for call in attended]
    for mistake, attention in itertools.chain(ATTENTIONS.items(), attention_pairs()):
        with np.errstate(all="ignore"):
            if matches(outputs, (attention(call.question) for call in attended)):
                return mistake.hint
    return sentence(NAN if all(np.isnan(output).all() for output in outputs) else ROLES)


def _is_random(student: Student, score: Score, attended: Sequence[Attended]) -> bool:
    question = attended[0].question
    try:
        one, *rest = (call.output for call in attend(student, score, [question] * 6, free=True))
    except (CheckFailed, StudentRaised):
        return False
    return not all(same(output, one) for output in rest)
