"""BoolQADataset: questions and passages as ids, masks and labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import describe, fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import BadReply, StudentFault

from ..batches import Task, draw_task
from ..calls import ask_once
from ..files import definitions, in_each_file
from ..replies import is_whole, sequence
from ..training.runs import NAME as LOOP
from ..training.runs import Plan, training_run
from ..unwritten import require_own_work
from .prepared import (
    TRAINED,
    parts,
    require_data,
    require_fitting_script,
    require_model,
    require_use,
)
from .texts import Rows, draw_rows

Items = Sequence[Mapping[str, Any]]

NAME = "BoolQADataset"
FAMILIES = ("bert", "roberta")
KEYS = ("input_ids", "attention_mask", "labels")
ACCEPTED = ("handout", "separator", "parts", "separators", "pair", "pair-passage-cut")
MISTAKES = {
    "passage-first": "The passage comes before the question",
    "passage-alone": "The question is missing; only the passage is encoded",
    "question-alone": "The passage is missing; only the question is encoded",
    "no-separator": "There is no separator between question and passage",
}
TEXT = 'the handout encodes question + " [SEP] " + passage'
ONE_EPOCH = Plan(epochs=1, own=False)
PREPARE = "pre_process"
MOST_LONG = 10_000  # numbers in an item
GIVEN = "Your files don't define BoolQADataset, so the course's version was used."


@pytest.mark.criterion("boolq-data", weight=0)
def test_some_code_is_written(student: Student, inputs: Inputs, sandbox: Student) -> None:
    """Prerequisite: something besides the provided dataset is implemented."""
    require_own_work(student, sandbox, inputs, NAME)


@pytest.mark.criterion("boolq-data", depends_on=("some-code-is-written",))
def test_items_have_the_keys(student: Student, inputs: Inputs, score: Score) -> None:
    """Each item has input_ids and attention_mask of length max_len, and one label."""

    def judge(rows: Rows, items: Items) -> None:
        for item in items:
            _require_keys(item, rows.max_len)
        for name in KEYS:
            for form in {(item[name].dtype, item[name].shape) for item in items}:
                if form[0] != np.int64 or (name == "labels" and form[1]):
                    _require_usable(student, inputs, score, name, *form)

    _judge_items(student, inputs, score, judge)


@pytest.mark.criterion("boolq-data", weight=0.75, depends_on=("some-code-is-written",))
def test_items_encode_the_text(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """input_ids encode question + " [SEP] " + passage, truncated or padded to max_len."""

    def judge(rows: Rows, items: Items) -> None:
        ways: Any = sandbox.call(
            "encoded", family=rows.family, rows=dict(rows.columns), max_len=rows.max_len
        )
        encoded = {name: [_flat(item.get(name)) for item in items] for name in KEYS[:2]}
        way = next((way for way in ACCEPTED if _agrees(encoded, ways[way])), None)
        if way is None:
            fail(
                "The input_ids of an item do not encode its question and passage.",
                hint=_mistake(encoded, ways),
                counterexample={"tokenizer": rows.family, "max_len": str(rows.max_len)},
            )
        if way != "handout":
            score.note(f"Accepted, but question and passage are joined differently: {TEXT}.")

    _judge_items(student, inputs, score, judge)


@pytest.mark.criterion("boolq-data", weight=0.75, depends_on=("some-code-is-written",))
def test_labels_are_the_answers(student: Student, inputs: Inputs, score: Score) -> None:
    """There is one item per row, in order; its label is 1 for True and 0 for False."""

    def judge(rows: Rows, items: Items) -> None:
        flat = [_flat(item.get("labels")) for item in items]
        labels = [None if label is None else label.tolist() for label in flat]
        expected = [int(answer) for answer in rows.columns["answers"]]
        if labels != [[answer] for answer in expected]:
            shuffled = sorted(map(str, labels)) == sorted(str([answer]) for answer in expected)
            swapped = labels == [[1 - answer] for answer in expected]
            fail(
                "The labels do not match the answers of the rows.",
                hint="Return the answer of the same row: self.answers[index]."
                if shuffled and not swapped
                else "Return an integer as the label: 1 if the answer is True, 0 if it is False.",
                expected=str(expected),
                actual=str(labels)[:200],
            )

    _judge_items(student, inputs, score, judge, counted=True)


@pytest.mark.criterion("boolq-data", weight=0.5, depends_on=("some-code-is-written",))
def test_parts_are_apart(student: Student, inputs: Inputs, score: Score) -> None:
    """pre_process makes a model of two classes, and three splits without common rows, for train."""
    if not definitions(student, PREPARE):  # the class or the script may do it
        _judge_items(student, inputs, score)  # but a class that raises earns nothing
        if definitions(student, LOOP):
            in_each_file(student, score, LOOP, lambda file: require_fitting_script(student, file))
        return

    def judge(file: str) -> None:
        whole = parts(student, file, "full", small=False)
        small = parts(student, file, "head", small=True)
        if whole.problem:
            score.note(f"The rows that pre_process uses were not compared. {whole.problem}")
        if whole.rows and len(whole.rows[0]) != TRAINED:
            score.note(
                f"Training uses {len(whole.rows[0]):,} rows; the handout asks for {TRAINED:,}."
            )
        require_data(whole, small)
        require_model(whole, small)
        require_use(student, file, whole)
        require_fitting_script(student, file)

    in_each_file(student, score, PREPARE, judge)


def _judge_items(
    student: Student,
    inputs: Inputs,
    score: Score,
    judge: Callable[[Rows, Items], None] = lambda *_: None,
    *,
    counted: bool = False,
) -> None:
    """Grade the items that each file's dataset returns for each tokenizer.

    If they are `counted`, its length has to be the number of rows.
    """
    if not definitions(student, NAME):
        score.note(GIVEN)
        return

    def judge_file(file: str) -> None:
        for family in FAMILIES:
            rows = draw_rows(inputs, family)
            length, items = _items(student, rows, file)
            if counted and length != len(rows):
                fail(
                    "The dataset does not have one item per row.",
                    hint="Return len(self.answers) from __len__.",
                    expected=f"{len(rows)} items",
                    actual=f"len() returned {length}",
                )
            judge(rows, items)

    in_each_file(student, score, NAME, judge_file)


def _items(student: Student, rows: Rows, file: str) -> tuple[int | None, Items]:
    """Return the length of a file's dataset, and its item for each row."""
    return ask_once(
        student,
        "dataset_items",
        family=rows.family,
        rows=dict(rows.columns),
        max_len=rows.max_len,
        file=file,
        read=partial(_length_and_items, len(rows)),
    )


