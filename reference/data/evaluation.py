"""Score predicted birth places, and those of baselines that do not read the questions.

Accuracies are percentages, 0 to 100, as in the course's script.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

LONDON = "London"


def evaluate_places(path: Path | str, predictions: Sequence[str]) -> tuple[float, float]:
    """Return the number of questions and of correct predictions (starter, utils.py).

    A file of questions without places gives (0, 0). The gold line is stripped, the prediction
    is not: "London " is incorrect.
    """
    places = gold_places(path)
    if places is None:
        return 0.0, 0.0
    if len(places) != len(predictions):
        raise ValueError(f"{len(predictions)} predictions for {len(places)} questions")
    correct = sum(
        place == prediction for place, prediction in zip(places, predictions, strict=True)
    )
    return float(len(places)), float(correct)


def majority_place(places: Sequence[str]) -> str:
    """Return the most frequent place; in case of a tie, the first one."""
    return Counter(places).most_common(1)[0][0]


def constant_accuracy(places: Sequence[str], place: str) -> float:
    """Return the accuracy of the same answer to questions with these places."""
    return 100 * places.count(place) / len(places)


def gold_places(path: Path | str) -> list[str] | None:
    """Return the places in a question file, or None if the first line has no place."""
    with open(path, encoding="utf-8") as file:
        # Lines of the file, not splitlines(): a name may contain U+0085, which does not end a line.
        rows = [line.strip().split("\t") for line in file]
    if not rows or len(rows[0]) == 1:
        return None
    for number, row in enumerate(rows, start=1):
        if len(row) == 1:
            raise ValueError(f"{Path(path).name}: line {number} has no birth place")
    return [row[1] for row in rows]
