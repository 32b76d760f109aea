"""Fingerprint tokens by winnowing, and find the passages that two submissions share.

Winnowing (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003) hashes every run of k tokens, and
keeps the smallest of every w consecutive hashes. It finds no passage of fewer than k equal tokens,
and every passage of at least k + w - 1 equal tokens in one unit.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from graders.similarity.tokens import Tokens

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that each token of a run counts
MOST_PLACES = 3  # of one fingerprint in a submission, around which passages are searched


@dataclass(frozen=True, slots=True)
class Winnowing:
    """The noise threshold `k` and the window `w`, in tokens."""

    k: int
    w: int


CODE = Winnowing(k=12, w=4)
PROSE = Winnowing(k=6, w=4)


@dataclass(frozen=True, slots=True)
class Passage:
    """Tokens that two submissions share: where they start in each, and how many they are."""

    first: int
    second: int
    length: int


def fingerprints(tokens: Tokens, by: Winnowing) -> Mapping[int, list[int]]:
    """Return the fingerprints, each with the places of its first tokens."""
    places: dict[int, list[int]] = defaultdict(list)
    if len(tokens.codes) < by.k:
        return places
    runs = len(tokens.codes) - by.k + 1
    hashes = np.zeros(runs, np.uint64)
    for at in range(by.k):
        hashes = hashes * BASE + tokens.codes[at : at + runs]
    hashes ^= hashes >> np.uint64(29)  # the low bits alone would order them by the last tokens
    hashes *= BASE
    borders = np.flatnonzero(np.diff(tokens.unit)) + 1
    for start, end in zip([0, *borders], [*borders, len(tokens.codes)], strict=True):
        piece = hashes[start : end - by.k + 1] if end - start >= by.k else hashes[:0]
        for at in _smallest(piece, by.w):
            places[int(piece[at])].append(int(start) + int(at))
    return places


def _smallest(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Return the place of the smallest hash in each window, or the last of several equal ones."""
    if not len(hashes):
        return np.zeros(0, np.int64)
    windows = sliding_window_view(hashes, min(w, len(hashes)))[:, ::-1]
    last = np.arange(len(windows)) + windows.shape[1] - 1
    return np.unique(last - windows.argmin(axis=1))


def shared_passages(
    one: Tokens, other: Tokens, places: Iterable[tuple[list[int], list[int]]]
) -> list[Passage]:
    """Return the longest passages around shared fingerprints that do not overlap, in order.

    `places` has the places of each shared fingerprint in the two submissions.
    """
    starts = {
        (a, b) for mine, theirs in places for a in mine[:MOST_PLACES] for b in theirs[:MOST_PLACES]
    }
    by_distance: dict[int, Passage] = {}  # the last one of each distance between the two places
    passages = []
    for a, b in sorted(starts):
        last = by_distance.get(a - b)
        if last is None or a >= last.first + last.length:
            by_distance[a - b] = _around(one, other, a, b)
            passages.append(by_distance[a - b])
    return sorted(_apart(passages), key=lambda passage: (passage.first, passage.second))


def _apart(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Yield the passages, the longest first, except those mostly covered by longer ones."""
    mine, theirs = set[int](), set[int]()
    for passage in sorted(passages, key=lambda run: (-run.length, run.first, run.second)):
        here = range(passage.first, passage.first + passage.length)
        there = range(passage.second, passage.second + passage.length)
        covered = max(len(mine.intersection(here)), len(theirs.intersection(there)))
        if 2 * covered < passage.length:
            mine.update(here)
            theirs.update(there)
            yield passage


def _around(one: Tokens, other: Tokens, a: int, b: int) -> Passage:
    """Return the run of equal tokens around two equal ones, which ends where a unit ends."""
    start, end = np.searchsorted(one.unit, one.unit[a] + np.array([0, 1]))
    others_start, others_end = np.searchsorted(other.unit, other.unit[b] + np.array([0, 1]))
    before = _equal(one.codes[start:a][::-1], other.codes[others_start:b][::-1])
    after = _equal(one.codes[a:end], other.codes[b:others_end])
    return Passage(a - before, b - before, before + after)


def _equal(mine: NDArray[np.uint64], theirs: NDArray[np.uint64]) -> int:
    """Return how many tokens at the start are equal."""
    most = min(len(mine), len(theirs))
    differing = np.flatnonzero(mine[:most] != theirs[:most])
    return int(differing[0]) if len(differing) else most
