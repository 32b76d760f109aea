"""Generate prediction files of a given accuracy, for demo courses."""

import random
from collections.abc import Sequence
from pathlib import Path

from graders.data.birthplaces import open_data

SEED = 224
ACCURACY = {  # of a model trained as the file's name says: from, to
    "vanilla.nopretrain": (0.0, 0.04),
    "vanilla.pretrain": (0.17, 0.34),
    "rope.pretrain": (0.32, 0.45),
}


def draw_predictions(
    answers: Sequence[str], places: Sequence[str], accuracy: float, draw: random.Random
) -> str:
    """Return one line per answer; a share `accuracy` of them is correct."""
    right = set(draw.sample(range(len(answers)), round(accuracy * len(answers))))
    given = [
        answer if number in right else draw.choice([place for place in places if place != answer])
        for number, answer in enumerate(answers)
    ]
    return "\n".join(given) + "\n"


def vary_predictions(folders: Sequence[Path], plain: Path) -> None:
    """Replace predictions copied from the example `plain` by new ones with a random accuracy.

    The answers are those of the built-in sample dataset.
    """
    draw = random.Random(SEED)  # noqa: S311
    with open_data(None) as data:
        places = sorted({*data.train, *data.dev})
        for folder in folders:
            for model, accuracies in ACCURACY.items():
                accuracy = draw.uniform(*accuracies)
                for split, answers in (("dev", data.dev), ("test", data.test or ())):
                    file = folder / f"{model}.{split}.predictions"
                    same = plain / file.name
                    if file.is_file() and file.read_bytes() == same.read_bytes():
                        drawn = draw_predictions(answers, places, accuracy, draw)
                        file.write_text(drawn, encoding="utf-8")
