"""Find the cut lengths that a dataset never reaches, with more draws where chance may decide."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from a4_corruption_texts import MORE_ROUNDS
from a4_draws import Reading
from a4_length_mistakes import Cuts
from a4_lengths import Numbers, missing_lengths, thin_ends
from a4_located import cut_lengths, order_of_parts
from a4_reader import Reader

from reference.edition import SHORTEST

SMALL_ROUNDS = 5_000  # a length that comes with probability 0.5 % stays away with 1e-11
SHORT_ROUNDS = 600
BATCHES = 2  # of 7,800 draws
RAISED = 2  # lengths may be missing for each one that would have come in readings that raised


@dataclass(frozen=True, slots=True)
class Unreached:
    """Cut lengths that never occurred at a block size, and those that did."""

    block_size: int
    limit: int
    missing: tuple[int, ...]
    cuts: Numbers

    @property
    def seen(self) -> str:
        """The lengths that occurred, in words."""
        shortest, longest = int(self.cuts.min()), int(self.cuts.max())
        return f"lengths from {shortest} to {longest} in {len(self.cuts)} draws"


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
    usual = cut_lengths(reader.long()).min(initial=len(document)) < len(document)
    return document if usual and cuts.min(initial=len(document)) == len(document) else None


def cuts_of(reader: Reader) -> Cuts:
    """The cut lengths at every block size that is read; none where they are not exact."""
    readings = [each for each in reader.readings() if each.whole]
    if any(order_of_parts(each) is None for each in readings):
        return Cuts(reader.edition, {})
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
    reading = reader.small(size)
    longest, cuts = reading.longest, cut_lengths(reading)
    if not reading.whole or not len(cuts) or not _missing(cuts, longest):
        return None
    more = cut_lengths(reader.more_small(size, SMALL_ROUNDS))
    cuts = np.concatenate([cuts, more])
    missing = _missing(cuts, longest)
    found = Unreached(size, longest, missing, cuts) if missing else None
    return None if _is_raised(reading, missing) else found


def _unreached_long(reader: Reader) -> Unreached | None:
    """Many lengths are possible, some of them perhaps rarely: neighbours tell how often."""
    reading = reader.long()
    longest, cuts = reading.longest, cut_lengths(reading)
    for batch in range(1, BATCHES + 1):
        if missing_lengths(cuts, longest)[0] != "unclear" and not thin_ends(cuts, longest):
            break
        more = cut_lengths(reader.more_long(MORE_ROUNDS, batch))
        cuts = np.concatenate([cuts, more])
    decision, missing = missing_lengths(cuts, longest)
    unreached = decision == "wrong" or thin_ends(cuts, longest)
    if unreached and not _is_raised(reading, missing):
        return Unreached(reading.request.block_size, longest, tuple(missing), cuts)
    return None


def _unreached_large(reader: Reader) -> Unreached | None:
    """At a block size above the handout's, cuts go beyond those of the handout's.

    A limit that also stays the same at smaller sizes makes cuts too long there, which costs once.
    """
    reading = reader.large()
    cuts, before = cut_lengths(reading), reader.long().longest
    small = cut_lengths(reader.telling())
    goes_on = not len(cuts) or cuts.max() > before
    missing = range(before + 1, reading.longest + 1)
    if goes_on or small.max(initial=0) > reader.telling().longest or _is_raised(reading, missing):
        return None
    return Unreached(reading.request.block_size, reading.longest, tuple(missing), cuts)


def _is_raised(reading: Reading, missing: Sequence[int]) -> bool:
    """Whether readings that raised, which costs another check, may account for missing lengths."""
    share = reading.kinds.get("raised", 0) / reading.request.readings
    lengths = reading.longest - SHORTEST + 1
    return len(missing) <= RAISED * share * lengths


def _missing(cuts: Numbers, longest: int) -> tuple[int, ...]:
    return tuple(sorted(set(range(SHORTEST, longest + 1)) - set(cuts.tolist())))
