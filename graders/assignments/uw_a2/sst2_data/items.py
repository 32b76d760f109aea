"""Compare the items of the student's datasets with the rows they are made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graders.checks.compare import fail
from graders.checks.inputs import Inputs

from ..sst2.calls import unreadable
from ..sst2.rows import Row, rows

SPLITS = ("train", "validation", "test")
MOST_ITEMS = 10_000


def splits(inputs: Inputs) -> dict[str, list[Row]]:
    """Return three splits of different lengths without common sentences.

    As in the course's data, a sentence can occur twice in a split. No slice for debugging, such as
    the first 100 or 1000, contains everything.
    """
    source = inputs.random("splits")
    sizes = [source.randint(1_010, 1_090), *source.sample(range(105, 140), 2)]
    drawn = rows(inputs, "splits", sum(sizes))
    ends = np.cumsum(sizes).tolist()
    parts = zip(SPLITS, [0, *ends], ends, strict=False)
    return {name: [*drawn[start:end], drawn[start]] for name, start, end in parts}


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a dataset: its type, and its text and label if it has one of each."""

    type: str
    text: str | None
    label: int | None


@dataclass(frozen=True, slots=True)
class Split:
    """The len() of a dataset, and the texts and labels of its items."""

    length: int
    texts: Sequence[str | None]
    labels: Sequence[int | None]


def read_splits(reply: Any) -> Mapping[str, Split | None]:
    """Return the datasets of a reply; None for one that is missing or has no length."""
    return {name: _split(reply.get(name)) for name in SPLITS}


def _split(reply: Any) -> Split | None:
    if not isinstance(reply, dict) or not isinstance(reply.get("length"), int):
        return None
    items = read_items(reply["items"])
    return Split(reply["length"], [item.text for item in items], [item.label for item in items])


def read_items(reply: Any) -> list[Item]:
    """Return the items of a reply."""
    if not isinstance(reply, list) or len(reply) > MOST_ITEMS:
        unreadable()
    return [_item(item) for item in reply]


def _item(reply: Any) -> Item:
    if not isinstance(reply, dict):
        unreadable()
    text, label = reply.get("text"), reply.get("label")
    return Item(
        str(reply.get("type"))[:40],
        text if isinstance(text, str) else None,
        label if isinstance(label, int) else None,
    )


def compare_split(
    name: str, drawn_rows: Sequence[Row], split: Split | None, drawn: Mapping[str, Sequence[Row]]
) -> None:
    """Fail if a dataset is not the split of this name; items without text are only counted."""
    if split is None:
        fail(
            f"initialize_datasets returns no dataset for {name}.",
            hint="Return train, validation and test, in this order or with these names.",
        )
    length, texts = split.length, split.texts
    if length == len(drawn_rows) and (not any(texts) or texts == _texts(drawn_rows)):
        return
    other = next((n for n, part in drawn.items() if n != name and texts == _texts(part)), "")
    fail(
        f"The dataset for {name} does not contain the {len(drawn_rows)} sentences of that split.",
        hint=f"It contains the split {other}."
        if other
        else "Include every row of the split once, in its order.",
        expected=f"{len(drawn_rows)} sentences",
        actual=f"{length} items",
    )


def compare_labels(
    drawn: Mapping[str, Sequence[Row]], prepared: Mapping[str, Split | None]
) -> None:
    """Fail if a class has one label in some rows and another in others.

    Exchanging the two classes everywhere is correct: editions of the data differ in this.
    """
    firsts: dict[int, tuple[int, str]] = {}
    for name, part in drawn.items():
        split = prepared.get(name)
        for row, label in zip(part, split.labels if split else (), strict=False):
            if label is None:
                continue
            first, where = firsts.setdefault(row["label"], (label, name))
            if first != label:
                fail(
                    f"The labels in {name} do not fit those of {where}.",
                    hint="Keep each row's own label, in all three splits.",
                    expected=f"{first} for {row['text']!r}"[:200],
                    actual=str(label),
                )


def _texts(drawn_rows: Sequence[Row]) -> list[str]:
    return [row["text"] for row in drawn_rows]


def compare_items(items: Sequence[Item], drawn: Sequence[Row], score: Any) -> None:
    """Fail unless items match the rows; items without text are tested through collate_fn."""
    if len(items) != len(drawn):
        fail("Not every row can be accessed by index.", expected=f"{len(drawn)} items")
    if not any(item.text for item in items):
        score.note(
            "The items contain no text, so they are tested through the output of collate_fn."
        )
        return
    for at, (item, row) in enumerate(zip(items, drawn, strict=True)):
        if (item.text, item.label) != (row["text"], row["label"]):
            fail(
                f"Item {at} does not have the text and the label of row {at}.",
                hint="Keep both as they are in the raw data, in its order.",
                expected=str(tuple(row.values()))[:200],
                actual=str((item.text, item.label))[:200],
            )


def compare_iteration(items: Sequence[Item], drawn: Sequence[Row], score: Any) -> None:
    """Fail if one pass does not give every item in order."""
    if len(items) != len(drawn):
        fail(
            "Iterating over the dataset does not give every item exactly once.",
            expected=f"{len(drawn)} items",
            actual=f"{len(items)} items or more",
        )
    compare_items(items, drawn, score)
