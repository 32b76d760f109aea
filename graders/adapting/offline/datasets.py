"""Make the library `datasets` return rows that a check sets, instead of downloads: SST-2 and BoolQ.

    set_rows("sst2", {"train": [{"text": "fine", "label": 1}, ...], ...})
    load_dataset("gpt3mix/sst2")["train"][0] -> {"text": "fine", "label": 1}
    load_dataset("glue", "sst2")["train"][0] -> {"sentence": "fine", "label": 1, "idx": 0}

The same rows appear under the column names of the requested edition. Reading from files works as
usual; any other name of the hub is `Unavailable`.
"""

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from graders.adapting.unavailable import Unavailable

Row = dict[str, Any]

SENTENCES = ("the film is fine", "a dull movie", "we love this story", "it never works")
SST2 = [{"text": text, "label": at % 2} for at, text in enumerate(SENTENCES)]
BOOLQ = [
    {"question": f"is it true that {text}", "passage": f"They say {text}.", "answer": at % 2 == 0}
    for at, text in enumerate(SENTENCES)
]
ROWS: dict[str, dict[str, list[Row]]] = {
    "sst2": dict.fromkeys(("train", "validation", "test"), SST2),
    "boolq": dict.fromkeys(("train", "validation"), BOOLQ),
}
CLASSES = {"sst2": ["negative", "positive"], "boolq": ["False", "True"]}
TYPES = {"label": "int64", "idx": "int32", "answer": "bool"}
NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


def set_rows(name: str, splits: Mapping[str, Sequence[Row]]) -> None:
    """Set the rows of the dataset of that name, in all its editions, from now on."""
    family = _family(name, None)
    assert family is not None  # noqa: S101  a check names one of the two
    ROWS[family] = {split: list(rows) for split, rows in splits.items()}


def install() -> None:
    """Make the library load these rows instead of downloading."""
    library: Any = importlib.import_module("datasets")
    load: Any = importlib.import_module("datasets.load")
    factory = _finding(load.dataset_module_factory)
    for module in (load, importlib.import_module("datasets.inspect")):
        vars(module)["dataset_module_factory"] = factory
    library.load_dataset = load.load_dataset = _loading(load.load_dataset)
    library.Dataset.map = _in_one_process(library.Dataset.map)
    # Fingerprints name cached files, and nothing is cached; to hash a whole table takes long.
    tables: Any = importlib.import_module("datasets.arrow_dataset")
    tables.generate_fingerprint = lambda _dataset: tables.generate_random_fingerprint()
    for kind in (library.Dataset, library.DatasetDict, library.IterableDataset):
        if hasattr(kind, "push_to_hub"):
            kind.push_to_hub = _publish