def _length_and_items(count: int, reply: Any) -> tuple[int | None, Items]:
    length, items = reply["length"], sequence(reply["items"], dict)
    if len(items) != count:
        raise BadReply
    if sum(np.size(value) for item in items for value in item.values()) > MOST_LONG * len(items):
        raise BadReply
    return length if isinstance(length, int) else None, items


def _require_keys(item: Mapping[str, Any], max_len: int) -> None:
    for name in KEYS:
        value = item.get(name)
        size = 1 if name == "labels" else max_len
        if not is_whole(value) or value.size != size or value.ndim > 1:
            fail(
                f"`{name}` of an item has the wrong type or shape.",
                hint=_form_hint(name, value, size),
                expected=f"an integer tensor with {size} element(s) and at most one axis",
                actual=describe(value) if name in item else f"keys {sorted(item)[:6]}",
            )


def _form_hint(name: str, value: Any, size: int) -> str:
    if name == "labels":
        return "Return torch.tensor(int(answer), dtype=torch.long)."
    if not is_whole(value):
        return 'Return the tensors of the tokenizer: return_tensors="pt".'
    if value.size == size:
        return "encode_plus returns (1, max_len): flatten() it."
    return 'Use max_length=self.max_len, padding="max_length" and truncation=True.'


def _require_usable(
    student: Student,
    inputs: Inputs,
    score: Score,
    name: str,
    kind: np.dtype[Any],
    shape: tuple[int, ...],
) -> None:
    """Fail if the student's train() works with int64 values, but not with values of this form."""
    task = draw_task(inputs, "labels", 4)
    changed = task.train[name].astype(kind)
    if name == "labels":
        changed = changed.reshape(-1, *shape)
    files = [file for file, _ in definitions(student, LOOP) if _trains_with(student, task, file)]
    form = f"{kind} of shape {shape}" if name == "labels" and shape else str(kind)
    if not files:
        score.note(f"`{name}` is {form}; models and cross entropy need int64 (torch.long).")
    elif not any(
        _trains_with(student, replace(task, train={**task.train, name: changed}), file)
        for file in files
    ):
        fail(
            f"`{name}` of an item is {form}, for which your train() raises an error.",
            hint="Return torch.tensor(int(answer), dtype=torch.long)."
            if name == "labels"
            else "Return what the tokenizer returns, as torch.long.",
            expected="int64" if name != "labels" else "int64, a single number",
            actual=form,
        )


def _trains_with(student: Student, task: Task, file: str) -> bool:
    """Return whether a file's train() takes a step on every batch of this task."""
    try:
        run = training_run(student, task, ONE_EPOCH, file)
    except StudentFault:
        return False
    return len(run.updates) >= ONE_EPOCH.steps(task)


def _flat(value: Any) -> Any:
    return value.reshape(-1) if is_whole(value) else None


def _agrees(encoded: Mapping[str, Sequence[Any]], way: Any) -> bool:
    """Return whether all items have these ids and masks; another check tests their shapes."""
    return all(
        values is not None and np.array_equal(values, right)
        for name in KEYS[:2]
        for values, right in zip(encoded[name], way[name], strict=True)
    )


def _mistake(encoded: Mapping[str, Sequence[Any]], ways: Mapping[str, Any]) -> str:
    for name, says in MISTAKES.items():
        if _agrees(encoded, ways[name]):
            return f"{says}: {TEXT}."
    right = ways["handout"]
    if _agrees({**encoded, "attention_mask": list(right["attention_mask"])}, right):
        return (
            "The ids are correct, but the attention mask isn't: use 1 for text and 0 for padding."
        )
    return f"Check the text and its length: {TEXT}, truncated or padded to max_len."
