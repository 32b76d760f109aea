"""Compare all pairs of submissions, ignoring starter code and what many submissions contain."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from graders.similarity.passages import CODE, PROSE, Passage, fingerprints, shared_passages
from graders.similarity.tokens import Tokens
from graders.similarity.uploads import DataFile, Upload

Kind = Literal["code", "answers"]
KINDS: Mapping[Kind, str] = {"code": "code", "answers": "typed answers"}
WINNOWING = {"code": CODE, "answers": PROSE}
# Fingerprints in more submissions than this do not count: the course or a library explains them.
FEW, SHARE = 4, 0.25
LEAST = 10  # the smallest denominator of a share, so that a few equal lines are no large share
LINKED = 0.5  # the share that links two submissions into a group
LISTED, SHOWN = 1000, 40  # pairs in the JSON file; pairs with passages
BINS = 20  # of the distribution
MOST_PASSAGES, MOST_LINES = 12, 60  # of one pair; of one passage
NEARLY = {"values": 0.99, "lines": 0.95}  # the share of a sketch that agrees
PRECISION = 1e-3  # relative; slightly changed values still agree
MOST_LINKS = 50  # if more pairs agree in a file, its groups are not listed


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file as submitted, numbered from `first`; a long passage is cut off."""

    file: str
    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedPassage:
    """A passage in both submissions, and its number of tokens (in answers: words)."""

    kind: Kind
    tokens: int
    one: Excerpt
    other: Excerpt


@dataclass(frozen=True, slots=True)
class Shares:
    """The similarity of two submissions: the share of each one's fingerprints in the other."""

    one: float
    other: float

    @property
    def larger(self) -> float:
        """Return the share of the submission with fewer fingerprints."""
        return max(self.one, self.other)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions; `other` may be a past one. `passages` are the longest of those `found`."""

    one: str
    other: str
    past: bool
    code: Shares
    answers: Shares
    found: int = 0
    passages: tuple[SharedPassage, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file name: how many submissions have the file, and in how many pairs it agrees.

    `groups` are the submissions in which it agrees, unless there are too many.
    """

    name: str
    submissions: int
    pairs: int
    equal: int
    nearly: int
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Similarity:
    """The result; `distributions` counts all pairs by their share, in BINS equal steps.

    `linked` pairs make the `groups`. `left_out` counts the fingerprints that many submissions
    have; each of the `notes` begins with its submission.
    """

    submissions: int
    past: int
    pairs: int
    linked: int
    distributions: Mapping[Kind, tuple[int, ...]]
    left_out: Mapping[Kind, int]
    ranked: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    files: tuple[SharedFile, ...]
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Prints:
    """The fingerprints of one kind that count, by upload, and how many each pair shares."""

    own: tuple[Mapping[int, list[int]], ...]
    shared: NDArray[np.int32]
    left_out: int

    def larger_shares(self) -> NDArray[np.float64]:
        """Return the larger share of each pair."""
        counts = np.maximum([len(prints) for prints in self.own], LEAST)
        return self.shared / np.minimum(counts[: len(self.shared), None], counts)

    def shares(self, one: int, other: int) -> Shares:
        """Return both shares of one pair."""
        both = float(self.shared[one, other])
        return Shares(*(both / max(len(self.own[at]), LEAST) for at in (one, other)))


