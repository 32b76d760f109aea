"""Encode and decode values sent between Softmark and a student's process.

    frame   = "SMW1" | length of head (u32) | length of blob (u32) | head | blob
    head    = JSON: null, true, 3, 0.5, "text", [...], and one-key objects for the rest:
              {"d": {...}} a dict, {"f": "nan"} a float that JSON lacks,
              {"a": 0} the array named "0" in the blob, {"c": 0} the same, of complex numbers
    blob    = safetensors, empty without arrays

Both sides import this file and no other of our modules. Bytes from the student's side are hostile:
any invalid input raises WireError, within a bounded amount of memory.
"""

import json
import math
import struct
from typing import Any, Union

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

Array = NDArray[Any]
Value = Union[None, bool, int, float, str, Array, list["Value"], dict[str, "Value"]]  # noqa: UP007  recursive

MAGIC = b"SMW1"
PREFIX = struct.Struct(">4sII")
MAX_HEAD = 16 * 2**20  # bytes of JSON
MAX_BLOB = 64 * 2**20  # bytes of safetensors
MAX_INDEX = 2**20  # bytes of the index inside the blob
MAX_NODES = 500_000  # values in one frame
MAX_ARRAYS = 4096
MAX_DEPTH = 16
MAX_DIMENSIONS = 8
MAX_INTEGER = 2**63

DTYPES = frozenset(
    {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}
    | {"float16", "float32", "float64"}
)
COMPLEX = {"complex64": "float32", "complex128": "float64"}
PAIRS = {"float32": "complex64", "float64": "complex128"}


class WireError(Exception):
    """The bytes are not a frame, or the value cannot be sent; the message says which."""


def encode(value: Value) -> bytes:
    """Return the value as one frame."""
    arrays: dict[str, Array] = {}
    head = ENCODER.encode(_pack(value, arrays, 0)).encode()
    blob = safetensors.numpy.save(arrays) if arrays else b""
    if len(head) > MAX_HEAD or len(blob) > MAX_BLOB:
        raise WireError(f"a value of {len(head) + len(blob):,} bytes is too large")
    return b"".join((PREFIX.pack(MAGIC, len(head), len(blob)), head, blob))


class FrameReader:
    """Cuts a stream of bytes into values, and refuses a frame before it is held in memory."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    @property
    def pending(self) -> int:
        """The number of bytes that are not a complete frame yet."""
        return len(self._bytes)

    def feed(self, data: bytes) -> None:
        """Add the bytes that arrived."""
        self._bytes += data

    def take(self) -> bytes | bytearray | None:
        """Return the next complete frame, or None if more bytes are needed."""
        if len(self._bytes) < PREFIX.size:
            return None
        head, blob = frame_sizes(self._bytes[: PREFIX.size])
        end = PREFIX.size + head + blob
        if len(self._bytes) < end:
            return None
        if len(self._bytes) == end:  # the usual case, without a copy
            frame, self._bytes = self._bytes, bytearray()
            return frame
        piece = bytes(self._bytes[:end])
        del self._bytes[:end]
        return piece


def frame_sizes(prefix: bytes | bytearray) -> tuple[int, int]:
    """Return the lengths of head and blob that a frame's prefix declares."""
    magic, head, blob = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise WireError("these bytes are not a message")
    if head > MAX_HEAD or blob > MAX_BLOB:
        raise WireError(f"a message of {head + blob:,} bytes is too large")
    return head, blob


def decode(frame: bytes | bytearray) -> Value:
    """Return the value in one frame; arrays are writable copies."""
    try:
        return _decode(frame)
    except WireError:
        raise
    except RecursionError:
        raise WireError("the value is nested too deeply") from None
    except (ValueError, TypeError, LookupError, ArithmeticError, struct.error) as error:
        raise WireError(f"malformed message: {type(error).__name__}") from None
    except (SafetensorError, MemoryError):
        raise WireError("malformed arrays in a message") from None


def _decode(frame: bytes | bytearray) -> Value:
    head, blob = frame_sizes(frame[: PREFIX.size])
    if len(frame) != PREFIX.size + head + blob:
        raise WireError("the message is cut off")
    text = frame[PREFIX.size : PREFIX.size + head].decode()
    if text.count(",") + text.count("[") + text.count("{") > MAX_NODES:
        raise WireError("the message contains too many values")
    value = DECODER.decode(text)
    return _unpack(value, _arrays(bytes(memoryview(frame)[PREFIX.size + head :])), 0)


