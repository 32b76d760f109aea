"""SST2Dataset, its collate_fn and initialize_datasets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from a2_sst2_asked import NO_SEGMENTS, SEGMENTS, asked, note_file, unreadable
from a2_sst2_batches import FAMILIES, LIMIT, SHORTEST_CUT, Batch, batches, family_batches, kind
from a2_sst2_items import (
    Item,
    compare_items,
    compare_iteration,
    compare_split,
    read_items,
    read_splits,
    splits,
)
from a2_sst2_rows import rows

from graders.checks.compare import CheckFailed, fail
from graders.errors import StudentFault


@pytest.mark.criterion("sst2-data", weight=10)
def test_three_datasets(student, inputs, score):
    """initialize_datasets gives the sentences of train, validation and test, each whole."""
    note_file(student, score)
    drawn = splits(inputs)
    came = asked(
        student, "splits", lambda: student.call("sst2_splits", splits=drawn, read=read_splits)
    )
    for name, given in drawn.items():
        compare_split(name, given, came.get(name), drawn)


@pytest.mark.criterion("sst2-data", weight=10)
def test_items_by_index(student, inputs, score):
    """The data set has an item for each row, with the row's text and label, in the same order."""
    drawn = rows(inputs, "items", 13)
    length, items = asked(
        student, "indexed", lambda: student.call("sst2_indexed", rows=drawn, read=_indexed)
    )
    if length != len(drawn):
        fail(
            "len() of the data set is not the number of its rows.",
            expected=str(len(drawn)),
            actual=str(length),
        )
    compare_items(items, drawn, score)


def _indexed(reply: Any) -> tuple[int, list[Item]]:
    if not isinstance(reply["length"], int):
        unreadable()
    return reply["length"], read_items(reply["items"])


@pytest.mark.criterion("sst2-data", weight=5)
def test_iteration(student, inputs, score):
    """Iterating gives every item in order, and again the second time."""
    drawn = rows(inputs, "iterated", 9)
    first, again, kind_of_item = asked(
        student, "iterated", lambda: student.call("sst2_items", rows=drawn, read=_iterated)
    )
    compare_iteration(first, drawn, score)
    if {each.type for each in first} != {kind_of_item}:
        fail(
            "Iterating does not give the items that indices give.",
            expected=f"a {kind_of_item}",
            actual=f"a {first[0].type}",
        )
    if again != first:
        fail(
            "Iterating over the data set again does not begin anew.",
            hint="__iter__ gives a new iterator each time, as iter(self.data) or a loop with yield "
            "does; an iterator that is kept is used up.",
            expected=f"{len(drawn)} items",
            actual=f"{len(again)} items",
        )


def _iterated(reply: Any) -> tuple[list[Item], list[Item], str]:
    first, again = (read_items(reply[name]) for name in ("first", "again"))
    return first, again, str(reply["type"])[:40]


@pytest.mark.criterion("sst2-data", weight=10)
def test_tokens(student, sandbox, inputs):
    """collate_fn gives the tokenizer's ids of each sentence as int64, in the order of the batch."""
    for batch in batches(student, sandbox, inputs):
        _compare_tokens(batch)


@pytest.mark.criterion("sst2-data", weight=10)
def test_padding(student, sandbox, inputs):
    """Sentences are padded with the tokenizer's own token, to the longest of the batch."""
    for batch in batches(student, sandbox, inputs):
        _compare_padding(batch)


@pytest.mark.criterion("sst2-data", weight=5)
def test_truncation(student, sandbox, inputs):
    """A sentence of more than 512 tokens is cut, and keeps its last token."""
    for batch in batches(student, sandbox, inputs):
        if not batch.is_long:
            continue
        length = batch.matrix("input_ids").shape[1]
        whole = max(len(ids) for ids in batch.kept())
        if length > LIMIT or whole < SHORTEST_CUT:
            fail(
                f"A sentence of {batch.longest} tokens becomes {length}.",
                hint="Pass truncation=True and max_length=512 to the tokenizer: the model has no "
                "more positions.",
                expected=f"at most {LIMIT}",
                actual=str(length),
            )


@pytest.mark.criterion("sst2-data", weight=5)
def test_mask(student, sandbox, inputs):
    """The attention mask is 1 for the sentence's own tokens and 0 for padding."""
    for batch in batches(student, sandbox, inputs):
        mask, kept = batch.matrix("attention_mask"), batch.kept()
        if not np.isin(mask, (0, 1)).all():
            fail("The attention mask holds other numbers than 0 and 1.", actual=str(mask.dtype))
        for row, ids in zip(mask, kept, strict=True):
            if int(row.sum()) != len(ids):
                fail(
                    "The attention mask does not have a 1 for each token of the sentence.",
                    hint="Take the tokenizer's attention_mask: 1 for tokens, 0 for padding.",
                    expected=f"{len(ids)} ones",
                    actual=f"{int(row.sum())} ones of {len(row)}",
                    counterexample=batch.shown,
                )


