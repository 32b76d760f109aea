"""Group similar answers, so that one decision can apply to a whole group.

Every member is similar to the group's first answer; answers that differ in a number, a sign or a
negation are never in the same group, however similar their words are.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graders.written.free_text.negation import negations
from graders.written.free_text.similarity import Encoder, TfIdf
from graders.written.free_text.wording import words

# Measured by benchmarks/quality/written.py: from here on, 95% of a group agree. TF-IDF is the
# default because it saves more decisions there (18%) than the sentence encoder (14%).
THRESHOLDS = {"tf-idf": 0.6, "minilm": 0.92}
MOST_COMPARED = 4_000  # different texts; further ones are grouped only if they are equal
_SIGNS = re.compile(r"\d+|[+*/^=<>≤≥≠]|(?<![^\W\d])[-−]|[-−](?![^\W\d])")  # `12` or `≤` or `-`
_EDGES = " \t\n\r.,;:!?\"'`*_"
Neighbours = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Group:
    """Answers by name; the others resemble the first one, whose text is shown."""

    members: tuple[str, ...]
    text: str


def groups(
    answers: Mapping[str, str], *, encoder: Encoder | None = None, threshold: float | None = None
) -> tuple[Group, ...]:
    """Group all answers, the largest group first; their order makes no difference."""
    encoder = encoder or TfIdf()
    threshold = THRESHOLDS[encoder.name] if threshold is None else threshold
    same: dict[str, list[str]] = defaultdict(list)
    for name in sorted(answers):
        same[normalised(answers[name])].append(name)
    texts = sorted(same)
    stars = _stars([len(same[text]) for text in texts], _neighbours(texts, encoder, threshold))
    found = [_group([same[texts[place]] for place in star], answers) for star in stars]
    return tuple(sorted(found, key=lambda group: (-len(group.members), group.members)))


def normalised(answer: str) -> str:
    """Return the answer without irrelevant differences: case, spaces, punctuation around it."""
    plain = unicodedata.normalize("NFKC", answer).casefold()
    return " ".join(plain.split()).strip(_EDGES)


def _group(members: list[list[str]], answers: Mapping[str, str]) -> Group:
    names = tuple(name for each in members for name in each)
    return Group(names, answers[names[0]])


def _neighbours(texts: Sequence[str], encoder: Encoder, threshold: float) -> Neighbours:
    """Return which of the texts are similar enough; a text is its own neighbor."""
    compared = texts[:MOST_COMPARED]
    vectors = encoder.encode(compared)
    guards = np.array([guard(text) for text in compared])
    alike: Neighbours = vectors @ vectors.T >= threshold
    alike &= guards[:, None] == guards[None, :]
    np.fill_diagonal(alike, val=True)
    return alike


def guard(text: str) -> str:
    """Return a key that must be equal in a group: numbers, signs, the number of negations."""
    signs = " ".join(sorted(_SIGNS.findall(text)))
    return f"{signs}|{negations(words(text))}|{bool(words(text))}"


def _stars(counts: Sequence[int], alike: Neighbours) -> list[list[int]]:
    """Group indices: first the text that represents most answers, with those answers."""
    weights = np.array(counts[: len(alike)], dtype=np.int64)
    free = np.ones(len(alike), dtype=bool)
    served = alike @ weights
    stars: list[list[int]] = []
    while free.any():
        centre = int(np.argmax(np.where(free, served, -1)))
        members = alike[centre] & free
        stars.append([centre, *(int(i) for i in np.flatnonzero(members) if i != centre)])
        free &= ~members
        served -= alike[:, members] @ weights[members]
    return stars + [[place] for place in range(len(alike), len(counts))]
