"""Signs that places were copied out of the corpus instead of predicted by a model.

A little GPT remembers the corpus as it would a blurred page: where it is wrong, it names a place
of the training file that has nothing to do with the person's document. A program that searches the
corpus is the opposite: it copies what the document says, also places that no training question
has, and where it finds nothing it falls back on one answer.
"""

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

from a4_chance import chance_at_least
from a4_places import Scored

from graders.data import DEV, TEST_INPUTS, WIKI, Data, read_lines

QUESTIONS = {"dev": DEV, "test": TEST_INPUTS}
ASKED = re.compile(r"Where was (.*) born\?")
# Bounds with room above what models gave, see docs/cs224n-a4.md; a level for each sign.
LEVEL = 0.001
MOST_UNSEEN = Fraction(5, 100)
MOST_TOLD = Fraction(1, 3)
MOST_SURE = Fraction(1, 2)
FALLBACK = Fraction(3, 10)


def signs_of_extraction(scored: Scored, data: Data, part: str) -> tuple[str, ...]:
    """Return a sentence for each way in which the file is unlike what models answer."""
    documents = _documents(data.folder, part)
    if len(documents) != scored.n:
        return ()
    return tuple(_signs(scored, data, documents))


def _signs(scored: Scored, data: Data, documents: tuple[str, ...]) -> Iterator[str]:
    said = [line.strip() for line in scored.predictions]
    told = [_tells(text, place) for text, place in zip(documents, said, strict=True)]
    known = set(data.train)
    unseen = sum(t and place not in known for t, place in zip(told, said, strict=True))
    if _beyond(unseen, scored.n, MOST_UNSEEN):
        yield (
            f"{unseen} of {scored.n} answers stand word by word in the person's document and are "
            "no place of the training file: a model does not spell places that it was never "
            "trained to answer."
        )
    usual, count = Counter(said).most_common(1)[0]
    rest = [i for i, place in enumerate(said) if place != usual]
    wrong = [i for i in rest if scored.predictions[i] != scored.gold[i]]
    right = len(rest) - len(wrong)
    if count >= FALLBACK * scored.n and _beyond(right, len(rest), MOST_SURE):
        yield (
            f"{count} of {scored.n} lines say {usual[:40]!r}, and {right} of the other "
            f"{len(rest)} are right: a model does not know which of its answers are wrong."
        )
    copied = sum(told[i] for i in wrong)
    if _beyond(copied, len(wrong), MOST_TOLD):
        yield (
            f"{copied} of {len(wrong)} wrong answers stand word by word in the person's document: "
            "a model's mistakes are other places."
        )


def _beyond(k: int, n: int, share: Fraction) -> bool:
    """Return True if k of n is improbable for a true share of `share`."""
    return n > 0 and chance_at_least(k, n, share) < LEVEL


def _tells(document: str, place: str) -> bool:
    """Return True if a document holds these words."""
    return bool(place) and bool(re.search(rf"(?<!\w){re.escape(place)}(?!\w)", document))


@cache  # of one submission: a check's modules, and this with them, are dropped behind it
def _documents(folder: Path, part: str) -> tuple[str, ...]:
    """Return what the corpus says of each question's person; nothing where it has no such name."""
    lines = read_lines(folder / WIKI, "")
    found = (ASKED.search(line) for line in read_lines(folder / QUESTIONS[part], ""))
    names = [each[1] if each else "" for each in found]
    return tuple("\n".join(line for line in lines if name and name in line) for name in names)
