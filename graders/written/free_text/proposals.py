"""Suggest which rubric items apply to an answer, with the sentence that shows it.

    answer -> sentences -> the best for each item, unless it negates it -> Proposal

A person decides; a confidence only sorts and preselects, and is not a grade.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graders.written.free_text.similarity import Encoder, TfIdf
from graders.written.free_text.wording import Passage, content, denies, occurrence, sentences
from graders.written.question import Review, RubricItem

TICKED_FROM = 0.5
SAID = 0.9  # the confidence if a phrase occurs word for word
DENIED = 0.3  # the factor if the sentence negates the phrase
CONTRADICTED = 0.35  # the factor for each contradiction
LONG_PHRASE = 5  # from this number of words on, most of them are enough for a contradiction
MOST_OF_THEM = 0.8
WORDS_ENOUGH = 0.5  # the fraction of an item's words at which it is as likely as not
MEANING = (0.4, 0.8)  # the similarity of an unrelated sentence, and of an equivalent one
Weights = Mapping[str, float]
Meaning = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A phrase that the rubric says must not occur, and the sentence that contains it."""

    phrase: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rubric item, counted from 0: whether it would be ticked automatically, and why."""

    item: int
    ticked: bool
    confidence: float
    support: Passage | None
    contradictions: tuple[Contradiction, ...]


def propose(review: Review, answer: str, *, encoder: Encoder | None = None) -> tuple[Proposal, ...]:
    """Return a proposal for each item of the rubric, in order."""
    passages = sentences(answer)
    weights = _weights(review)
    meaning = _meaning(review, passages, encoder)
    return tuple(
        _proposal(
            place, item, passages, lambda target, text: _strength(target, text, weights, meaning)
        )
        for place, item in enumerate(review.items)
    )


def _proposal(
    place: int, item: RubricItem, passages: Sequence[Passage], strength: Meaning
) -> Proposal:
    against = _contradictions(item, passages)
    spoilt = {contradiction.passage for contradiction in against}
    targets = (item.text, *item.phrases)
    scored = [
        (max(strength(target, passage.text) for target in targets), -passage.start, passage)
        for passage in passages
        if passage not in spoilt
    ]
    best, _, support = max(scored, default=(0.0, 0, None), key=lambda candidate: candidate[:2])
    confidence = round(best * CONTRADICTED ** len(spoilt), 3)
    ticked = confidence >= TICKED_FROM
    return Proposal(place, ticked, confidence, support if confidence > 0 else None, against)


def _contradictions(item: RubricItem, passages: Sequence[Passage]) -> tuple[Contradiction, ...]:
    return tuple(
        Contradiction(phrase, passage)
        for phrase in item.contradictions
        for passage in passages
        if _contradicts(phrase, passage.text)
    )


def _contradicts(phrase: str, sentence: str) -> bool:
    if occurrence(phrase, sentence) == "said":
        return True
    words = content(phrase)
    long = len(words) >= LONG_PHRASE
    return (
        long
        and len(words & content(sentence)) >= MOST_OF_THEM * len(words)
        and not denies(phrase, sentence)
    )


def _strength(target: str, sentence: str, weights: Weights, meaning: Meaning) -> float:
    """Return how certainly the sentence states the target, 0 to 1."""
    state = occurrence(target, sentence)
    if state == "said" and len(content(target)) > 1:
        return SAID
    share = _share(target, sentence, weights)
    likely = SAID * _curve(share, WORDS_ENOUGH)
    likely = max(likely, SAID * meaning(target, sentence) * min(1.0, 0.6 + share))
    denied = state == "denied" or (share >= WORDS_ENOUGH / 2 and denies(target, sentence))
    return likely * (DENIED if denied else 1.0)


def _curve(share: float, middle: float) -> float:
    """Return 0 at 0, one half at the middle, close to 1 at 1."""
    return share**3 / (share**3 + middle**3) if share > 0 else 0.0


def _share(target: str, sentence: str, weights: Weights) -> float:
    """Return the fraction of the target's words that the sentence has, weighted by rarity."""
    words = content(target)
    total = sum(weights.get(word, 1.0) for word in words)
    there = sum(weights.get(word, 1.0) for word in words & content(sentence))
    return there / total if total else 0.0


def _weights(review: Review) -> Weights:
    """Return the weights of words; those in many rubric items weigh less."""
    held = Counter(
        word for item in review.items for word in content(" ".join((item.text, *item.phrases)))
    )
    return {word: 1 / math.sqrt(count) for word, count in held.items()}


def _meaning(review: Review, passages: Sequence[Passage], encoder: Encoder | None) -> Meaning:
    """Return the similarity of a target and a sentence, if an encoder knows meanings."""
    if encoder is None or isinstance(encoder, TfIdf):  # words are compared already
        return lambda target, sentence: 0.0
    targets = [text for item in review.items for text in (item.text, *item.phrases)]
    texts = sorted({*targets, *(passage.text for passage in passages)})
    rows = dict(zip(texts, encoder.encode(texts), strict=True))
    low, high = MEANING

    def meaning(target: str, sentence: str) -> float:
        cosine = float(rows[target] @ rows[sentence])
        return min(1.0, max(0.0, (cosine - low) / (high - low)))

    return meaning
