"""A submitted checkpoint as named arrays, or a sentence that says why it is unusable.

    vanilla.model.params - bytes -> sandbox: torch.load(weights_only=True) -> names and arrays

The reply is hostile: the file may have taken over the process that opened it. Here it stays data:
only names, shapes and numbers are read, and nothing is unpickled.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, skip
from graders.checks.submitted import SubmittedFiles
from graders.errors import (
    BadReply,
    StudentFault,
    StudentOutOfMemory,
    StudentRaised,
    StudentTimedOut,
)

Array = NDArray[Any]

LARGEST = 63 * 2**20  # bytes of a file: the wire carries 64 MiB, its index included
# Buffers that a student's own attention may keep in addition to the parameters
TABLE = re.compile(r"mask|tril|causal|cache|posit|rope|rot|freq|cos|sin|theta|angle")
NAME = re.compile(r"[A-Za-z0-9_.]{1,200}")
WRAPPING = re.compile(r"(?<![^.])(module|_orig_mod)\.")  # by DataParallel and torch.compile
WRAPPERS = ("state_dict", "model", "model_state_dict")
MOST_TENSORS = 500
# Matches `src.models` or `torch.nn`.
MODEL_MODULES = re.compile(
    r"(__main__|torch\.nn|torch\._dynamo|collections|(src\.|submission\.)?"
    r"(models?|attention|trainer|synthesizer|perceiver|mingpt))\b"
)
SAVE = "Save with `torch.save(model.state_dict(), path)`, which writes tensors only."
BEGINNINGS = (
    (b"version https://git-lfs", "is a Git LFS pointer; the weights themselves were not uploaded"),
    (b"<!doctype", "is a web page, perhaps from a download that asked for confirmation"),
    (b"<html", "is a web page, perhaps from a download that asked for confirmation"),
    (b"\x1f\x8b", "is a gzip archive; upload the unpacked file"),
    (b"rar!", "is an archive; upload the unpacked file"),
    (b"7z\xbc\xaf", "is an archive; upload the unpacked file"),
)
END_OF_ZIP = b"PK\x05\x06"


@dataclass(frozen=True, slots=True)
class Weights:
    """The tensors of one checkpoint by the starter's names, with notes on how they were saved."""

    file: str
    tensors: Mapping[str, Array]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a file has no usable weights, or what a person should look at in them."""

    reason: str
    hint: str = ""
    expected: str = ""
    actual: str = ""


def read_weights(sandbox: Student, submitted: SubmittedFiles, name: str) -> Weights | Finding:
    """Return the file's tensors, opened once for all checks. A missing file skips the check."""
    if not submitted.has(name):
        skip(f"`{name}` was not submitted, or it exceeds the size limit; it is optional.")
    return sandbox.once(("weights", name), lambda: _open(sandbox, submitted, name))


def _open(sandbox: Student, submitted: SubmittedFiles, name: str) -> Weights | Finding:
    try:
        raw = submitted.bytes(name, largest=LARGEST)
    except CheckFailed as error:
        return Finding(f"{error.message} A model of this course has about 14 MB.", SAVE)
    if other := _other_kind(raw):
        return Finding(f"`{name}` {other}.", SAVE)
    try:
        return sandbox.call(
            "read_checkpoint", file=np.frombuffer(raw, np.uint8), read=partial(weights_of, name)
        )
    except StudentTimedOut:
        return Finding(f"Reading `{name}` timed out.", SAVE)
    except StudentOutOfMemory:
        return Finding(f"Reading `{name}` ran out of memory.", SAVE)
    except (StudentRaised, BadReply):
        return Finding(f"`{name}` contains tensors of an unsupported type.", SAVE)
    except StudentFault:
        return Finding(f"Reading `{name}` crashed the process.", SAVE)


def _other_kind(raw: bytes) -> str:
    """Return what these bytes are if they are clearly not a checkpoint."""
    if not raw.strip(b"\0 \r\n\t"):
        return "is empty" if not raw else "contains only zeros or blanks"
    start = raw[:64].lstrip().lower()
    for beginning, says in BEGINNINGS:
        if start.startswith(beginning):
            return says
    if raw[8:10] == b'{"' and int.from_bytes(raw[:8], "little") < len(raw):
        return "is a safetensors file, not one written by torch.save"
    if raw.startswith(b"PK") and END_OF_ZIP not in raw[-(2**16) - 22 :]:
        return f"is truncated after {len(raw):,} bytes"
    return ""


