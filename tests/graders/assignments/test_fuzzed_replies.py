"""No reply of a student's process, however strange, is taken for a fault of Softmark.

The solution's genuine replies are recorded once. Then everything is judged again with the replies
of one function changed: a part of them becomes another value of the wire's types, or loses,
doubles or reshapes what it holds. Each verdict has to be the student's.

The draws are the same every time; a longer run is `FUZZ=2000 pytest ... -m "long or not long"`.
"""

import os
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from graders import pipeline
from graders.boundary import wire
from graders.boundary.sandbox import best_tier
from graders.boundary.student import Student
from graders.discovery import load_assignment
from graders.pipeline import Options, grade_submission
from graders.validate import build_solution
from submissions.receive import identify

ASSIGNMENTS = ("cs224n-a4", "jhu-hw6", "uw-a2")
FEW, MANY = 4, int(os.environ.get("FUZZ", "40"))  # gradings an assignment
NAMED = 200  # parts of a reply from which one is chosen

ARRAYS = st.sampled_from(sorted(wire.DTYPES | set(wire.COMPLEX))).flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text()
VALUES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
RESHAPED = {
    "flat": lambda array: array.reshape(-1),
    "deeper": lambda array: array[None],
    "shorter": lambda array: array[:-1] if array.ndim else array,
    "empty": lambda array: array.reshape(-1)[:0],
    "huge": lambda array: np.full(array.shape, 2**62),
    "not a number": lambda array: np.full(array.shape, np.nan),
    "whole": lambda array: np.zeros(array.shape, np.int64),
}
RELISTED = {
    "shorter": lambda values: values[:-1],
    "empty": lambda values: [],
    "doubled": lambda values: [*values, *values],
    "reversed": lambda values: values[::-1],
}
HOWS = ("replaced", *RESHAPED, *RELISTED)


def places(value, above=()):
    """The way to each part of a value."""
    yield above
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*above, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*above, number))


def changed(value, way, change):
    """The value with one part changed."""
    if not way:
        return change(value)
    first, rest = way[0], way[1:]
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[first] = changed(value[first], rest, change)
    return copy


def without(value, way):
    """The value without one part."""
    *above, last = way
    return changed(value, above, lambda inner: _left(inner, last))


def _left(inner, last):
    if isinstance(inner, dict):
        return {key: each for key, each in inner.items() if key != last}
    return [*inner[:last], *inner[last + 1 :]]


def spoiled(reply, number, how, other):
    """The reply as one change leaves it."""
    ways = list(places(reply))[:NAMED]
    way = ways[number % len(ways)]
    if how == "missing" and way:
        return without(reply, way)

    def change(part):
        if isinstance(part, np.ndarray) and how in RESHAPED:
            return RESHAPED[how](part)
        if isinstance(part, list) and how in RELISTED:
            return RELISTED[how](part)
        return other

    return changed(reply, way, change)


class Recorded(Student):
    """The solution's process, whose replies are kept; those of one function may be spoiled."""

    replies: dict[bytes, bytes] = {}  # noqa: RUF012  of all submissions, by question
    asked: set[str] = set()  # noqa: RUF012
    target, spoil = "", None

    def __init__(self, code, *words, **more):
        super().__init__(code, *words, **more)
        self._is_students = code is not None

    def call(self, function, /, **values):
        if not self._is_students:
            return super().call(function, **values)
        question = wire.encode({"function": function, "values": values})
        if question not in self.replies:
            self.replies[question] = wire.encode(super().call(function, **values))
        self.asked.add(function)
        reply = wire.decode(self.replies[question])
        if function == self.target:
            return wire.decode(wire.encode(self.spoil(reply)))
        return reply


@contextmanager
def recording(task, folder):
    """Grade the solution with recorded replies: yields the grading and who is asked."""
    kept, pipeline.Student = pipeline.Student, Recorded
    Recorded.replies, Recorded.asked, Recorded.target = {}, set(), ""
    wanted = frozenset(each.id for each in task.rubric if each.kind != "written")
    grade = partial(
        grade_submission,
        identify(build_solution(task, folder / "solution"), task.name),
        task,
        Options(best_tier(), only=wanted),
    )
    try:
        result = grade()
        assert result.status != "incomplete"
        yield grade, sorted(Recorded.asked)
    finally:
        pipeline.Student = kept


def changes(functions, examples):
    """Drawn before anything is graded: the checks use hypothesis themselves."""
    drawn = []

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(
        st.sampled_from(functions),
        st.integers(0, NAMED),
        st.sampled_from((*HOWS, "missing")),
        VALUES,
    )
    def draw(function, number, how, other):
        drawn.append((function, number, how, other))

    draw()
    return drawn


@pytest.mark.parametrize("name", ASSIGNMENTS)
@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
def test_no_reply_is_a_fault_of_softmark(name, examples, tmp_path):
    scores = set()
    with recording(load_assignment(name), tmp_path) as (grade, functions):
        for function, number, how, other in changes(functions, examples):
            Recorded.target = function
            Recorded.spoil = staticmethod(partial(spoiled, number=number, how=how, other=other))
            result = grade()
            scores.add(result.score)
            faults = result.environment.get("faults")
            assert faults is None, f"{function}, part {number}, {how}, {other!r}: {faults}"
            assert result.status != "incomplete"
    assert len(scores) > 1, "what is changed must show"


def test_a_list_of_exceptions_is_not_needed():
    """Whatever reading raises is a bad reply; what raises behind it is not."""
    from graders.checks.replies import reading
    from graders.errors import BadReply, StudentTimedOut

    class Strange(Exception):
        pass

    for problem, kind in ((Strange(), BadReply), (StudentTimedOut("late"), StudentTimedOut)):
        with pytest.raises(kind), reading():
            raise problem
