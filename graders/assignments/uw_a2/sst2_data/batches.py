"""Collated batches, and their correct values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, describe, fail
from graders.checks.inputs import Inputs
from graders.errors import StudentFault

from ..sst2.calls import answer_once, unreadable
from ..sst2.rows import Row, long_row, long_row_of_short_words, rows

Ids = NDArray[np.int64]
FAMILIES = ("roberta", "bert")
LIMIT = 512  # positions of the model
SHORTEST_CUT = 64  # tokens; the random sentences are shorter, so no limit truncates them
LONG = 600  # words
MOST_IDS = 10**6  # of a batch


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of each row with one tokenizer."""

    ids: Sequence[Ids]
    pad: int
    size: int


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch of one tokenizer: the requested rows, and the result of collate_fn."""

    family: str
    rows: Sequence[Row]
    requested: Sequence[int]
    tokens: Tokens
    text: Mapping[str, Any]
    labels: Any

    @property
    def longest(self) -> int:
        """The number of tokens of its longest sentence."""
        return max(len(self.tokens.ids[row]) for row in self.requested)

    @property
    def is_long(self) -> bool:
        """Return whether it contains a sentence that must be truncated."""
        return self.longest > LIMIT

    def matrix(self, name: str) -> NDArray[Any]:
        """Return `input_ids` or `attention_mask`; fail unless it has one row per text."""
        value = self.text.get(name)
        if isinstance(value, np.ndarray) and value.ndim == 2 and len(value) == len(self.requested):
            if value.dtype.kind in "iubf" and np.isfinite(value).all():
                return value
            fail(f"`{name}` does not contain whole numbers.", actual=describe(value))
        fail(
            f"text_encoding has no `{name}` with one row per sentence of the batch.",
            hint='The tokenizer returns it: tokenizer(texts, padding=True, return_tensors="pt").',
            expected=f"a tensor of shape ({len(self.requested)}, L)",
            actual=describe(value),
            counterexample=self.shown,
        )

    def unpadded(self) -> list[Ids]:
        """Return each row's ids without padding, whatever the padding token is."""
        ids = self.matrix("input_ids")
        return [
            _unpadded(row, self.tokens, self.tokens.ids[at])
            for at, row in zip(self.requested, ids, strict=True)
        ]

    @property
    def shown(self) -> dict[str, str]:
        """Return the batch as a counterexample."""
        texts = " | ".join(self.rows[row]["text"][:40] for row in self.requested)
        return {"tokenizer": self.family, "sentences": texts[:200]}


def _unpadded(row: NDArray[Any], tokens: Tokens, right: Ids) -> Ids:
    """Return the row's ids without padding: the tokenizer's token, or one added to it."""
    for ids, rest in (
        (row[: len(right)], row[len(right) :]),
        (row[len(row) - len(right) :], row[: len(row) - len(right)]),
    ):
        if np.array_equal(ids, right) and len(set(rest.tolist())) <= 1:
            return right
    inside = np.flatnonzero((row != tokens.pad) & (row < tokens.size))
    ids = row[inside[0] : inside[-1] + 1] if len(inside) else row[:0]
    return np.asarray(ids, dtype=np.int64)


def batches(student: Student, sandbox: Student, inputs: Inputs) -> Sequence[Batch]:
    """Return collate_fn's batches for each tokenizer that it works with; fail if there is none."""
    collated: list[Batch] = []
    problems: list[Exception] = []
    for family in FAMILIES:
        try:
            collated += family_batches(student, sandbox, inputs, family)
        except (CheckFailed, StudentFault) as problem:
            problems.append(problem)
    if not collated:
        raise problems[0]
    return collated


def family_batches(
    student: Student, sandbox: Student, inputs: Inputs, family: str
) -> Sequence[Batch]:
    """Return the same for one tokenizer."""
    long = (long_row(inputs, LONG), long_row_of_short_words(inputs, LONG))
    drawn: Any = [*rows(inputs, "collate", 11), *long]
    drawn[4:5] = rows(inputs, "longer", 1, most=30)  # only in the last batch
    plan: Any = _plan(inputs)
    reply = answer_once(
        student,
        f"collate {family}",
        lambda: student.call(
            "sst2_collate", family=family, rows=drawn, batches=plan, read=partial(_all, plan)
        ),
    )
    tokens = tokens_of(sandbox, family, [row["text"] for row in drawn])
    return [Batch(family, drawn, at, tokens, *parts) for at, *parts in reply if at]


def works_with_roberta(student: Student, sandbox: Student, inputs: Inputs) -> bool:
    """Return whether collate_fn makes batches with RoBERTa's tokenizer."""
    try:
        family_batches(student, sandbox, inputs, "roberta")
    except (CheckFailed, StudentFault):
        return False
    return True


def _plan(inputs: Inputs) -> list[list[int]]:
    """Return the rows of each batch, not in dataset order; the last has the long sentences.

    Two batches are of equal size.
    """
    order = inputs.random("collate order").sample([0, 1, 2, 3, 5, 6, 7, 8, 9, 10], 10)
    return [order[:4], order[4:5], order[5:9], [4, 11, 12]]


def _all(
    plan: Sequence[Sequence[int]], reply: Any
) -> list[tuple[Sequence[int], Mapping[str, Any], Any]]:
    """Return the rows of each batch that the dataset has, and the two parts of the batch."""
    if not isinstance(reply, list) or len(reply) != len(plan):
        unreadable()
    return [_parts(at, batch) for at, batch in zip(plan, reply, strict=True)]


def _parts(at: Sequence[int], reply: Any) -> tuple[Sequence[int], Mapping[str, Any], Any]:
    if not isinstance(reply, dict):
        unreadable()
    left_out: Any = reply.get("dropped") if isinstance(reply.get("dropped"), list) else []
    dropped = {row for row in left_out if isinstance(row, int)}
    at = [row for row in at if row not in dropped]
    if not at:
        return at, {}, None
    if not isinstance(reply.get("text"), dict):
        names: Any = reply.get("names") if isinstance(reply.get("names"), list) else []
        fail(
            "collate_fn does not return a dict with `text_encoding` and `label_encoding`.",
            hint="The training loop accesses batches by these two names.",
            actual=f"a {str(reply.get('type'))[:40]} with {', '.join(map(str, names))[:100]}",
        )
    if sum(np.size(ids) for ids in reply["text"].values()) > MOST_IDS:
        unreadable()
    return at, reply["text"], reply.get("labels")


def tokens_of(sandbox: Student, family: str, texts: list[str]) -> Tokens:
    """Return the correct tokens of each text."""
    reply: Any = sandbox.call("sst2_tokens", family=family, texts=list(texts))
    return Tokens([np.asarray(ids) for ids in reply["ids"]], reply["pad"], reply["size"])