def _arrays(blob: bytes) -> dict[str, Array]:
    if not blob:
        return {}
    (index,) = struct.unpack("<Q", blob[:8])
    if index > MAX_INDEX:
        raise WireError("the message contains too many arrays")
    arrays = safetensors.numpy.load(blob)
    if len(arrays) > MAX_ARRAYS:
        raise WireError("the message contains too many arrays")
    return arrays


def _no_constant(name: str) -> None:
    raise WireError(f"malformed message: {name}")


ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False)
DECODER = json.JSONDecoder(parse_constant=_no_constant)


# ---------------------------------------------------------------- value -> JSON and arrays


def _pack(value: Value, arrays: dict[str, Array], depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise WireError("the value is nested too deeply")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return _pack_int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"f": str(float(value))}
    if isinstance(value, np.ndarray):
        return _pack_array(value, arrays)
    if isinstance(value, list | tuple):
        return [_pack(item, arrays, depth + 1) for item in value]
    if isinstance(value, dict):
        return {"d": _pack_dict(value, arrays, depth + 1)}
    raise WireError(f"a value of type {type(value).__name__} cannot be sent")


def _pack_int(value: int) -> int:
    if not -MAX_INTEGER <= value < MAX_INTEGER:
        raise WireError("an integer of more than 64 bits cannot be sent")
    return int(value)


def _pack_dict(value: dict[str, Value], arrays: dict[str, Array], depth: int) -> dict[str, Any]:
    if not all(isinstance(key, str) for key in value):
        raise WireError("a dict whose keys are not all strings cannot be sent")
    return {str(key): _pack(item, arrays, depth) for key, item in value.items()}


def _pack_array(array: Array, arrays: dict[str, Array]) -> dict[str, int]:
    if array.ndim > MAX_DIMENSIONS - 1:
        raise WireError(f"an array of {array.ndim} dimensions cannot be sent")
    if len(arrays) >= MAX_ARRAYS:
        raise WireError("the value contains too many arrays")
    plain = np.asarray(array, order="C")
    number, name = len(arrays), plain.dtype.name
    if name not in DTYPES and name not in COMPLEX:
        raise WireError(f"an array of dtype {name} cannot be sent")
    pairs = name in COMPLEX
    if pairs:
        plain = plain.reshape(-1).view(COMPLEX[name]).reshape(*plain.shape, 2)
    arrays[str(number)] = plain
    return {"c" if pairs else "a": number}


# ---------------------------------------------------------------- JSON and arrays -> value


def _unpack(packed: Any, arrays: dict[str, Array], depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise WireError("the value is nested too deeply")
    if packed is None or isinstance(packed, bool | float):
        return packed
    if isinstance(packed, int):
        return _pack_int(packed)
    if isinstance(packed, str):
        return _text(packed)
    if isinstance(packed, list):
        return [_unpack(item, arrays, depth + 1) for item in packed]
    return _unpack_tagged(packed, arrays, depth)


def _unpack_tagged(packed: dict[str, Any], arrays: dict[str, Array], depth: int) -> Value:
    if len(packed) != 1:
        raise WireError("malformed message: a tag is missing")
    ((tag, content),) = packed.items()
    if tag == "d" and isinstance(content, dict):
        return {_text(key): _unpack(item, arrays, depth + 1) for key, item in content.items()}
    if tag == "f" and content in ("nan", "inf", "-inf"):
        return float(content)
    if tag in ("a", "c") and type(content) is int:
        # `encode` names each array once; a reply that names one more often would be far larger here
        return _unpack_array(arrays.pop(str(content)), pairs=tag == "c")
    raise WireError("malformed message: an unknown tag")


def _unpack_array(array: Array, *, pairs: bool) -> Array:
    name = array.dtype.name
    if name not in DTYPES or array.ndim > MAX_DIMENSIONS or max(array.shape, default=0) > MAX_BLOB:
        raise WireError("malformed arrays in a message")
    if not pairs:
        return _truth(array) if name == "bool" else array.copy()
    if name not in PAIRS or array.ndim < 1 or array.shape[-1] != 2:
        raise WireError("malformed complex array in a message")
    numbers: Array = array.reshape(-1).view(PAIRS[name]).reshape(array.shape[:-1])
    return numbers.copy()


def _truth(array: Array) -> Array:
    """Return the array as booleans: a byte that is neither 0 nor 1 becomes True."""
    return np.asarray(array.view(np.uint8) != 0)


def _text(text: str) -> str:
    """Return text that can be written to any file: unpaired surrogates are replaced."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
