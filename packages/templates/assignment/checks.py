import numpy as np
import pytest
from graders.checks.compare import fail, is_close
from hypothesis import given
from hypothesis import strategies as st


def softmax_of(student, x):
    def read(reply):
        if not isinstance(reply, np.ndarray) or reply.shape != x.shape:
            fail("The result is not a tensor of x's shape.", expected=str(x.shape))
        return reply

    return student.call("softmax", x=x, read=read)


@pytest.mark.criterion("rows")
def test_rows_sum_to_one(student, inputs):
    """No entry of softmax(x) is negative, and every row sums to one."""
    x = inputs.generator("rows").standard_normal((3, 5), dtype=np.float32)
    weights = softmax_of(student, x)
    sums = weights.sum(axis=1)
    if (weights < 0).any() or not is_close(sums, np.ones(3), "attention"):
        fail("These rows are not probabilities.", actual=f"sums {sums}")


@pytest.mark.criterion("shift", depends_on=("rows-sum-to-one",))
@given(c=st.integers(-1000, 1000))
def test_a_shift_changes_nothing(student, inputs, c):
    """softmax(x + c) is softmax(x) for every number c."""
    x = inputs.generator("shift").standard_normal((2, 4), dtype=np.float32)
    if not is_close(softmax_of(student, x + c), softmax_of(student, x), "attention"):
        fail(
            "The result depends on c.",
            counterexample={"c": str(c)},
            hint="exp overflows. Subtract the largest value of each row first.",
        )
