"""What reading a `CharCorruptionDataset` gave: a reply that may hold anything, made into draws.

x          A d a ⁇ r n ⁇ o ␠ K □ □      ids, one row a reading
y          d a ⁇ r n ⁇ o ␠ K □ □ □
sequence   A d a ⁇ r n ⁇ o ␠ K □ □ □    x and the last of y, decoded
slots      "Ada" "rn" "o K"             the sequence without its tail of PADs, split at MASK
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.errors import BadReply
from reference.edition import Edition
from reference.vocabulary import MASK, PAD, Vocabulary

Ids = NDArray[np.int64]
Order = tuple[int, int, int]  # the slots in which prefix, content and suffix lie
PAD_ID = 0
MAX_IDS = 1024  # of one row: as adapters_corruption.py
UNKNOWN = "\ufffd"  # stands for an id that the vocabulary lacks
STANDARD: Order = (0, 2, 1)


@dataclass(frozen=True, slots=True)
class Request:
    """Which documents are read, and how often: `rounds` times around `indices`."""

    documents: tuple[str, ...]
    block_size: int
    indices: tuple[int, ...]
    rounds: int

    @property
    def corpus(self) -> str:
        """The text a dataset is made from."""
        return "\n".join(self.documents)

    @property
    def readings(self) -> int:
        """How many items are asked for."""
        return self.rounds * len(self.indices)


@dataclass(frozen=True, slots=True)
class Draw:
    """One item, decoded; `whole` is False where its end may be missing."""

    index: int
    document: str
    sequence: str
    whole: bool
    body: str
    slots: tuple[str, ...]

    @property
    def cut(self) -> int:
        """How many characters of the document it holds."""
        return len(self.body) - self.body.count(MASK) - self.body.count(PAD)

    @property
    def has_parts(self) -> bool:
        """Whether it consists of three parts, whatever their order, and perhaps an end marker."""
        if any(PAD in slot for slot in self.slots):
            return False
        return len(self.slots) == 3 or (len(self.slots) == 4 and not self.slots[3])

    def restored(self, order: Order = STANDARD) -> str:
        """The piece of the document that these parts were, when they lie in this order."""
        return "".join(self.slots[slot] for slot in order)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that came for one request."""

    request: Request
    edition: Edition
    x: Ids
    y: Ids
    x_lengths: Ids
    y_lengths: Ids
    draws: tuple[Draw, ...]
    kinds: Mapping[str, int]
    raised: str
    where: str
    length: int | None
    before: tuple[str, ...] | None
    after: tuple[str, ...] | None

    @property
    def longest(self) -> int:
        """The most characters that a cut document may keep at this block size."""
        return self.edition.longest(self.request.block_size)

    @property
    def judged(self) -> list[Draw]:
        """The draws whose sequence is known to its end, or all where that is never so."""
        return [draw for draw in self.draws if draw.whole] or list(self.draws)

    @property
    def whole(self) -> bool:
        """Whether every sequence is known to its end."""
        return all(draw.whole for draw in self.draws)

    @property
    def parted(self) -> list[Draw]:
        """The draws that consist of three parts."""
        return [draw for draw in self.judged if draw.has_parts]


def parse(reply: Any, request: Request, edition: Edition) -> Reading:
    """The draws in a reply; raises BadReply where it is none."""
    fields = _fields(reply, request.readings)
    kinds = dict(zip(fields.pop("kinds"), fields.pop("counts"), strict=True))
    return Reading(
        request=request, edition=edition, draws=_draws(fields, request), kinds=kinds, **fields
    )


def decode(ids: Ids, lengths: Ids, corpus: str) -> list[str]:
    """Each row of ids as text."""
    characters = np.array([ord(c) for c in Vocabulary(corpus).itos.values()], dtype=np.uint32)
    known = (ids >= 0) & (ids < len(characters))
    points = np.where(known, characters[np.where(known, ids, 0)], np.uint32(ord(UNKNOWN)))
    points[np.arange(ids.shape[1]) >= lengths[:, None]] = 0  # numpy drops zeros behind a text
    return [str(text) for text in np.ascontiguousarray(points).view(f"U{ids.shape[1]}").ravel()]


def shifted(left: Ids, right: Ids, lengths: Ids) -> NDArray[np.bool_]:
    """For each row: whether right[i] = left[i + 1], and a PAD at the end is followed by PADs."""
    columns = min(left.shape[1], right.shape[1]) - 1
    inside = np.arange(columns) < lengths[:, None] - 1
    same = left[:, 1 : columns + 1] == right[:, :columns]
    return np.asarray((same | ~inside).all(axis=1) & ~_rolled(left, right, lengths))


