"""Find whether a text says a phrase or denies it.

    phrase "gradients vanish":  "the gradient does not vanish" -> denied
                                "not only do gradients vanish" -> said

A phrase occurs where all its words that carry meaning stand close together, in any order.
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
# These deny nothing.
_HOLDS = re.compile(rf"\bnot (?:{'|'.join(map(stem, ('only', 'just', 'merely', 'simply')))})\b")
_CLAUSE = re.compile(r"[,;:()—–]|\b(?:but|because|since|so|hence|therefore|although|whereas)\b")
_BEFORE = 5  # words that a negation reaches ahead
_AFTER = 4  # words behind the phrase in which `is wrong` or `does not occur` still speak of it
_SPREAD = 5  # words that may stand between those of a phrase


def occurrence(phrase: str, sentence: str) -> Occurrence:
    """Whether the sentence says the phrase, denies it, or neither."""
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
    """What must stand there: all but empty words and negations, unless nothing else is left."""
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
    """How many of the words deny something."""
    return sum(word in _NEGATORS for word in text)


def _window(wanted: frozenset[str], text: tuple[str, ...]) -> tuple[int, int] | None:
    """The first and last place of the shortest stretch that holds all wanted words."""
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
    """Whether the clauses that speak of the target deny what it says, or the other way round."""
    wanted = _meaning(target)
    parts = [_readable(clause) for clause in _clauses(sentence)]
    about = tuple(word for part in parts if wanted & set(part) for word in part)
    return negations(about) % 2 != negations(words(target)) % 2
