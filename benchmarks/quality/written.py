"""Measure the automatic help with free text on answers that two people scored.

    python benchmarks/quality/written.py --data mohler_dataset_edited.csv

Prints how well the confidence of a proposal agrees with the scores, how many decisions groups of
similar answers save, and how well the scores within a group agree, at a threshold that was chosen
on other questions. Questions with the same text, or the same desired answer, count as one. Uses the
encoder if it is installed.
"""

import argparse
import csv
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graders.written.free_text.groups import groups, normalised
from graders.written.free_text.proposals import propose
from graders.written.free_text.similarity import Encoder, MiniLM, TfIdf, Vectors, best_encoder
from graders.written.free_text.wording import sentences
from graders.written.question import Review, RubricItem

Column = NDArray[np.float64]
WITHIN = 0.5  # points of five: a member agrees with the group's first answer
WANTED = 0.95
THRESHOLDS = tuple(round(float(t), 2) for t in np.arange(0.4, 1.001, 0.02))


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers with question and desired answer; `question` numbers the questions."""

    question: NDArray[np.int64]
    asked: tuple[str, ...]
    desired: tuple[str, ...]
    given: tuple[str, ...]
    scores: Column


@dataclass(frozen=True, slots=True)
class Looked:
    """A lookup of an encoder's vectors: each text is encoded once."""

    vectors: Mapping[str, Vectors]
    name: str

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the rows of the texts."""
        return np.stack([self.vectors[text] for text in texts])


def looked(encoder: Encoder, texts: Iterable[str]) -> Looked:
    """Return the lookup of these texts."""
    once = sorted(set(texts))
    return Looked(dict(zip(once, encoder.encode(once), strict=True)), encoder.name)


def read(path: Path) -> tuple[Answers, Column]:
    """Return the answers, and the two people's scores."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = [row["id"] for row in rows]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    people = np.array([[float(row["score_me"]), float(row["score_other"])] for row in rows])
    asked, desired, given = (
        tuple(row[name] for row in rows)
        for name in ("question", "desired_answer", "student_answer")
    )
    question = np.array([numbers[key] for key in keys])
    answers = Answers(question, asked, desired, given, people.mean(axis=1))
    return answers, people


def families(answers: Answers) -> NDArray[np.int64]:
    """Give questions with the same text or desired answer one number.

    They are left out together.
    """
    family = answers.question.copy()
    for texts in (answers.asked, answers.desired):
        first: dict[str, int] = {}
        for place, text in enumerate(texts):
            mine = family[place]
            other = first.setdefault(" ".join(text.casefold().split()), mine)
            family[family == mine] = other
            first = {key: other if value == mine else value for key, value in first.items()}
    return family


def report_confidence(name: str, answers: Answers, encoder: Encoder | None) -> None:
    """Print the product's own confidence, with the desired answer as the only rubric item."""
    confidence = []
    for desired, given in zip(answers.desired, answers.given, strict=True):
        review = Review(5, "text", (RubricItem(5, desired, (), ()),))
        confidence.append(propose(review, given, encoder=encoder)[0].confidence)
    r = np.corrcoef(confidence, answers.scores)[0, 1]
    print(f"{name:34} r {r:.3f}", flush=True)


def report_time(answers: Answers, count: int = 2000) -> None:
    """Print how long it takes to group `count` answers to one question."""
    texts = {str(place): text for place, text in enumerate(answers.given[:count])}
    began = time.perf_counter()
    found = groups(texts)
    print(f"{len(texts)} answers in {len(found)} groups: {time.perf_counter() - began:.1f} s")


def for_proposals(answers: Answers, encoder: MiniLM) -> Looked:
    """Return the encoder for all sentences, answers and desired answers."""
    said = {passage.text for given in set(answers.given) for passage in sentences(given)}
    return looked(encoder, said.union(answers.given, answers.desired))


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
        texts = {str(place): answers.given[place] for place in places}
        known = looked(encoder, map(normalised, texts.values()))
        for threshold in THRESHOLDS:
            found = groups(texts, encoder=known, threshold=threshold)
            table[threshold][number] = _count([g.members for g in found], answers)
    return table


def _count(found: list[tuple[str, ...]], answers: Answers) -> Count:
    away = [
        abs(answers.scores[int(name)] - answers.scores[int(names[0])])
        for names in found
        for name in names[1:]
    ]
    total = sum(map(len, found))
    return Count(total, len(found), sum(d <= WITHIN for d in away), sum(d == 0 for d in away))


def _left_out(
    table: dict[float, dict[int, Count]], family: dict[int, int]
) -> tuple[list[float], list[Count]]:
    """Return for each family of questions the threshold from all the others, and its counts."""
    chosen, reached = [], []
    for left in sorted(set(family.values())):
        others = {
            threshold: [c for q, c in by.items() if family[q] != left]
            for threshold, by in table.items()
        }
        threshold = _lowest([(t, _share(counts)) for t, counts in others.items()])
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


def main() -> None:
    """Print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    answers, people = read(parser.parse_args().data)
    family = families(answers)
    print(f"{len(people)} answers, {len(np.unique(family))} questions")
    print(f"{'one person with the other':34} r {np.corrcoef(*people.T)[0, 1]:.3f}")
    report_confidence("confidence of a proposal", answers, None)
    report_groups(answers, family, TfIdf())
    report_time(answers)
    encoder = best_encoder()
    if isinstance(encoder, MiniLM):
        report_groups(answers, family, encoder)
        report_confidence("confidence with the encoder", answers, for_proposals(answers, encoder))


if __name__ == "__main__":
    main()
