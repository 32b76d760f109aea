"""Find the rows that the student's pre_process uses to train, validate and test."""

import re
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from inspect import getsource, signature, unwrap
from typing import Any, cast
from unittest import mock

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from graders.adapting.gathered import code_folder
from graders.adapting.moves import moves_only_batches
from graders.adapting.raised import described, is_of_this_machine
from graders.adapting.unavailable import cause_of

from ..boolq_data.student_side import NAME as DATASET
from ..boolq_data.student_side import dataset_of_two
from ..student_model import HUB_NAMES, PREPARE, provide_rows
from ..student_side import by_position, code_of, globals_of, offline, settings
from ..student_spy import CPU, Classifier
from ..training.student_side import NAME as LOOP
from ..training.student_side import SETS, WEIGHTS, like_theirs, run_on

TRAIN, VALIDATION = 9427, 3270  # the rows of BoolQ
KINDS = ("full", "head", "prefix")
NOTHING = (int, float, str, torch.Tensor)  # neither a model nor data
NUMBER = re.compile(r"row (\d+) of")
STARTS = {"passages": "row ", "questions": "is row "}  # of the texts, by the handout's parameters
FAULTS = (TypeError, ValueError, LookupError, AttributeError, NameError)
MAKES = "DataLoader("
MOST_TEXT = 200  # characters of an exception
CLASSES = 2


def parts(file: str, small: bool, kind: str) -> dict[str, Any]:
    """Return the rows of each loader that pre_process returns, in order, and its model's classes.

    `kind` is the kind of tuning that it is asked for; the reply has that of its model, if known.
    `nothing` says that it returns neither a model nor data, `swapped` names a column that is passed
    to the dataset as another, and `refused` is what train() raises for the loaders' items.
    `batches` is the number of batches in the first loader, 0 if it is not known. `lacking` is the
    number of loaders that train() needs besides, if no other code makes any. `left` says that
    nothing moves the model to the device of the batches, and `loose` that batches are returned
    without their sets. `left_out` are the rows of validation and test that no batch has.
    `problem` is what pre_process raises if that may be due to this machine; else it is raised.

    Rows of the validation split are numbered after those of the training split.
    """
    from graders.adapting.offline import datasets

    with offline():
        datasets.set_rows(
            "boolq", {"train": _rows(0, TRAIN), "validation": _rows(TRAIN, VALIDATION)}
        )
        values = [HUB_NAMES["distilbert"], 4, CPU, small]
        try:
            prepare = code_of(file)[PREPARE]
            names = globals_of(prepare)
            names["args"] = settings(type=kind, small_subset=small)
            with _noted(names) as noted, _noting_moves() as moved:
                result = by_position(prepare, values, type=kind)
        except Exception as problem:
            if cause_of(problem) is not None or is_own_fault(problem, file):
                raise
            return {"problem": f"{type(problem).__name__}: {problem}"[:MOST_TEXT]}
        model = next(_objects_in(result, nn.Module), None)
        chosen = getattr(model, "type", "") if "type" in signature(prepare).parameters else ""
        loaders = list(_objects_in(result, DataLoader))
        loose = (
            [item for item in result if _is_batch(item)] if isinstance(result, list | tuple) else []
        )
        return {
            "rows": [noted.rows_of(loader.dataset) for loader in loaders],
            "classes": 0 if model is None else _classes(model),
            "kind": chosen if chosen in KINDS else "",
            "nothing": result is None or isinstance(result, NOTHING),
            "swapped": noted.swapped,
            "refused": _refused(file, loaders) if small else "",
            "batches": _count(loaders[0]) if loaders else 0,
            "lacking": _lacking(file, loaders),
            "loose": len(loose) > len(SETS),
            "left_out": 0 if small else sum(map(_left_out, loaders[1 : len(SETS)])),
            "left": model is not None and not moved and moves_only_batches(file),
            "problem": "",
        }


def is_own_fault(problem: Exception, file: str) -> bool:
    """Return whether pre_process would raise this on the student's machine, too."""
    deliberate = described(problem, code_folder())["source"].startswith(("raise", "assert"))
    if deliberate or is_of_this_machine(problem) or not isinstance(problem, FAULTS):
        return False
    if isinstance(problem, NameError):
        return not code_of(file).may_assign(str(problem.name))
    if isinstance(problem, AttributeError) and isinstance(problem.obj, Namespace):
        return False  # an option of the command line that is not known here
    if isinstance(problem, KeyError) and "test" in str(problem):
        return False  # some editions of BoolQ have a test split
    if isinstance(problem, TypeError | AttributeError) and "Column" in str(problem):
        return False  # a column is a list in older versions of the library
    names = {*vars(settings()), "model_name"}
    parameters = signature(code_of(file)[PREPARE]).parameters.values()
    return all(
        parameter.name in names or parameter.default is not parameter.empty
        for parameter in parameters
    )


