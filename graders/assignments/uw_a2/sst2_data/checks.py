"""SST2Dataset, its collate_fn and initialize_datasets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import CheckFailed, describe, fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import StudentFault

from ..sst2.calls import NO_SEGMENTS, SEGMENTS, answer_once, note_file, unreadable
from ..sst2.rows import long_row, rows
from ..sst2_training.updates import refused
from .batches import FAMILIES, LIMIT, LONG, SHORTEST_CUT, Batch, Ids, batches, family_batches
from .items import (
    Item,
    compare_items,
    compare_iteration,
    compare_labels,
    compare_split,
    read_items,
    read_splits,
    splits,
)


@pytest.mark.criterion("sst2-data", weight=10)
def test_three_datasets(student: Student, inputs: Inputs, score: Score) -> None:
    """initialize_datasets returns all sentences and labels of train, validation and test."""
    note_file(student, score)
    drawn = splits(inputs)
    sent: dict[str, Value] = {name: list(part) for name, part in drawn.items()}
    prepared = answer_once(
        student, "splits", lambda: student.call("sst2_splits", splits=sent, read=read_splits)
    )
    for name, part in drawn.items():
        compare_split(name, part, prepared.get(name), drawn)
    compare_labels(drawn, prepared)


@pytest.mark.criterion("sst2-data", weight=10)
def test_items_by_index(student: Student, inputs: Inputs, score: Score) -> None:
    """The dataset has one item per row, with the row's text and label, in the same order."""
    drawn = [*rows(inputs, "items", 13), long_row(inputs, LONG)]
    length, items = answer_once(
        student, "indexed", lambda: student.call("sst2_indexed", rows=list(drawn), read=_indexed)
    )
    if length != len(drawn):
        fail(
            "len() of the dataset is not the number of its rows.",
            expected=str(len(drawn)),
            actual=str(length),
        )
    compare_items(items, drawn, score)


def _indexed(reply: Any) -> tuple[int, list[Item]]:
    if not isinstance(reply["length"], int):
        unreadable()
    return reply["length"], read_items(reply["items"])


@pytest.mark.criterion("sst2-data", weight=5)
def test_iteration(student: Student, inputs: Inputs, score: Score) -> None:
    """Iterating gives every item in order, and the same items again the second time."""
    drawn = rows(inputs, "iterated", 9)
    first, again, kind_of_item = answer_once(
        student, "iterated", lambda: student.call("sst2_items", rows=list(drawn), read=_iterated)
    )
    compare_iteration(first, drawn, score)
    if {item.type for item in first} != {kind_of_item}:
        fail(
            "Iterating gives other items than indexing.",
            expected=f"a {kind_of_item}",
            actual=f"a {first[0].type}",
        )
    if again != first:
        fail(
            "Iterating over the dataset a second time does not start from the beginning.",
            hint="__iter__ must return a new iterator each time, as iter(self.data) or a loop with "
            "yield does. A stored iterator is exhausted after one pass.",
            expected=f"{len(drawn)} items",
            actual=f"{len(again)} items",
        )


def _iterated(reply: Any) -> tuple[list[Item], list[Item], str]:
    first, again = (read_items(reply[name]) for name in ("first", "again"))
    return first, again, str(reply["type"])[:40]


