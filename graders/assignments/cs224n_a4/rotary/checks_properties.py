"""apply_rotary_emb: properties of every rotation, whatever its angles."""

import contextlib
from collections.abc import Sequence

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import sentence
from graders.errors import StudentRaised

from .expected import Floats, Rotation
from .mistakes import TIME, TURN
from .replies import Rotated, first_difference, normal, one_way_holds, rotations

WRITTEN = ("rotation-is-written",)


@pytest.mark.criterion("rotary", weight=0.1, depends_on=WRITTEN)
def test_length_kept(student: Student, inputs: Inputs) -> None:
    """Rotating a vector does not change its length."""
    x = _normal(inputs, "length", 2, 3)
    one_way_holds(rotations(student, [x]), _same_length)


@pytest.mark.criterion("rotary", weight=0.1, depends_on=WRITTEN)
def test_only_distance_counts(student: Student, inputs: Inputs) -> None:
    """The dot product of two rotated vectors depends only on the distance between positions."""
    draw = inputs.random("distances").randint
    T, dim = draw(7, 11), 2 * draw(3, 5)
    one, other = (normal(inputs, name, 1, 2, 1, dim) for name in ("query", "key"))
    q, k = (np.repeat(vector, T, axis=2) for vector in (one, other))
    one_way_holds(rotations(student, [q, k]), _depends_on_distance)


@pytest.mark.criterion("rotary", weight=0.1, depends_on=WRITTEN)
def test_arguments_untouched(student: Student, inputs: Inputs) -> None:
    """Rotating changes neither x nor the table."""
    x = _normal(inputs, "arguments", 2, 3)
    one_way_holds(rotations(student, [x]), _untouched)
    with contextlib.suppress(StudentRaised):  # another check is about longer tables
        one_way_holds(rotations(student, [x], [x.shape[2] + 2]), _untouched)


@pytest.mark.criterion("rotary", weight=0.1, depends_on=WRITTEN)
def test_earlier_calls_forgotten(student: Student, inputs: Inputs) -> None:
    """The result depends only on x and the table, not on earlier calls."""
    draw = inputs.random("earlier calls").randint
    T, dim = draw(5, 8), 4 * draw(2, 3)
    # Equal batches and heads, so that code which confuses those is not told about earlier calls.
    shapes = [(2, 2, T, dim), (2, 2, 2 * T, dim), (2, 2, 2 * T, dim // 2), (2, 2, T, dim)]
    xs = [normal(inputs, "earlier calls", *shape) for shape in shapes]
    one_way_holds(rotations(student, xs), _forgets)


@pytest.mark.criterion("rotary", weight=0.1, depends_on=WRITTEN)
def test_vectors_do_not_mix(student: Student, inputs: Inputs) -> None:
    """A rotated vector depends on its own position, not on its head or on other vectors."""
    draw = inputs.random("vectors").randint
    xs = [x for T in (draw(5, 7), 4) for x in _mixtures(inputs, T, 2 * draw(2, 4))]
    one_way_holds(rotations(student, xs), _vectors_apart)


def _normal(inputs: Inputs, purpose: str, batch: int, n_heads: int) -> Floats:
    """Return random numbers with a random number of positions and a random head size."""
    draw = inputs.random(purpose).randint
    return normal(inputs, purpose, batch, n_heads, draw(4, 8), 2 * draw(3, 5))


def _same_length(rotated: Sequence[Rotated]) -> None:
    for answer in rotated:
        before, after = (np.linalg.norm(v, axis=-1) for v in (answer.x, answer.floats()))
        if not is_close(after, before, "rotation"):
            at = first_difference(after, before)
            fail(
                "The rotation changes the length of a vector.",
                hint=f"A rotation preserves length, since cos² + sin² = 1 ({TURN}).",
                expected=f"length {before[at]:z.5f}",
                actual=f"length {after[at]:z.5f}",
                counterexample={"position t": str(at[2]), "head": str(at[1])},
            )


def _depends_on_distance(rotated: Sequence[Rotated]) -> None:
    q, k = (answer.floats() for answer in rotated)
    scores = q @ k.swapaxes(-1, -2)  # the same two vectors at every pair of positions
    moved, still = scores[..., 1:, 1:], scores[..., :-1, :-1]
    if not is_close(moved, still, "rotation"):
        _, _, m, n = first_difference(moved, still)
        fail(
            "The dot product of the same two vectors changes when both are moved by one position.",
            hint="The angle of each pair grows by θ_i with each position.",
            expected="equal dot products",
            actual=f"{still[0, 0, m, n]:z.5f} and {moved[0, 0, m, n]:z.5f}",
            counterexample={
                "positions": f"{m} and {n}",
                "positions, moved": f"{m + 1} and {n + 1}",
            },
        )


def _untouched(rotated: Sequence[Rotated]) -> None:
    for answer in rotated:
        answer.floats()
        for name, after, before in [
            ("x", answer.x_after, answer.x),
            ("the table", answer.table_after, answer.table_before),
        ]:
            if before is not None and not _equal(after, before):
                fail(
                    f"Rotating changes {name}, which the caller still needs.",
                    hint="Assigning to a slice or view changes the original. Create a new tensor.",
                )


def _equal(after: object, before: object) -> bool:
    return (
        isinstance(after, np.ndarray)
        and isinstance(before, np.ndarray)
        and np.array_equal(after, before)
    )


def _forgets(rotated: Sequence[Rotated]) -> None:
    first, *later, again = rotated
    wrong = not is_close(again.floats(), first.floats(), "rotation")
    if not wrong and _lengths_and_angles_agree(first):
        wrong = not all(_lengths_and_angles_agree(answer) for answer in later)
    if wrong:
        fail(
            "The result depends on earlier calls.",
            hint="Don't keep anything from one call to the next, such as a table or a shape.",
            counterexample={"shapes, in this order": "; ".join(str(c.x.shape) for c in rotated)},
        )


def _lengths_and_angles_agree(rotated: Rotated) -> bool:
    """Return whether all dot products within x are correct, in any order of the features."""
    result, right = rotated.floats(), Rotation()(rotated.x)
    return is_close(result @ result.swapaxes(-1, -2), right @ right.swapaxes(-1, -2), "rotation")


def _mixtures(inputs: Inputs, T: int, dim: int) -> list[Floats]:
    """Return the same vectors in every head, and two arrays with a part of them among others."""
    same = np.tile(normal(inputs, "same vectors", 1, 1, T, dim), (3, 4, 1, 1))
    names = ("other heads", "other times")
    other_heads, other_times = (normal(inputs, name, 3, 4, T, dim) for name in names)
    other_heads[1, 2] = same[1, 2]
    other_times[:, :, 2] = same[:, :, 2]
    return [same, other_heads, other_times]


def _vectors_apart(rotated: Sequence[Rotated]) -> None:
    for same, heads, times in zip(rotated[::3], rotated[1::3], rotated[2::3], strict=True):
        alone = same.floats()
        message = ""
        if not is_close(alone, np.broadcast_to(alone[:1, :1], alone.shape), "rotation"):
            message = "The same vectors are rotated differently in another head or sequence."
        elif not is_close(heads.floats()[1, 2], alone[1, 2], "rotation"):
            message = "The result for a head depends on the other heads."
        elif not is_close(times.floats()[:, :, 2], alone[:, :, 2], "rotation"):
            message = "The result for a position depends on the other positions."
        if message:
            shape = f"(B, n_head, T, head size) = {same.x.shape}"
            fail(message, hint=sentence(TIME), counterexample={"shape of x": shape})
