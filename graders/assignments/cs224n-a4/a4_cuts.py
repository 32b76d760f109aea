"""Which cut lengths a student's dataset reaches, asking for more draws where chance may decide."""

from dataclasses import dataclass

import numpy as np
from a4_corruption_texts import MORE_ROUNDS
from a4_draws import Reading
from a4_length_mistakes import Cuts
from a4_lengths import Numbers, missing_lengths, thin_ends
from a4_reader import Reader

from reference.edition import SHORTEST

SMALL_ROUNDS = 5_000  # a length that comes with probability 0.5 % stays away with 1e-11
SHORT_ROUNDS = 600
BATCHES = 2  # of 7,800 draws


@dataclass(frozen=True, slots=True)
class Unreached:
    """Cut lengths that never came at a block size, and those that did."""

    block_size: int
    limit: int
    missing: tuple[int, ...]
    cuts: Numbers

    @property
    def seen(self) -> str:
        """What came, in words."""
        shortest, longest = int(self.cuts.min()), int(self.cuts.max())
        return f"in {len(self.cuts)} draws lengths from {shortest} to {longest}"


def never_whole(reader: Reader) -> str | None:
    """A short document that is never used whole: each length of it is drawn often enough."""
    for document in reader.documents.short[:-1]:
        request = reader.documents.short_document(document)
        cuts = cut_lengths(reader.attempt(request))
        if cuts.max(initial=0) < len(document):
            longer = reader.documents.short_document(document, SHORT_ROUNDS)
            cuts = cut_lengths(reader.more(longer, batch=1))
        if cuts.max(initial=0) < len(document):
            return document
    return None


def never_cut(reader: Reader) -> str | None:
    """A document shorter than the longest cut that is never cut, though longer ones are."""
    document = reader.documents.short[-1]
    cuts = cut_lengths(reader.attempt(reader.documents.short_document(document)))
    usual = cut_lengths(reader.long()).min() < len(document)
    return document if usual and cuts.min(initial=len(document)) == len(document) else None


def cut_lengths(reading: Reading) -> Numbers:
    """How long the documents of a reading are cut."""
    return np.array([draw.cut for draw in reading.judged], dtype=np.int64)


def cuts_of(reader: Reader) -> Cuts:
    """The cut lengths at every block size that is read."""
    readings = [each for each in reader.readings() if each.whole]
    return Cuts(reader.edition, {r.request.block_size: cut_lengths(r) for r in readings})


def unreached(reader: Reader) -> Unreached | None:
    """The first block size at which possible cut lengths do not come, or None."""
    for size in reader.documents.small_blocks:
        found = _unreached_small(reader, size)
        if found is not None:
            return found
    return _unreached_long(reader) or _unreached_large(reader)


def _unreached_small(reader: Reader, size: int) -> Unreached | None:
    """Few lengths are possible, so each of them must come."""
    reading = reader.read(reader.documents.small_block(size))
    longest, cuts = reading.longest, cut_lengths(reading)
    if not reading.whole or not _missing(cuts, longest):
        return None
    more = cut_lengths(reader.more(reader.documents.small_block(size, SMALL_ROUNDS), batch=1))
    cuts = np.concatenate([cuts, more])
    missing = _missing(cuts, longest)
    return Unreached(size, longest, missing, cuts) if missing else None


def _unreached_long(reader: Reader) -> Unreached | None:
    """Many lengths are possible, some of them perhaps rarely: neighbours tell how often."""
    reading = reader.long()
    longest, cuts = reading.longest, cut_lengths(reading)
    for batch in range(1, BATCHES + 1):
        if missing_lengths(cuts, longest)[0] != "unclear" and not thin_ends(cuts, longest):
            break
        more = cut_lengths(reader.more(reader.documents.long(MORE_ROUNDS), batch))
        cuts = np.concatenate([cuts, more])
    decision, missing = missing_lengths(cuts, longest)
    if decision == "wrong" or thin_ends(cuts, longest):
        return Unreached(reading.request.block_size, longest, tuple(missing), cuts)
    return None


def _unreached_large(reader: Reader) -> Unreached | None:
    """At a block size above the handout's, cuts go beyond those of the handout's."""
    reading = reader.readings()[-1]
    cuts, before = cut_lengths(reading), reader.long().longest
    if cuts.max(initial=0) > before:
        return None
    missing = range(before + 1, reading.longest + 1)
    return Unreached(reading.request.block_size, reading.longest, tuple(missing), cuts)


def _missing(cuts: Numbers, longest: int) -> tuple[int, ...]:
    return tuple(sorted(set(range(SHORTEST, longest + 1)) - set(cuts.tolist())))