@pytest.mark.criterion("sst2-data", weight=10)
def test_labels(student, sandbox, inputs):
    """label_encoding holds the labels of the batch in its order, as a LongTensor of shape (B,)."""
    for batch in batches(student, sandbox, inputs):
        expected = [batch.rows[row]["label"] for row in batch.asked]
        labels = batch.labels
        is_right = isinstance(labels, np.ndarray) and labels.shape == (len(expected),)
        if not is_right or labels.dtype != np.int64:
            fail(
                "label_encoding is not a LongTensor with one label a sentence.",
                hint="torch.LongTensor([example.label for example in batch]); cross entropy asks "
                "for whole numbers.",
                expected=f"int64 of shape ({len(expected)},)",
                actual=kind(labels),
            )
        if labels.tolist() != expected:
            fail(
                "label_encoding does not hold the labels of these sentences.",
                hint="In the order of the batch, and as the data has them.",
                expected=str(expected),
                actual=str(labels.tolist())[:100],
                counterexample=batch.shown,
            )


@pytest.mark.criterion("sst2-data", weight=15)
def test_any_tokenizer(student, sandbox, inputs, score):
    """collate_fn works with the tokenizer of RoBERTa, and with that of BERT."""
    problems: dict[str, Exception] = {}
    for family in FAMILIES:
        try:
            family_batches(student, sandbox, inputs, family)
        except (CheckFailed, StudentFault) as problem:
            problems[family] = problem
    if "roberta" in problems:
        _fail_with_roberta(problems["roberta"], works_with_bert="bert" not in problems)
    if problems:
        score.partial(2 / 3, f"With BERT's tokenizer: {problems['bert']}")


def _compare_tokens(batch: Batch) -> None:
    ids = batch.matrix("input_ids")
    if ids.dtype != np.int64:
        fail(
            "input_ids are not whole numbers of 64 bits.",
            hint='return_tensors="pt" gives a LongTensor.',
            expected="int64",
            actual=str(ids.dtype),
        )
    kept = batch.kept()
    right = [batch.tokens.ids[row] for row in batch.asked]
    agree = [np.array_equal(*pair) for pair in zip(kept, right, strict=True)]
    if batch.is_long or all(agree):
        return
    at = agree.index(False)
    fail(
        "input_ids are not the tokenizer's ids of the sentences.",
        hint=_known_mistake(kept, right),
        expected=str(right[at].tolist())[:200],
        actual=str(kept[at].tolist())[:200],
        counterexample=batch.shown,
    )


def _known_mistake(kept: Sequence[Any], right: Sequence[Any]) -> str:
    came, expected = [each.tolist() for each in kept], [each.tolist() for each in right]
    if sorted(came) == sorted(expected):
        return "All sentences are there, but in another order than in the batch."
    if came == [each[1:-1] for each in expected]:
        return "The first and the last token are missing: leave add_special_tokens as it is."
    pairs = zip(came, expected, strict=True)
    if all(a[:-1] == b[: len(a) - 1] for a, b in pairs):
        return "Sentences far below 512 tokens are cut."
    return "Pass the texts of the batch to the tokenizer as they are."


def _compare_padding(batch: Batch) -> None:
    ids = batch.matrix("input_ids")
    padding = [
        int(each)
        for row, kept in zip(ids, batch.kept(), strict=True)
        for each in _ends(row.tolist(), kept.tolist())
    ]
    if strange := {each for each in padding if each != batch.tokens.pad}:
        outside = max(strange) >= batch.tokens.size
        fail(
            "Sentences are padded with another token than the tokenizer's.",
            hint="That token is an extra one, outside the model's embedding table: RoBERTa has its "
            "own <pad>."
            if outside
            else "Use tokenizer.pad_token_id.",
            expected=str(batch.tokens.pad),
            actual=str(sorted(strange))[:60],
        )
    longest = max(len(kept) for kept in batch.kept())
    if ids.shape[1] == longest or batch.is_long:
        return
    fail(
        "The batch is not padded to its longest sentence.",
        hint='padding=True (or "longest") pads to the longest of the batch; padding="max_length" '
        "and a length that is fixed beforehand make every batch as long as the longest text.",
        expected=f"({len(ids)}, {longest})",
        actual=str(ids.shape),
        counterexample=batch.shown,
    )


def _ends(row: list[int], kept: list[int]) -> list[int]:
    """What stands before and after the tokens of a row."""
    start = next((i for i in range(len(row)) if row[i : i + len(kept)] == kept), 0)
    return [*row[:start], *row[start + len(kept) :]]


def _fail_with_roberta(problem: Exception, *, works_with_bert: bool) -> None:
    message = str(problem)
    only = " With BERT's tokenizer it works." if works_with_bert else ""
    fail(
        f"collate_fn does not work with RoBERTa's tokenizer: {message}{only}",
        hint=NO_SEGMENTS if works_with_bert or SEGMENTS in message else "",
        actual=getattr(problem, "where", ""),
    )
