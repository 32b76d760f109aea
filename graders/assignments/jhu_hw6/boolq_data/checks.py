"""BoolQADataset: questions and passages as ids, masks and labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import BadReply, StudentFault, StudentRaised

from ..asking import ask
from ..batches import Task, draw_task
from ..files import definitions, in_each_file
from ..once import ask_once
from ..replies import UNREADABLE, is_whole, kind, mapping, sequence
from ..training.runs import NAME as LOOP
from ..training.runs import Plan, training_run
from ..unwritten import require_own_work
from .texts import Rows, draw_rows

NAME = "BoolQADataset"
FAMILIES = ("bert", "roberta")
KEYS = ("input_ids", "attention_mask", "labels")
ACCEPTED = ("handout", "separator", "separators", "pair", "pair-passage-cut")
MISTAKES = {
    "passage-first": "The passage comes before the question",
    "passage-alone": "The question is missing; only the passage is encoded",
    "question-alone": "The passage is missing; only the question is encoded",
    "no-separator": "There is no separator between question and passage",
}
TEXT = 'the handout encodes question + " [SEP] " + passage'
ONE_EPOCH = Plan(epochs=1, own=False)
PREPARE = "pre_process"
NO_SUCH_ROW = "out of range for dataset of size"
PARTS = ("training", "validation", "test")
MOST_ROWS = 100_000  # of all parts together
MOST_LONG = 10_000  # numbers in an item
MOST_NAME = 20  # characters of a type
MOST_SMALL = 100  # rows of a small subset; the handout uses 10
CLASSES = 2
GIVEN = "Your files don't define BoolQADataset, so the course's version was used."


@pytest.mark.criterion("boolq-data", weight=0)
def test_some_code_is_written(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """Prerequisite: something besides the provided dataset is implemented."""
    require_own_work(student, sandbox, inputs, NAME)


@pytest.mark.criterion("boolq-data", depends_on=("some-code-is-written",))
def test_items_have_the_keys(student: Student, inputs: Inputs, score: Score) -> None:
    """Each item has input_ids and attention_mask of length max_len, and one label."""
    for rows, items in _replies(student, inputs, score):
        for item in items:
            _require_keys(item, rows.max_len)
        for kind_of_labels in {item["labels"].dtype for item in items} - {np.dtype(np.int64)}:
            _require_usable(student, inputs, score, kind_of_labels)


@pytest.mark.criterion("boolq-data", weight=0.75, depends_on=("some-code-is-written",))
def test_items_encode_the_text(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """input_ids encode question + " [SEP] " + passage, truncated or padded to max_len."""
    for rows, items in _replies(student, inputs, score):
        ways: Any = ask(
            sandbox, "encoded", family=rows.family, rows=dict(rows.columns), max_len=rows.max_len
        )
        came = {name: [_flat(item.get(name)) for item in items] for name in KEYS[:2]}
        found = next((each for each in ACCEPTED if _agrees(came, ways[each])), None)
        if found is None:
            fail(
                "The input_ids of an item do not encode its question and passage.",
                hint=_mistake(came, ways),
                counterexample={"tokenizer": rows.family, "max_len": str(rows.max_len)},
            )
        if found != "handout":
            score.note(f"Accepted, but question and passage are joined differently: {TEXT}.")


@pytest.mark.criterion("boolq-data", weight=0.75, depends_on=("some-code-is-written",))
def test_labels_are_the_answers(student: Student, inputs: Inputs, score: Score) -> None:
    """There is one item per row, in order; its label is 1 for True and 0 for False."""
    for rows, items in _replies(student, inputs, score):
        labels = [_flat(item.get("labels")) for item in items]
        wanted = [int(answer) for answer in rows.columns["answers"]]
        if [each.tolist() if each is not None else None for each in labels] != [
            [each] for each in wanted
        ]:
            fail(
                "The labels do not match the answers of the rows.",
                hint="Return an integer as the label: 1 if the answer is True, 0 if it is False.",
                expected=str(wanted),
                actual=str([None if each is None else each.tolist() for each in labels])[:200],
            )


@pytest.mark.criterion("boolq-data", weight=0.5, depends_on=("some-code-is-written",))
def test_parts_are_apart(student: Student, inputs: Inputs, score: Score) -> None:
    """pre_process makes a model of two classes, and three splits without common rows."""
    if not definitions(student, PREPARE):  # the class or the script may do it
        list(_replies(student, inputs, score))  # but a class that raises earns nothing
        return

    def judge(file: str) -> None:
        whole = _parts(student, file, "full", small=False)
        if whole.nothing:
            fail(
                "pre_process returns neither a model nor dataloaders.",
                hint="Return the model and the dataloaders of training, validation and test.",
            )
        small = _parts(student, file, "head", small=True)
        if small.rows and len(small.rows[0]) > MOST_SMALL:
            fail(
                "With small_subset=True, pre_process still loads many training rows.",
                hint="small_subset is for debugging; use only 10 rows.",
                actual=f"{len(small.rows[0])} rows",
            )
        if whole.problem:
            score.note(f"The rows that pre_process uses were not compared. {whole.problem}")
        if whole.rows:
            _require_apart(*whole.rows)
        if whole.classes not in (0, CLASSES):
            fail(
                f"The model of pre_process has {whole.classes} classes; an answer is one of two.",
                hint="Create it with num_labels=2.",
                expected=str(CLASSES),
                actual=str(whole.classes),
            )
        if small.kind not in ("", "head"):
            fail(
                "The model of pre_process does not have the requested type.",
                hint="Pass type to CustomModelforSequenceClassification.",
                expected="head",
                actual=small.kind,
            )

    in_each_file(student, score, PREPARE, judge)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The rows of the three loaders of pre_process, and its model's classes and type.

    What cannot be determined is empty or 0.
    """

    rows: Sequence[frozenset[int]] = ()
    classes: int = 0
    kind: str = ""
    nothing: bool = False  # whether it returns neither a model nor data
    problem: str = ""  # why its rows are not known


