"""precompute_rotary_emb: the table of cos and sin."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from a4_figures import table_rotation
from a4_rotary_mistakes import ENTRIES, TABLES, THETA, table_pairs
from a4_rotary_replies import as_floats, kind, tables
from a4_rotations import Floats, Table

from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import Mistake, first_match
from graders.checks.score import Score

Size = tuple[int, int]  # dim, max_positions
EXACT_ANGLE = 200.0  # radians: beyond it float32 has lost what is compared
COARSE, TURNED = 0.01, 0.6  # what half precision errs by at first, and at position 127


@pytest.mark.criterion("rotary", weight=2)
def test_table_shape(student, inputs):
    """The table has a row a position, not all alike: two numbers for each pair of features."""
    came = _tables(student, inputs)
    if all(is_close(table, table[:1].repeat(len(table), 0), "exact") for table in came.values()):
        fail(
            "The table says the same at every position, so nothing can be rotated by it.",
            hint=f"{THETA[0].upper()}{THETA[1:]}; {ENTRIES}.",
            actual=f"{came[_generic(came)[0]][0, 0].tolist()} in every row",
        )


@pytest.mark.criterion("rotary", weight=10, depends_on=("table-shape",))
def test_table_values(student, inputs, score):
    """The table holds cos(tθ_i), then sin(tθ_i), with θ_i = 10000^(-2(i-1)/dim) and t = 0, 1, …"""
    came = _tables(student, inputs)
    for (dim, length), table in came.items():
        expected = Table().values(dim, length)
        if not is_close(table, expected, "trigonometric"):
            _show_rotation(came, score)
            fail(
                "The table does not hold the values of the handout.",
                hint=_known_mistake(came),
                **_first_difference(table, expected),
            )


def _show_rotation(came: Mapping[Size, Floats], score: Score) -> None:
    if rotation := table_rotation(came):
        score.show(rotation)


def _sizes(inputs: Inputs) -> Sequence[Size]:
    """The smallest first, so that the first one that fails is the simplest.

    Odd lengths, a single row and a single pair are among them; the course's own is the last.
    """
    draw = inputs.random("table sizes").randint
    small = [(2, 1), (2, draw(3, 9)), (4, draw(5, 8)), (6, draw(3, 6))]
    large = [(2 * draw(5, 8), draw(6, 9)), (4, draw(25, 45)), (2 * draw(20, 36), draw(40, 70))]
    return [*small, *large, (32, 128)]


def _generic(sizes: Iterable[Size]) -> Sequence[Size]:
    """Two of them at which every known mistake gives other values."""
    return list(sizes)[2:4]


def _tables(student: Student, inputs: Inputs) -> Mapping[Size, Floats]:
    """The student's table of each size; fails where one has another shape."""
    came, sizes = {}, _sizes(inputs)
    telling = _generic(sizes)[0]
    replies = dict(zip(sizes, tables(student, sizes), strict=True))
    for (dim, length), table in replies.items():
        values = as_floats(table)
        if values is None or values.shape != (length, dim // 2, 2):
            fail(
                "The table does not have the shape the handout asks for.",
                hint=_layout(replies[telling], *telling),
                expected=f"real numbers of shape {(length, dim // 2, 2)}",
                actual=kind(table),
                counterexample={"dim": str(dim), "max_positions": str(length)},
            )
        came[dim, length] = values
    return came


def _layout(table: Any, dim: int, length: int) -> str:
    """What the table is, where it is the right one in another layout."""
    general = f"One row a position, dim/2 pairs in it: {ENTRIES}."
    right = Table().values(dim, length)
    cos, sin = right[..., 0], right[..., 1]
    layouts: Mapping[Mistake, Any] = {
        Mistake("complex", "The table is complex; view_as_real makes the pairs", ENTRIES):
            cos + 1j * sin,
        Mistake("parts-first", "cos and sin lie along the first axis, not the last", ENTRIES):
            np.stack((cos, sin)),
        Mistake("parts-second", "cos and sin lie along the second axis, not the last", ENTRIES):
            np.stack((cos, sin), axis=1),
        Mistake("joined", "cos and sin are joined (cat); stack(..., dim=-1) pairs them", ENTRIES):
            np.concatenate((cos, sin), axis=-1),
        Mistake("flat", "The pairs are flattened into one axis", ENTRIES):
            right.reshape(length, dim),
        Mistake("positions-second", "Positions and pairs have changed places", ENTRIES):
            right.swapaxes(0, 1),
        Mistake("angles", "The table holds the angles tθ, not their cos and sin", ENTRIES):
            Table().angles(dim, length),
    }  # fmt: skip
    if isinstance(table, np.ndarray):
        found = first_match(table, layouts, "trigonometric")
        return found.hint if found else general
    if isinstance(table, dict) and table.get("type") == "NoneType":
        return "precompute_rotary_emb returns None: is it still to be written?"
    if isinstance(table, list) and len(table) == 2:
        return "Put cos and sin into one tensor: stack((cos, sin), dim=-1)."
    return general


def _known_mistake(came: Mapping[Size, Floats]) -> str:
    """The hint of the known mistake that gives these very tables, or a general one."""
    known = () if _agrees(Table(), came) else (TABLES.items(), table_pairs())
    for mistake, table in itertools.chain(*known):
        if _agrees(table, came):
            return mistake.hint
    telling = _generic(came)
    errors = {size: np.abs(table - Table().values(*size)).max() for size, table in came.items()}
    if all(error < (COARSE if size in telling else TURNED) for size, error in errors.items()):
        return "The table is nearly right but too coarse: compute it in float32, not in half."
    return f"{THETA[0].upper()}{THETA[1:]}; {ENTRIES}."


def _agrees(table: Table, came: Mapping[Size, Floats]) -> bool:
    """Whether these values are this table's, where its angles are small enough for float32."""
    for size in _generic(came):
        small = np.abs(table.angles(*size)) < EXACT_ANGLE
        if not is_close(came[size][small], table.values(*size)[small], "trigonometric"):
            return False
    return True


def _first_difference(table: Floats, expected: Floats) -> dict[str, Any]:
    """The first entry that differs, as a small table."""
    length, pairs, _ = expected.shape
    wrong = [
        (t, i)
        for t in range(length)
        for i in range(pairs)
        if not is_close(table[t, i], expected[t, i], "trigonometric")
    ]
    t, i = wrong[0]
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
