"""Known mistakes in how long cuts and contents are, told from the lengths of many draws."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from a4_lengths import Lengths, Numbers, content_pairs, content_varies

from graders.checks.mistakes import Mistake
from reference.edition import SHORTEST, Edition

HANDOUTS = 128  # at this block size and below, both ends of the cuts show in the draws
LONGEST = "draw from 4 … int(limit * block_size), both ends included, as random.randint does"


@dataclass(frozen=True, slots=True)
class Cuts:
    """The cut lengths seen at several block sizes, of documents longer than any cut."""

    edition: Edition
    at: Mapping[int, Numbers]

    def every(self, explains: Callable[[int, int, int], bool]) -> bool:
        """Whether something holds of block size, shortest and longest cut wherever both show."""
        sizes = [size for size in self.at if size <= HANDOUTS]
        return bool(sizes) and all(
            len(self.at[size]) > 0
            and explains(size, int(self.at[size].min()), int(self.at[size].max()))
            for size in sizes
        )

    def some(self, explains: Callable[[int, int, int], bool]) -> bool:
        """Whether something holds at one of those block sizes at least."""
        return not self.every(lambda *seen: not explains(*seen))


def _limit_is(cuts: Cuts, limit: Callable[[int], int]) -> bool:
    """Whether the longest cuts follow this limit, and not also the handout's."""
    right = cuts.edition.longest
    return cuts.every(lambda size, shortest, longest: longest == limit(size)) and cuts.some(
        lambda size, shortest, longest: limit(size) not in (right(size), right(size) - 1)
    )


def _hard_coded(cuts: Cuts) -> bool:
    """The longest cut is the handout's also at block sizes above the handout's."""
    longest = {size: int(at.max(initial=0)) for size, at in cuts.at.items()}
    large, limit = max(longest, default=0), cuts.edition.longest(HANDOUTS)
    return large > HANDOUTS and longest.get(HANDOUTS) == limit >= longest[large]


def _rounded_up(cuts: Cuts) -> bool:
    """The limit is missed by one, and only where it is no whole number."""

    def whole(size: int) -> bool:
        return size % int(cuts.edition.length_limit[-1]) == 0

    right = cuts.edition.longest
    return cuts.every(
        lambda size, shortest, longest: right(size) <= longest <= right(size) + (not whole(size))
    ) and cuts.some(lambda size, shortest, longest: longest > right(size))


HARD_CODED = Mistake("limit-hard-coded", "the longest cut does not follow block_size", LONGEST)
UNREACHED: Mapping[Mistake, Callable[[Cuts], bool]] = {
    Mistake(
        "never-longest", "the longest cut never occurs: the upper end is left out", LONGEST
    ): lambda cuts: cuts.every(
        lambda size, shortest, longest: longest == cuts.edition.longest(size) - 1
    ),
    Mistake(
        "never-shortest", f"cuts of {SHORTEST} characters never occur: they start at 5", LONGEST
    ): lambda cuts: cuts.every(
        lambda size, shortest, longest: shortest == SHORTEST + 1 <= cuts.edition.longest(size)
    ),
    Mistake("fixed-cut", "every cut has the same length: it is not drawn at random", LONGEST): (
        lambda cuts: cuts.every(
            lambda size, shortest, longest: shortest == longest <= cuts.edition.longest(size)
        )
    ),
    Mistake("limit-three-quarters", "the longest cut is 3/4 of the block, not 7/8", LONGEST): (
        lambda cuts: (
            cuts.edition.length_limit == "7/8" and _limit_is(cuts, lambda size: size * 3 // 4)
        )
    ),
    Mistake("limit-half", "the longest cut is half of the block, not the limit", LONGEST): (
        lambda cuts: _limit_is(cuts, lambda size: size // 2)
    ),
    HARD_CODED: _hard_coded,
}
OUTSIDE: Mapping[Mistake, Callable[[Cuts], bool]] = {
    Mistake("too-short", f"some cuts have fewer than {SHORTEST} characters", LONGEST): (
        lambda cuts: cuts.every(
            lambda size, shortest, longest: (
                shortest < SHORTEST and longest <= cuts.edition.longest(size)
            )
        )
    ),
    Mistake("never-cut", "documents are not cut at all", LONGEST): lambda cuts: cuts.every(
        lambda size, shortest, longest: (
            shortest > cuts.edition.longest(size) and (shortest == longest or size == HANDOUTS)
        )
    ),
    HARD_CODED: _hard_coded,
    Mistake(
        "limit-rounded-up", "the longest cut is rounded up where it is no whole number", LONGEST
    ): _rounded_up,
    Mistake("limit-is-block", "cuts are as long as the whole block, above the limit", LONGEST): (
        lambda cuts: _limit_is(cuts, lambda size: size)
    ),
    Mistake("limit-nearly-block", "cuts are nearly as long as the block", LONGEST): (
        lambda cuts: _limit_is(cuts, lambda size: size - 1)
    ),
}

# ---------------------------------------------------------------- the content

QUARTER = "the masked content is 1/4 of the cut document on average"


def _follows_nothing(lengths: Lengths) -> bool:
    """Long cuts have contents no longer than those of cuts half as long."""
    top = lengths.cut.max(initial=0)
    long, middle = lengths.cut > 0.75 * top, (lengths.cut > 0.4 * top) & (lengths.cut < 0.55 * top)
    if long.sum() < 100 or middle.sum() < 100:
        return False
    return bool(np.mean(lengths.content[long]) < 1.15 * np.mean(lengths.content[middle]))


def _repeats(lengths: Lengths, *, nearly: bool) -> bool:
    """Whether the content follows from the cut: in every draw, or in nearly every one."""
    differs = content_pairs(lengths)[1] > 0
    return not content_varies(lengths) and not _follows_nothing(lengths) and differs is nearly


CONTENT_MISTAKES: Mapping[Mistake, Callable[[Lengths], bool]] = {
    Mistake(
        "content-ignores-cut", "the masked content does not grow with the cut", QUARTER
    ): _follows_nothing,
    Mistake(
        "content-fixed",
        "the length of the masked content follows from the cut and is not random",
        "draw it at random, for instance from 1 … cut / 2",
    ): lambda lengths: _repeats(lengths, nearly=False),
    Mistake(
        "content-nearly-fixed",
        "cuts of one length nearly always have masked content of one length",
        "draw it at random each time, for instance from 1 … cut / 2",
    ): lambda lengths: _repeats(lengths, nearly=True),
}
