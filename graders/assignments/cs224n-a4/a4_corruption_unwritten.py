"""Whether a dataset corrupts at all, however wrongly: unwritten code passes many a check, too.

One of these in a tenth of a reading's draws is enough:

    masked   A d a ⁇ r n ⁇ o K      MASKs (or PADs) between different parts, pieces of a document
    moved    A d a r n e L o v e    three or four pieces of the document, not in its order
"""

import re
from itertools import pairwise
from typing import NoReturn

from a4_corruption import SHAPE, Problem, shown, unreadable
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
NOT_COUNTED = "Checks that hold of any such code are not counted: write the corruption first."


def corrupts(reader: Reader) -> bool:
    """Whether any of three readings shows something that was masked or moved."""
    requests = (_first(reader), reader.documents.long(), reader.documents.many)
    return any(_shows_corruption(reader, request) for request in requests)


def require_corruption(reader: Reader) -> None:
    """Fail where nothing in what comes was masked or moved."""
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
    """Fail with what came instead of items."""
    kinds = shown(", ".join(reading.kinds))
    problem = unreadable(reading) or Problem("None is as the handout asks.", SHAPE, kinds)
    fail(
        f"Whether your dataset corrupts documents cannot be seen. {problem.message}",
        hint=NOT_COUNTED,
        expected=problem.expected,
        actual=problem.actual,
    )


def _first(reader: Reader) -> Request:
    """What is read first in any case: code may keep what it made first."""
    return reader.documents.small_block(reader.documents.small_blocks[0])


def _shows_corruption(reader: Reader, request: Request) -> bool:
    try:
        draws = reader.attempt(request).judged
    except StudentFault:  # the next reading may show it
        return False
    seen = sum(_masked(draw, request) or _moved(draw) for draw in draws)
    return seen > 0 and seen >= ENOUGH * len(draws)


def _masked(draw: Draw, request: Request) -> bool:
    """Whether marks lie between parts that differ, and enough of them is a document's text."""
    parts = [part for part in MARKS.split(draw.sequence) if part]
    whole = [part for part in parts if len(part) > 1 and part in request.corpus]
    characters = sum(map(len, parts))
    return len(set(parts)) > 1 and sum(map(len, whole)) >= LEAST_WHOLE * characters


def _moved(draw: Draw) -> bool:
    """Whether a few pieces of a document of distinct characters came in another order."""
    places = [draw.document.find(character) for character in MARKS.sub("", draw.sequence)]
    distinct = len(set(places)) == len(places) and len(set(draw.document)) == len(draw.document)
    pieces = 1 + sum(right != left + 1 for left, right in pairwise(places))
    return distinct and -1 not in places and len(places) >= LEAST_MOVED and pieces in MOVED_PIECES


def _what_comes(reading: Reading) -> str:
    """What uncorrupted readings hold, in words."""
    bodies = [MARKS.sub("", draw.sequence) for draw in reading.draws]
    if not any(bodies):
        return f"nothing but {MASK} and {PAD} comes"
    if all(body in reading.request.corpus for body in bodies):
        return "the document comes as it is, nothing is masked or moved"
    if all(body[::-1] in reading.request.corpus for body in bodies):
        return "the document comes backwards, nothing is masked"
    return f"what comes are no parts of a document with {MASK} between them"
