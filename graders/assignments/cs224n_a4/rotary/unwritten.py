"""Test whether rotation and attention module use positions; code that doesn't passes some checks.

The rotation does if the same vector changes with its position. The module does if its last output
changes when earlier vectors are swapped, or if it calls the rotation: on a wrong axis, that may
leave every product unchanged.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import CheckFailed, as_floats, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import sentence
from graders.errors import StudentFault, StudentRaised

from .mistakes import MODULE, TURN
from .replies import Rotated, normal, one_way_holds, rotations

SHAPES = [(2, 3, 5, 6), (1, 4, 7, 8), (3, 2, 4, 2)]  # (B, n_head, T, head size)
NOT_COUNTED = "Other checks are skipped until then."


def require_rotation(student: Student, inputs: Inputs) -> None:
    """Fail if apply_rotary_emb ignores positions or vectors for every shape.

    One that always raises is left to the dependent checks, unless it raises NotImplementedError.
    """
    problems: list[CheckFailed | StudentFault] = []
    for shape in SHAPES:
        vectors = (
            normal(inputs, name, 1, 1, 1, shape[-1]) for name in ("one vector", "another vector")
        )
        xs = [np.tile(vector, (*shape[:-1], 1)) for vector in vectors]  # the same everywhere
        try:
            one_way_holds(rotations(student, xs), _is_rotated)
            return
        except (CheckFailed, StudentFault) as problem:
            problems.append(problem)
    if not all(map(_raises, problems)):
        raise next(problem for problem in problems if not _raises(problem))


def _raises(problem: CheckFailed | StudentFault) -> bool:
    return isinstance(problem, StudentRaised) and problem.kind != "NotImplementedError"


def rotates(student: Student, inputs: Inputs) -> bool:
    """Return whether apply_rotary_emb uses positions and vectors."""
    try:
        require_rotation(student, inputs)
    except (CheckFailed, StudentFault):
        return False
    return True


def require_positions(student: Student, inputs: Inputs, size: Mapping[str, int]) -> None:
    """Fail if no attention module, with rope or without, uses positions.

    A module that raises is left to the dependent checks, unless it raises NotImplementedError.
    """
    x = normal(inputs, "places changed", 2, 6, size["n_embd"])
    xs: list[Value] = [x, x[:, [2, 1, 0, 3, 4, 5]]]
    for rope in (True, False):
        try:
            used = student.call(
                "rope_attention",
                size=dict(size),
                inputs=xs,
                rope=rope,
                read=lambda reply: any(map(_uses_positions, reply)),
            )
        except StudentRaised as error:
            if error.kind != "NotImplementedError":
                return
            raise
        if used:
            return
    fail(
        "The attention module ignores positions and does not call apply_rotary_emb.",
        hint=f"Rotate queries and keys where config.rope is true ({MODULE}). {NOT_COUNTED}",
    )


def _is_rotated(rotated: Sequence[Rotated]) -> None:
    one, other = (answer.floats() for answer in rotated)
    if is_close(one, rotated[0].x, "rotation"):
        what = "returns x unchanged"
    elif is_close(one, np.broadcast_to(one[:1, :1, :1], one.shape), "rotation"):
        what = "does the same at every position"
    elif is_close(one, other, "rotation"):
        what = "ignores x"
    else:
        return
    fail(
        f"apply_rotary_emb {what}, so nothing is rotated.",
        hint=f"{sentence(TURN)} {NOT_COUNTED}",
    )


def _uses_positions(module: Any) -> bool:
    """Return whether this module's reply shows that it rotates or uses positions."""
    if module["rotated"] or module["training"]["rotated"]:
        return True
    one, other = (as_floats(output) for output in module["outputs"])
    if one is None or other is None or one.ndim != 3 or one.shape != other.shape:
        return False
    return not is_close(one[:, -1:], other[:, -1:], "attention")
