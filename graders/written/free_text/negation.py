"""Determine whether a text states a phrase or negates it.

    phrase "gradients vanish":  "the gradient does not vanish" -> denied
                                "not only do gradients vanish" -> said

A phrase occurs if all its words that carry meaning are close together, in any order.
"""

import re
from typing import Literal

from graders.written.free_text.wording import EMPTY_STEMS, stem, words

Occurrence = Literal["said", "denied", "absent"]
_NEGATORS = frozenset(map(stem, (
    "not", "no", "never", "neither", "nor", "without", "hardly", "cannot", "none", "lack", "lacks",
    "fail", "fails", "false", "wrong", "untrue", "incorrect", "avoid", "avoids", "prevent",
    "prevents", "nicht", "kein", "keine", "sans",
)))  # fmt: skip
# These are not negations.
_HOLDS = re.compile(rf"\bnot (?:{'|'.join(map(stem, ('only', 'just', 'merely', 'simply')))})\b")
_CLAUSE = re.compile(r"[,;:()—–]|\b(?:but|because|since|so|hence|therefore|although|whereas)\b")
_BEFORE = 5  # words that a negation applies to
_AFTER = 4  # words after the phrase in which `is wrong` or `does not occur` still refer to it
_SPREAD = 5  # words that may be between those of a phrase


def occurrence(phrase: str, sentence: str) -> Occurrence:
    """Return whether the sentence states the phrase, negates it, or neither."""
    wanted = _meaning(phrase)
    if not wanted:
        return "absent"
    found = {_in_clause(wanted, phrase, clause) for clause in _clauses(sentence)}
    if found == {"absent"}:
        found = {_in_clause(wanted, phrase, sentence)}
    return "said" if "said" in found else "denied" if "denied" in found else "absent"


def _clauses(sentence: str) -> list[str]:
    return _CLAUSE.split(sentence.casefold())


def _meaning(phrase: str) -> frozenset[str]:
    """Return the required words: all but stop words and negations, unless nothing else is left."""
    carried = frozenset(words(phrase)) - EMPTY_STEMS
    return carried - _NEGATORS or carried


def _in_clause(wanted: frozenset[str], phrase: str, clause: str) -> Occurrence:
    text = _readable(clause)
    window = _window(wanted, text)
    if window is None:
        return "absent"
    first, last = window
    near = text[max(0, first - _BEFORE) : last + 1 + _AFTER]
    same = negations(near) % 2 == negations(words(phrase)) % 2
    return "said" if same else "denied"


def _readable(clause: str) -> tuple[str, ...]:
    return tuple(_HOLDS.sub(" ", " ".join(words(clause))).split())


def negations(text: tuple[str, ...]) -> int:
    return sum(word in _NEGATORS for word in text)


def _window(wanted: frozenset[str], text: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the first and last index of the shortest stretch that contains all wanted words."""
    latest: dict[str, int] = {}
    best: tuple[int, int] | None = None
    for place, word in enumerate(text):
        if word not in wanted:
            continue
        latest[word] = place
        if len(latest) == len(wanted):
            first = min(latest.values())
            if best is None or place - first < best[1] - best[0]:
                best = (first, place)
    if best is None or best[1] - best[0] >= len(wanted) + _SPREAD:
        return None
    return best


def denies(target: str, sentence: str) -> bool:
    """Return whether the clauses on the target negate it, or state what the target negates."""
    wanted = _meaning(target)
    parts = [_readable(clause) for clause in _clauses(sentence)]
    about = tuple(word for part in parts if wanted & set(part) for word in part)
    return negations(about) % 2 != negations(words(target)) % 2
