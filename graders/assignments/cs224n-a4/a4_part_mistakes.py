"""Known mistakes in the parts of a sequence and in the choice of the document."""

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from a4_corruption import ORDERS, PART_NAMES, restores
from a4_corruption_mistakes import SEQUENCE, Known, every, splits
from a4_draws import STANDARD, Draw, Order, Reading

from graders.checks.mistakes import Mistake
from reference.vocabulary import MASK, PAD

# ---------------------------------------------------------------- prefix, content, suffix


def _each_parted(reading: Reading, explains: Callable[[str, str, str, str], bool]) -> bool:
    """Whether something holds of the three slots and the document in every draw."""
    parted = reading.parted
    return bool(parted) and all(
        explains(draw.slots[0], draw.slots[1], draw.slots[2], draw.document) for draw in parted
    )


def _in_order(reading: Reading, order: Order) -> bool:
    """Whether this order of the parts restores a piece in every draw, and no other one does."""
    return bool(reading.parted) and [o for o in ORDERS if restores(reading, o)] == [order]


def gap_fits(reading: Reading) -> bool:
    """Whether prefix and suffix stand where they should, and the content has the gap's length."""
    return _each_parted(reading, lambda a, b, c, document: _gap(a, b, len(c), document) is not None)


def _gap(left: str, right: str, size: int, document: str) -> str | None:
    """The characters between two pieces that lie so far apart in the document."""
    pattern = f"{re.escape(left)}(.{{{size}}}){re.escape(right)}"
    found = re.search(pattern, document, re.DOTALL)
    return found.group(1) if found else None


def _shuffled(a: str, b: str, c: str, document: str) -> bool:
    gap = _gap(a, b, len(c), document)
    return gap is not None and sorted(gap) == sorted(c)


def _reversed(a: str, b: str, c: str, document: str) -> bool:
    return a + c[::-1] + b in document


def _dropped(reading: Reading) -> bool:
    """A character is missing before or behind the content, in some draws."""
    found = []
    for draw in reading.parted:
        a, b, c = map(re.escape, draw.slots[:3])
        found.append(re.search(f"{a}(.?){c}(.?){b}", draw.document, re.DOTALL))
    return all(found) and any(match is not None and any(match.groups()) for match in found)


def content_is_last(reading: Reading) -> bool:
    """Whether the last slot holds the content, wherever the others end and begin."""
    return _each_parted(
        reading,
        lambda a, b, c, document: any(p + c + s in document for p, s in splits(a + b)),
    )


def _doubled(a: str, b: str, c: str, document: str) -> bool:
    return any(piece in document for piece in (a[:-1] + c + b, a + c[:-1] + b, a + c + b[1:]))


def _marks_together(a: str, b: str, c: str, document: str) -> bool:
    return not b and any(p + c + s in document for p, s in splits(a))


def _mask_first(a: str, b: str, c: str, document: str) -> bool:
    return not a and any(p + c + s in document for p, s in splits(b))


def _as_written(order: Order) -> str:
    """What stands in the three slots: `content ⁇ prefix ⁇ suffix`."""
    return f" {MASK} ".join(PART_NAMES[order.index(slot)] for slot in range(3))


def _order_mistake(order: Order) -> Mistake:
    written = _as_written(order)
    names = "-".join(PART_NAMES[order.index(slot)] for slot in range(3))
    return Mistake(f"order-{names}", f"the parts stand as {written}", SEQUENCE)


PIECE_MISTAKES: Known = {
    **{
        _order_mistake(order): partial(_in_order, order=order)
        for order in ORDERS
        if order != STANDARD
    },
    Mistake(
        "content-kept", "the masked content also stays where it was, before the suffix", SEQUENCE
    ): lambda r: _each_parted(r, lambda a, b, c, document: b.startswith(c) and a + b in document),
    Mistake("content-reversed", "the masked content is written backwards", SEQUENCE): lambda r: (
        _each_parted(r, _reversed)
    ),
    Mistake("content-shuffled", "the masked content is shuffled", SEQUENCE): lambda r: (
        _each_parted(r, _shuffled) and not _each_parted(r, _reversed)
    ),
    Mistake(
        "content-lost",
        "nothing stands behind the second MASK: the masked content is lost",
        SEQUENCE,
    ): lambda r: _each_parted(
        r, lambda a, b, c, document: not c and a in document and b in document
    ),
    Mistake(
        "character-dropped",
        "characters between two parts are lost",
        "document = prefix + content + suffix, so each part begins where the one before it ends",
    ): lambda r: _dropped(r) and not _each_parted(r, lambda a, b, c, document: not c),
    Mistake(
        "character-doubled",
        "a character stands in two parts",
        "document = prefix + content + suffix, so each part begins where the one before it ends",
    ): lambda r: _each_parted(r, _doubled),
    Mistake("marks-together", "both MASKs stand together behind the suffix", SEQUENCE): lambda r: (
        _each_parted(r, _marks_together)
    ),
    Mistake("mask-first", "the first MASK stands before the prefix", SEQUENCE): lambda r: (
        _each_parted(r, _mask_first)
    ),
}

# ---------------------------------------------------------------- the document


def _comes_from(draw: Draw, document: str) -> bool:
    return set(draw.body) - {MASK, PAD} <= set(document)


def _step(reading: Reading, step: int) -> bool:
    documents = reading.request.documents
    return every(reading, lambda d: _comes_from(d, documents[(d.index + step) % len(documents)]))


def _any_document(reading: Reading) -> bool:
    """Readings of one index gave pieces of several documents, each of one document."""
    documents = reading.request.documents
    sources: dict[int, set[int]] = {}
    for draw in reading.judged:
        found = {i for i, document in enumerate(documents) if _comes_from(draw, document)}
        if len(found) != 1:
            return False
        sources.setdefault(draw.index, set()).update(found)
    return all(len(found) > 2 for found in sources.values())


def _previous_reading(reading: Reading) -> bool:
    """Every reading but the first gives the document that was asked for before it."""
    documents, draws = reading.request.documents, reading.draws
    return len(draws) == reading.request.readings and all(
        _comes_from(draw, documents[before.index]) for before, draw in pairwise(draws)
    )


def _over_line_ends(reading: Reading) -> bool:
    pieces = [draw.restored() for draw in reading.parted]
    joined = all(piece in reading.request.corpus for piece in pieces)
    return joined and any("\n" in piece for piece in pieces)


INDEX = "the document is self.data[idx]"
INDEX_MISTAKES: Known = {
    Mistake("always-first", "every index gives the first document", INDEX): lambda r: every(
        r, lambda draw: _comes_from(draw, r.request.documents[0])
    ),
    Mistake("next-document", "index i gives document i + 1", INDEX): lambda r: _step(r, 1),
    Mistake("previous-document", "index i gives document i - 1", INDEX): lambda r: _step(r, -1),
    Mistake(
        "random-document", "idx is not used: a document is drawn at random", INDEX
    ): _any_document,
    Mistake(
        "whole-corpus", "the piece runs over the end of a line into the next document", INDEX
    ): _over_line_ends,
    Mistake(
        "previous-reading", "a reading gives the document that was asked for before", INDEX
    ): _previous_reading,
}
