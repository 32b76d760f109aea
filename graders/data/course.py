"""Open the data of an assignment's checks, of any kind, from a folder or built in."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from graders.data.birthplaces import REQUIRED, Data, open_data
from graders.data.labelled import (
    DEV_NAMES,
    STSA,
    TSV,
    Kind,
    LabelledData,
    open_labelled,
    read_labelled,
)
from graders.model import DataKind

CourseData = Data | LabelledData


@contextmanager
def open_course_data(kind: DataKind, folder: Path | None) -> Iterator[CourseData]:
    """Yield the data of this folder, or without one the built-in data.

    Raises UsageError if a file is missing or has the wrong format.
    """
    if kind == "birthplaces":
        with open_data(folder, seed=0) as data:
            yield data
    elif folder is None:
        yield _embedded(kind)
    else:
        yield read_labelled(folder, kind)


def holds_data(kind: DataKind, folder: Path) -> bool:
    """Return whether the folder itself contains the files of this kind."""
    if kind == "boolq":
        return any((folder / name).is_file() for name in DEV_NAMES)
    sets = (REQUIRED,) if kind == "birthplaces" else (STSA, TSV)
    return any(all((folder / name).is_file() for name in names) for names in sets)


def sizes_of_parts(kind: DataKind, folder: Path | None) -> frozenset[int]:
    """How many items the dev and the test part have, of this folder or of the embedded data."""
    with open_course_data(kind, folder) as data:
        test = data.test_questions if isinstance(data, Data) else data.test
        return frozenset((len(data.dev), len(test)))


def describe_data(folder: Path | None) -> str:
    """Describe a folder's data, of any kind, in one line; raises UsageError if it has none."""
    kinds: tuple[DataKind, ...] = ("birthplaces", "sst2", "boolq")
    held = [kind for kind in kinds if folder is not None and holds_data(kind, folder)]
    with open_course_data(held[0] if held else "birthplaces", folder) as data:
        return data.description


@cache
def _embedded(kind: Kind) -> LabelledData:
    """Return the built-in task, created once per process: it is the same for all submissions."""
    with open_labelled(None, kind) as data:
        return data
