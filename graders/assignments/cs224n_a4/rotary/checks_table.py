"""precompute_rotary_emb: the table of cos and sin."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from graders.boundary.student import Student
from graders.checks.compare import Operation, as_floats, describe, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import Mistake, sentence
from graders.checks.score import Score

from .expected import Floats, Table
from .layouts import HANDOUT, OPAQUE, ORDERS, OTHERS, Size
from .mistakes import ENTRIES, TABLES, THETA, TOO_COARSE, table_pairs
from .replies import (
    SIZES,
    agrees,
    first_difference,
    layout_of,
    table_rotation,
    tables,
)

OPERATION: Operation = "trigonometric"
GENERAL = f"{sentence(THETA)} {sentence(ENTRIES)}"
AGREED = "Your apply_rotary_emb uses the same layout, so no points are deducted."
EXACT_ANGLE = 200.0  # radians; beyond this, float32 is not precise enough to compare
COARSE, TURNED = 0.01, 0.6  # error of half precision at position 0, and at position 127


@pytest.mark.criterion("rotary", weight=0.2)
def test_table_shape(student: Student, inputs: Inputs, score: Score) -> None:
    """The table has one row per position, with cos and sin for each pair; its rows differ."""
    _say_how_asked(student, score)
    if _is_opaque(student, inputs):
        return score.note(f"Your table has {_unusual(student)}. {AGREED}")
    returned = _tables(student, inputs)
    if all(
        is_close(table, table[:1].repeat(len(table), 0), "exact") for table in returned.values()
    ):
        fail(
            "Every row of the table is the same, so it cannot rotate anything.",
            hint=GENERAL,
            actual=f"{returned[_generic(returned)[0]][0, 0].tolist()} in every row",
        )
    layout = layout_of(student)
    if layout is not None and layout != HANDOUT:
        order = "" if layout.order == ORDERS[0] else f" ({layout.order})"
        score.note(
            f"Your table's layout differs from the handout's: {layout.says}{order}. {AGREED}"
        )


@pytest.mark.criterion("rotary", weight=0.6, depends_on=("table-shape",))
def test_table_values(student: Student, inputs: Inputs, score: Score) -> None:
    """Each entry is cos(tθ_i), then sin(tθ_i), with θ_i = 10000^(-2(i-1)/dim) and t = 0, 1, …"""
    if _is_opaque(student, inputs):
        return
    returned = _tables(student, inputs)
    for (dim, length), table in returned.items():
        expected = Table().values(dim, length)
        if not is_close(table, expected, OPERATION):
            if rotation := table_rotation(returned):
                score.show(rotation)
            fail(
                "The values of the table differ from the handout's.",
                hint=_known_mistake(returned),
                **_first_difference(table, expected),
            )


def _say_how_asked(student: Student, score: Score) -> None:
    if student.call("rotary_form", read=lambda form: form["table"] is True):
        score.note(
            "Your module does not call precompute_rotary_emb(dim, max_positions) as the handout "
            "does; these checks call it as your module does."
        )


def _is_opaque(student: Student, inputs: Inputs) -> bool:
    """Return whether the table has no known layout, but the rotation is correct with it."""
    return layout_of(student) is OPAQUE and agrees(student, inputs)


def _unusual(student: Student) -> str:
    """Return what is unusual about a table whose layout is not known."""
    longer = all(
        isinstance(table, np.ndarray) and table.shape[1:] == (dim // 2, 2)
        for (dim, _), table in tables(student, SIZES).items()
    )
    return "more rows than max_positions" if longer else "an unknown layout"


def _sizes(inputs: Inputs) -> Sequence[Size]:
    """Return the sizes, smallest first, so that the first failure is the simplest.

    They include odd lengths, a single row and a single pair; the last is the course's own size.
    """
    draw = inputs.random("table sizes").randint
    small = [(2, 1), (2, draw(3, 9)), (4, draw(5, 8)), (6, draw(3, 6))]
    large = [(2 * draw(5, 8), draw(6, 9)), (4, draw(25, 45)), (2 * draw(20, 36), draw(40, 70))]
    return [*small, *large, (32, 128)]


def _generic(sizes: Iterable[Size]) -> Sequence[Size]:
    """Return two sizes at which every known mistake gives different values."""
    return list(sizes)[2:4]


def _tables(student: Student, inputs: Inputs) -> Mapping[Size, Floats]:
    """Return the student's table of each size in the handout's layout; fail on other shapes.

    Another layout is accepted if the student's rotation uses it too.
    """
    returned, sizes, layout = {}, _sizes(inputs), layout_of(student) or HANDOUT
    telling = _generic(sizes)[0]
    replies = tables(student, sizes)
    for (dim, length), table in replies.items():
        numbers = as_floats(table)
        if numbers is not None and not np.isfinite(numbers).all():
            fail(
                "The table contains numbers that are not finite (inf or nan).",
                counterexample={"dim": str(dim), "max_positions": str(length)},
            )
        values = layout.unpacked(table, (dim, length))
        if values is None:
            fail(
                "The table does not have the shape given in the handout.",
                hint=_layout(replies[telling], *telling),
                expected=f"real numbers of shape {(length, dim // 2, 2)}",
                actual=describe(table),
                counterexample={"dim": str(dim), "max_positions": str(length)},
            )
        returned[dim, length] = values
    return returned


def _layout(table: Any, dim: int, length: int) -> str:
    """Return a hint that names the layout, if the table is correct in another layout."""
    general = f"The table should have one row per position, with dim/2 pairs: {ENTRIES}."
    if isinstance(table, dict) and table.get("type") == "NoneType":
        return "precompute_rotary_emb returns None. Have you implemented it yet?"
    right = Table().values(dim, length)
    angles = Mistake("angles", "The table contains the angles tθ, not their cos and sin", ENTRIES)
    if isinstance(table, np.ndarray) and is_close(table, Table().angles(dim, length), OPERATION):
        return angles.hint
    for layout in OTHERS:
        values = layout.unpacked(table, (dim, length))
        if values is not None and is_close(values, right, OPERATION):
            return Mistake(
                "layout",
                f"Your table has {layout.says}, but apply_rotary_emb does not use that layout",
                ENTRIES,
            ).hint
    return general


def _known_mistake(returned: Mapping[Size, Floats]) -> str:
    """Return the hint of the only known mistake that gives these tables, or a general hint."""
    if not _agrees(Table(), returned):
        for candidates in (TABLES.items(), table_pairs()):
            mistakes = [mistake for mistake, table in candidates if _explains(table, returned)]
            if mistakes:
                return mistakes[0].hint if len(mistakes) == 1 else GENERAL
    telling = _generic(returned)
    errors = {size: np.abs(table - Table().values(*size)).max() for size, table in returned.items()}
    if all(error < (COARSE if size in telling else TURNED) for size, error in errors.items()):
        return TOO_COARSE.hint
    return GENERAL


def _explains(table: Table, returned: Mapping[Size, Floats]) -> bool:
    """Return whether the values match this wrong table, also in an entry that is wrong.

    Huge angles are not compared: a table with such angles matches where every table is correct.
    """
    return _agrees(table, returned) and any(
        (np.abs(table.angles(*size)) < EXACT_ANGLE)[_wrong_entries(returned[size], size)].any()
        for size in _generic(returned)
    )


def _wrong_entries(values: Floats, size: Size) -> NDArray[np.bool_]:
    """Return which positions and pairs differ from the handout's table, (length, dim/2)."""
    right = Table().values(*size)
    return np.array(
        [not is_close(values[at], right[at], OPERATION) for at in np.ndindex(right.shape[:-1])]
    ).reshape(right.shape[:-1])


def _agrees(table: Table, returned: Mapping[Size, Floats]) -> bool:
    """Return whether the values match this table where its angles are small enough for float32."""
    for size in _generic(returned):
        small = np.abs(table.angles(*size)) < EXACT_ANGLE
        if not is_close(returned[size][small], table.values(*size)[small], OPERATION):
            return False
    return True


def _first_difference(table: Floats, expected: Floats) -> dict[str, Any]:
    """Return the first entry that differs, as a small table."""
    length, pairs, _ = expected.shape
    t, i, _ = first_difference(table, expected, OPERATION)
    return {
        "expected": f"cos {expected[t, i, 0]:.6f}, sin {expected[t, i, 1]:.6f}",
        "actual": f"{table[t, i, 0]:.6f}, {table[t, i, 1]:.6f}",
        "counterexample": {
            "dim": str(2 * pairs),
            "max_positions": str(length),
            "position t": str(t),
            "pair i": str(i + 1),
            "θ_i": f"{10000 ** (-i / pairs):.6g}",
        },
    }
