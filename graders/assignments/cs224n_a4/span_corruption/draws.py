"""Turn the reply of a `CharCorruptionDataset`, which may contain anything, into draws.

x          A d a ⁇ r n ⁇ o ␠ K □ □      ids, one row per reading
y          d a ⁇ r n ⁇ o ␠ K □ □ □
sequence   A d a ⁇ r n ⁇ o ␠ K □ □ □    x and the last id of y, decoded
slots      "Ada" "rn" "o K"             the sequence without its tail of PADs, split at MASK

A dataset may use another vocabulary, or other characters for MASK and PAD. That fails its own
check; every other check uses the draws `as meant`, with the student's marks replaced by the
handout's.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from graders.boundary.outcome import fault_of
from graders.errors import GraderFault, StudentFault
from reference.data.edition import SHORTEST, Edition
from reference.data.vocabulary import MASK, PAD, Vocabulary

Ids = NDArray[np.int64]
T = TypeVar("T")
Order = tuple[int, int, int]  # the slots that contain prefix, content and suffix
PAD_ID = 0
MAX_IDS = 1024  # of one row: as student_side.py
UNKNOWN = "\ufffd"  # replaces an id that is not in the vocabulary
STANDARD: Order = (0, 2, 1)
MOST_PLACES = 40  # of a character in a sequence; all pairs are tried
MOST_MARKS = 3  # between the three parts and behind the last one
NEARLY_ALL = 0.95  # of the draws; rarer faults are ignored here
LONGEST_RUN = 8  # of one character in a document: of blanks, for instance


@dataclass(frozen=True)
class Request:
    """The documents that are read, `rounds` times in the order of `indices`.

    With `fresh`, each round reads a new dataset, so that state kept between readings has no effect.
    """

    documents: tuple[str, ...]
    block_size: int
    indices: tuple[int, ...]
    rounds: int
    fresh: bool = False

    @cached_property
    def corpus(self) -> str:
        """The text that a dataset is created from."""
        return "\n".join(self.documents)

    @property
    def readings(self) -> int:
        """The number of requested items."""
        return self.rounds * len(self.indices)


@dataclass(frozen=True)
class Draw:
    """One item, decoded; `whole` is False if the end of the sequence may be missing."""

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
        """Return whether it has three parts, in any order, and possibly an end marker."""
        if PAD in self.body.lstrip(PAD):
            return False
        return len(self.slots) == 3 or (len(self.slots) == 4 and not self.slots[3])

    def restored(self, order: Order = STANDARD) -> str:
        """Return the piece of the document that these parts form if they are in this order."""
        one, two, three = order
        return self.slots[one] + self.slots[two] + self.slots[three]


@dataclass(frozen=True, eq=False)
class Reading:
    """The reply to one request.

    `written` are the draws as the student wrote them, `draws` the same as meant. `shared` says
    whether later readings changed them. `vocabulary` are the student's characters by id, if they
    differ from the handout's.
    """

    request: Request
    edition: Edition
    x: Ids
    y: Ids
    x_lengths: Ids
    y_lengths: Ids
    shared: bool
    written: tuple[Draw, ...]
    draws: tuple[Draw, ...]
    vocabulary: str
    kinds: Mapping[str, int]
    raised: StudentFault | None
    length: int | None
    before: tuple[str, ...] | None
    after: tuple[str, ...] | None

    @property
    def longest(self) -> int:
        """The maximum length of a truncated document at this block size."""
        return self.edition.longest(self.request.block_size)

    @cached_property
    def judged(self) -> list[Draw]:
        """The draws with a complete sequence, or all draws if most are incomplete."""
        return known_to_the_end(self.draws)

    @cached_property
    def padding(self) -> str:
        """The character of the corpus that the sequences are padded with; "" if it is PAD."""
        pairs = zip(self.written, self.draws, strict=True)
        ends = {w.sequence[-1] for w, draw in pairs if draw.sequence.endswith(PAD)}
        return "".join(ends) if ends.isdisjoint((PAD, MASK)) else ""

    @property
    def whole(self) -> bool:
        """Return whether every sequence is complete."""
        return all(draw.whole for draw in self.draws)

    @cached_property
    def parted(self) -> list[Draw]:
        """Return the draws that have three parts."""
        return [draw for draw in self.judged if draw.has_parts]


def once_per_reading(measure: Callable[[Reading], T]) -> Callable[[Reading], T]:
    """Cache a measurement of a reading for as long as the reading exists."""
    cache: WeakKeyDictionary[Reading, T] = WeakKeyDictionary()

    @wraps(measure)
    def measured(reading: Reading) -> T:
        if reading not in cache:
            cache[reading] = measure(reading)
        return cache[reading]

    return measured


def known_to_the_end(draws: Sequence[Draw]) -> list[Draw]:
    """The draws with a complete sequence, or all draws if most are incomplete."""
    complete = [draw for draw in draws if draw.whole]
    return complete if 2 * len(complete) >= len(draws) else list(draws)


def parse(reply: Any, request: Request, edition: Edition) -> Reading:
    """Return the draws in a reply; raise any exception if it is malformed."""
    fields = _fields(reply, request.readings)
    standard = "".join(Vocabulary(request.corpus).itos.values())
    written, characters = _draws(fields, request, edition, standard), fields.pop("characters")
    draws, vocabulary = meant(written, request.corpus), ""
    if characters not in ("", "None", standard):
        decoded = _draws(fields, request, edition, characters)
        if _nearly_all(decoded, request.corpus) and not _nearly_all(written, request.corpus):
            written, draws, vocabulary = decoded, decoded, characters
    # With the student's own PAD understood, it is also known where a sequence ends.
    ends = zip(written, draws, strict=True)
    written = tuple(replace(raw, whole=raw.whole or draw.whole) for raw, draw in ends)
    return Reading(
        request=request,
        edition=edition,
        written=written,
        draws=draws,
        vocabulary=vocabulary,
        **fields,
    )


def decode(ids: Ids, lengths: Ids, vocabulary: str) -> list[str]:
    """Return each row of ids as text; `vocabulary` has the characters in the order of their ids."""
    characters = np.array([ord(c) for c in vocabulary], dtype=np.uint32)
    valid = (ids >= 0) & (ids < len(characters))
    points = np.where(valid, characters[np.where(valid, ids, 0)], np.uint32(ord(UNKNOWN)))
    points[np.arange(ids.shape[1]) >= lengths[:, None]] = 0  # numpy drops zeros after a text
    return [str(text) for text in np.ascontiguousarray(points).view(f"U{ids.shape[1]}").ravel()]


# ---------------------------------------------------------------- marks


def is_piece(text: str, corpus: str) -> bool:
    """Return whether a text is a piece of a document of the corpus."""
    return text in corpus and "\n" not in text


def is_well_formed(draw: Draw, corpus: str) -> bool:
    """Return whether a draw has three parts, correctly ordered, that form a piece of a document."""
    return draw.has_parts and is_piece(draw.restored(), corpus)


def nearly_all(holds: Iterable[bool], count: int) -> bool:
    """Return whether nearly all of `count` are true; stop early once too many are false."""
    holding = count
    for value in holds:
        holding -= not value
        if holding < NEARLY_ALL * count:
            return False
    return count > 0


def _nearly_all(draws: Sequence[Draw], corpus: str) -> bool:
    judged = known_to_the_end(draws)
    return nearly_all((is_well_formed(draw, corpus) for draw in judged), len(judged))


def meant(written: tuple[Draw, ...], corpus: str) -> tuple[Draw, ...]:
    """Return the draws with the student's MASK and PAD replaced by the handout's, if they differ.

    Return the draws unchanged if no other marks make nearly all of them well-formed.
    """
    if _nearly_all(written, corpus):
        return written
    own_marks = (_own_mask(written), PAD), (MASK, _own_pad(written))
    for mask, pad in ((PAD, MASK), (MASK, MASK), (PAD, PAD), *own_marks):
        if mask and pad and (draws := _all_with_marks(written, mask, pad, corpus)):
            return draws
    return written


def _all_with_marks(
    written: Sequence[Draw], mask: str, pad: str, corpus: str
) -> tuple[Draw, ...] | None:
    """Return all draws with these marks replaced, if that makes nearly all of them well-formed."""
    draws, wrong = [], 0
    for draw in written:
        draws.append(_with_marks(draw, mask, pad))
        wrong += draws[-1].whole and not is_well_formed(draws[-1], corpus)
        if len(written) - wrong < NEARLY_ALL * len(written):
            return None
    return tuple(draws) if _nearly_all(draws, corpus) else None


def _with_marks(draw: Draw, mask: str, pad: str) -> Draw:
    body = _without_padding(draw, mask, pad)
    tail = PAD * (len(draw.sequence) - len(body))
    marks = _separators(body, mask, draw.document) or tuple(_alone(body, mask, draw.document))
    marked = "".join(MASK if at in marks else body[at] for at in range(len(body)))
    return _draw(draw.index, draw.document, marked + tail, whole=draw.whole or bool(tail))


def _without_padding(draw: Draw, mask: str, pad: str) -> str:
    """Return the sequence without its padding; the content may end with that character, too.

    If several lengths of the content are possible, parts that form the start of the document come
    first, then parts that are long enough, then the shorter content.
    """
    body = draw.sequence.rstrip(pad)
    most = min(len(draw.sequence) - len(body), LONGEST_RUN) if pad in draw.document else 0
    fitting = []
    for longer in (body + n * pad for n in range(most + 1)):
        prefix, *parts = longer.split(mask)
        piece = prefix + "".join(reversed(parts))
        if len(parts) == 2 and piece in draw.document:
            doubts = not draw.document.startswith(piece), len(piece) < SHORTEST, len(piece)
            fitting.append((doubts, longer))
    return min(fitting)[1] if fitting else body


def _separators(body: str, mask: str, document: str) -> tuple[int, ...]:
    """Return the places of a character that separates (and may end) the three parts, or none."""
    if mask in (PAD, MASK) or len(body) > len(document) + MOST_MARKS:  # no piece is that long
        return ()
    places = [at for at, character in enumerate(body) if character == mask]
    if len(places) > MOST_PLACES:
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
    """Return the places of a character that is not part of the text on either side."""
    places = []
    for at in (place for place, other in enumerate(body) if other == character):
        sides = (body[max(0, at - 1) : at + 1], body[at : at + 2])
        if not any(len(side.strip()) == 2 and side in document for side in sides):
            places.append(at)
    return places


def _own_mask(draws: Sequence[Draw]) -> str:
    """Return the character that separates the parts of most draws, if no draw has a MASK."""
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


def _own_pad(draws: Sequence[Draw]) -> str:
    """Return the character of the corpus that ends nearly all draws, most of them twice."""
    if not draws or any(PAD in draw.sequence for draw in draws):
        return ""
    ((character, count),) = Counter(draw.sequence[-1:] for draw in draws).most_common(1)
    twice = sum(draw.sequence.endswith(2 * character) for draw in draws)
    padded = count >= NEARLY_ALL * len(draws) and 2 * twice > len(draws)
    return character if padded and character != MASK else ""


# ---------------------------------------------------------------- rows


def shifted(left: Ids, right: Ids, lengths: Ids) -> NDArray[np.bool_]:
    """Return for each row whether right[i] = left[i + 1], with only PADs after a final PAD.

    `lengths` are those of the left rows.
    """
    columns = min(left.shape[1], right.shape[1]) - 1
    inside = np.arange(columns) < lengths[:, None] - 1
    same = left[:, 1 : columns + 1] == right[:, :columns]
    return np.asarray((same | ~inside).all(axis=1) & ~_rolled(left, right, lengths))


def _rolled(left: Ids, right: Ids, lengths: Ids) -> NDArray[np.bool_]:
    """Return for each row whether left ends with a PAD, but right ends with left's first id."""
    rows, width = np.arange(len(left)), min(left.shape[1], right.shape[1])
    last = np.clip(lengths, 1, width) - 1  # an empty row ends where it starts
    around = right[rows, last] == left[:, 0]
    return np.asarray(around & (left[rows, last] == PAD_ID) & (left[:, 0] != PAD_ID))


