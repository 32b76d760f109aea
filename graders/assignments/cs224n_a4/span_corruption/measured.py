"""Test the lengths of items and of masked content, with more draws in unclear cases."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graders.checks.compare import fail
from reference.data.edition import SHORTEST

from .draws import Reading
from .lengths import (
    CONFIDENT,
    Decision,
    Lengths,
    Numbers,
    content_is_a_quarter,
    content_of_short_cuts,
    content_pairs,
    content_share,
    missing_lengths,
    thin_ends,
)
from .located import cut_lengths, lengths_of, order_of_parts
from .mistakes import Cuts
from .reader import Reader
from .rules import first, not_a_piece

SMALL_ROUNDS = 5_000  # a length of probability 0.5% is absent with 1e-11
SHORT_ROUNDS = 600
BATCHES = 2  # of 7,800 draws
# Code that samples the place from the sampled length, not from the document's, still masks 0.2.
SHORT_LEAST = 0.08
SHORT_MOST = 0.5  # of a document of 8 to 14 characters; a quarter, rounded up, is at most 0.375
RAISED = 2  # missing lengths excused per length in readings that raised
SPARSE_BATCHES = 2
MEAN_BATCHES = 10  # of 7,800 draws; only means within 0.004 of a boundary need all
# Pairs of draws with equal document and length; more are drawn if most readings raise. With two
# equally likely lengths, fewer than 25% of 200 pairs differ with 1e-9, of 100 with 1e-6.
ENOUGH, LEAST = 200, 100
FEW = 10  # different pairs of length and content; fewer are too few for a mean


@dataclass(frozen=True, slots=True)
class Unreached:
    """Truncation lengths that never occurred at a block size, and those that did."""

    block_size: int
    limit: int
    missing: tuple[int, ...]
    cuts: Numbers

    @property
    def seen(self) -> str:
        """Describe the lengths that occurred."""
        shortest, longest = int(self.cuts.min()), int(self.cuts.max())
        return f"lengths from {shortest} to {longest} in {len(self.cuts)} samples"


def never_whole(reader: Reader) -> str | None:
    """Return a short document that is never used whole, although each length was sampled often."""
    for document in reader.documents.short[:-1]:
        request = reader.documents.short_document(document)
        if reader.attempt(request).raised:  # another check reports it
            continue
        cuts = cut_lengths(reader.attempt(request))
        if cuts.max(initial=0) < len(document):
            longer = reader.documents.short_document(document, SHORT_ROUNDS)
            cuts = cut_lengths(reader.request_more(longer, batch=1))
        if cuts.max(initial=0) < len(document):
            return document
    return None


def never_cut(reader: Reader) -> str | None:
    """Return a document below the limit that is never truncated, although longer ones are."""
    document = reader.documents.short[-1]
    cuts = cut_lengths(reader.attempt(reader.documents.short_document(document)))
    usual = cut_lengths(reader.long()).min(initial=len(document)) < len(document)
    return document if usual and cuts.min(initial=len(document)) == len(document) else None


def hardly_masked(reader: Reader) -> str | None:
    """Return a document below the limit that is hardly masked, although longer ones are."""
    document = reader.documents.short[-1]
    lengths = lengths_of(reader.attempt(reader.documents.short_document(document)))
    usual = lengths_of(reader.long())
    if lengths is None or usual is None or content_share(usual).value < SHORT_LEAST:
        return None
    return document if content_share(lengths).below(SHORT_LEAST, 0) else None


def mostly_masked(reader: Reader) -> str | None:
    """Return a short document that is mostly masked, although longer ones are not."""
    document = reader.documents.short[2]
    reading = reader.attempt(reader.documents.short_document(document))
    lengths, usual = lengths_of(reading), lengths_of(reader.long())
    # Text that continues in the next document, for example, has no share of this one.
    if lengths is None or usual is None or order_of_parts(reading) is None:
        return None
    # Another check reports content that is no quarter in longer documents.
    quarter = content_is_a_quarter(usual, final=True) == "right"
    if not quarter or content_of_short_cuts(usual) is not None:
        return None
    return document if content_share(lengths).above(SHORT_MOST, CONFIDENT) else None


def cuts_of(reader: Reader) -> list[Cuts]:
    """Return the truncated lengths at every block size that is read; none if they are not exact."""
    readings = [reading for reading in reader.readings() if reading.whole]
    if any(order_of_parts(reading) is None for reading in readings):
        return []
    lengths = [(reading, cut_lengths(reading)) for reading in readings]
    return [
        Cuts(reading.edition, reading.request.block_size, int(cuts.min()), int(cuts.max()))
        for reading, cuts in lengths
        if len(cuts)
    ]


def unreached(reader: Reader) -> Unreached | None:
    """Return the first block size at which possible lengths never occur, or None."""
    for size in reader.documents.small_blocks:
        gap = _unreached_small(reader, size)
        if gap is not None:
            return gap
    return _unreached_long(reader) or _unreached_large(reader)


def _unreached_small(reader: Reader, size: int) -> Unreached | None:
    """Few lengths are possible, so each of them must occur."""
    reading = reader.small(size)
    longest, cuts = reading.longest, cut_lengths(reading)
    if not reading.whole or not len(cuts) or not _missing(cuts, longest):
        return None
    cuts = np.concatenate([cuts, cut_lengths(reader.small(size, SMALL_ROUNDS))])
    missing = _missing(cuts, longest)
    gap = Unreached(size, longest, missing, cuts) if missing else None
    return None if _is_raised(reading, missing) else gap


def _unreached_long(reader: Reader) -> Unreached | None:
    """Many lengths are possible, some of them rarely; compare with how often neighbors occur."""
    reading = reader.long()
    longest, cuts = reading.longest, cut_lengths(reading)
    for batch in range(1, BATCHES + 1):
        if missing_lengths(cuts, longest)[0] != "unclear" and not thin_ends(cuts, longest):
            break
        cuts = np.concatenate([cuts, cut_lengths(reader.more_long(batch))])
    decision, missing = missing_lengths(cuts, longest)
    unreached = decision == "wrong" or thin_ends(cuts, longest)
    if unreached and not _is_raised(reading, missing):
        return Unreached(reading.request.block_size, longest, tuple(missing), cuts)
    return None


def _unreached_large(reader: Reader) -> Unreached | None:
    """At a block size above the handout's, lengths must exceed the handout's limit.

    A limit that is also constant at smaller sizes makes lengths too large there, which costs once.
    """
    reading = reader.large()
    cuts, before = cut_lengths(reading), reader.long().longest
    small = cut_lengths(reader.largest_small_block())
    goes_on = not len(cuts) or cuts.max() > before
    missing = range(before + 1, reading.longest + 1)
    if (
        goes_on
        or small.max(initial=0) > reader.largest_small_block().longest
        or _is_raised(reading, missing)
    ):
        return None
    return Unreached(reading.request.block_size, reading.longest, tuple(missing), cuts)


def _is_raised(reading: Reading, missing: Sequence[int]) -> bool:
    """Return whether readings that raised (another check fails) may explain missing lengths."""
    share = reading.kinds.get("raised", 0) / reading.request.readings
    lengths = reading.longest - SHORTEST + 1
    return len(missing) <= RAISED * share * lengths


def _missing(cuts: Numbers, longest: int) -> tuple[int, ...]:
    return tuple(sorted(set(range(SHORTEST, longest + 1)) - set(cuts.tolist())))


def content_lengths(reader: Reader) -> Lengths:
    """Return the lengths in many draws at block size 128; fail if they cannot be measured."""
    lengths = lengths_of(reader.long())
    if lengths is None:
        fail(
            "Prefix, content and suffix cannot be identified, so the length of the content cannot "
            "be checked.",
            hint=fix_pieces(reader),
        )
    for batch in range(1, SPARSE_BATCHES + 1):
        if content_pairs(lengths)[0] >= ENOUGH:
            break
        lengths = lengths.joined(lengths_of(reader.more_long(batch)))
    if content_pairs(lengths)[0] < LEAST:
        fail(
            f"Too few items could be read to check the length of the content: {len(lengths.cut)}.",
            hint="Fix this first: `__getitem__` must not raise." if reader.long().raised else "",
        )
    return lengths


def fix_pieces(reader: Reader) -> str:
    """Return the hint to fix the parts first, if they are wrong."""
    if first(not_a_piece, reader.long()) is None:
        return ""
    return "Fix this first: prefix + content + suffix must be a contiguous piece of the document."


def mean_is_a_quarter(reader: Reader) -> tuple[Decision, Lengths]:
    """Return the verdict on the mean, and the lengths it is based on."""
    lengths = content_lengths(reader)
    if len({*zip(lengths.cut.tolist(), lengths.content.tolist(), strict=True)}) < FEW:
        fail(
            "The items of a document hardly differ, so the average length of the content cannot "
            "be checked.",
            hint="Fix this first: the truncation and the masked part must be random.",
        )
    for batch in range(1, MEAN_BATCHES + 1):
        decision = content_is_a_quarter(lengths, final=False)
        if decision != "unclear":
            return decision, lengths
        lengths = lengths.joined(lengths_of(reader.more_long(batch)))
    return content_is_a_quarter(lengths, final=True), lengths
