"""Copy what grading needs from an upload into a clean folder; the upload is not changed."""

import filecmp
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from submissions.escaping import listed, shown
from submissions.finding import FoundFiles
from submissions.limits import COPY_LIMITS, MIB, CopyLimits
from submissions.listing import Listing
from submissions.submission import CleanFolder

# Inside the code folder, only code is copied from these: logs and data are large and never run
BULKY = frozenset({"data", "expt", "runs", "logs", "wandb", "checkpoints"})

CODE = (".py", ".ipynb")
PLAIN = (".md", ".markdown", ".txt")

# O_NOFOLLOW: a file that became a link after it was listed causes an error instead of an escape.
# Windows doesn't have this flag, but needs O_BINARY so that line ends are not changed.
ONLY_A_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def copy_needed(
    upload: Path,
    listing: Listing,
    found_files: FoundFiles,
    root: Path,
    limits: CopyLimits = COPY_LIMITS,
) -> CleanFolder:
    """Copy the code folder's files and the wanted artifacts to the same paths in `root`."""
    sizes = listing.files
    artifacts, artifact_notes = _artifacts(upload, found_files, sizes, limits)
    answers = {path for path in artifacts.values() if path.suffix not in CODE}
    code, code_notes = _code(found_files, sizes, answers, limits)
    root.mkdir(parents=True)
    for path in sorted({*code, *artifacts.values()}):
        copy_file(upload / path, root / path, sizes[path])
    files = {name: root / path for name, path in artifacts.items()}
    for name in found_files.joined.intersection(artifacts):
        files[name] = root.parent / "joined" / name  # no file of the upload is there
        files[name].parent.mkdir(exist_ok=True)
        _join([upload / path for path in found_files.files[name]], files[name], limits)
    return CleanFolder(
        root=root,
        code=None if found_files.code is None else root / found_files.code,
        files=files,
        notes=(*found_files.notes, *artifact_notes, *code_notes, *listing.notes),
    )


def _artifacts(
    upload: Path, found_files: FoundFiles, sizes: Mapping[PurePosixPath, int], limits: CopyLimits
) -> tuple[dict[str, PurePosixPath], list[str]]:
    taken, notes = {}, []
    for name, (best, *alternatives) in found_files.files.items():
        if sizes[best] > limits.artifact_bytes:
            notes.append(
                f"Ignored {shown(str(best))}: larger than {limits.artifact_bytes // MIB} MiB"
            )
            continue
        taken[name] = best
        if name in found_files.joined:
            several = listed([str(path) for path in (best, *alternatives)])
            notes.append(f"Using {several} together as {name}: put your answers into one file")
            continue
        if best.name != name:
            case = " by case" if best.name.casefold() == name.casefold() else ""
            notes.append(f"Using {shown(str(best))} for {name}: the name differs{case}")
        different = [str(o) for o in alternatives if _differ(upload, best, o, sizes)]
        if different:
            notes.append(
                f"Using {shown(str(best))}; ignored {listed(different)}, which differ from it"
            )
    return taken, notes


def _differ(
    upload: Path, one: PurePosixPath, other: PurePosixPath, sizes: Mapping[PurePosixPath, int]
) -> bool:
    if sizes[one] != sizes[other]:
        return True
    return not filecmp.cmp(upload / one, upload / other, shallow=False)


def _code(
    found_files: FoundFiles,
    sizes: Mapping[PurePosixPath, int],
    artifacts: Collection[PurePosixPath],
    limits: CopyLimits,
) -> tuple[list[PurePosixPath], list[str]]:
    """Return the code files to copy, modules first, up to the limits, and notes on the others."""
    if found_files.code is None:
        return [], []
    files = set(_code_files(found_files.code, sizes)).difference(artifacts)
    taken: list[PurePosixPath] = []
    left: list[str] = []
    total = 0
    for path in sorted(files, key=_modules_first):
        size = sizes[path]
        notebook = path.suffix == ".ipynb"
        largest = limits.notebook_bytes if notebook else limits.code_file_bytes
        fits = size <= largest and total + size <= limits.code_bytes
        if not fits or len(taken) >= limits.code_files:
            left.append(str(path))
            continue
        total += size
        taken.append(path)
    notes = [f"Ignored {listed(left)} (too large or too many to be code)"] if left else []
    return taken, notes


def _code_files(code: PurePosixPath, files: Iterable[PurePosixPath]) -> Iterator[PurePosixPath]:
    for path in files:
        if path.is_relative_to(code):
            folders = path.relative_to(code).parts[:-1]
            if path.suffix in CODE or BULKY.isdisjoint(map(str.casefold, folders)):
                yield path


def _modules_first(path: PurePosixPath) -> tuple[bool, int, str]:
    return (path.suffix not in CODE, len(path.parts), str(path))


def copy_file(source: Path, target: Path, size: int) -> None:
    """Copy a regular file up to this size, without following links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as copy:
        copy.write(_content(source, size))
    target.chmod(0o644)


def _join(sources: Sequence[Path], target: Path, limits: CopyLimits) -> None:
    """Write the contents of regular files one after the other, up to the limit of an artifact.

    Only plain text in UTF-8 can be joined. Between other files, there is a byte that is no text, so
    that a person reads all of them.
    """
    left, contents = limits.artifact_bytes, list[bytes]()
    for source in sources:
        contents.append(_content(source, left))
        left -= len(contents[-1])
    plain = all(source.suffix.casefold() in PLAIN for source in sources) and all(
        _is_utf8(content) for content in contents
    )
    target.write_bytes((b"\n\n" if plain else b"\n\0\n").join(contents))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _content(source: Path, size: int) -> bytes:
    descriptor = os.open(source, os.O_RDONLY | ONLY_A_FILE)
    with open(descriptor, "rb") as file:
        return file.read(max(size, 0))
