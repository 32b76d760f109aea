"""Find the student's functions in whichever files define them, in the student's child."""

import inspect
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from graders.adapting.arguments import is_required
from graders.adapting.devices import on_cpu
from graders.adapting.gathered import Gathered, NotHandedIn, code_folder
from graders.adapting.reading.upload import Upload

FILES = ("base_classification", "classification")
DATASET = "BoolQADataset"
NAMES = (
    DATASET, "CustomModelforSequenceClassification",
    "evaluate_model", "train", "pre_process",
)  # fmt: skip
PREFIX_LENGTH = 128


def settings(**changes: Any) -> Namespace:
    """Return the command line's options; the starter stores them in a global `args`."""
    options = {"small_subset": True, "num_epochs": 2, "lr": 1e-3, "batch_size": 4, "device": "cpu"}
    more = {"model": "distilbert-base-uncased", "type": "full", "prefix_length": PREFIX_LENGTH}
    return Namespace(**{**options, **more, **changes})


def definitions(name: str) -> list[dict[str, str]]:
    """Return the file and the place of each graded definition of this name.

    These are the homework's own files that define it or import it from another file of the upload.
    Without them, or if all leave it unimplemented, any file counts. The homework comes with a
    dataset: own files without one, or with an unimplemented one, use that, and a draft of it does
    not count.
    """
    homes: dict[str, Gathered] = {}
    for taken in _slots():
        if home := taken.source(name) if taken.is_own(name) else taken.imported_from(name):
            homes.setdefault(home, taken)
    files = [*homes.values()]
    if not files and not (name == DATASET and _has_given_data_set()):
        files = [taken for taken in [gathered(*FILES)] if _is_there(taken, name)]
    return [{"file": file.source(name), "place": file.place(name)} for file in files]


def _has_given_data_set() -> bool:
    slots = _slots()
    return gathered(*FILES).is_spare(DATASET) or any(
        taken.is_own(name) for taken in slots for name in NAMES
    )


def _slots() -> list[Gathered]:
    """Return the names as each of the homework's own files defines them, without the other file."""
    return [gathered(stem, without=(other,)) for stem, other in (FILES, FILES[::-1])]


def rivals() -> dict[str, list[str]]:
    """Return the files that could have been meant instead of the graded ones.

    The homework's two files do not compete with each other: both are graded.
    """
    slots = [slot for slot in _slots() if any(map(slot.is_own, NAMES))]
    if not slots:
        return gathered(*FILES).rivals()
    beside: dict[str, list[str]] = {name: [] for name in gathered(*FILES).stand_ins()}
    return beside | {name: files for slot in slots for name, files in slot.rivals().items()}


def notes() -> list[str]:
    """Return notes for the student about lines that are not valid Python."""
    return gathered(*FILES).invalid


def _is_there(taken: Gathered, name: str) -> bool:
    """Return whether the name is defined, not only imported from a file that was not submitted."""
    try:
        with offline():
            taken[name]
    except (ImportError, NotHandedIn):
        return False
    except Exception:  # noqa: BLE001  it is there, and its own checks say what it raises
        return True
    return True


def code_of(file: str) -> Gathered:
    """Return the homework's names, taken from this file if it defines them."""
    return gathered(file, *FILES)


@cache
def gathered(*own: str, without: tuple[str, ...] = ()) -> Gathered:
    """Return the homework's names, searched for in these own files first."""
    return Gathered(_upload(), NAMES, own, without=without)


@cache
def _upload() -> Upload:
    """Return the only upload, so that a class is the same for every file that uses it."""
    names = {"prefix_length": PREFIX_LENGTH, "args": settings()}
    return Upload(code_folder(), given=names, until=None)


def globals_of(made: Any) -> dict[str, Any]:
    """Return the globals of the file that contains a function or class."""
    functions = [made, *vars(made).values()] if isinstance(made, type) else [made]
    namespaces = (getattr(inspect.unwrap(function), "__globals__", None) for function in functions)
    return next((names for names in namespaces if names is not None), {})


@contextmanager
def offline() -> Iterator[None]:
    """Make network and GPU unnecessary inside the block."""
    from graders.adapting import offline as stand_ins

    stand_ins.ready()
    with on_cpu():
        yield


def by_name(function: Any, named: dict[str, Any], **more: Any) -> Any:
    """Call with keywords if the parameters have the handout's names, else by position."""
    parameters = inspect.signature(function).parameters
    if not set(named) <= set(parameters):
        return by_position(function, list(named.values()), **more)
    return function(**{**_required(parameters), **more, **named})


def by_position(function: Any, values: list[Any], **more: Any) -> Any:
    """Call by position; other required parameters get what the command line would give.

    `more` is passed to parameters with that name, whether they have a default or not.
    """
    return function(*values, **_rest(function, values, more))


def bound(function: Any, values: list[Any], **more: Any) -> dict[str, Any]:
    """Return the arguments of such a call by parameter."""
    rest = _rest(function, values, more)
    return inspect.signature(function).bind(*values, **rest).arguments


def _rest(function: Any, values: list[Any], more: dict[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters
    rest = dict.fromkeys(list(parameters)[len(values) :])
    required = {name: value for name, value in _required(parameters).items() if name in rest}
    optional = {name: value for name, value in more.items() if name in rest}
    return {**required, **optional}


def _required(parameters: Any) -> dict[str, Any]:
    """Return the parameters without a default, each with its value."""
    values = {**vars(settings()), "model_name": settings().model, "num_labels": 2}
    return {name: values.get(name) for name, param in parameters.items() if is_required(param)}
