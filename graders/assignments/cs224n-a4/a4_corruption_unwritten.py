"""Whether a dataset corrupts at all, however wrongly: unwritten code would pass many checks, too.

One of these in a tenth of a reading's draws is enough:

    masked   A d a ⁇ r n ⁇ o K      MASKs (or PADs) between different parts, pieces of a document
    moved    A d a r n e L o v e    three or four pieces of the document, in another order
"""

import re
from itertools import pairwise
from typing import NoReturn

from a4_corruption import SHAPE, Problem, first, shown, unreadable
from a4_draws import Draw, Reading, Request
from a4_reader import Reader

from graders.checks.compare import fail
from graders.errors import StudentFault
from reference.vocabulary import MASK, PAD

MARKS = re.compile(f"[{MASK}{PAD}]+")
ENOUGH = 0.1  # of the draws: ids that are drawn blindly look corrupted in far fewer
LEAST_WHOLE = 0.2  # of the characters lie in pieces of a document: of right code the content does
LEAST_MOVED = 8  # characters: fewer of them may lie in four pieces by chance
MOVED_PIECES = (3, 4)  # two are a text that is turned around
NOT_COUNTED = "Implement `__getitem__` first; most other checks are skipped until then."


def corrupts(reader: Reader) -> bool:
    """Whether any of three readings shows something masked or moved."""
    requests = (_first(reader), reader.documents.long(), reader.documents.many)
    return any(_shows_corruption(reader, request) for request in requests)


def require_corruption(reader: Reader) -> None:
    """Fail where no item was masked or moved."""
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
    """Fail where documents are neither corrupted nor cut at random."""
    cuts = {(draw.index, draw.cut) for draw in reader.long().judged}
    if len(cuts) <= len(reader.long().request.documents) and not corrupts(reader):
        fail(
            "Documents are neither corrupted nor cut at random, so their lengths are not judged.",
            hint=NOT_COUNTED,
        )


def _refuse_unreadable(reading: Reading) -> NoReturn:
    """Fail with what was returned instead of items."""
    kinds = shown(", ".join(reading.kinds))
    problem = first(unreadable, reading) or Problem("No item could be read.", SHAPE, kinds)
    fail(
        problem.message,
        hint=NOT_COUNTED,
        expected=problem.expected,
        actual=problem.actual,
    )


def _first(reader: Reader) -> Request:
    """The first request in any case: code may keep what it made first."""
    return reader.documents.small_block(reader.documents.small_blocks[0])


def _shows_corruption(reader: Reader, request: Request) -> bool:
    try:
        draws = reader.attempt(request).judged
    except StudentFault:  # the next reading may show it
        return False
    seen = sum(_masked(draw, request) or _moved(draw) for draw in draws)
    return seen > 0 and seen >= ENOUGH * len(draws)


def _masked(draw: Draw, request: Request) -> bool:
    """Whether marks separate different parts, enough of which is text of a document."""
    parts = [part for part in MARKS.split(draw.sequence) if part]
    whole = [part for part in parts if len(part) > 1 and part in request.corpus]
    characters = sum(map(len, parts))
    return len(set(parts)) > 1 and sum(map(len, whole)) >= LEAST_WHOLE * characters


def _moved(draw: Draw) -> bool:
    """Whether a few pieces of a document of distinct characters are in another order."""
    places = [draw.document.find(character) for character in MARKS.sub("", draw.sequence)]
    distinct = len(set(places)) == len(places) and len(set(draw.document)) == len(draw.document)
    pieces = 1 + sum(right != left + 1 for left, right in pairwise(places))
    return distinct and -1 not in places and len(places) >= LEAST_MOVED and pieces in MOVED_PIECES


def _what_comes(reading: Reading) -> str:
    """What uncorrupted items hold, in words."""
    bodies = [MARKS.sub("", draw.sequence) for draw in reading.draws]
    if not any(bodies):
        return f"its items hold nothing but {MASK} and {PAD}"
    if all(body in reading.request.corpus for body in bodies):
        whole = min(len(each.document) for each in reading.draws)
        longest = max(map(len, bodies))
        what = (
            "the document as it is"
            if longest >= min(whole, reading.longest)
            else (f"pieces of the document, at most {longest} character{'s' * (longest > 1)} long")
        )
        return f"its items are {what}, with nothing masked or moved"
    if all(body[::-1] in reading.request.corpus for body in bodies):
        return "its items are the document backwards, with nothing masked"
    return f"its items are not parts of a document with {MASK} between them"
