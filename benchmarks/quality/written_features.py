"""Features of an answer that are known before anybody scored it, only from texts.

Each feature is followed by the same one relative to the other answers to its question.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.written.free_text.similarity import MiniLM, TfIdf
from graders.written.free_text.wording import content, words

Column = NDArray[np.float64]
Columns = dict[str, Column]
Means = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers with question and desired answer; `question` numbers the questions."""

    question: NDArray[np.int64]
    prompts: tuple[str, ...]
    desired: tuple[str, ...]
    replies: tuple[str, ...]
    scores: Column


def lexical(answers: Answers) -> Columns:
    """Return lengths, words shared with the desired answer, TF-IDF cosines."""
    size = [
        np.log1p([len(words(t)) for t in texts]) for texts in (answers.replies, answers.desired)
    ]
    new, covered, precise = _overlap(answers)
    given, desired, asked = _encoded(answers, TfIdf().encode)
    columns = {
        "length": size[0], "desired_length": size[1], "longer": size[0] - size[1], "new": new,
        "asked_length": np.log1p([len(words(text)) for text in answers.prompts]),
        "covered": covered, "precise": precise, "cosine": _rows(given, desired),
        "asked_cosine": _rows(given, asked), "echoed": _rows(desired, asked),
    }  # fmt: skip
    return relative(columns | _nearness(answers, given), answers.question)


def encoded(answers: Answers, encoder: MiniLM) -> tuple[Columns, Column, Means]:
    """Return the encoder's cosines, matches of the desired answer's tokens, and vectors."""
    texts = sorted({*answers.replies, *answers.desired, *answers.prompts})
    tokens = dict(zip(texts, map(_unit, encoder.tokens(texts)), strict=True))
    means = {text: _unit(rows.mean(axis=0)) for text, rows in tokens.items()}
    given, desired, asked = _encoded(answers, lambda part: np.stack([means[t] for t in part]))
    columns = {"e_cosine": _rows(given, desired), "e_asked": _rows(given, asked)}
    columns |= {"e_echoed": _rows(desired, asked), **_alignment(answers, tokens)}
    columns |= {f"e_{name}": column for name, column in _nearness(answers, given).items()}
    return relative(columns, answers.question), given - desired, means


def relative(columns: Columns, question: NDArray[np.int64]) -> Columns:
    """Return the columns, and each in standard deviations from the mean of its question."""
    table = dict(columns)
    for name, column in columns.items():
        scaled = np.zeros(len(column))
        for number in np.unique(question):
            values = column[question == number]
            scaled[question == number] = (values - values.mean()) / (values.std() + 1e-3)
        if np.abs(scaled).max() > 1e-6:
            table[f"{name}_z"] = scaled
    return table


def _encoded(answers: Answers, encode: Callable[[Sequence[str]], Any]) -> tuple[Any, Any, Any]:
    parts = (answers.replies, answers.desired, answers.prompts)
    rows = encode([text for part in parts for text in part])
    first, second, third = np.split(rows, 3)
    return first, second, third


def _rows(left: Any, right: Any) -> Column:
    return np.asarray((left * right).sum(axis=1), dtype=np.float64)


def _unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


def _overlap(answers: Answers) -> tuple[Column, Column, Column]:
    """Compare words not in the question: their number, the desired ones covered, the precision."""
    held = Counter(word for text in set(answers.replies) for word in content(text))
    rare = {word: math.log(len(answers.replies) / count) for word, count in held.items()}

    def mass(some: frozenset[str]) -> float:
        return sum(rare.get(word, 8.0) for word in some)

    rows = []
    for given, desired, asked in zip(
        answers.replies, answers.desired, answers.prompts, strict=True
    ):
        novel = content(given) - content(asked)
        target = content(desired) - content(asked) or content(desired)
        shared = mass(target & content(given))
        precise = mass(target & novel) / max(mass(novel), 1e-9)
        rows.append((math.log1p(len(novel)), shared / max(mass(target), 1e-9), precise))
    new, covered, precise_ = np.array(rows, dtype=np.float64).T
    return new, covered, precise_


def _nearness(answers: Answers, rows: Any) -> Columns:
    """Return how close an answer is to the others of its question, and these to each other."""
    table = np.zeros((len(answers.replies), 4))
    for number in np.unique(answers.question):
        places = np.flatnonzero(answers.question == number)
        near = rows[places] @ rows[places].T
        np.fill_diagonal(near, -1)
        ordered = -np.sort(-near, axis=1)[:, :-1]
        table[places, 0], table[places, 1] = ordered.mean(axis=1), ordered[:, 0]
        table[places, 2], table[places, 3] = ordered[:, :5].mean(axis=1), ordered.mean()
    return dict(zip(("near", "nearest", "near_five", "near_all"), table.T, strict=True))


def _alignment(answers: Answers, tokens: dict[str, Any]) -> Columns:
    """Return how well each desired token is matched; `gained`: those not in the question."""
    rows = []
    for given, desired, asked in zip(
        answers.replies, answers.desired, answers.prompts, strict=True
    ):
        answer, target, question = (tokens[text][1:-1] for text in (given, desired, asked))
        if not len(answer):
            rows.append((0.0, 0.0, 0.0, 0.0))
            continue
        met = target @ answer.T
        best, before = met.max(axis=1), (target @ question.T).max(axis=1)
        novel = np.clip(1 - before, 0.02, 1)
        gained = (best * novel).sum() / novel.sum()
        rows.append((best.mean(), met.max(axis=0).mean(), gained, (best - before).mean()))
    names = ("e_recall", "e_precision", "e_novel", "e_gained")
    return dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))