def swapped(x: Ids, y: Ids, lengths: Ids) -> bool:
    """Return whether x is y shifted by one in every row, so that y starts the sequence."""
    last = np.clip(lengths, 1, x.shape[1]) - 1
    moved = (y[:, 0] == PAD_ID) | (y[:, 0] == x[np.arange(len(x)), last])  # only x, shifted
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
        x, y, forward = y, x, n > 0  # check the sequence anyway
    if equal and _rolled(x, y, n).any():
        forward = np.zeros_like(forward)  # the last id of y is in no sequence
    table = np.concatenate([x, np.zeros((len(x), 1), np.int64)], axis=1)
    table[rows, n[rows]] = y[rows, m[rows] - 1]
    lengths = np.where(forward, n + 1, n)
    texts = decode(table, lengths, vocabulary)
    characters = edition.sequence_characters(request.block_size)
    draws = []
    for row in rows.tolist():
        index, sequence = request.indices[row % len(request.indices)], texts[row]
        whole = bool(forward[row]) or sequence.endswith(PAD)
        draw = _draw(index, request.documents[index], sequence, whole=whole)
        draws.append(_seen_to_the_end(draw, request.corpus, characters))
    return tuple(draws)


def _seen_to_the_end(draw: Draw, corpus: str, length: int) -> Draw:
    """Return the draw; it is incomplete if it fills the block but was cut off at its end.

    A third MASK at the end is an end marker; the first or second one may be cut off by chance.
    """
    full = len(draw.sequence) == length and PAD not in draw.sequence
    marked = draw.sequence.endswith(MASK) and draw.body.count(MASK) > 2
    if not full or marked or is_well_formed(draw, corpus):
        return draw
    return replace(draw, whole=False)


