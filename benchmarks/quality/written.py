"""Measure the automatic help with free text on answers that two people scored.

    python benchmarks/quality/written.py --data mohler_dataset_edited.csv

Prints how the confidence of a proposal correlates with the scores, and how many decisions groups of
similar answers save at a threshold that was chosen on other questions. Questions with the same
text, or the same desired answer, count as one. Uses the encoder if it is installed.
"""

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from graders.written.free_text.proposals import propose
from graders.written.free_text.similarity import (
    THRESHOLDS,
    Encoder,
    MiniLM,
    TfIdf,
    Vectors,
    best_encoder,
    groups,
    normalised,
)
from graders.written.question import Review, RubricItem

Column = NDArray[np.float64]
Numbers = NDArray[np.int64]
WITHIN = 0.5  # points of five: a member agrees with the group's first answer
WANTED = 0.95
TRIED = np.arange(0.4, 1.001, 0.02).round(2)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers with the number of the question, the desired answer and the mean score."""

    question: Numbers
    desired: tuple[str, ...]
    replies: tuple[str, ...]
    scores: Column


@dataclass(frozen=True, slots=True)
class Encoded:
    """A lookup of an encoder's vectors: each text is encoded once for all thresholds."""

    vectors: dict[str, Vectors]
    name: str = "known"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the rows of the texts."""
        return np.stack([self.vectors[text] for text in texts])


def read(path: Path) -> tuple[Answers, Column]:
    """Return the answers, and the two people's scores."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    people = np.array([[float(row["score_me"]), float(row["score_other"])] for row in rows])
    desired, given = (tuple(row[k] for row in rows) for k in ("desired_answer", "student_answer"))
    question = families([(row["id"], row["question"], row["desired_answer"]) for row in rows])
    return Answers(question, desired, given, people.mean(axis=1)), people


def families(rows: Sequence[tuple[str, ...]]) -> Numbers:
    """Number the questions; rows that share an id, a question or a desired answer are of one."""
    family = np.arange(len(rows))
    for texts in zip(*rows, strict=True):
        first: dict[str, int] = {}
        for place, text in enumerate(texts):
            same = first.setdefault(" ".join(text.casefold().split()), place)
            family[family == family[place]] = family[same]
    return family


def report_confidence(name: str, answers: Answers, encoder: Encoder | None) -> None:
    """Print how the product's own confidence goes with the score.

    The desired answer is the only rubric item.
    """
    confidence = []
    for desired, answer in zip(answers.desired, answers.replies, strict=True):
        review = Review(5, "text", (RubricItem(5, desired, (), ()),))
        confidence.append(propose(review, answer, encoder=encoder)[0].confidence)
    print(f"{name:34} r {np.corrcoef(confidence, answers.scores)[0, 1]:.3f}", flush=True)


def report_groups(answers: Answers, encoder: Encoder) -> None:
    """Print savings and agreement at the threshold from other questions, and at fixed ones."""
    questions = np.unique(answers.question)
    table = np.stack([counts(answers, number, encoder) for number in questions], axis=1)
    chosen = [sufficient(np.delete(table, q, axis=1)) for q in range(len(questions))]
    print(f"groups by {encoder.name}: thresholds from other questions", *sorted({*TRIED[chosen]}))
    print(f"  {'left out':10} {line(table[chosen, np.arange(len(questions))])}")
    for threshold in sorted({*TRIED[::5], THRESHOLDS[encoder.name]}):
        print(f"  {threshold:<10} {line(table[list(TRIED).index(threshold)])}", flush=True)


def counts(answers: Answers, number: int, encoder: Encoder) -> Numbers:
    """Return for each threshold: answers, groups, other members that agree, equal ones; (T, 4)."""
    texts = {str(p): answers.replies[p] for p in np.flatnonzero(answers.question == number)}
    plain = sorted({normalised(text) for text in texts.values()})
    known = Encoded(dict(zip(plain, encoder.encode(plain), strict=True)))
    rows = []
    for threshold in TRIED:
        scores = [
            answers.scores[[int(name) for name in group.members]]
            for group in groups(texts, encoder=known, threshold=float(threshold))
        ]
        away = np.concatenate([abs(of_group[1:] - of_group[0]) for of_group in scores])
        rows.append((len(texts), len(scores), (away <= WITHIN).sum(), (away == 0).sum()))
    return np.array(rows)


def sufficient(table: Numbers) -> int:
    """Return the place of the lowest threshold from which on enough members agree; of (T, Q, 4)."""
    total, grouped, close, _ = table.sum(axis=1).T
    short = np.flatnonzero(close < WANTED * (total - grouped))
    return min(int(short.max(initial=-1)) + 1, len(TRIED) - 1)


def line(rows: Numbers) -> str:
    """Return the sums of questions' counts, (Q, 4), as a line."""
    total, grouped, close, equal = rows.sum(axis=0)
    others = max(total - grouped, 1)
    return (
        f"{grouped} decisions for {total} answers, saved {1 - grouped / total:.1%}, "
        f"agree within {WITHIN}: {close / others:.1%}, exactly: {equal / others:.1%}"
    )


def report_time(answers: Answers, count: int = 2000) -> None:
    """Print how long it takes to group `count` answers to one question."""
    texts = {str(place): text for place, text in enumerate(answers.replies[:count])}
    began = time.perf_counter()
    clusters = groups(texts)
    print(f"{len(texts)} answers in {len(clusters)} groups: {time.perf_counter() - began:.1f} s")


def main() -> None:
    """Print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    answers, people = read(parser.parse_args().data)
    print(f"{len(people)} answers, {len(np.unique(answers.question))} questions")
    print(f"{'one person with the other':34} r {np.corrcoef(*people.T)[0, 1]:.3f}")
    report_confidence("confidence of a proposal", answers, None)
    report_groups(answers, TfIdf())
    report_time(answers)
    encoder = best_encoder()
    if isinstance(encoder, MiniLM):
        report_confidence("confidence with the encoder", answers, encoder)
        report_groups(answers, encoder)


if __name__ == "__main__":
    main()
