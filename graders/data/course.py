"""The data that an assignment's checks look at: which kind it is, and where it comes from."""

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
    """The data of this folder, or what is embedded in its place while the block lasts.

    Raises UsageError where a file is missing or not in the format.
    """
    if kind == "birthplaces":
        with open_data(folder, seed=0) as data:
            yield data
    elif folder is None:
        yield _embedded(kind)
    else:
        yield read_labelled(folder, kind)


def holds_data(kind: DataKind, folder: Path) -> bool:
    """Whether the files of this kind lie in the folder itself."""
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
    """The data of a folder of any kind in one line; UsageError where it is of none."""
    kinds: tuple[DataKind, ...] = ("birthplaces", "sst2", "boolq")
    held = [kind for kind in kinds if folder is not None and holds_data(kind, folder)]
    with open_course_data(held[0] if held else "birthplaces", folder) as data:
        return data.description


@cache
def _embedded(kind: Kind) -> LabelledData:
    """The embedded task, made once a process: it is the same for every submission."""
    with open_labelled(None, kind) as data:
        return data
