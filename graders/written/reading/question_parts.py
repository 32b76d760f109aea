"""The expected parts of a question in an answers file, and their alternative names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from graders.written.question import Kind, Question

# What people call the single value that a question requires, and the text with it.
VALUE = frozenset({
    "answer", "ans", "value", "formula", "expression", "query", "choice", "choices", "option",
    "result", "solution", "number", "vector", "matrix", "table", "output",
})  # fmt: skip
TEXT = frozenset({
    "text", "explanation", "explain", "reason", "reasons", "reasoning", "justification", "proof",
    "argument", "why", "because", "comment", "derivation", "discussion",
})  # fmt: skip
_NUMBERS = {
    **{"one": "1", "single": "1", "two": "2", "three": "3", "four": "4"},
    **{"first": "1", "second": "2", "third": "3", "fourth": "4"},
}
_LETTERS = {"query": "q", "queries": "q", "key": "k", "keys": "k", "value": "v", "values": "v"}
_SPLITS = {
    **dict.fromkeys(("val", "valid", "validation", "development"), "dev"),
    **{"training": "train", "testing": "test"},
}
_SAME = {**_NUMBERS, **_SPLITS}
_PRAISE = frozenset({"best", "highest", "top", "optimal", "my"})  # as in `Best training epoch`
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """The parts of one question: the automatic ones, and the free text ("" if there is none)."""

    id: str
    title: str
    machine: tuple[str, ...]
    kind: Kind | None
    text: str
    quoted: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        free = (self.text,) if self.text and self.text not in self.machine else ()
        return self.machine + free


def expected_parts(question: Question, quoted: str = "") -> QuestionParts:
    """Return the expected parts of a question; `quoted` is its text in the template."""
    machine, review = question.machine, question.review
    return QuestionParts(
        id=question.id,
        title=question.title,
        machine=machine.parts if machine is not None else (),
        kind=machine.kind if machine is not None else None,
        text=review.part if review is not None else "",
        quoted=quoted,
    )


def spellings(part: str) -> tuple[str, ...]:
    """Return the names by which a part is found within a line."""
    meant = _SPLITS.get(part, part)
    return (part, *(name for name in (*_SPLITS, "dev") if _SPLITS.get(name, name) == meant))


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text or a part's name, without letters and digits that stand alone.

    Different words for the same number or split are equal, and so are singular and plural.
    """
    words = re.findall(r"[^\W\d_]{3,}", text.casefold())
    return frozenset(_SAME.get(word, word.removesuffix("s")) for word in words)


def label_of(label: str, question: QuestionParts) -> str:
    """Return the part that a label means, by its own or a common name; "" if none."""
    key = _key(label)
    for part in question.parts:
        if key == _key(part):
            return part
    for part in (*_also(key, question), *_begun(label, question)):
        return part
    return ""


def _also(key: str, question: QuestionParts) -> Iterable[str]:
    if len(question.parts) == 1 and key in (VALUE if question.machine else VALUE | TEXT):
        yield question.parts[0]
    elif key in TEXT and question.text:
        yield question.text
    elif key in VALUE and len(question.machine) == 1:
        yield question.machine[0]
    yield from (part for part in question.machine if _LETTERS.get(key) == _key(part))


def _begun(label: str, question: QuestionParts) -> Iterable[str]:
    """Return the part whose name the label starts with, or whose first word it is.

    Examples are `Concatenation` and `Encoder self-attention`, and `Encoder` for `encoder_self`.
    """
    key, words = _key(label), len(re.findall(r"[^\W_]+", label[:60]))
    alike = [
        part
        for part in question.machine
        if len(_key(part)) > 2 and key.startswith(_key(part)) and words <= len(part.split("_")) + 1
    ]
    if not alike and question.kind != "table":  # `train: 0.95` may be a row of a curve
        alike = [part for part in question.machine if key == _key(part.partition("_")[0])]
    return alike if len(alike) == 1 else ()


def _key(label: str) -> str:
    """Return the label without case, punctuation and spaces.

    So `q_1`, `$q_{1}$` and `Q1` are equal.
    """
    text = re.sub(r"\\(?:text|mathrm|mathbf|bm)\b", "", label[:60]).translate(_LOWERED)
    words = [word.casefold() for word in re.findall(r"\d+|[^\W\d_]+", text)]
    if len(words) > 1 and words[0] in _PRAISE:
        del words[0]
    return "".join(_SAME.get(word, word) for word in words)
