"""Find signs that places were copied from the corpus instead of predicted by a model.

A small GPT remembers the corpus imprecisely: if it is wrong, it answers with a place of the
training file that is unrelated to the person's document. A program that searches the corpus does
the opposite: it copies what the document says, including places that no training question has, and
if it finds nothing, it falls back on one answer.
"""

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from graders.data.birthplaces import DEV, TEST_INPUTS, WIKI, Data, read_lines

from .chance import chance_at_least
from .places import Scored

QUESTIONS = {"dev": DEV, "test": TEST_INPUTS}
ASKED = re.compile(r"Where was (.*) born\?")
# Bounds with a margin above what models gave, see docs/cs224n-a4.md; one level per sign.
LEVEL = 0.001
MOST_UNSEEN = Fraction(5, 100)
MOST_TOLD = Fraction(1, 3)
MOST_SURE = Fraction(1, 2)
FALLBACK = Fraction(3, 10)


def signs_of_extraction(scored: Scored, data: Data, part: str) -> tuple[str, ...]:
    """Return a sentence for each way in which the file is unlike what models answer."""
    corpus, asked = (read_lines(data.folder / each, "") for each in (WIKI, QUESTIONS[part]))
    documents = _documents(tuple(corpus), tuple(asked))
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
            f"{unseen} of {scored.n} answers appear verbatim in the person's document but are not "
            "places of the training file. A model doesn't spell places that it was never "
            "trained to answer."
        )
    usual, count = Counter(said).most_common(1)[0]
    rest = [i for i, place in enumerate(said) if place != usual]
    wrong = [i for i in rest if scored.predictions[i] != scored.gold[i]]
    right = len(rest) - len(wrong)
    if count >= FALLBACK * scored.n and _beyond(right, len(rest), MOST_SURE):
        yield (
            f"{count} of {scored.n} lines say {usual[:40]!r}, and {right} of the other "
            f"{len(rest)} are correct. But a model does not know which of its answers are wrong."
        )
    copied = sum(told[i] for i in wrong)
    if _beyond(copied, len(wrong), MOST_TOLD):
        yield (
            f"{copied} of {len(wrong)} wrong answers appear verbatim in the person's document. "
            "A model's mistakes are other places."
        )


def _beyond(k: int, n: int, share: Fraction) -> bool:
    """Return True if k of n is improbable for a true share of `share`."""
    return n > 0 and chance_at_least(k, n, share) < LEVEL


def _tells(document: str, place: str) -> bool:
    """Return True if a document contains these words."""
    return bool(place) and bool(re.search(rf"(?<!\w){re.escape(place)}(?!\w)", document))


@lru_cache(maxsize=2)  # the dev and the test part
def _documents(corpus: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    """Return the corpus text about each question's person; nothing for an unknown name."""
    found = (ASKED.search(line) for line in asked)
    names = [each[1] if each else "" for each in found]
    return tuple("\n".join(line for line in corpus if name and name in line) for name in names)
