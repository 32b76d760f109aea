"""Draw rows of a question dataset, with words that every tokenizer splits differently."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from graders.checks.inputs import Inputs

TEXT = (
    "the river city is older than its bridge does a ship carry water under law can they "
    "play music at night was that film made by one person in winter did people live here "
    "before war ended are cats good with dogs has it been sold for more money after dark"
)
WORDS = TEXT.split()


@dataclass(frozen=True, slots=True)
class Rows:
    """Questions, passages and answers, and the length at which an item is truncated."""

    family: str
    columns: Mapping[str, list[Any]]
    max_len: int

    def __len__(self) -> int:
        return len(self.columns["answers"])


def draw_rows(inputs: Inputs, family: str) -> Rows:
    """Draw a few rows, some longer than max_len and some shorter, with both answers."""
    source = inputs.random("rows", family)
    max_len = source.randint(44, 60) if family == "bert" else 128  # the course's
    sizes = [source.randint(4, 6), source.randint(700, 800)]  # some passages are very long
    sizes += [source.randint(5, 60) for _ in range(source.randint(3, 5))]
    passages = [_sentences(source, size) for size in sizes]  # questions have no capitals
    answers = [True, False] + [source.random() < 0.5 for _ in passages[2:]]
    source.shuffle(answers)
    questions = [_words(source, source.randint(4, 6)) for _ in passages]
    return Rows(family, {"passages": passages, "questions": questions, "answers": answers}, max_len)


def _sentences(source: Random, count: int) -> str:
    """Return as many words, as sentences with a comma."""
    first, second = _words(source, count - count // 2), _words(source, count // 2)
    return f"{first.capitalize()}, {second}." if second else f"{first.capitalize()}."


def _words(source: Random, count: int) -> str:
    return " ".join(source.choice(WORDS) for _ in range(count))
