"""What pre_process makes: three sets without common rows, and a pretrained model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.errors import BadReply, StudentFault, Unavailable

from ..calls import ask_once
from ..replies import is_whole, mapping, sequence

PARTS = ("training", "validation", "test")
SPLITS = {"train": frozenset(range(9427)), "validation": frozenset(range(9427, 9427 + 3270))}
TRAINED = 8000  # rows of the training split; the others are for the test
MOST_ROWS = 100_000  # of all parts together
MOST_NAME = 20  # characters of a type
MOST_SMALL = 100  # rows of a small subset; the handout uses 10
CLASSES = 2
BATCH, OTHER_BATCH = 4, 10  # rows of a batch that pre_process is asked for
NAMES = ("bert", "roberta", "distilbert")  # families of models that it is asked for


@dataclass(frozen=True, slots=True)
class Prepared:
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
    left_out: int = 0  # rows of validation and test that are in no batch
    lacking: int = 0  # loaders that train() needs besides, and that nothing makes
    problem: str = ""  # why its rows are not known


def require_data(whole: Prepared, small: Prepared) -> None:
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
        _require_rows(whole)
    if small.refused:
        fail(
            f"train raises an error for the items of pre_process's dataloaders: {small.refused}",
            hint="They need a BoolQADataset with the arguments of its definition.",
        )


def _require_rows(whole: Prepared) -> None:
    """Fail if the three sets share rows or leave some out, or a batch is all or one of them."""
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
    if whole.left_out:
        fail(
            "The dataloaders of validation and test do not return every row.",
            hint="Don't use drop_last where accuracy is measured.",
            actual=f"{whole.left_out} rows are left out",
        )
    _require_all_used(*whole.rows)


def _require_all_used(training: frozenset[int], *held_out: frozenset[int]) -> None:
    """Fail if validation or test is only a part of the rows that are left for it.

    A note reports a training set of fewer rows than the handout's.
    """
    used = training.union(*held_out)
    for name, rows in SPLITS.items():
        measured = any(rows & part for part in held_out)
        unused = len(rows - used) if name != "train" or len(training) >= TRAINED else 0
        if measured and unused:
            fail(
                f"pre_process leaves out {unused:,} rows of {name}, on which accuracy should be "
                "measured.",
                hint="Validate on all of validation, and test on all of train[8000:].",
            )


def require_model(whole: Prepared, small: Prepared) -> None:
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


def require_use(student: Student, file: str, whole: Prepared) -> None:
    """Fail if pre_process ignores the batch size or the name of the model, or loads no weights."""
    size = len(whole.rows[0]) / BATCH if whole.rows else 0
    if whole.batches and not size - 1 <= whole.batches <= size + 1:
        count, other = (
            ask_once(student, "prepared_batches", file=file, size=batch_size, read=int)
            for batch_size in (BATCH, OTHER_BATCH)
        )
        if count and count == other:
            fail(
                "pre_process ignores batch_size.",
                hint="Pass batch_size to the DataLoader.",
                expected=f"more batches of {BATCH} rows than of {OTHER_BATCH}",
                actual=f"{count} batches for both",
            )
    origins = ask_once(student, "prepared_origins", file=file, read=_families)
    if len(origins) < len(NAMES):
        return  # it may need something that is missing here
    weights, tokens = ({origin[at] for origin in origins.values()} for at in range(2))
    if not any(weights):
        fail(
            "The model of pre_process has random weights instead of pretrained ones.",
            hint="from_config makes a model without weights; use from_pretrained.",
        )
    if len(weights) == 1 or (len(tokens) == 1 and any(tokens)):
        fail(
            "pre_process ignores model_name: it loads the same "
            f"{'model' if len(weights) == 1 else 'tokenizer'} for every name.",
            hint="Pass model_name to from_pretrained, for the model as for the tokenizer.",
        )


def _families(reply: Any) -> Mapping[str, tuple[tuple[str, ...], int]]:
    """Return the families of the weights, and the number of tokens, for each name."""
    origins = {
        name: mapping(origin, "weights", "tokens") for name, origin in mapping(reply).items()
    }
    return {
        name: (
            tuple(sequence(origins[name]["weights"], str)),
            tokens if type(tokens := origins[name]["tokens"]) is int else 0,
        )
        for name in NAMES
        if name in origins
    }


def require_fitting_script(student: Student, file: str) -> None:
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


def parts(student: Student, file: str, kind: str, *, small: bool) -> Prepared:
    """Return what pre_process makes for a type of tuning."""
    return ask_once(student, "parts", file=file, small=small, kind=kind, read=_prepared)


def _prepared(reply: Any) -> Prepared:
    if problem := str(mapping(reply, "problem")["problem"]):
        return Prepared(problem=clean(problem))  # something that it needs may be missing here
    mapping(reply, "rows", "classes", "kind", "nothing", "swapped", "refused")
    mapping(reply, "batches", "left", "loose", "lacking", "left_out")
    counts = (reply[name] for name in ("classes", "batches", "left_out", "lacking"))
    classes, batches, left_out, lacking = (count if type(count) is int else 0 for count in counts)
    rows, problem = _rows(reply["rows"]), "" if reply["rows"] else "It returns no dataloader."
    return Prepared(
        rows,
        classes,
        str(reply["kind"])[:MOST_NAME],
        reply["nothing"] is True,
        clean(str(reply["swapped"])),
        clean(str(reply["refused"])),
        batches,
        reply["left"] is True,
        reply["loose"] is True,
        left_out,
        lacking,
        problem,
    )


def _rows(reply: Any) -> Sequence[frozenset[int]]:
    arrays = [array for array in sequence(reply) if is_whole(array) and array.ndim == 1]
    if sum(array.size for array in arrays) > MOST_ROWS:
        raise BadReply
    rows = [frozenset(map(int, array)) for array in arrays]
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
