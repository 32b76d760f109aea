"""Compare the published grades with those of a draft or of the previous generation."""

from collections.abc import Iterator
from dataclasses import dataclass

from graders.model import Generation
from graders.storage.store import Store


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two generations: how many submissions gain and lose points from `before` to `after`.

    `apart` counts those that have a score in only one of the two.
    """

    before: int
    after: int
    draft: bool
    submissions: int
    gaining: int
    losing: int
    apart: int

    @property
    def keeping(self) -> int:
        """The number of submissions that keep their score."""
        return self.submissions - self.gaining - self.losing - self.apart


def comparisons(store: Store) -> tuple[Comparison, ...]:
    """Compare the published generation with the previous one, and a draft with the published."""
    generations, current = store.generations(), store.generation()
    earlier = [
        generation for generation in generations if 0 < generation.published < current.published
    ]
    drafts = [
        generation
        for generation in generations
        if not generation.published and generation.number > current.number
    ]
    compared = []
    if earlier:
        compared.append(_compared(store, max(earlier, key=_order), current))
    if drafts:
        compared.append(_compared(store, current, drafts[-1]))
    return tuple(comparison for comparison in compared if comparison.submissions)


def _compared(store: Store, before: Generation, after: Generation) -> Comparison:
    gains = list(_gains(store, before.number, after.number))
    scored = [gain for gain in gains if gain is not None]
    return Comparison(
        before=before.number,
        after=after.number,
        draft=not after.published,
        submissions=len(gains),
        gaining=sum(gain > 0 for gain in scored),
        losing=sum(gain < 0 for gain in scored),
        apart=len(gains) - len(scored),
    )


def _gains(store: Store, before: int, after: int) -> Iterator[float | None]:
    """Yield each common submission's gain, or None if one of its two scores is missing.

    A Result that is part of both generations is not read, because it is the same.
    """
    old = {member.submission: member.cache_key.address for member in store.members(before)}
    for member in store.members(after):
        address = old.get(member.submission)
        if not member.listed or address is None:
            continue
        if address == member.cache_key.address:
            yield 0.0
            continue
        was = store.result(member.submission, address).score
        now = store.result(member.submission, member.cache_key.address).score
        yield _gain(was, now)


def _gain(was: float | None, now: float | None) -> float | None:
    if was is None or now is None:
        return 0.0 if was is now else None
    return round(now - was, 2)


def _order(generation: Generation) -> int:
    return generation.published