def _refused(file: str, loaders: Sequence[DataLoader[Any]]) -> str:
    """Return what train() raises for items of these loaders, but not for the dataset's own."""
    if len(loaders) != len(SETS):
        return ""
    for make in (Classifier, partial(like_theirs, file=file)):
        try:
            loader = DataLoader(dataset_of_two(file), batch_size=2)
            _train_on(make(WEIGHTS), [loader] * len(SETS), file)
        except (Exception, SystemExit):  # noqa: BLE001, S112  other checks judge class and loop
            continue
        try:
            _train_on(make(WEIGHTS), [_first_items(loader) for loader in loaders], file)
        except (Exception, SystemExit) as problem:  # noqa: BLE001  told
            at_fault = not is_of_this_machine(problem)
            return f"{type(problem).__name__}: {problem}"[:MOST_TEXT] if at_fault else ""
        return ""
    return ""


def _lacking(file: str, loaders: Sequence[DataLoader[Any]]) -> int:
    """Return how many loaders train() needs besides these; 0 if other code may make them.

    Without any loader nothing is known, since pre_process may return the data in another form.
    """
    code = code_of(file)
    with suppress(Exception):
        inside = getsource(unwrap(code[PREPARE])).count(MAKES)
        elsewhere = sum(text.count(MAKES) for text in code.texts()) - inside
        needed = sum("data" in name for name in signature(code[LOOP]).parameters)
        return max(needed - len(loaders), 0) if loaders and inside and not elsewhere else 0
    return 0


@contextmanager
def _noting_moves() -> Iterator[list[nn.Module]]:
    """Record the modules that are moved while the block runs."""
    moved: list[nn.Module] = []

    def noting(name: str) -> Any:
        move = getattr(nn.Module, name)

        def noted(module: nn.Module, *values: Any, **named: Any) -> Any:
            moved.append(module)
            return move(module, *values, **named)

        return mock.patch.object(nn.Module, name, noted)

    with noting("to"), noting("cuda"):
        yield moved


def _is_batch(value: Any) -> bool:
    return isinstance(value, dict) and any(
        isinstance(tensor, torch.Tensor) for tensor in value.values()
    )


def _count(loader: DataLoader[Any]) -> int:
    """Return the number of batches in a loader; 0 if it has no length."""
    try:
        return len(loader)
    except Exception:  # noqa: BLE001  its dataset or sampler is the student's
        return 0


def _left_out(loader: DataLoader[Any]) -> int:
    """Return how many items that it samples a loader leaves out, as with drop_last.

    A sampler of a part of the dataset is a way to divide it.
    """
    with suppress(Exception):  # its dataset or sampler is the student's
        places = {int(i) for batch in loader.batch_sampler or () for i in batch}
        return len({*map(int, loader.sampler)} - places) if places else 0
    return 0


def prepared_batches(file: str, size: int) -> int:
    """Return the number of training batches that pre_process makes with this batch size.

    It is 0 if it is not known, as when a constant of the file may be meant to be edited.
    """
    with offline():
        provide_rows()
        _, loader = _prepared(file, "distilbert", size, small=False)
        constant = loader is not None and _is_constant(file, loader.batch_size)
        return 0 if loader is None or constant else _count(loader)


def prepared_origins(file: str) -> dict[str, dict[str, Any]]:
    """Return, for each name of the hub, what pre_process loads.

    `weights` are the families whose weights its model has, and `tokens` is the size of its
    tokenizer's vocabulary, 0 if the dataset has no tokenizer. Names for which it raises, or makes
    no model of transformers, are left out.
    """
    from transformers import PreTrainedModel

    from graders.adapting.offline.models import FAMILIES, has_hub_weights

    origins: dict[str, dict[str, Any]] = {}
    with offline():
        provide_rows()
        for family, name in HUB_NAMES.items():
            model, loader = _prepared(file, family, 4, small=True)
            if model is None or _is_constant(file, name):
                continue
            if any(isinstance(module, PreTrainedModel) for module in model.modules()):
                weights = [origin for origin in FAMILIES if has_hub_weights(model, [origin])]
                origins[family] = {"weights": weights, "tokens": _tokens(loader)}
    return origins


def _tokens(loader: DataLoader[Any] | None) -> int:
    """Return the size of the vocabulary of a dataset's tokenizer; 0 without one."""
    held = getattr(getattr(loader, "dataset", None), "__dict__", {}).values()
    sizes = {len(value) for value in held if hasattr(value, "pad_token_id")}
    return sizes.pop() if len(sizes) == 1 else 0


def _prepared(
    file: str, family: str, size: int, *, small: bool
) -> tuple[nn.Module | None, DataLoader[Any] | None]:
    """Return the model and the first loader of pre_process, if it makes them."""
    values = [HUB_NAMES[family], size, CPU, small]
    try:
        prepare = code_of(file)[PREPARE]
        options = {"type": "full", "small_subset": small, "batch_size": size}
        globals_of(prepare)["args"] = settings(**options, model=HUB_NAMES[family])
        result = by_position(prepare, values, type="full")
    except (Exception, SystemExit):  # noqa: BLE001  what it does beside is not judged
        return None, None
    return next(_objects_in(result, nn.Module), None), next(_objects_in(result, DataLoader), None)