def _loading(original: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def load_dataset(*values: Any, **named: Any) -> Any:
        arguments = signature.bind(*values, **named).arguments
        path, name = str(arguments["path"]), arguments.get("name")
        family = _family(path, name)
        if family is None or _is_file(path) or arguments.get("data_files"):
            return original(*values, **named)
        splits = _splits(family, path, ROWS[family])
        parts = _parts(splits, arguments.get("split"))
        return _streamed(parts) if arguments.get("streaming") else parts

    return load_dataset


def _finding(original: Callable[..., Any]) -> Callable[..., Any]:
    """Look for a dataset as the library does; one that is only on the hub is Unavailable."""

    @functools.wraps(original)
    def find(path: str, *values: Any, **named: Any) -> Any:
        try:
            return original(path, *values, **named)
        except OSError as error:  # ConnectionError, DatasetNotFoundError
            if _is_packaged(path) or _is_file(path) or not NAME.fullmatch(path):
                raise
            raise Unavailable(f"the dataset `{path}` is not available without a network") from error

    return find


def _in_one_process(original: Callable[..., Any]) -> Callable[..., Any]:
    """Map (and filter, which uses map) without `num_proc`: the sandbox limits processes."""

    @functools.wraps(original)
    def map_here(self: Any, *values: Any, **named: Any) -> Any:
        return original(self, *values, **named | {"num_proc": None})

    return map_here


def _publish(*_values: Any, **_named: Any) -> None:
    raise Unavailable("a dataset cannot be sent to the hub without a network")


def _is_packaged(path: str) -> bool:
    """Return whether this is a file format, such as "csv", and not a name of the hub."""
    packaged: Any = importlib.import_module("datasets.packaged_modules")
    return path in packaged._PACKAGED_DATASETS_MODULES


def _is_file(path: str) -> bool:
    return path.endswith(".py") or Path(path).exists()


def _family(path: str, name: str | None) -> str | None:
    """Return which of the two datasets a name of the hub refers to, if any."""
    letters = re.sub(r"[^a-z0-9]", "", f"{path}/{name or ''}".lower())
    return next((family for family in ROWS if family in letters), None)


# ---------------------------------------------------------------- rows


def _splits(family: str, path: str, rows: Mapping[str, Sequence[Row]]) -> Any:
    """Return the rows as the library's DatasetDict, in the edition of this name of the hub."""
    library: Any = importlib.import_module("datasets")
    editions = {split: _edition(path, table) for split, table in rows.items()}
    return library.DatasetDict(
        {split: _dataset(family, split, edition) for split, edition in editions.items()}
    )


def _dataset(family: str, split: str, rows: Sequence[Row]) -> Any:
    """Return a dataset as `from_list` does, which converts each value by itself and is slow."""
    library: Any = importlib.import_module("datasets")
    arrow: Any = importlib.import_module("pyarrow")
    features = _features(family, rows)
    schema = None if features is None else features.arrow_schema
    columns = {name: [row[name] for row in rows] for name in features or ()}
    info = library.DatasetInfo(features=features)
    return library.Dataset(arrow.table(columns, schema), info=info, split=library.NamedSplit(split))


def _features(family: str, rows: Sequence[Row]) -> Any:
    """Return the column types; a label of two classes has their names, and -1 means no label."""
    library: Any = importlib.import_module("datasets")
    kinds = {name: library.Value(TYPES.get(name, "string")) for name in (rows[0] if rows else ())}
    named = "label" in kinds and "label_text" not in kinds
    if named and {row["label"] for row in rows} <= {-1, 0, 1}:
        kinds["label"] = library.ClassLabel(names=CLASSES[family])
    return library.Features(kinds) if rows else None


def _edition(path: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with the column names of one edition of the dataset."""
    if path.lower() in ("gpt3mix/sst2", "google/boolq", "boolq"):
        return [dict(row) for row in rows]
    plain = "setfit" in path.lower()
    return [_renamed(row, at, keeps_text=plain) for at, row in enumerate(rows)]


def _renamed(row: Row, at: int, *, keeps_text: bool) -> Row:
    names = {"answer": "label"} if keeps_text else {"answer": "label", "text": "sentence"}
    renamed = {names.get(key, key): value for key, value in row.items()}
    if isinstance(renamed.get("label"), bool):
        renamed["label"] = int(renamed["label"])
    return {**renamed, "label_text": str(renamed["label"])} if keeps_text else renamed | {"idx": at}


def _parts(splits: Any, selection: Any) -> Any:
    """Return the splits for the library's `split`: `train[:10%]`, a list, a dict."""
    if selection is None:
        return splits
    if isinstance(selection, list | tuple):
        return [_parts(splits, part) for part in selection]
    library: Any = importlib.import_module("datasets")
    if isinstance(selection, dict):
        return library.DatasetDict({name: _parts(splits, part) for name, part in selection.items()})
    if str(selection) == "all":
        return library.concatenate_datasets(list(splits.values()))
    reading: Any = importlib.import_module("datasets.arrow_reader").ReadInstruction
    instruction = selection if isinstance(selection, reading) else reading.from_spec(str(selection))
    rows = {name: len(split) for name, split in splits.items()}
    parts = [
        splits[span.splitname].select(range(span.from_ or 0, _end(span.to, rows[span.splitname])))
        for span in instruction.to_absolute(rows)
    ]
    return parts[0] if len(parts) == 1 else library.concatenate_datasets(parts)


def _end(to: int | None, count: int) -> int:
    return count if to is None else to


def _streamed(parts: Any) -> Any:
    """Return the same datasets as streams of the library."""
    library: Any = importlib.import_module("datasets")
    if isinstance(parts, list):
        return [_streamed(part) for part in parts]
    if isinstance(parts, library.DatasetDict):
        streams = {name: split.to_iterable_dataset() for name, split in parts.items()}
        return library.IterableDatasetDict(streams)
    return parts.to_iterable_dataset()
