"""Values survive the wire; hostile bytes cause WireError and nothing else."""

import json
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from graders.boundary import wire
from graders.boundary.wire import FrameReader, WireError, decode, encode

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)
DTYPES = sorted(wire.DTYPES | set(wire.COMPLEX))
ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=4, min_side=0))
)


def frame(head, blob=b""):
    """A frame with this head, whatever it says."""
    data = head if isinstance(head, bytes) else json.dumps(head).encode()
    return wire.PREFIX.pack(wire.MAGIC, len(data), len(blob)) + data + blob


def tensors(index, data=b""):
    """A blob with this index, whatever it says."""
    header = json.dumps(index).encode()
    return struct.pack("<Q", len(header)) + header + data


def one(dtype, shape, offsets, data=b""):
    """A blob of one such array."""
    return tensors({"0": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}, data)


EMPTY = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}


@given(VALUES)
def test_values_survive(value):
    assert decode(encode(value)) == value


@given(ARRAYS)
def test_arrays_survive(array):
    back = decode(encode([array, {"k": array}]))
    for copy in (back[0], back[1]["k"]):
        assert (copy.dtype, copy.shape) == (array.dtype, array.shape)
        assert copy.tobytes() == array.tobytes()
        assert copy.flags.writeable


def test_special_values_survive_and_strange_ones_are_replaced():
    for number in (float("nan"), float("inf"), float("-inf"), -0.0):
        assert struct.pack("d", decode(encode(number))) == struct.pack("d", number)
    for array in (np.arange(12).reshape(3, 4)[:, ::-2].T, np.arange(3, dtype=">i4")):
        np.testing.assert_array_equal(decode(encode(array)), array)
    assert decode(encode((1, (2,)))) == [1, [2]]
    assert decode(frame(b'["\\ud800", {"d": {"\\udfff": 1}}]')) == ["\ufffd", {"\ufffd": 1}]
    blob = one("BOOL", [3], [0, 3], b"\x00\x01\x07")
    assert decode(frame({"a": 0}, blob)).view(np.uint8).tolist() == [0, 1, 1]


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        b"bytes",
        1j,
        2**63,
        {1: 2},
        np.array(["text"]),
        np.array([object()]),
        np.zeros(1, dtype="datetime64[s]"),
        np.zeros(1, dtype="i4,f4"),
        np.zeros((1,) * wire.MAX_DIMENSIONS),
        np.zeros(wire.MAX_BLOB + 1, dtype=np.uint8),
        "x" * (wire.MAX_HEAD + 1),
        nested(wire.MAX_DEPTH + 1),
        [np.zeros(0)] * (wire.MAX_ARRAYS + 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_values_cannot_be_sent(value):
    with pytest.raises(WireError):
        encode(value)


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"SMW",
        b"HTTP/1.1 200 OK\r\n\r\n",
        wire.PREFIX.pack(wire.MAGIC, wire.MAX_HEAD + 1, 0),
        wire.PREFIX.pack(wire.MAGIC, 0, wire.MAX_BLOB + 1),
        wire.PREFIX.pack(wire.MAGIC, 10, 0) + b"null",
        frame(b""),
        frame(b"\xff\xfe"),
        frame(b"NaN"),
        frame(b"1" * 5000),
        frame(b"9223372036854775808"),
        frame(b"[" * 100_000),
        frame(nested(wire.MAX_DEPTH + 1)),
        frame(b"[" + b"[]," * wire.MAX_NODES + b"[]]"),
        frame({}),
        frame({"d": 1}),
        frame({"f": "1"}),
        frame({"f": []}),
        frame({"x": 1}),
        frame({"a": 0, "c": 0}),
        frame({"a": 0}),
        frame({"a": True}),
        frame({"a": "0"}),
        frame({"a": 0}, b"short"),
        frame([{"a": 0}, {"a": 0}], one("U8", [1], [0, 1], b"a")),  # would be copied each time
        frame([{"a": 0}, {"c": 0}], one("F32", [2], [0, 8], b"abcdefgh")),
        frame({"a": 0}, struct.pack("<Q", 2**63)),
        frame({"a": 0}, one("F99", [1], [0, 4])),
        frame({"a": 0}, one("BF16", [1], [0, 2], b"ab")),
        frame({"a": 0}, one("U8", [2**62, 0], [0, 0])),
        frame({"a": 0}, one("U8", [0] * 9, [0, 0])),
        frame({"a": 0}, one("U8", [0] * 99, [0, 0])),
        frame({"c": 0}, one("F32", [1], [0, 4], b"abcd")),
        frame({"c": 0}, one("I64", [0, 2], [0, 0])),
        frame(None, tensors({str(i): EMPTY for i in range(wire.MAX_ARRAYS + 1)})),
    ],
    ids=lambda bad: repr(bytes(bad[:40])),
)
def test_malformed_frames_are_refused(bad):
    with pytest.raises(WireError):
        decode(bad)


def quietly(data):
    """Decode without minding a refusal; any other exception fails the test."""
    try:
        return decode(data)
    except WireError:
        return None


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_are_a_value_or_refused(head, blob):
    quietly(head)
    quietly(frame(head))
    quietly(frame(b'{"a": 0}', blob))
    quietly(frame(b'{"c": 0}', tensors({}, blob)))


INDEX = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "F64", "BOOL", "I64", "BF16", "C64", "F8_E4M3", "", 3]),
        "shape": st.lists(st.integers(-2, 2**64), max_size=10) | st.integers(),
        "data_offsets": st.lists(st.integers(-1, 2**64), max_size=3),
    }
)


@given(INDEX, st.binary(max_size=64), st.sampled_from("ac"))
def test_any_index_is_a_value_or_refused(index, data, tag):
    quietly(frame({tag: 0}, tensors({"0": index}, data)))


@given(VALUES, ARRAYS, st.data())
@example([], np.zeros(3), None)
def test_damaged_frames_are_a_value_or_refused(value, array, data):
    good = bytearray(encode([value, array]))
    if data is not None:
        at = data.draw(st.integers(0, len(good) - 1))
        good[at] = data.draw(st.integers(0, 255))
    quietly(bytes(good))
    for end in range(0, len(good), 7):
        quietly(bytes(good[:end]))


@given(st.lists(VALUES, max_size=4), st.integers(1, 50))
def test_reader_finds_frames_in_any_chunks(values, size):
    stream, reader, decoded = b"".join(map(encode, values)), FrameReader(), []
    for start in range(0, len(stream), size):
        reader.feed(stream[start : start + size])
        while (body := reader.take()) is not None:
            decoded.append(decode(body))
    assert (decoded, reader.pending) == (values, 0)


def test_reader_refuses_before_it_holds_the_frame():
    reader = FrameReader()
    reader.feed(wire.PREFIX.pack(wire.MAGIC, 5, wire.MAX_BLOB + 1))
    with pytest.raises(WireError, match="too large"):
        reader.take()
