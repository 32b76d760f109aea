"""Code shared by all runs: read their options, claim a folder, derive seeds, measure phases once.

OUT/state/plan.json    the settings of the run in this folder
          NAME.json    the measurements of a finished phase
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from graders.errors import StorageError, UsageError
from reference.training.files import write_text
from submissions.escaping import split_names

Report = Callable[[str, int, int, float | None], None]  # phase, steps done, total steps, loss
T = TypeVar("T")
Name = TypeVar("Name", bound=str)


def parse_names(option: str, text: str, choices: Sequence[Name]) -> tuple[Name, ...]:
    """Return the names in a text such as `full,head`, in the order of `choices`, each once.

    Raises UsageError if there are none, or unknown ones.
    """
    chosen = split_names(text)
    if not chosen or chosen - set(choices):
        wrong = ", ".join(sorted(chosen - set(choices))) or text
        names = [f"`{name}`" for name in choices]
        hint = f"there is {', '.join(names[:-1])} and {names[-1]}"
        raise UsageError(f"{option}: there is no `{wrong}`", hint)
    return tuple(name for name in choices if name in chosen)


def claim(out: Path, *runs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Claim the folder for the first of these runs, or for the one that it was started with.

    Raises UsageError if it contains none of them.
    """
    file = out / "state" / "plan.json"
    if not file.is_file():
        write_text(file, json.dumps(runs[0], indent=1) + "\n")
        return runs[0]
    try:
        begun = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        begun = None
    if begun not in runs:
        raise UsageError(
            f"{out}: the folder contains a run with other settings or data",
            "give another --out, or remove the folder",
        )
    return dict(begun)


def seed_of(seed: int, name: str) -> int:
    """Return a separate seed for each phase, so that finished ones don't change later draws."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:6], "big")


def measured(kind: type[T], done: Path, files: Iterable[Path], run: Callable[[], T]) -> T:
    """Return a phase's measurements, from this run or from the file `done` of an earlier one.

    It is run if that file or one that it writes is missing. Raises StorageError if `done` is
    damaged.
    """
    adapter = TypeAdapter(kind)
    if not done.is_file() or not all(file.is_file() for file in files):
        result = run()
        # Written after the phase's own files, so a phase with this file is finished.
        write_text(done, adapter.dump_json(result, indent=1).decode() + "\n")
        return result
    try:
        return adapter.validate_json(done.read_bytes())
    except ValidationError as error:
        raise StorageError(
            f"{done}: the file is damaged", "remove it, and its phase is run again"
        ) from error
