"""Propose which lines of a rubric an answer holds, with the sentence that says so.

    answer -> sentences -> the best for each line, unless it denies it -> Proposal

A person decides; a confidence orders and preselects, and is no grade.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graders.written.free_text.negation import denies, occurrence
from graders.written.free_text.similarity import Encoder, TfIdf
from graders.written.free_text.wording import Passage, content, sentences
from graders.written.question import Review, RubricItem

TICKED_FROM = 0.5
SAID = 0.9  # the confidence where a phrase stands there word for word
DENIED = 0.3  # what is left where the sentence denies the phrase
CONTRADICTED = 0.35  # what is left of the confidence for each contradiction
LONG_PHRASE = 5  # words from which on most of them are enough for a contradiction
MOST_OF_THEM = 0.8
WORDS_ENOUGH = 0.5  # the share of a line's words that makes it as likely as not
MEANING = (0.4, 0.8)  # the similarity of a sentence that says nothing, and that says it all
Weights = Mapping[str, float]
Meaning = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What the rubric says must not be there, and the sentence in which it is."""

    phrase: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class Proposal:
    """A line of the rubric, counted from 0: whether the machine would tick it, and why."""

    item: int
    ticked: bool
    confidence: float
    support: Passage | None
    contradictions: tuple[Contradiction, ...]


def propose(review: Review, answer: str, *, encoder: Encoder | None = None) -> tuple[Proposal, ...]:
    """A proposal for each line of the rubric, in its order."""
    said = sentences(answer)
    weights = _weights(review)
    meaning = _meaning(review, said, encoder)
    return tuple(
        _proposal(place, item, said, lambda target, text: _strength(target, text, weights, meaning))
        for place, item in enumerate(review.items)
    )


def _proposal(place: int, item: RubricItem, said: Sequence[Passage], strength: Meaning) -> Proposal:
    against = _contradictions(item, said)
    spoilt = {each.passage for each in against}
    targets = (item.text, *item.phrases)
    scored = [
        (max(strength(target, passage.text) for target in targets), -passage.start, passage)
        for passage in said
        if passage not in spoilt
    ]
    best, _, support = max(scored, default=(0.0, 0, None), key=lambda each: each[:2])
    confidence = round(best * CONTRADICTED ** len(spoilt), 3)
    ticked = confidence >= TICKED_FROM
    return Proposal(place, ticked, confidence, support if confidence > 0 else None, against)


def _contradictions(item: RubricItem, said: Sequence[Passage]) -> tuple[Contradiction, ...]:
    return tuple(
        Contradiction(phrase, passage)
        for phrase in item.contradictions
        for passage in said
        if _contradicts(phrase, passage.text)
    )


def _contradicts(phrase: str, sentence: str) -> bool:
    if occurrence(phrase, sentence) == "said":
        return True
    wanted = content(phrase)
    long = len(wanted) >= LONG_PHRASE
    return (
        long
        and len(wanted & content(sentence)) >= MOST_OF_THEM * len(wanted)
        and not denies(phrase, sentence)
    )


def _strength(target: str, sentence: str, weights: Weights, meaning: Meaning) -> float:
    """How surely the sentence says the target, 0 to 1."""
    found = occurrence(target, sentence)
    if found == "said" and len(content(target)) > 1:
        return SAID
    share = _share(target, sentence, weights)
    likely = SAID * _curve(share, WORDS_ENOUGH)
    likely = max(likely, SAID * meaning(target, sentence) * min(1.0, 0.6 + share))
    denied = found == "denied" or (share >= WORDS_ENOUGH / 2 and denies(target, sentence))
    return likely * (DENIED if denied else 1.0)


def _curve(share: float, middle: float) -> float:
    """0 at 0, one half at the middle, close to 1 at 1."""
    return share**3 / (share**3 + middle**3) if share > 0 else 0.0


def _share(target: str, sentence: str, weights: Weights) -> float:
    """The share of the target's words that the sentence has, rare words counting more."""
    wanted = content(target)
    total = sum(weights.get(word, 1.0) for word in wanted)
    there = sum(weights.get(word, 1.0) for word in wanted & content(sentence))
    return there / total if total else 0.0


def _weights(review: Review) -> Weights:
    """Words that many lines of the rubric use tell less of one of them."""
    held = Counter(
        word for item in review.items for word in content(" ".join((item.text, *item.phrases)))
    )
    return {word: 1 / math.sqrt(count) for word, count in held.items()}


def _meaning(review: Review, said: Sequence[Passage], encoder: Encoder | None) -> Meaning:
    """The similarity of a line's text or phrase and a sentence, where an encoder knows meanings."""
    if encoder is None or isinstance(encoder, TfIdf):  # words are compared already
        return lambda target, sentence: 0.0
    targets = [text for item in review.items for text in (item.text, *item.phrases)]
    texts = sorted({*targets, *(passage.text for passage in said)})
    rows = dict(zip(texts, encoder.encode(texts), strict=True))
    low, high = MEANING

    def meaning(target: str, sentence: str) -> float:
        cosine = float(rows[target] @ rows[sentence])
        return min(1.0, max(0.0, (cosine - low) / (high - low)))

    return meaning
