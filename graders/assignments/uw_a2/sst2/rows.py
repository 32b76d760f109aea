"""Random sentences with labels for one grading."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from graders.checks.inputs import Inputs

Row = dict[str, Any]  # text and label, as a row of the data set

# Words that are one token each in the tiny tokenizers.
FIRST = ("good", "bad", "dull", "lovely", "charming", "terrible", "wonderful", "boring", "funny")
WORDS = (
    "the", "film", "is", "a", "story", "of", "love", "and", "war", "with", "music", "that",
    "never", "works", "but", "we", "like", "its", "actor", "an", "empty", "plot", "in", "dark",
    "city", "one", "long", "night", "about", "children", "who", "come", "home", "again",
    "after", "many", "years", "on", "stage", "comedy", "drama", "horror", "action", "picture",
    "scene", "scenes", "screen", "director", "performance", "time", "people",
)  # fmt: skip
SHORT = 2  # characters
ODD = ("Allen", "'s", ",", "n't", "--", "It", "?", "crème")  # capitals and punctuation must be kept


def rows(inputs: Inputs, purpose: str, count: int, *, most: int = 14) -> list[Row]:
    """Return different sentences of 2 to `most` words; two of every four labels are 1."""
    source = inputs.random("sentences", purpose, count)
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[_sentence(source, source.randint(2, most))] = None
    return [{"text": t, "label": n} for t, n in zip(texts, _labels(source, count), strict=True)]


def long_row(inputs: Inputs, words: int) -> Row:
    """Return a sentence that is too long for the model."""
    return {"text": _sentence(inputs.random("long sentence"), words), "label": 1}


def long_row_of_short_words(inputs: Inputs, words: int) -> Row:
    """Return the same with fewer characters per token."""
    source = inputs.random("long sentence of short words")
    short = [word for word in WORDS if len(word) <= SHORT]
    text = " ".join([source.choice(FIRST), *source.choices(short, k=words - 1)])
    return {"text": text, "label": 0}


def classes(inputs: Inputs) -> Mapping[str, int]:
    """Return the class of each first word; both classes occur, independently of meaning."""
    words = inputs.random("classes").sample(FIRST, len(FIRST))
    return {word: at % 2 for at, word in enumerate(words)}


def labelled(
    inputs: Inputs,
    purpose: str,
    word_classes: Mapping[str, int],
    right: Sequence[bool],
    *,
    most: int,
) -> list[Row]:
    """Return sentences whose labels match the class of the first word where `right` is true."""
    drawn = rows(inputs, purpose, len(right), most=most)
    for row, agrees in zip(drawn, right, strict=True):
        predicted = word_classes[row["text"].split()[0]]
        row["label"] = predicted if agrees else 1 - predicted
    return drawn


def _sentence(source: random.Random, words: int) -> str:
    odd = source.choices(ODD, k=max(1, words // 6)) if words > 3 else []
    rest = source.choices(WORDS, k=words - 1 - len(odd))
    source.shuffle(tail := [*odd, *rest])
    return " ".join([source.choice(FIRST), *tail])


def _labels(source: random.Random, count: int) -> list[int]:
    labels = [label for _ in range(count // 4 + 1) for label in source.sample((0, 1, 0, 1), 4)]
    return labels[:count]