def _parts(student: Student, file: str, kind: str, *, small: bool) -> _Prepared:
    """Return what pre_process makes for a type of tuning."""
    try:
        return ask_once(student, "parts", file=file, small=small, kind=kind, read=_prepared)
    except StudentRaised as problem:
        if NO_SUCH_ROW in str(problem):  # the rows are as many as BoolQ has
            raise
        # something else that it needs may be missing here
        return _Prepared(problem=f"{problem} {problem.where}".rstrip())


def _prepared(reply: Any) -> _Prepared:
    mapping(reply, "rows", "classes", "kind", "nothing")
    classes = reply["classes"] if type(reply["classes"]) is int else 0
    rows, problem = _rows(reply["rows"]), "" if reply["rows"] else "It returns no dataloader."
    kind = str(reply["kind"])[:MOST_NAME]
    return _Prepared(rows, classes, kind, reply["nothing"] is True, problem)


def _rows(reply: Any) -> Sequence[frozenset[int]]:
    known = [each for each in sequence(reply) if is_whole(each) and each.ndim == 1 and each.size]
    if sum(each.size for each in known) > MOST_ROWS:
        raise BadReply(UNREADABLE)
    rows = [frozenset(map(int, each)) for each in known]
    return rows if len(rows) == len(reply) == len(PARTS) else ()


def _require_apart(*parts: frozenset[int]) -> None:
    """Fail if two of the three parts share rows."""
    for (one, left), (other, right) in combinations(zip(PARTS, parts, strict=True), 2):
        if shared := len(left & right):
            fail(
                f"The {one} and {other} sets share rows.",
                hint="Train on train[:8000], validate on validation, test on train[8000:].",
                expected="no shared rows",
                actual=f"{shared} of the {len(right)} {other} rows",
            )


def _replies(
    student: Student, inputs: Inputs, score: Score
) -> Iterator[tuple[Rows, Sequence[Mapping[str, Any]]]]:
    """Yield for each file and tokenizer the rows and the student's items for them."""
    found = definitions(student, NAME)
    if not found:
        score.note(GIVEN)
    for file, _ in found:
        for family in FAMILIES:
            rows = draw_rows(inputs, family)
            yield rows, _items(student, rows, file)


def _items(student: Student, rows: Rows, file: str) -> Sequence[Mapping[str, Any]]:
    length, items = ask_once(
        student,
        "dataset_items",
        family=rows.family,
        rows=dict(rows.columns),
        max_len=rows.max_len,
        file=file,
        read=_length_and_items,
    )
    if length != len(rows) or len(items) != len(rows):
        fail(
            "The dataset does not have one item per row.",
            expected=f"{len(rows)} items",
            actual=f"len() returned {length}",
        )
    return items


def _length_and_items(reply: Any) -> tuple[int | None, Sequence[Mapping[str, Any]]]:
    length, items = reply["length"], sequence(reply["items"], dict)
    if sum(np.size(value) for each in items for value in each.values()) > MOST_LONG * len(items):
        raise BadReply(UNREADABLE)
    return length if isinstance(length, int) else None, items


def _require_keys(item: Mapping[str, Any], max_len: int) -> None:
    for name in KEYS:
        value = item.get(name)
        size = 1 if name == "labels" else max_len
        if not is_whole(value) or value.size != size or value.ndim > 1:
            fail(
                f"`{name}` of an item has the wrong type or shape.",
                hint='encode_plus returns (1, max_len): flatten() it; use padding="max_length".',
                expected=f"an integer tensor with {size} element(s) and at most one axis",
                actual=kind(value) if name in item else f"keys {sorted(item)[:6]}",
            )


def _require_usable(student: Student, inputs: Inputs, score: Score, kind: np.dtype[Any]) -> None:
    """Fail if the student's train() works with int64 labels, but not with labels of this kind."""
    task = draw_task(inputs, "labels", 4)
    train = {**task.train, "labels": task.train["labels"].astype(kind)}
    files = [file for file, _ in definitions(student, LOOP) if _trains_with(student, task, file)]
    if not files:
        score.note(f"The labels are {kind}; cross entropy needs int64 (torch.long).")
    elif not any(_trains_with(student, replace(task, train=train), file) for file in files):
        fail(
            f"The labels are {kind}, for which cross entropy raises an error in your train().",
            hint="Return torch.tensor(int(answer), dtype=torch.long).",
            expected="int64",
            actual=str(kind),
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


def _agrees(came: Mapping[str, Sequence[Any]], way: Any) -> bool:
    """Return whether all items have these ids and masks; another check tests their shapes."""
    return all(
        each is not None and np.array_equal(each, right)
        for name in KEYS[:2]
        for each, right in zip(came[name], way[name], strict=True)
    )


def _mistake(came: Mapping[str, Sequence[Any]], ways: Mapping[str, Any]) -> str:
    for name, says in MISTAKES.items():
        if _agrees(came, ways[name]):
            return f"{says}: {TEXT}."
    right = ways["handout"]
    if _agrees({**came, "attention_mask": list(right["attention_mask"])}, right):
        return (
            "The ids are correct, but the attention mask isn't: use 1 for text and 0 for padding."
        )
    return f"Check the text and its length: {TEXT}, truncated or padded to max_len."