def compare(
    uploads: Sequence[Upload], past: Sequence[Upload] = (), starter: Sequence[Upload] = ()
) -> Similarity:
    """Compare the uploads with each other and with past ones.

    Fingerprints in `starter` (starter code) or in many uploads do not count.
    """
    everyone, n = [*uploads, *past], len(uploads)
    prints = {kind: _prints(kind, everyone, n, starter) for kind in KINDS}
    shares = {kind: prints[kind].larger_shares() for kind in KINDS}
    counted = np.arange(len(everyone)) > np.arange(n)[:, None]  # each pair once, no two past ones
    for pair in _of_one_student(everyone, n):
        counted[pair] = False
    best = np.where(counted, np.maximum(shares["code"], shares["answers"]), 0)
    amount = prints["code"].shared + prints["answers"].shared  # among equal shares, most first
    order = np.lexsort((-amount.ravel(), -best.ravel()))[: np.count_nonzero(best)]
    ranked = [(int(at) // len(everyone), int(at) % len(everyone)) for at in order]
    linked = [(everyone[a].id, everyone[b].id) for a, b in ranked if best[a, b] >= LINKED]
    return Similarity(
        submissions=n,
        past=len(past),
        pairs=int(counted.sum()),
        linked=len(linked),
        distributions={
            kind: _binned(shares[kind][counted]) for kind in KINDS if any(prints[kind].own)
        },
        left_out={kind: prints[kind].left_out for kind in KINDS},
        ranked=tuple(_pairs(everyone, n, prints, ranked[:LISTED])),
        groups=_connected(linked),
        files=tuple(_shared_files(everyone, n, starter)),
        notes=tuple((upload.id, note) for upload in everyone for note in upload.notes),
    )


def _pairs(
    everyone: Sequence[Upload],
    n: int,
    prints: Mapping[Kind, _Prints],
    ranked: Sequence[tuple[int, int]],
) -> Iterator[Pair]:
    """Yield the pairs; the first ones have passages."""
    for rank, (a, b) in enumerate(ranked):
        pair = Pair(
            everyone[a].id,
            everyone[b].id,
            past=b >= n,
            code=prints["code"].shares(a, b),
            answers=prints["answers"].shares(a, b),
        )
        if rank < SHOWN:
            passages = [
                passage for k in KINDS for passage in _passages(k, everyone, prints[k], (a, b))
            ]
            longest = tuple(sorted(passages, key=lambda passage: -passage.tokens)[:MOST_PASSAGES])
            pair = replace(pair, found=len(passages), passages=longest)
        yield pair


def _tokens(kind: Kind, upload: Upload) -> Tokens:
    return upload.code if kind == "code" else upload.answers


def _of_one_student(everyone: Sequence[Upload], n: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of which one student submitted both: attempts, or work of an earlier year."""
    by_student = defaultdict[str, list[int]](list)
    for at, upload in enumerate(everyone):
        for student in upload.students:
            by_student[student].append(at)
    return (
        (a, b) for places in by_student.values() for a in places if a < n for b in places if a < b
    )


def _prints(kind: Kind, everyone: Sequence[Upload], n: int, starter: Iterable[Upload]) -> _Prints:
    """Return the fingerprints; the first `n` uploads are those of this course."""
    all_prints = [fingerprints(_tokens(kind, upload), WINNOWING[kind]) for upload in everyone]
    holders: dict[int, list[int]] = defaultdict(list)
    for at, prints in enumerate(all_prints):
        for print_ in prints:
            holders[print_].append(at)
    handed_out = {
        print_
        for upload in starter
        for print_ in fingerprints(_tokens(kind, upload), WINNOWING[kind])
    }
    most, past_most = (max(FEW, SHARE * count) for count in (n, len(everyone) - n))
    shared = np.zeros((n, len(everyone)), np.int32)
    common = 0
    for print_, held in holders.items():
        current = [at for at in held if at < n]
        if len(current) > most or len(held) - len(current) > past_most:
            common += 1
            handed_out.add(print_)
        elif current and len(held) > 1 and print_ not in handed_out:
            shared[np.ix_(current, held)] += 1
    counting = (
        {print_: at for print_, at in prints.items() if print_ not in handed_out}
        for prints in all_prints
    )
    return _Prints(tuple(counting), shared, common)


def _binned(shares: NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(int(count) for count in np.histogram(shares, BINS, (0, 1))[0])


def _passages(
    kind: Kind, everyone: Sequence[Upload], prints: _Prints, pair: tuple[int, int]
) -> Iterator[SharedPassage]:
    one, other = (_tokens(kind, everyone[at]) for at in pair)
    mine, theirs = (prints.own[at] for at in pair)
    places = ((mine[print_], theirs[print_]) for print_ in mine.keys() & theirs.keys())
    for passage in shared_passages(one, other, places):
        excerpts = (_excerpt(one, passage.first, passage), _excerpt(other, passage.second, passage))
        yield SharedPassage(kind, passage.length, *excerpts)


def _excerpt(tokens: Tokens, start: int, passage: Passage) -> Excerpt:
    text = tokens.texts[tokens.text[start]]
    first, last = int(tokens.line[start]), int(tokens.line[start + passage.length - 1])
    lines = text.lines[first : min(last + 1, first + MOST_LINES)]
    return Excerpt(text.name, first + 1, last + 1, lines)


def _connected(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of names that pairs connect, the largest first."""
    groups: dict[str, set[str]] = {}
    for one, other in pairs:
        group = groups.setdefault(one, {one})
        if other not in group:
            group |= groups.get(other, {other})
            groups.update(dict.fromkeys(group, group))
    unique = {tuple(sorted(group)) for group in groups.values()}
    return tuple(sorted(unique, key=lambda group: (-len(group), group)))


def _shared_files(
    everyone: Sequence[Upload], n: int, starter: Iterable[Upload]
) -> Iterator[SharedFile]:
    """Yield the files that agree in some pair, the rarest agreement first."""
    handed_out = {file.sha256 for upload in starter for file in upload.files}
    named: dict[str, dict[int, DataFile]] = defaultdict(dict)
    for at, upload in enumerate(everyone):
        for file in upload.files:
            if file.sha256 not in handed_out:
                named[file.name][at] = file
    files = [_shared_file(name, held, n, everyone) for name, held in named.items()]
    agreeing = [file for file in files if file.equal or file.nearly]
    yield from sorted(
        agreeing, key=lambda file: ((file.equal + file.nearly) / file.pairs, file.name)
    )


def _shared_file(
    name: str, held: Mapping[int, DataFile], n: int, everyone: Sequence[Upload]
) -> SharedFile:
    by_shape: dict[tuple[str, int], list[int]] = defaultdict(list)
    for at, file in held.items():
        by_shape[file.shape].append(at)
    equal: list[tuple[str, str]] = []
    nearly: list[tuple[str, str]] = []
    for (kind, _), places in by_shape.items():
        sketches = np.stack([held[at].sketch for at in places])
        for row, at in enumerate(places):
            if at >= n:
                break
            agreeing = _agree(kind, sketches[row], sketches[row + 1 :]) >= NEARLY[kind]
            for other in np.flatnonzero(agreeing):
                twin = places[row + 1 + int(other)]
                same = held[at].sha256 == held[twin].sha256
                (equal if same else nearly).append((everyone[at].id, everyone[twin].id))
    current = sum(at < n for at in held)
    pairs = current * (current - 1) // 2 + current * (len(held) - current)
    few = len(equal) + len(nearly) <= MOST_LINKS
    groups = _connected([*equal, *nearly]) if few else ()
    return SharedFile(name, len(held), pairs, len(equal), len(nearly), groups)


def _agree(
    kind: str, sketch: NDArray[np.uint32], others: NDArray[np.uint32]
) -> NDArray[np.float64]:
    """Return the share of one sketch that agrees with each of the others."""
    same = sketch == others
    if kind == "values":
        values = sketch.view(np.float32)
        with np.errstate(all="ignore"):  # bytes that are not numbers
            same |= np.abs(values - others.view(np.float32)) <= PRECISION * np.abs(values)
    return np.asarray(same.mean(axis=1))
