"""apply_rotary_emb: the exact values of rotated queries and keys."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, seed
from hypothesis import strategies as st

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import CheckFailed, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import only_match, sentence
from graders.checks.score import Score
from graders.errors import StudentFault, StudentRaised

from .expected import Floats, Rotation
from .mistakes import FORMULAS, TIME, TURN, TURNED, last_rows
from .replies import (
    ASKED,
    TELLING,
    Replies,
    Rotated,
    applied_rotation,
    first_difference,
    normal,
    one_way_holds,
    rotations,
)
from .unwritten import require_rotation

SHAPES = st.tuples(  # (B, n_heads, T, head size)
    st.integers(1, 3), st.integers(1, 4), st.integers(1, 8), st.integers(1, 5).map(lambda n: 2 * n)
)
LONG = (1, 2, 128, 32)  # the course's block and heads
# All axes differ, so every known mistake gives a different result. Two head sizes, because code
# that handles only some of the pairs looks like a known mistake at one of them.
GENERIC = ((2, 4, 3, 6), (3, 5, 4, 10))
OTHER_PAIR = "A rotated pair does not match equation 3."
SAME_SCORES = (
    "Every dot product of a query with a key is correct, so attention works, but the rotated "
    "values do not match equation 3."
)


@pytest.mark.criterion("rotary", weight=0.4)
def test_rotation_values(student: Student, inputs: Inputs, score: Score) -> None:
    """Each pair (a, b) at position t becomes (a cos tθ_i - b sin tθ_i, a sin tθ_i + b cos tθ_i)."""

    @seed(inputs.seed("rotated shapes"))
    @given(SHAPES)
    def each_pair_is_rotated(shape: tuple[int, ...]) -> None:
        _check_values(student, inputs, shape)

    try:
        each_pair_is_rotated()
        _say_how_asked(student, _check_values(student, inputs, LONG), score)
    except CheckFailed as problem:
        if isinstance(problem.__cause__, StudentRaised):  # there is no value to compare
            raise
        if problem.message == OTHER_PAIR:
            _show_rotation(student, score)
        if _scores_are_right(student, inputs):
            problem.message = SAME_SCORES
        problem.hint = problem.hint or _known_mistake(student, inputs)
        raise


@pytest.mark.criterion("rotary", weight=0.2)
def test_rotation_scores(student: Student, inputs: Inputs) -> None:
    """The dot product of a rotated query and a rotated key matches equation 3."""
    try:
        _check_scores(student, inputs)
    except CheckFailed as problem:
        if problem.hint == sentence(TURN):
            problem.hint = _known_mistake(student, inputs)
        raise


@pytest.mark.criterion("rotary", weight=0)
def test_rotation_is_written(student: Student, inputs: Inputs) -> None:
    """Prerequisite: the rotation depends on position."""
    require_rotation(student, inputs)


@pytest.mark.criterion("rotary", weight=0.2, depends_on=("rotation-is-written",))
def test_first_rows_used(student: Student, inputs: Inputs, score: Score) -> None:
    """If x is shorter than the table, the table's first T rows are used."""
    draw = inputs.random("rows").randint
    T = draw(4, 7)
    longer = normal(inputs, "several rows", 1, 3, T, 2 * draw(2, 4))
    single = normal(inputs, "one row", 2, 2, 1, 4)
    calls = [longer] * 3 + [single] * 2
    # At least two extra rows, so that the last T rows differ from rows 1 to T.
    lengths = [T, T + draw(2, 4), 2 * T + draw(1, 3), 1, draw(7, 11)]
    try:
        replies = rotations(student, calls, lengths)
    except StudentRaised as error:
        rotations(student, calls[:1], lengths[:1])  # code that always raises is told what it raised
        if not _module_takes_short_texts(student, inputs):
            raise CheckFailed(
                "apply_rotary_emb raises when the table has more rows than x has positions.",
                hint=f"Use only the first T rows: rope_cache[:T] ({TIME}).",
                actual=str(error),
                counterexample={"where": error.where} if error.where else None,
            ) from error
        return score.note(
            "apply_rotary_emb cannot take a table with more rows than x has positions; your module "
            "slices the table before calling it, which works as well."
        )
    one_way_holds(replies, lambda rotated: _same_rows(rotated, lengths))
    return None


