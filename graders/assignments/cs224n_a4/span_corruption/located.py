"""Measure the lengths of truncated documents and contents, even in malformed sequences.

    well-formed   prefix ⁇ suffix ⁇ content: the lengths of its parts
    in any order  content ⁇ prefix ⁇ suffix: the same, once the order is known
    otherwise     the places of the characters in the document: the piece reaches from the first
                  to the last of them, and the content is the last run of adjacent ones

Nearly all draws of a reading must be of one of the first two kinds, or half of them located by
their characters. Otherwise lengths cannot be tested.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from reference.data.vocabulary import MASK, PAD

from .draws import (
    NEARLY_ALL,
    STANDARD,
    Draw,
    Order,
    Reading,
    is_piece,
    nearly_all,
    once_per_reading,
)
from .lengths import Lengths, Numbers

ORDERS: tuple[Order, ...] = (STANDARD, (0, 1, 2), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
LOCATED = 0.5  # of the draws must be located, or lengths are not tested
LONGEST = 512  # characters of a row in which pieces are searched; no block is that long
MOST_RUNS = 3  # prefix, suffix and content; with more runs, the content is ambiguous
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Located:
    """The lengths in one draw; `content` may be UNKNOWN; `exact` if the piece was restored."""

    draw: Draw
    cut: int
    prefix: int
    content: int
    exact: bool


@once_per_reading
def order_of_parts(reading: Reading) -> Order | None:
    """Return the slots of prefix, content and suffix that restore a piece in nearly every draw.

    The handout's order is tried first. None if no order does.
    """
    if 2 * len(reading.parted) < len(reading.draws):
        return None
    return next((order for order in ORDERS if restores(reading, order)), None)


def restores(reading: Reading, order: Order) -> bool:
    """Return whether parts in this order form a piece of a document in nearly every draw."""
    corpus, parted = reading.request.corpus, reading.parted
    return nearly_all((is_piece(draw.restored(order), corpus) for draw in parted), len(parted))


def lengths_of(reading: Reading) -> Lengths | None:
    """Return the lengths of all draws that can be measured, or None if too few can be."""
    located = located_cuts(reading)
    exact = [lengths for lengths in located if lengths.exact]
    rare = len(exact) >= NEARLY_ALL * len(located)
    measured = exact if rare else [lengths for lengths in located if lengths.content != UNKNOWN]
    if not measured or len(measured) < LOCATED * len(reading.judged):
        return None
    rows = [
        (lengths.draw.index, lengths.cut, lengths.prefix, lengths.content) for lengths in measured
    ]
    return Lengths(*np.array(rows, dtype=np.int64).T)


def cut_lengths(reading: Reading) -> Numbers:
    """Return the truncated lengths of a reading; empty if too few draws can be measured."""
    return np.array([cut.cut for cut in located_cuts(reading)], dtype=np.int64)


@once_per_reading
def located_cuts(reading: Reading) -> list[Located]:
    """Return the known lengths of each draw; nothing if too few are known."""
    order, corpus = order_of_parts(reading), reading.request.corpus
    cuts = [
        _by_slots(draw, order)
        if order is not None and draw.has_parts and is_piece(draw.restored(order), corpus)
        else located(draw, corpus)
        for draw in reading.judged
    ]
    known = [cut for cut in cuts if cut is not None]
    return known if len(known) >= LOCATED * len(reading.judged) else []


def _by_slots(draw: Draw, order: Order, *, exact: bool = True) -> Located:
    prefix, content, suffix = order
    sizes = tuple(map(len, draw.slots))
    cut = sizes[prefix] + sizes[content] + sizes[suffix]
    return Located(draw, cut, sizes[prefix], sizes[content], exact)


def located(draw: Draw, corpus: str) -> Located | None:
    """Return lengths from the places of a draw's characters; None if these are far apart."""
    prefix, suffix, content = draw.slots[:3] if draw.has_parts else ("", "", "")
    if prefix + suffix and gap(prefix, suffix, len(content), draw.document) is not None:
        return _by_slots(draw, STANDARD, exact=False)  # both in place, as far apart as the content
    if draw.cut > max(LONGEST, 2 * _longest(corpus)):
        return None
    runs = runs_of(draw, corpus)
    if not runs:
        empty = not draw.body.strip(MASK + PAD)
        return Located(draw, 0, 0, 0, exact=False) if empty else None
    start, stop = min(run.start for run in runs), max(run.stop for run in runs)
    if 2 * len(_covered(runs)) < stop - start:
        return None
    first = runs[0].stop - start if runs[0].start == start else 0
    size = len(runs[-1]) if 1 < len(runs) <= MOST_RUNS else UNKNOWN
    size = len(content) if draw.has_parts else size
    return Located(draw, stop - start, first, size, exact=False)


def is_all_there(draw: Draw, corpus: str) -> bool:
    """Return whether a few runs of characters, each written once, form a contiguous piece."""
    if draw.cut > _longest(corpus) + MOST_RUNS:
        return False
    runs = runs_of(draw, corpus)
    covered, written = _covered(runs), sum(map(len, runs))
    contiguous = not covered or max(covered) - min(covered) + 1 == len(covered)
    rest = draw.cut - written  # blanks outside of all runs may be marks
    return contiguous and len(covered) == written and rest <= MOST_RUNS and len(runs) <= MOST_RUNS


@lru_cache(maxsize=16)
def _longest(corpus: str) -> int:
    return max(map(len, corpus.split("\n")))


def _covered(runs: Sequence[range]) -> set[int]:
    return {place for run in runs for place in run}


def gap(left: str, right: str, size: int, document: str) -> str | None:
    """Return the characters between two pieces that are this far apart in the document."""
    at = document.find(left)
    while at >= 0:
        start = at + len(left)
        if document.startswith(right, start + size) and start + size <= len(document):
            return document[start : start + size]
        at = document.find(left, at + 1)
    return None


def runs_of(draw: Draw, corpus: str) -> list[range]:
    """Return the runs of adjacent characters in a draw, as places in the corpus.

    They are from the requested document, or else from the one with the fewest runs.
    """
    texts = [draw.document, *(text for text in corpus.split("\n") if text != draw.document)]
    if set(draw.body) - {MASK, PAD} <= set(draw.document):
        texts = texts[:1]
    return min((list(_runs(draw.body, text)) for text in texts), key=len)


def _runs(body: str, document: str) -> Iterator[range]:
    """Yield pieces of the document in a body from left to right, each as long as possible."""
    at = 0
    while at < len(body):
        size = 0
        place = -1
        while at + size < len(body):
            start = document.find(body[at : at + size + 1])
            if start < 0:
                break
            place, size = start, size + 1
        # A blank of which there are several may be one that was added next to a MASK.
        added = body[at] == " " and body.count(" ") > 1
        lone_blank = size == 1 and (document.count(body[at]) > 1 or added)
        if size and not lone_blank:
            yield range(place, place + size)
        at += max(1, size)