def _is_constant(file: str, value: Any) -> bool:
    """Return whether pre_process reads this value from a global name."""
    prepare = unwrap(code_of(file)[PREPARE])
    names = globals_of(prepare)
    constants = [names.get(name) for name in prepare.__code__.co_names]
    return any(type(constant) is type(value) and constant == value for constant in constants)


def _first_items(loader: DataLoader[Any]) -> DataLoader[Any]:
    """Return a loader of only the first items of another."""
    dataset: Any = loader.dataset
    items = [dataset[i] for i in range(min(2, len(dataset)))]
    return DataLoader(cast(Any, items), batch_size=2, collate_fn=loader.collate_fn)


def _train_on(model: Classifier, sets: Sequence[DataLoader[Any]], file: str) -> None:
    """Run train() for an epoch on a small model that knows every token."""
    run_on(model, sets, {"epochs": 1, "lr": 0.01}, file=file, own=False)


def _rows(first: int, count: int) -> list[dict[str, Any]]:
    numbers = range(first, first + count)
    return [
        {
            "question": f"{STARTS['questions']}{n} of the table fine",
            "passage": f"{STARTS['passages']}{n} of it",
            "answer": _answer(n),
        }
        for n in numbers
    ]


def _answer(number: int) -> bool:
    """Return the answer of a row; the answers of different slices differ."""
    return number * 2_654_435_761 % 2**32 < 0.6 * 2**32


def _objects_in(value: Any, kind: type) -> Iterator[Any]:
    """Yield the objects of a kind in the returned value, at any depth."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, dict | list | tuple):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _objects_in(child, kind)


def _classes(model: nn.Module) -> int:
    """Return the number of classes of a model; 0 if it is not certain."""
    from transformers import PreTrainedModel

    if isinstance(model, PreTrainedModel):
        return int(model.config.num_labels or 0)
    backbones = [module for module in model.modules() if isinstance(module, PreTrainedModel)]
    inside = {id(module) for backbone in backbones for module in backbone.modules()}
    layers = [module for module in model.modules() if isinstance(module, nn.Linear)]
    sizes = {layer.out_features for layer in layers if id(layer) not in inside}
    return 2 if 2 in sizes else sizes.pop() if len(sizes) == 1 else 0


class _Noted:
    """The rows of each dataset that is made, and a column that was passed as another."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}
        self.swapped = ""

    def note(self, dataset: Any, arguments: Mapping[str, Any]) -> None:
        """Note the arguments from which a dataset is made, by parameter."""
        self._kept[id(dataset)] = (dataset, _numbers(list(arguments.values())))
        for name, other in (tuple(STARTS), tuple(STARTS)[::-1]):
            if str(next(iter(arguments.get(name, "")), "")).startswith(STARTS[other]):
                self.swapped = f"{other} as {name}"
        numbers = [_numbers([arguments.get(name, ())]) for name in STARTS]
        if all(number is not None for number in numbers) and not np.array_equal(*numbers):
            self.swapped = "questions of other passages"
        elif numbers[0] is not None and _are_mixed(numbers[0], arguments.get("answers")):
            self.swapped = "answers of other passages"

    def rows_of(self, dataset: Any) -> Any:
        """Return the numbers of a dataset's rows; None if they are not known."""
        return self._kept.get(id(dataset), (None, None))[1]


@contextmanager
def _noted(names: dict[str, Any]) -> Iterator[_Noted]:
    """Record the arguments from which each dataset is made, while the block runs."""
    theirs, noted = names.get(DATASET), _Noted()
    if not isinstance(theirs, type):
        yield noted
        return
    dataset: Any = theirs
    constructor = dataset.__init__

    def init(self: Any, *values: Any, **named: Any) -> None:
        with suppress(TypeError):  # the class itself raises it
            noted.note(self, signature(constructor).bind(self, *values, **named).arguments)
        constructor(self, *values, **named)

    theirs.__init__ = init  # type: ignore[misc]
    try:
        yield noted
    finally:
        theirs.__init__ = constructor  # type: ignore[misc]


def _numbers(values: Sequence[Any]) -> Any:
    """Return the numbers of the rows whose texts are in one of the given columns."""
    columns = [
        list(value) for value in values if isinstance(value, Iterable) and not _is_text(value)
    ]
    if len(columns) > 1 and not any(columns):
        return np.array([], dtype=np.int64)
    for column in columns:
        matches = [NUMBER.search(text) if isinstance(text, str) else None for text in column]
        if matches and all(matches):
            return np.array([int(match[1]) for match in matches if match])
    return None


def _are_mixed(numbers: Any, answers: Any) -> bool:
    """Return whether rows with the same answer come with different ones, in whatever form."""
    with suppress(Exception):  # in a form that cannot be compared
        labels = [answer.item() if hasattr(answer, "item") else answer for answer in answers]
        if len(labels) == len(numbers) and len(set(labels)) <= CLASSES:
            right = [_answer(int(number)) for number in numbers]
            return len({*zip(right, labels, strict=True)}) > len(set(right))
    return False


def _is_text(value: Any) -> bool:
    return isinstance(value, str | bytes)
