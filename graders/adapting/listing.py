"""The code files of an upload, in the order in which they are looked at."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".py", ".ipynb")
MAX_ENTRIES = 20_000  # of the folder, looked at
MAX_FILES = 500  # read and parsed
MAX_BYTES = 64 * 2**20  # of one file; a notebook carries its figures
MAX_ALL_BYTES = 256 * 2**20
FOREIGN = frozenset(
    ("__MACOSX", "__pycache__", "site-packages", "node_modules", ".git", "venv", ".venv")
)
SPARE = re.compile(
    r"checkpoint|\bcopy\b|[_\- ]copy|backup|\bbak\b|[_\- ](old|orig|original)\b|\(\d+\)|~|"
    r"starter|template|skeleton|experiment|ablation|variant|shuffl",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Listing:
    """The code files found, and what was left out."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def list_code(folder: Path, prefer: Sequence[str]) -> Listing:
    """The code files below this folder, the likeliest first, within the limits."""
    found = sorted(_walk(folder), key=lambda path: order(folder, path, prefer))
    paths: list[Path] = []
    notes: list[str] = []
    total = 0
    for path in found[:MAX_FILES]:
        size = path.stat().st_size
        total += size
        if not size and path.stem != "__init__":
            notes.append(f"`{shown(folder, path)}` is empty.")
        if size > MAX_BYTES or total > MAX_ALL_BYTES:
            notes.append(f"`{shown(folder, path)}` is too large to be read.")
            total -= size
            continue
        paths.append(path)
    if len(found) > MAX_FILES:
        notes.append(f"Only {MAX_FILES} of the {len(found)} code files were read.")
    return Listing(tuple(paths), tuple(notes))


def order(folder: Path, path: Path, prefer: Sequence[str]) -> tuple[bool, bool, bool, int, str]:
    """What ranks a file among others that hold as much."""
    name = shown(folder, path)
    wished = path.stem.lower() not in {each.lower() for each in prefer}
    return is_spare(name), wished, path.suffix.lower() != ".py", name.count("/"), name


def is_spare(name: str) -> bool:
    """Say whether a name is that of a copy, a backup, a starter or an experiment."""
    return SPARE.search(name) is not None


def shown(folder: Path, path: Path) -> str:
    """The name a student knows the file by."""
    return path.relative_to(folder).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    """Regular code files, nearest folders first; hidden and foreign folders stay shut."""
    waiting, seen = [folder], 0
    while waiting:
        here = waiting.pop(0)
        for path in sorted(_entries(here)):
            seen += 1
            if seen > MAX_ENTRIES:
                return
            if path.is_symlink() or path.name.startswith("._"):
                continue
            if path.is_dir() and path.name not in FOREIGN:
                waiting.append(path)
            elif path.is_file() and path.suffix.lower() in SUFFIXES:
                yield path


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
