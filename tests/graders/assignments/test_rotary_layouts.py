"""The layers of an attention module are found in weights and biases of any shape."""

from itertools import islice, product

import numpy as np
import pytest

from graders.assignments.cs224n_a4.rotary.layouts import ROLES, readings

# Parameters made of the weights (part, head, feature, C) and biases (part, head, feature).
PARTS_FIRST = (
    [
        lambda w: [part.reshape(-1, w.shape[-1]).T for part in w],
        lambda w: [*w.swapaxes(2, 3)],
        lambda w: [w.swapaxes(2, 3)],
        lambda w: [w.transpose(3, 0, 1, 2)],
        lambda w: [w.reshape(-1, w.shape[-1])],
        lambda w: [*w.reshape(-1, *w.shape[2:])],
    ],
    [
        lambda b: [*b.reshape(3, -1)],
        lambda b: [*b],
        lambda b: [*b[:, :, None]],
        lambda b: [b],
        lambda b: [b[:, None, :, None]],
        lambda b: [b.reshape(3, -1)],
        lambda b: [b.ravel()],
        lambda b: [*b.reshape(-1, b.shape[-1])],
    ],
)
# The same of (head, part, …); with three heads, those of one head have C rows.
HEADS_FIRST = (
    [
        lambda w: [w.reshape(len(w), -1, w.shape[-1]).swapaxes(1, 2)],
        lambda w: [w.transpose(3, 0, 1, 2)],
    ],
    [
        lambda b: [b],
        lambda b: [b[:, None]],
        lambda b: [b.reshape(len(b), -1)],
        lambda b: [b.reshape(len(b), 1, -1)],
        lambda b: [b.ravel()],
    ],
)


def modules(n_head, *, heads_first, with_output=True):
    """The layers of a module, and the ways to have them as parameters."""
    C, random = 8 * n_head, np.random.default_rng(0)
    W, b = random.normal(size=(4, C, C)), random.normal(size=(4, C))
    b[3] *= with_output
    w, own = W[:3].reshape(3, n_head, 8, C), b[:3].reshape(3, n_head, 8)
    if heads_first:
        w, own = w.swapaxes(0, 1), own.swapaxes(0, 1)
    for weights, biases in product(*(HEADS_FIRST if heads_first else PARTS_FIRST)):
        yield W, b, named([*weights(w), W[3].T, *biases(own), *[b[3]] * with_output])


def named(arrays):
    return {f"array_{k}": array for k, array in enumerate(arrays)}


def is_read(W, b, parameters, n_head):
    return any(
        np.array_equal([reading.layers[role][0] for role in ROLES], W)
        and np.array_equal([reading.layers[role][1] for role in ROLES], b)
        for reading in readings(parameters, len(W[0]), n_head)
    )


@pytest.mark.parametrize("n_head", [3, 5])
@pytest.mark.parametrize("heads_first", [False, True])
def test_bias_may_have_any_shape(n_head, heads_first):
    for W, b, parameters in modules(n_head, heads_first=heads_first):
        assert is_read(W, b, parameters, n_head), [a.shape for a in parameters.values()]


def test_output_may_have_no_bias():
    for W, b, parameters in islice(modules(3, heads_first=False, with_output=False), 3):
        assert is_read(W, b, parameters, 3), [a.shape for a in parameters.values()]


@pytest.mark.parametrize("last", [False, True])
def test_only_the_output_may_have_a_bias(last):
    W, b, _ = next(modules(3, heads_first=False))
    b[:3] = 0
    output, heads = [W[3].T, b[3]], [*W[:3].reshape(3, 3, 8, 24).swapaxes(2, 3)]
    assert is_read(W, b, named(heads + output if last else output + heads), 3)


def test_bias_of_another_projection_is_not_read():
    W, b, parameters = next(modules(3, heads_first=False))
    assert not is_read(W, b[[1, 0, 2, 3]], parameters, 3)


def test_an_empty_parameter_belongs_to_no_weight():
    W, b, _ = next(modules(3, heads_first=False))
    layers = {f"w{k}.weight": w for k, w in enumerate(W)}
    assert is_read(W, 0 * b, layers | {"dummy": np.zeros(0)}, 3)
