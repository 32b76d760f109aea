"""Test whether a dataset corrupts, even if wrongly: code that doesn't would pass many checks.

One of these in a tenth of a reading's draws suffices:

    masked   A d a ⁇ r n ⁇ o K      MASKs (or PADs) between different parts, pieces of a document
    moved    A d a r n e L o v e    three or four pieces of the document, in another order
"""

import re
from itertools import pairwise
from typing import NoReturn

from graders.checks.compare import fail
from graders.errors import StudentFault
from reference.data.vocabulary import MASK, PAD

from .draws import Draw, Reading, Request
from .reader import Reader
from .rules import SHAPE, Problem, first, shown, unreadable

MARKS = re.compile(f"[{MASK}{PAD}]+")
ENOUGH = 0.1  # of the draws; random ids look corrupted in far fewer
LEAST_WHOLE = 0.2  # of the characters are in pieces of a document; in correct code, the content is
LEAST_MOVED = 8  # characters; fewer may be in four pieces by chance
MOVED_PIECES = (3, 4)  # two pieces may be a rotated text
NOT_COUNTED = "Implement `__getitem__` first; most other checks are skipped until then."


def corrupts(reader: Reader) -> bool:
    """Return whether any of three readings has masked or moved text."""
    requests = (_first(reader), reader.documents.long(), reader.documents.many)
    return any(_shows_corruption(reader, request) for request in requests)


def require_corruption(reader: Reader) -> None:
    """Fail if no item has masked or moved text."""
    if corrupts(reader):
        return
    reading = reader.attempt(_first(reader))
    if not reading.draws:
        _refuse_unreadable(reading)
    fail(
        f"Your dataset does not corrupt documents: {_what_comes(reading)}.",
        hint=NOT_COUNTED,
        expected=SHAPE,
        actual=shown(reading.draws[0].sequence),
    )


def require_cuts(reader: Reader) -> None:
    """Fail if documents are neither corrupted nor randomly truncated."""
    cuts = {(draw.index, draw.cut) for draw in reader.long().judged}
    if len(cuts) <= len(reader.long().request.documents) and not corrupts(reader):
        fail(
            "Documents are neither corrupted nor randomly truncated, so lengths are not checked.",
            hint=NOT_COUNTED,
        )


def _refuse_unreadable(reading: Reading) -> NoReturn:
    """Fail and show what was raised or returned instead of items."""
    if reading.raised:
        raise reading.raised
    kinds = shown(", ".join(reading.kinds))
    problem = first(unreadable, reading) or Problem("No item could be read.", SHAPE, kinds)
    fail(
        problem.message,
        hint=NOT_COUNTED,
        expected=problem.expected,
        actual=problem.actual,
    )


def _first(reader: Reader) -> Request:
    """Always start with the first request, since code may cache its first items."""
    return reader.documents.small_block(reader.documents.small_blocks[0])


def _shows_corruption(reader: Reader, request: Request) -> bool:
    try:
        draws = reader.attempt(request).judged
    except StudentFault:  # the next reading may show it
        return False
    seen = sum(_masked(draw, request) or _moved(draw) for draw in draws)
    return seen > 0 and seen >= ENOUGH * len(draws)


def _masked(draw: Draw, request: Request) -> bool:
    """Return whether marks separate different parts that contain enough text of a document."""
    parts = [part for part in MARKS.split(draw.sequence) if part]
    whole = [part for part in parts if len(part) > 1 and part in request.corpus]
    characters = sum(map(len, parts))
    return len(set(parts)) > 1 and sum(map(len, whole)) >= LEAST_WHOLE * characters


def _moved(draw: Draw) -> bool:
    """Return whether a few pieces of a document of distinct characters are in another order."""
    places = [draw.document.find(character) for character in MARKS.sub("", draw.sequence)]
    distinct = len(set(places)) == len(places) and len(set(draw.document)) == len(draw.document)
    pieces = 1 + sum(right != left + 1 for left, right in pairwise(places))
    return distinct and -1 not in places and len(places) >= LEAST_MOVED and pieces in MOVED_PIECES


def _what_comes(reading: Reading) -> str:
    """Describe uncorrupted items."""
    bodies = [MARKS.sub("", draw.sequence) for draw in reading.draws]
    if not any(bodies):
        return f"its items contain only {MASK} and {PAD}"
    if all(body in reading.request.corpus for body in bodies):
        whole = min(len(draw.document) for draw in reading.draws)
        longest = max(map(len, bodies))
        what = (
            "the unchanged document"
            if longest >= min(whole, reading.longest)
            else (f"pieces of the document, at most {longest} character{'s' * (longest > 1)} long")
        )
        return f"its items are {what}; nothing is masked or moved"
    if all(body[::-1] in reading.request.corpus for body in bodies):
        return "its items are the reversed document; nothing is masked"
    return f"its items are not parts of a document separated by {MASK}"
