"""Turn a reply from a `CharCorruptionDataset`, which may hold anything, into draws.

x          A d a ⁇ r n ⁇ o ␠ K □ □      ids, one row per reading
y          d a ⁇ r n ⁇ o ␠ K □ □ □
sequence   A d a ⁇ r n ⁇ o ␠ K □ □ □    x and the last id of y, decoded
slots      "Ada" "rn" "o K"             the sequence without its tail of PADs, split at MASK

A dataset may use another vocabulary, or other marks for MASK and PAD. That costs its own check;
every other check judges the draws `as meant`, with the student's marks replaced by the handout's.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
MOST_PLACES = 40  # of a character in a sequence, where all pairs of them are tried
NEARLY_ALL = 0.95  # of the draws: fewer wrong ones are rare, and what holds of the others is judged


@dataclass(frozen=True, slots=True)
class Request:
    """Which documents are read, and how often: `rounds` times around `indices`.

    Where `fresh`, each round reads a dataset made anew, so that nothing kept from one reading to
    the next shows.
    """

    documents: tuple[str, ...]
    block_size: int
    indices: tuple[int, ...]
    rounds: int
    fresh: bool = False

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
    """One item, decoded; `whole` is False where the end of the sequence may be missing."""

    index: int
    document: str
    sequence: str
    whole: bool
    body: str
    slots: tuple[str, ...]

    @property
    def cut(self) -> int:
        """The number of characters from the document."""
        return len(self.body) - self.body.count(MASK) - self.body.count(PAD)

    @property
    def has_parts(self) -> bool:
        """Whether it has three parts, in any order, and perhaps an end marker."""
        if any(PAD in slot for slot in self.slots):
            return False
        return len(self.slots) == 3 or (len(self.slots) == 4 and not self.slots[3])

    def restored(self, order: Order = STANDARD) -> str:
        """The piece of the document that these parts were, when they lie in this order."""
        return "".join(self.slots[slot] for slot in order)


@dataclass(frozen=True, slots=True)
class Reading:
    """The reply to one request.

    `written` are the draws as the student wrote them, `draws` the same ones as meant.
    `vocabulary` are the student's characters by id, where they are not the handout's.
    """

    request: Request
    edition: Edition
    x: Ids
    y: Ids
    x_lengths: Ids
    y_lengths: Ids
    written: tuple[Draw, ...]
    draws: tuple[Draw, ...]
    vocabulary: str
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
        """The draws whose sequence is known to its end, or all where most are not."""
        return known_to_the_end(self.draws)

    @property
    def whole(self) -> bool:
        """Whether every sequence is known to its end."""
        return all(draw.whole for draw in self.draws)

    @property
    def parted(self) -> list[Draw]:
        """The draws that consist of three parts."""
        return [draw for draw in self.judged if draw.has_parts]


def known_to_the_end(draws: Sequence[Draw]) -> list[Draw]:
    """The draws whose sequence is known to its end, or all where most are not."""
    known = [draw for draw in draws if draw.whole]
    return known if 2 * len(known) >= len(draws) else list(draws)


def parse(reply: Any, request: Request, edition: Edition) -> Reading:
    """The draws in a reply; raises BadReply where it is malformed."""
    fields = _fields(reply, request.readings)
    kinds = dict(zip(fields.pop("kinds"), fields.pop("counts"), strict=True))
    standard = "".join(Vocabulary(request.corpus).itos.values())
    written, own = _draws(fields, request, edition, standard), fields.pop("characters")
    draws, vocabulary = meant(written, request.corpus), ""
    if own not in ("", standard):
        decoded = _draws(fields, request, edition, own)
        if _nearly_all(decoded, request.corpus) and not _nearly_all(written, request.corpus):
            written, draws, vocabulary = decoded, decoded, own
    return Reading(
        request=request,
        edition=edition,
        written=written,
        draws=draws,
        vocabulary=vocabulary,
        kinds=kinds,
        **fields,
    )


def decode(ids: Ids, lengths: Ids, vocabulary: str) -> list[str]:
    """Each row of ids as text; `vocabulary` has the characters in the order of their ids."""
    characters = np.array([ord(c) for c in vocabulary], dtype=np.uint32)
    known = (ids >= 0) & (ids < len(characters))
    points = np.where(known, characters[np.where(known, ids, 0)], np.uint32(ord(UNKNOWN)))
    points[np.arange(ids.shape[1]) >= lengths[:, None]] = 0  # numpy drops zeros behind a text
    return [str(text) for text in np.ascontiguousarray(points).view(f"U{ids.shape[1]}").ravel()]


# ---------------------------------------------------------------- marks


def is_piece(text: str, corpus: str) -> bool:
    """Whether a text is a piece of one of the documents of a corpus."""
    return text in corpus and "\n" not in text


def is_well_formed(draw: Draw, corpus: str) -> bool:
    """Whether a draw has three parts that make up a piece of a document, in the right order."""
    return draw.has_parts and is_piece(draw.restored(), corpus)


def _nearly_all(draws: Sequence[Draw], corpus: str) -> bool:
    judged = known_to_the_end(draws)
    formed = sum(is_well_formed(draw, corpus) for draw in judged)
    return formed >= NEARLY_ALL * max(1, len(judged))


def meant(written: tuple[Draw, ...], corpus: str) -> tuple[Draw, ...]:
    """The draws with the handout's MASK and PAD in place of the student's, where those are others.

    The draws as they are, where no other marks make nearly all of them well-formed.
    """
    if _nearly_all(written, corpus):
        return written
    for mask, pad in ((PAD, MASK), (MASK, MASK), (PAD, PAD), (_own_mask(written), PAD)):
        draws = tuple(_with_marks(draw, mask, pad) for draw in written) if mask else ()
        if draws and _nearly_all(draws, corpus):
            return draws
    return written


def _with_marks(draw: Draw, mask: str, pad: str) -> Draw:
    body = draw.sequence.rstrip(pad)
    tail = PAD * (len(draw.sequence) - len(body))
    marks = _separators(body, mask, draw.document) or tuple(_alone(body, mask, draw.document))
    marked = "".join(MASK if at in marks else body[at] for at in range(len(body)))
    return _draw(draw.index, draw.document, marked + tail, whole=draw.whole or bool(tail))


def _separators(body: str, mask: str, document: str) -> tuple[int, ...]:
    """Where a character separates prefix, suffix and content, and perhaps ends them; or nowhere."""
    places = [at for at, character in enumerate(body) if character == mask]
    if mask in (PAD, MASK) or len(places) > MOST_PLACES:
        return ()
    last = len(body) - 1
    for first, second in itertools.combinations(places, 2):
        prefix, suffix, content = body[:first], body[first + 1 : second], body[second + 1 :]
        if prefix + content + suffix in document:
            return (first, second)
        if content.endswith(mask) and prefix + content[:-1] + suffix in document:
            return (first, second, last)
    return ()


def _alone(body: str, character: str, document: str) -> list[int]:
    """Where a character stands that does not belong to the text on either side of it."""
    found = []
    for at in (place for place, other in enumerate(body) if other == character):
        sides = (body[max(0, at - 1) : at + 1], body[at : at + 2])
        if not any(len(side.strip()) == 2 and side in document for side in sides):
            found.append(at)
    return found


def _own_mask(draws: Sequence[Draw]) -> str:
    """The character that separates the parts of most draws, where none holds a MASK."""
    if any(MASK in draw.sequence for draw in draws):
        return ""
    often = Counter(
        character
        for draw in draws
        for character, count in Counter(draw.body).items()
        if count > 1 and character != PAD
    )
    for character, count in often.most_common():
        separated = (_separators(draw.body, character, draw.document) for draw in draws)
        if 2 * count > len(draws) and 2 * sum(map(bool, separated)) > len(draws):
            return character
    return ""


# ---------------------------------------------------------------- rows


def shifted(left: Ids, right: Ids, lengths: Ids) -> NDArray[np.bool_]:
    """For each row: whether right[i] = left[i + 1], and a PAD at the end is followed by PADs.

    `lengths` are those of the left rows.
    """
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


def _draws(
    fields: Mapping[str, Any], request: Request, edition: Edition, vocabulary: str
) -> tuple[Draw, ...]:
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
    texts = decode(table, lengths, vocabulary)
    asked = edition.sequence_characters(request.block_size)
    draws = (_draw_of(request, row, texts[row], bool(forward[row])) for row in rows.tolist())
    return tuple(_seen_to_the_end(draw, request.corpus, asked) for draw in draws)


def _draw_of(request: Request, row: int, sequence: str, forward: bool) -> Draw:
    index = request.indices[row % len(request.indices)]
    whole = forward or sequence.endswith(PAD)
    return _draw(index, request.documents[index], sequence, whole=whole)


def _seen_to_the_end(draw: Draw, corpus: str, asked: int) -> Draw:
    """The draw; one that just fills the block without being complete was cut off there."""
    full = len(draw.sequence) == asked and PAD not in draw.sequence
    if not full or draw.sequence.endswith(MASK) or is_well_formed(draw, corpus):
        return draw
    return replace(draw, whole=False)


def _draw(index: int, document: str, sequence: str, *, whole: bool) -> Draw:
    body = sequence.rstrip(PAD)
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
        **{name: _text(reply.get(name)) for name in ("raised", "where", "characters")},
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
