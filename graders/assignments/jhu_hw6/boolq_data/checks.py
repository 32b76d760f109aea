"""BoolQADataset: questions and passages as ids, masks and labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import BadReply, StudentFault, Unavailable

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
PARTS = ("training", "validation", "test")
MOST_ROWS = 100_000  # of all parts together
MOST_LONG = 10_000  # numbers in an item
MOST_NAME = 20  # characters of a type
MOST_SMALL = 100  # rows of a small subset; the handout uses 10
CLASSES = 2
TRAINED = 8000  # rows of the training split; the others are for the test
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
        for name in KEYS:
            for form in {(item[name].dtype, item[name].shape) for item in items}:
                if form[0] != np.int64 or (name == "labels" and form[1]):
                    _require_usable(student, inputs, score, name, *form)


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
    """pre_process makes a model of two classes, and three splits without common rows, for train."""
    if not definitions(student, PREPARE):  # the class or the script may do it
        list(_replies(student, inputs, score))  # but a class that raises earns nothing
        if definitions(student, LOOP):
            in_each_file(student, score, LOOP, lambda file: _require_fitting_script(student, file))
        return

    def judge(file: str) -> None:
        whole = _parts(student, file, "full", small=False)
        small = _parts(student, file, "head", small=True)
        if whole.problem:
            score.note(f"The rows that pre_process uses were not compared. {whole.problem}")
        if whole.rows and len(whole.rows[0]) != TRAINED:
            score.note(
                f"Training uses {len(whole.rows[0]):,} rows; the handout asks for {TRAINED:,}."
            )
        _require_data(whole, small)
        _require_model(whole, small)
        _require_fitting_script(student, file)

    in_each_file(student, score, PREPARE, judge)


def _require_data(whole: "_Prepared", small: "_Prepared") -> None:
    """Fail if the data is missing, too large, in the wrong columns or splits, or unusable."""
    if whole.nothing:
        fail(
            "pre_process returns neither a model nor dataloaders.",
            hint="Return the model and the dataloaders of training, validation and test.",
        )
    if whole.loose:
        fail(
            "pre_process returns single batches, so the sets cannot be told apart.",
            hint="Return the model and the dataloaders of training, validation and test.",
        )
    if whole.lacking:
        fail(
            "pre_process returns too few dataloaders, and no other code makes any.",
            hint="Return the model and the dataloaders of training, validation and test.",
            actual=f"train needs {whole.lacking} more",
        )
    if small.rows and len(small.rows[0]) > MOST_SMALL:
        fail(
            "With small_subset=True, pre_process still loads many training rows.",
            hint="small_subset is for debugging; use only 10 rows.",
            actual=f"{len(small.rows[0])} rows",
        )
    if whole.swapped:
        fail(
            f"pre_process passes the {whole.swapped} to the dataset.",
            hint="The parameters are passages, questions, answers, tokenizer, max_len; the first "
            "three are columns of the same rows.",
        )
    if whole.rows:
        _require_apart(*whole.rows)
        if whole.batches == 1 and len(whole.rows[0]) > MOST_SMALL:
            fail(
                "The training set is one batch, so an epoch has only one step.",
                hint="Pass batch_size to the DataLoader.",
                actual=f"a batch of {len(whole.rows[0])} rows",
            )
        if whole.batches == len(whole.rows[0]):
            fail(
                "Each batch of the training set has a single row.",
                hint="Pass batch_size to the DataLoader.",
                expected="4 rows, as requested",
                actual="1 row",
            )
    if small.refused:
        fail(
            f"train raises an error for the items of pre_process's dataloaders: {small.refused}",
            hint="They need a BoolQADataset with the arguments of its definition.",
        )


def _require_model(whole: "_Prepared", small: "_Prepared") -> None:
    """Fail if the model has other than two classes, or not the requested type."""
    if whole.classes not in (0, CLASSES):
        fail(
            f"The model of pre_process has {whole.classes} classes; an answer is one of two.",
            hint="Create it with num_labels=2.",
            expected=str(CLASSES),
            actual=str(whole.classes),
        )
    if whole.left:
        fail(
            "The batches are moved to `device`, but the model is not; a GPU raises an error.",
            hint="Return model.to(device).",
        )
    if small.kind not in ("", "head"):
        fail(
            "The model of pre_process does not have the requested type.",
            hint="Pass type to CustomModelforSequenceClassification.",
            expected="head",
            actual=small.kind,
        )


def _require_fitting_script(student: Student, file: str) -> None:
    """Fail if the script of this file calls pre_process or train with wrong arguments."""
    try:
        misfit = ask_once(student, "script_misfit", file=file, read=str)
    except (StudentFault, Unavailable):  # the script may take too long here, or need something
        return
    if misfit:
        fail(
            f"Below the functions, {clean(misfit)}.",
            hint="Pass what the parameters are called, in their order; pre_process's results are "
            "in the order of its return statement.",
        )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The rows of the three loaders of pre_process, and its model's classes and type.

    What cannot be determined is empty or 0.
    """

    rows: Sequence[frozenset[int]] = ()
    classes: int = 0
    kind: str = ""
    nothing: bool = False  # whether it returns neither a model nor data
    swapped: str = ""  # a column that is passed to the dataset as another
    refused: str = ""  # what train() raises for its loaders' items
    batches: int = 0  # in the first loader
    left: bool = False  # whether nothing moves the model to the device of the batches
    loose: bool = False  # whether it returns batches without their sets
    lacking: int = 0  # loaders that train() needs besides, and that nothing makes
    problem: str = ""  # why its rows are not known


def _parts(student: Student, file: str, kind: str, *, small: bool) -> _Prepared:
    """Return what pre_process makes for a type of tuning."""
    return ask_once(student, "parts", file=file, small=small, kind=kind, read=_prepared)


def _prepared(reply: Any) -> _Prepared:
    if problem := str(mapping(reply, "problem")["problem"]):
        return _Prepared(problem=clean(problem))  # something that it needs may be missing here
    mapping(reply, "rows", "classes", "kind", "nothing", "swapped", "refused")
    mapping(reply, "batches", "left", "loose", "lacking")
    counts = (reply[name] for name in ("classes", "batches", "lacking"))
    classes, batches, lacking = (each if type(each) is int else 0 for each in counts)
    rows, problem = _rows(reply["rows"]), "" if reply["rows"] else "It returns no dataloader."
    return _Prepared(
        rows,
        classes,
        str(reply["kind"])[:MOST_NAME],
        reply["nothing"] is True,
        clean(str(reply["swapped"])),
        clean(str(reply["refused"])),
        batches,
        reply["left"] is True,
        reply["loose"] is True,
        lacking,
        problem,
    )


def _rows(reply: Any) -> Sequence[frozenset[int]]:
    known = [each for each in sequence(reply) if is_whole(each) and each.ndim == 1]
    if sum(each.size for each in known) > MOST_ROWS:
        raise BadReply(UNREADABLE)
    rows = [frozenset(map(int, each)) for each in known]
    return rows if len(rows) == len(reply) == len(PARTS) else ()


def _require_apart(*parts: frozenset[int]) -> None:
    """Fail if one of the three parts is empty, or two share rows."""
    for name, part in zip(PARTS, parts, strict=True):
        if not part:
            fail(
                f"The {name} set is empty.",
                hint="Train on train[:8000], validate on validation, test on train[8000:].",
            )
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
