"""Shapes of tensors are read as people write them, and graded by their axes."""

import numpy as np
import pytest

from graders.written.judgement import Asked, Unreadable
from graders.written.question import Machine, Mistake
from graders.written.verifiers.values.shape import tensor_shape

SIZES = {
    "B": {"values": [64], "names": ["B", "batch size"]},
    "L": {"at_most": 128, "names": ["L", "seq len", "T"]},
}
PADDED = Mistake("ids", "512", "Is every batch padded?", 0.0)


def judged(text, key=("B", "L")):
    settings = {"key": {"ids": list(key)}, "sizes": SIZES}
    machine = Machine(1, "vector", ("ids",), "tensor_shape", settings, (PADDED,), "", "")
    return tensor_shape(Asked(machine, {"ids": text}, {}, np.random.default_rng(0)))


@pytest.mark.parametrize(
    "text",
    [
        *("torch.Size([64, 45])", "`torch.Tensor` of shape `(B, 45)`", "64×45", "[B=64, L=45]"),
        *("$B \\times L$", "(batch_size, seq_len)", "shape: (64, 45), token ids"),
    ],
)
def test_notations_of_one_shape_are_right(text):
    assert judged(text).fraction == 1.0


@pytest.mark.parametrize(
    ("text", "key", "share"),
    [
        *((text, "B", 1.0) for text in ("(64,)", "torch.Size([64])", "B", "(B,)", "64")),
        *((text, "BL", 0.0) for text in ("(45, 64)", "(L, B)", "(64, 45, 768)", "(64,)")),
        *((text, "BL", 0.0) for text in ("(64, D)", "(2, 45)")),
    ],
)
def test_every_axis_counts_in_its_place(text, key, share):
    assert judged(text, key).fraction == share


def test_known_mistake_gets_its_hint():
    assert judged("(64, 512)").hint == "Is every batch padded?"


@pytest.mark.parametrize(
    "text",
    ["", "(((", "()", "(" * 10**5, "1, " * 10**5, "\\x\0", "64 ? 45", "a" * 10**6],
    ids=lambda text: ascii(text[:8]),
)
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(Unreadable, match="brackets"):
        judged(text)
