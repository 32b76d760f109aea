"""Measure the automatic help with free text on answers that two people scored.

    python benchmarks/quality/written.py --data mohler_dataset_edited.csv [--seeds 3]

A score is proposed for each answer by a regressor that never saw a score of its question, and
answers are grouped at a threshold that was chosen on other questions. Questions with the same text,
or the same desired answer, count as one. Needs scikit-learn; uses the encoder if it is installed.
"""

import argparse
import csv
import importlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).parent)]

from written_features import Answers, Columns, Means, encoded, lexical  # noqa: E402 — needs the path
from written_groups import report_groups  # noqa: E402

from graders.written.free_text.proposals import propose  # noqa: E402
from graders.written.free_text.similarity import (  # noqa: E402
    Encoder,
    MiniLM,
    TfIdf,
    Vectors,
    best_encoder,
    groups,
    normalised,
)
from graders.written.free_text.wording import sentences  # noqa: E402
from graders.written.question import Review, RubricItem  # noqa: E402

# scikit-learn has no types.
PCA: Any = importlib.import_module("sklearn.decomposition").PCA
Trees: Any = importlib.import_module("sklearn.ensemble").ExtraTreesRegressor
Ridge: Any = importlib.import_module("sklearn.linear_model").Ridge
Scaler: Any = importlib.import_module("sklearn.preprocessing").StandardScaler
SVR: Any = importlib.import_module("sklearn.svm").SVR

Column = NDArray[np.float64]
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Looked:
    """A lookup of an encoder's vectors: many texts are encoded at once."""

    vectors: Mapping[str, Vectors]
    name: str = "minilm"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the rows of the texts."""
        return np.stack([self.vectors[text] for text in texts])


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
    for texts in (answers.prompts, answers.desired):
        first: dict[str, int] = {}
        for place, text in enumerate(texts):
            mine = family[place]
            other = first.setdefault(" ".join(text.casefold().split()), mine)
            family[family == mine] = other
            first = {key: other if value == mine else value for key, value in first.items()}
    return family


def folds(family: NDArray[np.int64], seed: int) -> Iterator[NDArray[np.bool_]]:
    """Yield the answers of a tenth of the questions, ten times."""
    order = np.random.default_rng(seed).permutation(np.unique(family))
    for fold in range(FOLDS):
        yield np.isin(family, order[fold::FOLDS])


def fit(features: Column, scores: Column, vectors: Column | None) -> Callable[..., Column]:
    """Return the mean of ridge regression, extremely random trees and a support vector machine."""
    scaler = Scaler().fit(features)
    plain = scaler.transform(features)
    reduced = None if vectors is None else PCA(60, random_state=0).fit(vectors)
    wide = plain if reduced is None else np.hstack([plain, 3 * reduced.transform(vectors)])
    ridge = Ridge(100).fit(plain, scores)
    trees = Trees(200, min_samples_leaf=5, max_features=0.4, random_state=0, n_jobs=2).fit(
        plain, scores
    )
    machine = SVR(C=1, gamma=0.005, epsilon=0.2).fit(wide, scores)

    def predict(features: Column, vectors: Column | None) -> Column:
        plain = scaler.transform(features)
        wide = plain if reduced is None else np.hstack([plain, 3 * reduced.transform(vectors)])
        three = [ridge.predict(plain), trees.predict(plain), machine.predict(wide)]
        return np.asarray(np.clip(np.mean(three, axis=0), 0, 5), dtype=np.float64)

    return predict


def proposed(answers: Answers, columns: Columns, vectors: Column | None, seed: int) -> Column:
    """Return the proposed score of each answer, fitted only on questions of other folds."""
    features = np.column_stack(list(columns.values()))
    scores = np.zeros(len(answers.scores))
    for test in folds(families(answers), seed):
        fit_rows, test_rows = (None, None) if vectors is None else (vectors[~test], vectors[test])
        scores[test] = fit(features[~test], answers.scores[~test], fit_rows)(
            features[test], test_rows
        )
    return scores


def agreement(proposal: Column, scores: Column) -> tuple[float, float]:
    """Return Pearson's correlation with the human mean, and the root mean squared error."""
    return float(np.corrcoef(proposal, scores)[0, 1]), float(
        ((proposal - scores) ** 2).mean() ** 0.5
    )


def report_scores(
    name: str, answers: Answers, columns: Columns, vectors: Column | None, *, seeds: int
) -> None:
    """Print a line with the mean over the seeds of the folds."""
    figures = np.array(
        [agreement(proposed(answers, columns, vectors, s), answers.scores) for s in range(seeds)]
    )
    print(f"{name:34} r {figures[:, 0].mean():.3f} (sd {figures[:, 0].std():.3f})  "
          f"RMSE {figures[:, 1].mean():.3f}", flush=True)  # fmt: skip


def report_confidence(name: str, answers: Answers, encoder: Encoder | None) -> None:
    """Print the product's own confidence, with the desired answer as the only rubric item."""
    confidence = []
    for desired, answer in zip(answers.desired, answers.replies, strict=True):
        review = Review(5, "text", (RubricItem(5, desired, (), ()),))
        confidence.append(propose(review, answer, encoder=encoder)[0].confidence)
    r, _ = agreement(np.array(confidence), answers.scores)
    print(f"{name:34} r {r:.3f}", flush=True)


def report_time(answers: Answers, count: int = 2000) -> None:
    """Print how long it takes to group `count` answers to one question."""
    texts = {str(place): text for place, text in enumerate(answers.replies[:count])}
    began = time.perf_counter()
    clusters = groups(texts)
    print(f"{len(texts)} answers in {len(clusters)} groups: {time.perf_counter() - began:.1f} s")


def for_groups(answers: Answers, means: Means) -> Looked:
    """Return the encoder for answers as groups read them; marks around an answer hardly count."""
    return Looked({normalised(text): means[text] for text in answers.replies})


def for_proposals(answers: Answers, encoder: MiniLM, means: Means) -> Looked:
    """Return the encoder for all sentences and desired answers."""
    texts = {passage.text for answer in set(answers.replies) for passage in sentences(answer)}
    more = sorted(texts - set(means))
    return Looked(means | dict(zip(more, encoder.encode(more), strict=True)))


def main() -> None:
    """Print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    began = time.perf_counter()
    answers, people = read(arguments.data)
    questions = len(np.unique(families(answers)))
    print(f"{len(people)} answers, {questions} questions; {FOLDS} folds of whole questions")
    print(f"{'one person with the other':34} r {np.corrcoef(*people.T)[0, 1]:.3f}")
    columns = lexical(answers)
    report_confidence("confidence of a proposal, untrained", answers, None)
    report_scores("without the encoder", answers, columns, None, seeds=arguments.seeds)
    report_groups(answers, families(answers), TfIdf())
    report_time(answers)
    encoder = best_encoder()
    if isinstance(encoder, MiniLM):
        more, vectors, means = encoded(answers, encoder)
        report_scores("with the encoder", answers, columns | more, vectors, seeds=arguments.seeds)
        report_groups(answers, families(answers), for_groups(answers, means))
        report_confidence(
            "confidence with the encoder", answers, for_proposals(answers, encoder, means)
        )
    print(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