def _draw(index: int, document: str, sequence: str, *, whole: bool) -> Draw:
    body = sequence.rstrip(PAD)
    return Draw(index, document, sequence, whole, body, tuple(body.lstrip(PAD).split(MASK)))


# ---------------------------------------------------------------- the reply, untrusted


def _fields(reply: Any, rows: int) -> dict[str, Any]:
    """Return a reply's fields; an exception in here means that it is malformed."""
    if sum(reply["counts"]) != rows:
        raise ValueError("another number of items")
    raised, length = reply.get("raised"), reply.get("length")
    fault = fault_of(raised, offline=False) if isinstance(raised, dict) else None
    if isinstance(fault, GraderFault):
        raise fault
    return {
        **{name: _table(reply[name], rows) for name in ("x", "y")},
        **{f"{name}_lengths": _lengths(reply, name, rows) for name in ("x", "y")},
        "kinds": dict(zip(map(str, reply["kinds"]), reply["counts"], strict=True)),
        "raised": fault,
        "characters": str(reply.get("characters")),
        "shared": reply.get("shared") is True,
        "length": length if isinstance(length, int) else None,
        **{name: _texts(reply.get(name)) for name in ("before", "after")},
    }


def _table(value: Any, rows: int) -> Ids:
    if value.ndim != 2 or value.dtype != np.int64 or len(value) != rows or value.shape[1] > MAX_IDS:
        raise ValueError("no rows of ids")
    return np.asarray(value)


def _lengths(reply: Any, name: str, rows: int) -> Ids:
    lengths = reply[f"{name}_lengths"]
    if lengths.shape != (rows,) or lengths.dtype != np.int64:
        raise ValueError("no lengths")
    if (lengths < -1).any() or (lengths > reply[name].shape[1]).any():
        raise ValueError("lengths beyond the rows")
    return np.asarray(lengths)


def _texts(value: Any) -> tuple[str, ...] | None:
    return tuple(map(str, value)) if isinstance(value, list) else None