def _rolled(left: Ids, right: Ids, lengths: Ids) -> NDArray[np.bool_]:
    """For each row: whether the left one ends with a PAD, but the right one as the left begins."""
    rows, width = np.arange(len(left)), min(left.shape[1], right.shape[1])
    last = np.clip(lengths, 1, width) - 1  # a row without a length ends where it begins
    around = right[rows, last] == left[:, 0]
    return np.asarray(around & (left[rows, last] == PAD_ID) & (left[:, 0] != PAD_ID))


def swapped(x: Ids, y: Ids, lengths: Ids) -> bool:
    """Whether x is y shifted by one in every row, and y opens the sequence."""
    last = np.clip(lengths, 1, x.shape[1]) - 1
    moved = (y[:, 0] == PAD_ID) | (y[:, 0] == x[np.arange(len(x)), last])  # only x, moved
    return bool((shifted(y, x, lengths) & ~moved)[lengths > 0].all())


def _draws(fields: Mapping[str, Any], request: Request) -> tuple[Draw, ...]:
    x, y, n, m = (fields[name] for name in ("x", "y", "x_lengths", "y_lengths"))
    if not (x.shape[1] and y.shape[1]):
        return ()
    rows, equal = np.flatnonzero((n > 0) & (m > 0)), bool((n == m).all())
    forward = (n == m) & shifted(x, y, n)
    if equal and not forward[rows].all() and swapped(x, y, n):
        x, y, forward = y, x, n > 0  # judge the sequence all the same
    if equal and _rolled(x, y, n).any():
        forward = np.zeros_like(forward)  # the last of y belongs to no sequence
    table = np.concatenate([x, np.zeros((len(x), 1), np.int64)], axis=1)
    table[rows, n[rows]] = y[rows, m[rows] - 1]
    lengths = np.where(forward, n + 1, n)
    texts = decode(table, lengths, request.corpus)
    return tuple(_draw(request, row, texts[row], bool(forward[row])) for row in rows.tolist())


def _draw(request: Request, row: int, sequence: str, forward: bool) -> Draw:
    index = request.indices[row % len(request.indices)]
    body = sequence.rstrip(PAD)
    whole = forward or len(body) < len(sequence)
    document = request.documents[index]
    return Draw(index, document, sequence, whole, body, tuple(body.lstrip(PAD).split(MASK)))


# ---------------------------------------------------------------- the reply, believed in nothing


def _fields(reply: Any, rows: int) -> dict[str, Any]:
    if not isinstance(reply, dict):
        raise BadReply("The dataset could not be read: the reply is malformed.")
    return {
        **{name: _table(reply.get(name), rows) for name in ("x", "y")},
        "x_lengths": _lengths(reply.get("x_lengths"), rows, reply["x"]),
        "y_lengths": _lengths(reply.get("y_lengths"), rows, reply["y"]),
        **_counted(reply.get("kinds"), reply.get("counts"), rows),
        **{name: _text(reply.get(name)) for name in ("raised", "where")},
        "length": reply["length"] if isinstance(reply.get("length"), int) else None,
        **{name: _texts(reply.get(name)) for name in ("before", "after")},
    }


def _table(value: Any, rows: int) -> Ids:
    good = isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype == np.int64
    if not good or len(value) != rows or value.shape[1] > MAX_IDS:
        raise BadReply("The dataset could not be read: the rows of ids are malformed.")
    return np.asarray(value)


def _lengths(value: Any, rows: int, table: Ids) -> Ids:
    good = isinstance(value, np.ndarray) and value.shape == (rows,) and value.dtype == np.int64
    if not good or (value < -1).any() or (value > table.shape[1]).any():
        raise BadReply("The dataset could not be read: the lengths of the rows are malformed.")
    return np.asarray(value)


def _counted(kinds: Any, counts: Any, rows: int) -> dict[str, list[Any]]:
    lists = isinstance(kinds, list) and isinstance(counts, list) and len(kinds) == len(counts)
    if not lists or not all(isinstance(each, str) for each in kinds):
        raise BadReply("The dataset could not be read: the kinds of its items are malformed.")
    if not all(isinstance(each, int) for each in counts) or sum(counts) != rows:
        raise BadReply("The dataset could not be read: the number of its items is malformed.")
    return {"kinds": kinds, "counts": counts}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...] | None:
    good = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return tuple(value) if good else None
