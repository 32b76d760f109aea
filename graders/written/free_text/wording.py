"""Split free text into sentences and words without endings, and find what they state or negate.

    "The gradient doesn't vanish."    ->  the gradient do not vanish  (negated after `not`)
    phrase "gradients vanish":  "the gradient does not vanish" -> denied
                                "not only do gradients vanish" -> said

A phrase occurs if all its words that carry meaning are close together, in any order. Only the
beginning of an answer is read, so that time is bounded; nothing here fails on any text.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

READ = 20_000  # characters of an answer; the rest is not read
MOST_SENTENCES = 200
LONGEST_SENTENCE = 600
LONGEST_WORD = 40

# A full stop ends a sentence before a space; Chinese and Japanese write none. The dots of `e.g.`
# don't.
_STOP = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\bw\.r\.t)(?<![.!?…])[.!?…]+(?=\s|$)"
    r"|[。！？]|\n"
)
_CONTRACTED = re.compile(r"n['’]t\b")
_FORMATTING = re.compile(
    r"\\(?:text|mathrm|mathbf|boldsymbol|bm|operatorname|emph|textbf|textit|left|right|big)\b"
)
# Chinese and Japanese write no spaces: each character counts as a word.
_WORD = re.compile(r"[぀-ヿ㐀-䶿一-鿿]|[^\W_]+", re.UNICODE)
_ENDINGS = (
    "ization", "isation", "ations", "ation", "ments", "ment", "ities", "ity", "ness", "ants",
    "ances", "ance", "ences", "ence", "able", "ible", "ions", "ings", "ion", "ing", "ies", "ied",
    "ous", "ive", "ers", "er", "ed", "es", "ly", "al", "s", "e", "y",
)  # fmt: skip
_SAME = {
    "cannot": "can not", "dont": "do not", "doesnt": "do not", "isnt": "is not", "cant": "can not",
    "wont": "will not", "≈": " approximately ", "∇": " gradient ", "≠": " not equal ",
    "ain't": "is not", "σ": " sigma ", "β": " beta ", "μ": " mu ", "α": " alpha ", "θ": " theta ",
}  # fmt: skip
_REPLACED = re.compile("|".join(rf"\b{k}\b" if k.isalpha() and k.isascii() else k for k in _SAME))
EMPTY = frozenset({
    "a", "an", "the", "of", "to", "in", "is", "are", "be", "been", "and", "or", "that", "it",
    "its", "this", "these", "those", "for", "on", "with", "as", "by", "from", "at", "which",
    "was", "were", "can", "could", "will", "would", "has", "have", "had", "you", "we", "they",
    "he", "she", "i", "if", "then", "so", "there", "do", "does", "did", "such", "thus", "hence",
    "also", "because", "since", "when", "where", "while", "their", "them", "our", "but", "than",
    "into", "et", "al", "der", "die", "das", "le", "la", "les", "un", "une", "el", "los",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of an answer with its position: `answer[start:end]` is its text."""

    text: str
    start: int
    end: int


def sentences(answer: str) -> tuple[Passage, ...]:
    """Return the sentences at the beginning of an answer, long ones in pieces."""
    passages: list[Passage] = []
    for start, end in _pieces(answer[:READ]):
        stripped = answer[start:end].strip()
        if stripped:
            at = answer.index(stripped, start, end)
            passages.append(Passage(stripped, at, at + len(stripped)))
        if len(passages) == MOST_SENTENCES:
            break
    return tuple(passages)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in [*(match.end() for match in _STOP.finditer(text)), len(text)]:
        while stop - start > LONGEST_SENTENCE:
            space = text.rfind(" ", start + 1, start + LONGEST_SENTENCE)
            cut = space if space > start else start + LONGEST_SENTENCE
            yield start, cut
            start = cut
        yield start, stop
        start = stop


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Return all words in order, without case, endings, contractions, LaTeX and punctuation."""
    plain = unicodedata.normalize("NFKC", text[:READ]).casefold()
    plain = _FORMATTING.sub(" ", _CONTRACTED.sub(" not", plain))
    plain = _REPLACED.sub(lambda match: _SAME[match.group()], plain)
    return tuple(stem(word[:LONGEST_WORD]) for word in _WORD.findall(plain))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a word without the endings that change with grammar: `scaling`, `scaled`, `scale`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            short = word[: -len(ending)]
            return short[:-1] if len(short) > 4 and short[-1] == short[-2] else short
    return word


def content(text: str) -> frozenset[str]:
    """Return the words that carry meaning."""
    return frozenset(words(text)) - EMPTY_STEMS


EMPTY_STEMS = frozenset(stem(word) for word in EMPTY) | EMPTY


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
    required = _meaning(phrase)
    if not required:
        return "absent"
    occurrences = {_in_clause(required, phrase, clause) for clause in _clauses(sentence)}
    if occurrences == {"absent"}:
        occurrences = {_in_clause(required, phrase, sentence)}
    return "said" if "said" in occurrences else "denied" if "denied" in occurrences else "absent"


def _clauses(sentence: str) -> list[str]:
    return _CLAUSE.split(sentence.casefold())


def _meaning(phrase: str) -> frozenset[str]:
    """Return the required words: all but stop words and negations, unless nothing else is left."""
    carried = frozenset(words(phrase)) - EMPTY_STEMS
    return carried - _NEGATORS or carried


def _in_clause(terms: frozenset[str], phrase: str, clause: str) -> Occurrence:
    text = _readable(clause)
    window = _window(terms, text)
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


def _window(terms: frozenset[str], text: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the first and last index of the shortest stretch that contains all wanted words."""
    latest: dict[str, int] = {}
    best: tuple[int, int] | None = None
    for place, word in enumerate(text):
        if word not in terms:
            continue
        latest[word] = place
        if len(latest) == len(terms):
            first = min(latest.values())
            if best is None or place - first < best[1] - best[0]:
                best = (first, place)
    if best is None or best[1] - best[0] >= len(terms) + _SPREAD:
        return None
    return best


def denies(target: str, sentence: str) -> bool:
    """Return whether the clauses on the target negate it, or state what the target negates."""
    required = _meaning(target)
    parts = [_readable(clause) for clause in _clauses(sentence)]
    about = tuple(word for part in parts if required & set(part) for word in part)
    return negations(about) % 2 != negations(words(target)) % 2