def weights_of(name: str, reply: Any) -> Weights | Finding:
    """Return the weights in a reply of the sandbox, which may be anything."""
    if not isinstance(reply, dict):
        return Finding(f"Reading `{name}` gave no usable result.", SAVE)
    if "problem" in reply:
        return _refusal(name, str(reply["problem"]), str(reply.get("detail", "")))
    tensors = reply.get("tensors")
    if not isinstance(tensors, dict) or not 0 < len(tensors) <= MOST_TENSORS:
        return Finding(f"Reading `{name}` gave no usable result.", SAVE)
    if not all(NAME.fullmatch(n) and isinstance(t, np.ndarray) for n, t in tensors.items()):
        return Finding(f"`{name}` has tensors with names that no module has.", SAVE)
    wrapping = sorted({match[0] for name in tensors if (match := WRAPPING.search(name))})
    notes = tuple(f"the prefix `{prefix}` was removed from the names" for prefix in wrapping)
    plain = {WRAPPING.sub("", name): tensor for name, tensor in tensors.items()}
    if len(plain) < len(tensors):
        return Finding(f"`{name}` has tensors with the same name, with and without a prefix.", SAVE)
    if reply.get("wrapper") in WRAPPERS:
        notes += (f"the state dict is under the key {reply['wrapper']!r} of another dict",)
    return Weights(name, {key: _numbers(tensor) for key, tensor in plain.items()}, notes)


def _numbers(array: Array) -> Array:
    """Convert floats to float32; a hostile reply may have types that the sandbox does not send."""
    with np.errstate(over="ignore"):
        return array.astype(np.float32) if array.dtype.kind == "f" else array


def _refusal(name: str, problem: str, detail: str) -> Finding:
    shown = detail if NAME.fullmatch(detail) else "something without a valid name"
    match problem:
        case "refused" if MODEL_MODULES.match(shown):
            reason = f"`{name}` contains a whole pickled object (`{shown}`), not a state dict."
        case "refused":
            reason = (
                f"`{name}` was not loaded: reading it would import and call `{shown}`, which a "
                "file of weights never needs."
            )
        case "no state dict":
            reason = f"`{name}` contains a `{shown}`, not a dict of named tensors."
        case "too large":
            reason = f"`{name}` is much larger than a model of this course."
        case _ if detail == "TorchScript":
            reason = f"`{name}` is a TorchScript archive, not a state dict."
        case _:
            reason = f"`{name}` cannot be read by torch.load: it is damaged or not a checkpoint."
    return Finding(reason, SAVE)


# ---------------------------------------------------------------- comparing weights


def trained(weights: Weights) -> dict[str, Array]:
    """Return what training changes: all float tensors but the buffers, which never differ.

    It does not need a model of the course: other files can be compared as well.
    """
    return {
        name: tensor
        for name, tensor in weights.tensors.items()
        if tensor.dtype.kind == "f" and not is_buffer(name)
    }


def equal(one: Weights, other: Weights) -> bool:
    """Return whether two checkpoints contain exactly the same weights."""
    a, b = trained(one), trained(other)
    return a.keys() == b.keys() and all(
        np.array_equal(tensor, b[name], equal_nan=True) for name, tensor in a.items()
    )


def is_buffer(name: str) -> bool:
    return bool(TABLE.search(name.rsplit(".", 1)[-1]))


def weights_print(weights: Weights) -> str:
    """Return the sha256 of the parameters: names, shapes and float32 bytes."""
    digest = hashlib.sha256()
    for name, array in sorted(trained(weights).items()):
        digest.update(f"{name} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array, "<f4").tobytes())
    return digest.hexdigest()


def predictions_print(predictions: Sequence[str]) -> str | None:
    """Return the sha256 of the lines; None if all are equal, as poor models may agree on that."""
    lines = [line.strip() for line in predictions]
    if len(set(lines)) < 2:
        return None
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