@pytest.mark.criterion("rotary", weight=0.1, depends_on=("rotation-is-written",))
def test_shape_and_dtype_kept(student: Student, inputs: Inputs) -> None:
    """The result has x's shape (B, n_head, T, head size) and dtype (float32)."""
    draw = inputs.random("shapes kept").randint
    shapes = [(2, 3, draw(4, 7), 2 * draw(3, 5)), (1, 1, 1, 2), (3, 2, draw(3, 6), 4)]
    xs = [normal(inputs, "shapes kept", *shape) for shape in shapes]
    one_way_holds(rotations(student, xs), _float32)


def _say_how_asked(student: Student, way: str, score: Score) -> None:
    """Add a note if the rotation is correct only when called as the student's module calls it."""
    if way.startswith("module"):
        says = student.call("rotary_form", read=lambda form: str(form["x"])[:100])
        score.note(
            f"Your module calls apply_rotary_emb with {says}, and so do these checks. In the "
            "handout it takes x of shape (B, n_head, T, head size) and the table."
        )


def _check_values(student: Student, inputs: Inputs, shape: tuple[int, ...]) -> str:
    try:
        replies = rotations(student, [normal(inputs, "rotated", *shape)])
    except StudentRaised as error:
        table = {"shape of x": f"(B, n_head, T, head size) = {shape}"}
        raise CheckFailed(str(error), actual=error.where, counterexample=table) from error
    return one_way_holds(replies, _is_equation_three)


def _show_rotation(student: Student, score: Score) -> None:
    """Show one vector rotated to all positions, if the code runs once more."""
    with contextlib.suppress(StudentFault):
        for (result,) in _each_way(rotations(student, [ASKED])):
            if rotation := applied_rotation(result):
                return score.show(rotation)


def _is_equation_three(rotated: Sequence[Rotated]) -> None:
    for answer in rotated:
        result, expected = answer.floats(), Rotation()(answer.x)
        if not is_close(result, expected, "rotation"):
            fail(OTHER_PAIR, **_first_pair(answer, expected))


