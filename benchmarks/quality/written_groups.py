"""Measure how many decisions groups of similar answers save, and how well human scores agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from written_features import Answers

from graders.written.free_text.similarity import Encoder, Vectors, groups, normalised

WITHIN = 0.5  # points of five: a member agrees with the group's first answer
WANTED = 0.95
THRESHOLDS = tuple(round(float(t), 2) for t in np.arange(0.4, 1.001, 0.02))


@dataclass(frozen=True, slots=True)
class CachedEncoder:
    """A lookup of an encoder's vectors: each text is encoded once for all thresholds."""

    vectors: dict[str, Vectors]
    name: str = "known"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the rows of the texts."""
        return np.stack([self.vectors[text] for text in texts])


@dataclass(frozen=True, slots=True)
class Count:
    """Counts for one question and threshold: answers, groups, other members that agree."""

    answers: int
    groups: int
    close: int
    exact: int


def report_groups(answers: Answers, family: NDArray[np.int64], encoder: Encoder) -> None:
    """Print savings and agreement at the threshold from other questions, and at fixed ones."""
    table = counts(answers, encoder)
    chosen, reached = _left_out(table, family_of(answers, family))
    print(f"groups by {encoder.name}: thresholds chosen on other questions {sorted(set(chosen))}")
    print(f"  {'left out':10} {_line(reached)}")
    for threshold in THRESHOLDS[::5]:
        print(f"  {threshold:<10} {_line(list(table[threshold].values()))}", flush=True)


def family_of(answers: Answers, family: NDArray[np.int64]) -> dict[int, int]:
    """Return the family of each question."""
    return {int(q): int(f) for q, f in zip(answers.question, family, strict=True)}


def counts(answers: Answers, encoder: Encoder) -> dict[float, dict[int, Count]]:
    """Return a count for each threshold and question; vectors come from the question's answers."""
    table: dict[float, dict[int, Count]] = {threshold: {} for threshold in THRESHOLDS}
    for number in map(int, np.unique(answers.question)):
        places = [int(place) for place in np.flatnonzero(answers.question == number)]
        texts = {str(place): answers.replies[place] for place in places}
        cache = _once(texts, encoder)
        for threshold in THRESHOLDS:
            clusters = groups(texts, encoder=cache, threshold=threshold)
            table[threshold][number] = _count([g.members for g in clusters], answers)
    return table


def _once(texts: dict[str, str], encoder: Encoder) -> CachedEncoder:
    """Return the encoder for the answers to one question, used once for all thresholds."""
    plain = sorted({normalised(text) for text in texts.values()})
    return CachedEncoder(dict(zip(plain, encoder.encode(plain), strict=True)))


def _count(grouped: list[tuple[str, ...]], answers: Answers) -> Count:
    away = [
        abs(answers.scores[int(name)] - answers.scores[int(names[0])])
        for names in grouped
        for name in names[1:]
    ]
    total = sum(map(len, grouped))
    return Count(total, len(grouped), sum(d <= WITHIN for d in away), sum(d == 0 for d in away))


def _left_out(
    table: dict[float, dict[int, Count]], family: dict[int, int]
) -> tuple[list[float], list[Count]]:
    """Return for each family of questions the threshold from all the others, and its counts."""
    chosen, reached = [], []
    for left in sorted(set(family.values())):
        rest = {
            threshold: [c for q, c in by.items() if family[q] != left]
            for threshold, by in table.items()
        }
        threshold = _lowest([(t, _share(counts)) for t, counts in rest.items()])
        chosen.append(threshold)
        reached += [c for q, c in table[threshold].items() if family[q] == left]
    return chosen, reached


def _lowest(shares: list[tuple[float, float]]) -> float:
    """Return the lowest threshold from which on the agreement is sufficient."""
    lowest = THRESHOLDS[-1]
    for threshold, share in reversed(shares):
        if share < WANTED:
            break
        lowest = threshold
    return lowest


def _share(counted: list[Count]) -> float:
    grouped = sum(c.answers - c.groups for c in counted)
    return sum(c.close for c in counted) / grouped if grouped else 1.0


def _line(counted: list[Count]) -> str:
    answers, decisions = sum(c.answers for c in counted), sum(c.groups for c in counted)
    grouped = max(answers - decisions, 1)
    close, exact = sum(c.close for c in counted), sum(c.exact for c in counted)
    return (
        f"{decisions} decisions for {answers} answers, saved {1 - decisions / answers:.1%}, "
        f"agree within {WITHIN}: {close / grouped:.1%}, exactly: {exact / grouped:.1%}"
    )
