"""List the code files of an upload, in the order in which they are searched."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

SUFFIXES = (".py", ".ipynb")
MAX_ENTRIES = 20_000  # of the folder
MAX_FILES = 500  # read and parsed
MAX_BYTES = 64 * 2**20  # of one file; a notebook carries its figures
MAX_ALL_BYTES = 256 * 2**20
FOREIGN = frozenset(
    ("__MACOSX", "__pycache__", "site-packages", "node_modules", ".git", "venv", ".venv")
)
# Words in the names of copies, drafts, starters and experiments
SPARE_WORDS = frozenset((
    "checkpoint", "checkpoints", "copy", "copies", "backup", "backups", "bak", "old", "older",
    "orig", "original", "originals", "previous", "prev", "archive", "archived", "deprecated",
    "unused", "trash", "draft", "drafts", "wip", "scratch", "tmp", "temp", "debug", "starter",
    "starters", "handout", "template", "templates", "skeleton", "boilerplate", "experiment",
    "experiments", "experimental", "ablation", "ablations", "variant", "variants", "profile",
    "profiled", "profiling", "profiler", "benchmark", "playground", "demo", "example",
    "examples",
))  # fmt: skip
SPARE = re.compile(r"\(\d+\)|-\d+\.\w+$|~|shuffl|experiment", re.IGNORECASE)
NUMBER = re.compile(r"(?:\s*(?:\(\d+\)|-\d+))*\s*$")  # browsers add " (1)", Canvas "-1"
SEPARATOR = re.compile(r"[\s-]+")  # Colab's names have spaces where a module's have none
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class Listing:
    """The code files found, the most likely first, and notes on what was ignored."""

    paths: tuple[Path, ...]
    own: frozenset[Path]  # the files that the assignment requires, without the spare ones
    spare: frozenset[Path]  # copies, drafts, starters and experiments, by their names
    notes: tuple[str, ...]


def list_code(folder: Path, own: Sequence[str], without: Sequence[str] = ()) -> Listing:
    """Return the code files below this folder, the most likely first, within the limits.

    `own` contains the stems or full names of the files that the assignment requires; `without`,
    those of files to ignore.
    """
    walked = [path for path in _walk(folder) if not _is_own(shown(folder, path), without)]
    spare = _spare(folder, walked)
    required = frozenset(path for path in walked if _is_own(shown(folder, path), own))
    exact = frozenset(path for path in walked if shown(folder, path) in own)

    def rank(path: Path) -> tuple[bool, bool, bool, bool, int, str]:
        name, notebook = shown(folder, path), path.suffix.lower() != ".py"
        return (
            path not in exact, path in spare, path not in required, notebook, name.count("/"), name
        )  # fmt: skip

    ranked = sorted(walked, key=rank)
    paths: list[Path] = []
    notes: list[str] = []
    total = 0
    for path in ranked[:MAX_FILES]:
        size = path.stat().st_size
        total += size
        if not size and path.stem != "__init__":
            notes.append(f"`{shown(folder, path)}` is empty.")
        if size > MAX_BYTES or total > MAX_ALL_BYTES:
            notes.append(f"`{shown(folder, path)}` is too large to be read.")
            total -= size
            continue
        paths.append(path)
    if len(ranked) > MAX_FILES:
        notes.append(f"Only {MAX_FILES} of the {len(ranked)} code files were read.")
    return Listing(tuple(paths), exact | required - spare, spare - exact, tuple(notes))


def _spare(folder: Path, paths: Sequence[Path]) -> frozenset[Path]:
    """Return the files that are named like copies, drafts, starters or experiments.

    The name of a folder that contains all files is ignored, and so is the number of `hw6 (1).py`
    or `hw6-1.py` if there is no other `hw6`: that file was only downloaded or uploaded again.
    """
    top = Path(os.path.commonpath([path.parent for path in paths])) if paths else folder
    names = {path: shown(top, path) for path in paths}
    spare = frozenset(path for path, name in names.items() if is_spare(name))
    stems = Counter(_stem(name) for name in names.values())
    renamed = {
        path
        for path in spare
        if stems[stem := _stem(names[path])] == 1
        and not is_spare(str(PurePosixPath(names[path]).with_name(f"{stem}.py")))
    }
    return spare - renamed


def _stem(name: str) -> str:
    """Return a file's stem without the number that a browser or Canvas adds."""
    return NUMBER.sub("", PurePosixPath(name).stem)


def _is_own(name: str, own: Sequence[str]) -> bool:
    """Return whether this is one of the files that the assignment requires, by name or stem."""
    stem = SEPARATOR.sub("_", _stem(name)).lower()
    return name in own or stem in {file.lower() for file in own}


def is_spare(name: str) -> bool:
    """Return whether a name is that of a copy, a draft, a starter or an experiment."""
    words = {word.lower() for word in WORD.findall(name.rpartition(".")[0])}
    return not SPARE_WORDS.isdisjoint(words) or SPARE.search(name) is not None


def shown(folder: Path, path: Path) -> str:
    """Return the name by which a student knows the file."""
    return path.relative_to(folder).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    """Yield regular code files, top folders first; skip folders such as `.git` and `venv`."""
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
