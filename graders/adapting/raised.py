"""What student code raised, told as the worker tells it, where the call itself goes on."""

import linecache
import traceback
from pathlib import Path

MAX_TEXT = 500  # characters of a message


def told(error: BaseException, folder: Path) -> dict[str, str]:
    """Return kind and message of what was raised, and its last place in the student's files."""
    where, source = _place(error, folder)
    return {
        "outcome": "exited" if isinstance(error, SystemExit) else "raised",
        "kind": type(error).__name__,
        "message": _text(error),
        "where": where,
        "source": source,
    }


def is_unwritten(error: BaseException, folder: Path) -> bool:
    """Return whether the student's own code says that it is not written yet.

    torch raises the same class where an operation does not exist on some device.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = bool(frames) and frames[-1].filename.startswith(f"{folder}/")
    return isinstance(error, NotImplementedError) and own


def _place(error: BaseException, folder: Path) -> tuple[str, str]:
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if each.filename.startswith(f"{folder}/")
    ]
    if not frames:
        return "", ""
    name, line = frames[-1].filename, frames[-1].lineno or 1
    where = f"{name.removeprefix(f'{folder}/')}, line {line}"
    return where, linecache.getline(name, line).strip()[:MAX_TEXT]


def _text(error: BaseException) -> str:
    try:
        return str(error)[:MAX_TEXT]
    except Exception:  # noqa: BLE001  its __str__ is the student's
        return ""