def _first_pair(reply: Rotated, expected: Floats) -> dict[str, Any]:
    """Return the first pair that differs, as a small table."""
    result = reply.floats()
    pairs = [array.reshape(*array.shape[:-1], -1, 2) for array in (reply.x, result, expected)]
    x, rotated, target = pairs
    at = first_difference(result, expected)
    at = (*at[:-1], at[-1] // 2)
    angle = at[2] * 10000.0 ** (-2 * at[3] / reply.x.shape[-1])
    return {
        "expected": _pair(target[at]),
        "actual": _pair(rotated[at]),
        "counterexample": {
            "shape of x": f"(B, n_head, T, head size) = {reply.x.shape}",
            "sequence, head": f"{at[0]}, {at[1]}",
            "position t": str(at[2]),
            "pair i": str(at[3] + 1),
            "(a, b)": _pair(x[at]),
            "angle tθ_i": f"{angle:.5g}",
        },
    }


def _pair(numbers: Floats) -> str:
    return f"({numbers[0]:z.5f}, {numbers[1]:z.5f})"


def _check_scores(student: Student, inputs: Inputs) -> None:
    draw = inputs.random("scores").randint
    for shape in [(2, 3, draw(6, 9), 2 * draw(3, 5)), (1, 4, draw(3, 6), 2), LONG]:
        q, k = (normal(inputs, name, *shape) for name in ("queries", "keys"))
        one_way_holds(rotations(student, [q, k]), _scores_agree)


def _scores_agree(rotated: Sequence[Rotated]) -> None:
    q, k = rotated
    right = _scores(Rotation()(q.x), Rotation()(k.x))
    scores = _scores(q.floats(), k.floats())
    if not is_close(scores, right, "rotation"):
        at = first_difference(scores, right)
        fail(
            "The dot product of a rotated query and a rotated key does not match equation 3.",
            hint=sentence(TURN),
            expected=f"{right[at]:z.5f}",
            actual=f"{scores[at]:z.5f}",
            counterexample={
                "shape of x": f"(B, n_head, T, head size) = {q.x.shape}",
                "sequence, head": f"{at[0]}, {at[1]}",
                "position of the query": str(at[2]),
                "position of the key": str(at[3]),
            },
        )


def _scores(q: Floats, k: Floats) -> Floats:
    return q @ k.swapaxes(-1, -2)


def _float32(rotated: Sequence[Rotated]) -> None:
    for answer in rotated:
        answer.floats()
        if answer.result.dtype != np.float32:
            fail(
                "The rotated tensor does not have the dtype of x.",
                hint="Convert it back, for example with .type_as(x).",
                expected="float32",
                actual=str(answer.result.dtype),
            )


def _module_takes_short_texts(student: Student, inputs: Inputs) -> bool:
    """Return whether the attention module works on fewer positions than block_size."""
    size: dict[str, Value] = {"n_embd": 8, "n_head": 2, "block_size": 9}
    x = normal(inputs, "short text", 1, 4, 8)
    try:
        student.call("rope_attention", size=size, inputs=[x], rope=True)
    except StudentRaised:
        return False
    return True


def _same_rows(rotated: Sequence[Rotated], lengths: Sequence[int]) -> None:
    for answer, length in zip(rotated, lengths, strict=True):
        T = answer.x.shape[-2]
        if length == T:
            reference = answer.floats()
            continue
        result = answer.floats()
        if not is_close(result, reference, "rotation"):
            mistake = only_match(
                result, {m: r(answer.x) for m, r in last_rows(length - T).items()}, "rotation"
            )
            fail(
                "The result changes when the table has more rows than x has positions.",
                hint=mistake.hint if mistake else f"Use the table's first T rows ({TIME}).",
                expected="the same numbers as with a table of T rows",
                counterexample={"T": str(T), "rows of the table": str(length)},
            )


def _scores_are_right(student: Student, inputs: Inputs) -> bool:
    try:
        _check_scores(student, inputs)
    except (CheckFailed, StudentRaised):
        return False
    return True


def _known_mistake(student: Student, inputs: Inputs) -> str:
    """Return the hint of the only known mistake that gives the student's results."""
    xs = [normal(inputs, "known mistakes", *shape) for shape in GENERIC]
    candidates = [
        {mistake: _joined([rotation(x) for x in xs]) for mistake, rotation in mistakes.items()}
        for mistakes in (FORMULAS, TURNED)
    ]
    needed = [x.shape[2] for x in xs]
    more = [2 * max(x.shape) for x in xs]  # code that confuses axes may need more rows
    for lengths in (needed, more):
        with contextlib.suppress(StudentRaised):
            for rotated in _each_way(rotations(student, xs, lengths)):
                for by_mistake in candidates:
                    mistake = only_match(_joined(rotated), by_mistake, "rotation")
                    if mistake is not None:
                        return mistake.hint
    return sentence(TURN)


def _joined(arrays: Sequence[Floats]) -> Floats:
    return np.concatenate([array.ravel() for array in arrays])


def _each_way(replies: Replies) -> Iterator[Sequence[Floats]]:
    """Yield the results for all x by each way of calling, with the handout's table first."""
    for answers in (replies[way] for way in TELLING if way in replies):
        with contextlib.suppress(CheckFailed):
            yield [answer.floats() for answer in answers]
