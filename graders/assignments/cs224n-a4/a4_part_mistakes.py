"""Known mistakes in the parts of a sequence and in the choice of the document."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from a4_corruption_mistakes import SEQUENCE, Known, every, splits
from a4_draws import STANDARD, Draw, Order, Reading
from a4_located import ORDERS, gap, restores

from graders.checks.mistakes import Mistake
from reference.vocabulary import MASK, PAD

PARTS = ("prefix", "content", "suffix")

# ---------------------------------------------------------------- prefix, content, suffix


def _each_parted(reading: Reading, explains: Callable[[str, str, str, str], bool]) -> bool:
    """Whether something holds of the three slots and the document in every draw.

    Most draws must have three slots, and be known to their end.
    """
    parted = reading.parted
    enough = parted and 2 * len(parted) >= len(reading.draws) and all(d.whole for d in parted)
    return bool(enough) and all(
        explains(draw.slots[0], draw.slots[1], draw.slots[2], draw.document) for draw in parted
    )


def _in_order(reading: Reading, order: Order) -> bool:
    """Whether this order of the parts restores a piece in every draw, and no other one does."""
    return bool(reading.parted) and [o for o in ORDERS if restores(reading, o)] == [order]


def _shuffled(a: str, b: str, c: str, document: str) -> bool:
    content = gap(a, b, len(c), document)
    return content is not None and sorted(content) == sorted(c)


def _reversed(a: str, b: str, c: str, document: str) -> bool:
    return a + c[::-1] + b in document


def _dropped(reading: Reading) -> bool:
    """A character is missing before or behind the content, in some draws."""
    found = []
    for draw in reading.parted:
        a, b, c = map(re.escape, draw.slots[:3])
        found.append(re.search(f"{a}(.?){c}(.?){b}", draw.document, re.DOTALL))
    lost = any(match is not None and any(match.groups()) for match in found)
    return lost and all(found) and all(draw.whole for draw in reading.parted)


def _doubled(a: str, b: str, c: str, document: str) -> bool:
    return any(piece in document for piece in (a[:-1] + c + b, a + c[:-1] + b, a + c + b[1:]))


def _whitespace_changed(reading: Reading) -> bool:
    """Apart from its whitespace each piece is one of the document, and some are not with it."""
    return _each_parted(reading, _same_but_for_whitespace) and not _each_parted(
        reading, lambda a, b, c, document: a + c + b in document
    )


def _same_but_for_whitespace(a: str, b: str, c: str, document: str) -> bool:
    return "".join((a + c + b).split()) in "".join(document.split())


def _marks_together(a: str, b: str, c: str, document: str) -> bool:
    return not b and any(p + c + s in document for p, s in splits(a))


def _mask_first(a: str, b: str, c: str, document: str) -> bool:
    return not a and any(p + c + s in document for p, s in splits(b))


def _as_written(order: Order) -> str:
    """The three slots in words: `content ⁇ prefix ⁇ suffix`."""
    return f" {MASK} ".join(PARTS[order.index(slot)] for slot in range(3))


def _order_mistake(order: Order) -> Mistake:
    written = _as_written(order)
    names = "-".join(PARTS[order.index(slot)] for slot in range(3))
    return Mistake(f"order-{names}", f"the parts are written as {written}", SEQUENCE)


VOCABULARY = Mistake(
    "vocabulary",
    "your dataset's own vocabulary gives other ids",
    "PAD has id 0, MASK id 1; the characters of the corpus follow in sorted order",
).hint
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
        "there is nothing after the second MASK: the masked content is lost",
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
        "a character is in two parts",
        "document = prefix + content + suffix, so each part begins where the one before it ends",
    ): lambda r: _each_parted(r, _doubled),
    Mistake(
        "whitespace-changed",
        "blanks, tabs or other whitespace of the document are lost or replaced",
        "the document is self.data[idx] as it is, without split() or replace()",
    ): _whitespace_changed,
    Mistake("marks-together", "both MASKs come together, after the suffix", SEQUENCE): lambda r: (
        _each_parted(r, _marks_together)
    ),
    Mistake("mask-first", "the first MASK comes before the prefix", SEQUENCE): lambda r: (
        _each_parted(r, _mask_first)
    ),
}

# ---------------------------------------------------------------- the document


def _comes_from(draw: Draw, document: str) -> bool:
    return set(draw.body) - {MASK, PAD} <= set(document)


def _step(reading: Reading, step: int) -> bool:
    documents = reading.request.documents
    return every(
        reading.judged, lambda d: _comes_from(d, documents[(d.index + step) % len(documents)])
    )


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


def _first_documents(reading: Reading) -> bool:
    """All pieces come from the first few of very many documents."""
    documents, draws = reading.request.documents, reading.judged
    few = len(documents) // FEW_OF
    sources = [_first_source(draw, documents[:few]) for draw in draws]
    return few > 1 and None not in sources and len(set(sources)) > 1


def _first_source(draw: Draw, documents: Sequence[str]) -> int | None:
    found = (at for at, document in enumerate(documents) if _comes_from(draw, document))
    return next(found, None)


def _over_line_ends(reading: Reading) -> bool:
    pieces = [draw.restored() for draw in reading.parted]
    joined = all(piece in reading.request.corpus for piece in pieces)
    return joined and any("\n" in piece for piece in pieces)


FEW_OF = 2  # reading only from the first half is no accident: 30 of the indices lie anywhere
INDEX = "the document is self.data[idx]"
INDEX_MISTAKES: Known = {
    Mistake("always-first", "every index gives the first document", INDEX): lambda r: every(
        r.judged, lambda draw: _comes_from(draw, r.request.documents[0])
    ),
    Mistake("next-document", "index i gives document i + 1", INDEX): lambda r: _step(r, 1),
    Mistake("previous-document", "index i gives document i - 1", INDEX): lambda r: _step(r, -1),
    Mistake(
        "first-documents", "large indices also give documents from the start of the corpus", INDEX
    ): _first_documents,
    Mistake(
        "random-document", "`idx` is not used: a document is drawn at random", INDEX
    ): _any_document,
    Mistake(
        "whole-corpus", "the piece runs over the end of a line into the next document", INDEX
    ): _over_line_ends,
    Mistake(
        "previous-reading", "a reading gives the document that was asked for before", INDEX
    ): _previous_reading,
}