@pytest.mark.criterion("sst2-data", weight=10)
def test_tokens(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """collate_fn returns the tokenizer's ids of each sentence as int64, in the batch's order."""
    loaded = batches(student, sandbox, inputs)
    for batch in loaded:
        _compare_tokens(batch)
    if all(map(_is_whole, loaded)) and (problem := refused(student, sandbox, inputs)):
        raise CheckFailed(
            f"train_one_epoch raises an error for the batches of collate_fn: {problem}",
            hint='text_encoding is what tokenizer(texts, ..., return_tensors="pt") returns.',
            actual=problem.where,
        ) from problem


@pytest.mark.criterion("sst2-data", weight=10)
def test_padding(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """Sentences are padded with the tokenizer's own token, to the longest of the batch."""
    for batch in batches(student, sandbox, inputs):
        _compare_padding(batch)


@pytest.mark.criterion("sst2-data", weight=5)
def test_truncation(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """A sentence of more than 512 tokens is truncated at its end, and keeps its last token."""
    loaded = batches(student, sandbox, inputs)
    whole = all(map(_keeps_last, [batch for batch in loaded if not batch.is_long]))
    long = [batch for batch in loaded if batch.is_long]
    if not long:
        fail(
            f"SST2Dataset leaves out sentences of more than {LIMIT} tokens.",
            hint="Keep every row: the tokenizer truncates long ones in collate_fn.",
        )
    for batch in long:
        length = batch.matrix("input_ids").shape[1]
        ids = max(batch.unpadded(), key=len)
        if length > LIMIT:
            fail(
                f"A sentence of {batch.longest} tokens is encoded as {length} tokens.",
                hint="Pass truncation=True and max_length=512 to the tokenizer: the model has no "
                "more positions.",
                expected=f"at most {LIMIT}",
                actual=str(length),
            )
        if len(ids) < SHORTEST_CUT:
            fail(
                f"A sentence of {batch.longest} tokens is encoded as {len(ids)} tokens.",
                hint="Sentences far below 512 tokens are truncated. Pass the unchanged texts and "
                "max_length=512 to the tokenizer.",
                expected=f"at least {SHORTEST_CUT}",
                actual=str(len(ids)),
            )
        if whole and not _keeps_last(batch):  # otherwise other checks report it
            fail(
                "A truncated sentence does not keep the tokenizer's last token.",
                hint="Pass truncation=True to the tokenizer: a slice of its ids cuts off the token "
                "that it adds at the end.",
                counterexample=batch.shown,
            )
        if len(set(_cut_lengths(batch))) > 1:
            fail(
                f"Sentences of more than {LIMIT} tokens are truncated to different lengths.",
                hint="Truncate tokens, not characters or words: pass the unchanged texts, "
                "truncation=True and max_length=512 to the tokenizer.",
                expected="the same number for all long sentences",
                actual=" and ".join(map(str, _cut_lengths(batch))),
            )
        if any(
            map(
                _lacks_beginning,
                batch.unpadded(),
                [batch.tokens.ids[row] for row in batch.requested],
            )
        ):
            fail(
                "A truncated sentence lacks its beginning.",
                hint='Truncate at the end: leave truncation_side of the tokenizer at "right".',
                counterexample=batch.shown,
            )


def _cut_lengths(batch: Batch) -> list[int]:
    """Return how many tokens are left of each sentence that must be truncated.

    A sentence with the tokens of another one is left to other checks.
    """
    start = slice(SHORTEST_CUT - 1)
    pairs = [
        (ids, batch.tokens.ids[at])
        for ids, at in zip(batch.unpadded(), batch.requested, strict=True)
    ]
    long = [(ids, whole) for ids, whole in pairs if len(whole) > LIMIT]
    return [len(ids) for ids, whole in long if np.array_equal(ids[start], whole[start])]


def _lacks_beginning(ids: Ids, whole: Ids) -> bool:
    """Return whether only the end of a sentence is left, between the tokens that are added."""
    words = ids[1:-1]
    end = whole[len(whole) - len(words) - 1 : -1]
    return np.array_equal(words, end) and not np.array_equal(words, whole[1 : len(words) + 1])


def _keeps_last(batch: Batch) -> bool:
    """Return whether each sentence ends with the token that the tokenizer adds at the end."""
    pairs = zip(batch.unpadded(), batch.requested, strict=True)
    return all(ids[-1:].tolist() == batch.tokens.ids[row][-1:].tolist() for ids, row in pairs)


@pytest.mark.criterion("sst2-data", weight=5)
def test_mask(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """The attention mask is 1 for the sentence's own tokens and 0 for padding."""
    for batch in batches(student, sandbox, inputs):
        mask, unpadded = batch.matrix("attention_mask"), batch.unpadded()
        if not np.isin(mask, (0, 1)).all():
            fail("The attention mask contains numbers other than 0 and 1.", actual=str(mask.dtype))
        for row, ids in zip(mask, unpadded, strict=True):
            if int(row.sum()) != len(ids):
                fail(
                    "The attention mask does not have a 1 for each token of the sentence.",
                    hint="Use the tokenizer's attention_mask: 1 for tokens, 0 for padding.",
                    expected=f"{len(ids)} ones",
                    actual=f"{int(row.sum())} ones of {len(row)}",
                    counterexample=batch.shown,
                )


@pytest.mark.criterion("sst2-data", weight=10)
def test_labels(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """label_encoding contains the batch's labels in order, as a LongTensor of shape (B,)."""
    for batch in batches(student, sandbox, inputs):
        expected = [batch.rows[row]["label"] for row in batch.requested]
        labels = batch.labels
        if not _are_long(labels) or labels.shape != (len(expected),):
            fail(
                "label_encoding is not a LongTensor with one label per sentence.",
                hint="Use torch.LongTensor([example.label for example in batch]). Cross entropy "
                "needs integer labels.",
                expected=f"int64 of shape ({len(expected)},)",
                actual=describe(labels),
            )
        if labels.tolist() != expected:
            fail(
                "label_encoding does not contain the labels of these sentences.",
                hint="Keep the order of the batch and the labels of the data.",
                expected=str(expected),
                actual=str(labels.tolist())[:100],
                counterexample=batch.shown,
            )


@pytest.mark.criterion("sst2-data", weight=15)
def test_any_tokenizer(student: Student, sandbox: Student, inputs: Inputs, score: Score) -> None:
    """collate_fn works with RoBERTa's tokenizer and with BERT's."""
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


def _is_whole(batch: Batch) -> bool:
    """Return whether padding, mask and labels have no fault that costs points in another check."""
    try:
        _compare_padding(batch)
    except CheckFailed:
        return False
    return "attention_mask" in batch.text and _are_long(batch.labels)


def _are_long(labels: Any) -> bool:
    """Return whether these are labels as cross entropy needs them."""
    return isinstance(labels, np.ndarray) and labels.dtype == np.int64 and labels.ndim == 1


def _compare_tokens(batch: Batch) -> None:
    ids = batch.matrix("input_ids")
    if ids.dtype != np.int64:
        fail(
            "input_ids are not 64-bit integers.",
            hint='return_tensors="pt" returns a LongTensor.',
            expected="int64",
            actual=str(ids.dtype),
        )
    unpadded = batch.unpadded()
    right = [batch.tokens.ids[row] for row in batch.requested]
    agree = [np.array_equal(*pair) for pair in zip(unpadded, right, strict=True)]
    if batch.is_long or all(agree):
        return
    at = agree.index(False)
    fail(
        "input_ids are not the tokenizer's ids of the sentences.",
        hint=_known_mistake(unpadded, right),
        expected=str(right[at].tolist())[:200],
        actual=str(unpadded[at].tolist())[:200],
        counterexample=batch.shown,
    )


def _known_mistake(unpadded: Sequence[Any], right: Sequence[Any]) -> str:
    actual, expected = [ids.tolist() for ids in unpadded], [ids.tolist() for ids in right]
    if sorted(actual) == sorted(expected):
        return "All sentences are present, but in another order than in the batch."
    if actual == [ids[1:-1] for ids in expected]:
        return "The first and last tokens are missing. Keep the default of add_special_tokens."
    pairs = zip(actual, expected, strict=True)
    if all(a[:-1] == b[: len(a) - 1] for a, b in pairs):
        return "Sentences far below 512 tokens are truncated."
    return "Pass the unchanged texts of the batch to the tokenizer."


def _compare_padding(batch: Batch) -> None:
    ids = batch.matrix("input_ids")
    padding = [
        int(token)
        for row, unpadded in zip(ids, batch.unpadded(), strict=True)
        for token in _ends(row.tolist(), unpadded.tolist())
    ]
    if strange := {token for token in padding if token != batch.tokens.pad}:
        outside = max(strange) >= batch.tokens.size
        fail(
            "Sentences are not padded with the tokenizer's padding token.",
            hint="The token used is an added one, outside the model's embedding table. RoBERTa has "
            "its own <pad>."
            if outside
            else "Use tokenizer.pad_token_id.",
            expected=str(batch.tokens.pad),
            actual=str(sorted(strange))[:60],
        )
    longest = max(len(unpadded) for unpadded in batch.unpadded())
    if ids.shape[1] == longest or batch.is_long:
        return
    fail(
        "The batch is not padded to its longest sentence.",
        hint='padding=True (or "longest") pads to the longest of the batch. padding="max_length" '
        "and a fixed length make every batch as long as the longest text.",
        expected=f"({len(ids)}, {longest})",
        actual=str(ids.shape),
        counterexample=batch.shown,
    )


def _ends(row: list[int], ids: list[int]) -> list[int]:
    """Return what comes before and after the tokens of a row."""
    start = next((i for i in range(len(row)) if row[i : i + len(ids)] == ids), 0)
    return [*row[:start], *row[start + len(ids) :]]


def _fail_with_roberta(problem: Exception, *, works_with_bert: bool) -> None:
    message = str(problem)
    only = " With BERT's tokenizer it works." if works_with_bert else ""
    fail(
        f"collate_fn does not work with RoBERTa's tokenizer: {message}{only}",
        hint=NO_SEGMENTS if works_with_bert or SEGMENTS in message else "",
        actual=getattr(problem, "where", ""),
    )
