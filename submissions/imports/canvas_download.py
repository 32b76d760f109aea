"""Read a Canvas download of submissions: the files of all students in one folder.

    lovelaceada_7_4711_work.py          family and given name, user's number, file's number, name
    babbagebob_LATE_8_4712_work-1.py    submitted late; the second upload with that name
    hoppergrace_9_text.html             typed into Canvas

The files of one student become one folder in `work`, under their own names. If a student uploaded
only an archive, it is used where it is. The download does not contain submission times.
"""

import re
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from submissions.archives.archive import SUFFIXES, unpack
from submissions.finding import is_named
from submissions.imports.upload import FoundUploads, Upload
from submissions.limits import UNPACK_LIMITS
from submissions.people import Person
from submissions.receive import collect
from submissions.submission import Rejected

NAME = re.compile(
    r"(?P<who>.+?)_(?P<late>LATE_)?(?P<user>[0-9]+)_(?:(?P<number>[0-9]+)_)?(?P<name>.+)"
)
AGAIN = re.compile(r"(?P<stem>.+)-(?P<count>[0-9]{1,2})(?P<suffix>\.[^.]*)")  # `work-1.py`
SHORT = 200  # bytes of an archive's name; file systems allow 255


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    who: str
    user: str
    name: str
    number: int
    late: bool


def is_canvas_name(name: str) -> bool:
    """Return whether Canvas could have given a student's file this name."""
    match = NAME.fullmatch(name)
    if match is None or match["name"] in (".", ".."):
        return False
    return match["number"] is not None or match["name"] == "text.html"


def read_canvas(folder: Path, work: Path, names: Sequence[str]) -> FoundUploads:
    """Return one upload per student; `names` helps to recognize files that were uploaded again."""
    files, strays = _files(folder)
    grouped: dict[tuple[str, str], list[_File]] = defaultdict(list)
    for file in files:
        grouped[file.who, file.user].append(file)
    uploads = [_upload(group, work, names) for _, group in sorted(grouped.items())]
    late = sorted(
        f"{who}_{user}"
        for (who, user), group in grouped.items()
        if any(file.late for file in group)
    )
    notes = [f"{name}: not a name that Canvas gives; left out" for name in strays]
    if late:
        notes.append(
            f"late, but Canvas does not export by how much, so without penalty: {', '.join(late)}"
        )
    return FoundUploads(tuple(uploads), tuple(notes))


def _files(folder: Path) -> tuple[list[_File], list[str]]:
    files, strays = [], []
    for path in collect(folder):
        match = NAME.fullmatch(path.name)
        if path.is_symlink() or not path.is_file() or not match or not is_canvas_name(path.name):
            strays.append(path.name)
            continue
        number = int(match["number"] or 0)
        late = match["late"] is not None
        files.append(_File(path, match["who"], match["user"], match["name"], number, late))
    return files, strays


def _upload(files: Sequence[_File], work: Path, names: Sequence[str]) -> Upload:
    first = files[0]
    name = f"{first.who}_{first.user}"
    people = (Person(first.who, canvas=first.user),)
    archives = [file.path for file in files if file.name.casefold().endswith(SUFFIXES)]
    path = archives[0] if len(files) == len(archives) == 1 else _staged(files, work / name, names)
    return Upload(name, path, people, None)


def _staged(files: Sequence[_File], folder: Path, names: Sequence[str]) -> Path:
    """Return a folder with the files, or an archive that cannot be opened, to be rejected.

    All archives of a student together may unpack to as much as a single one. The smallest come
    first, and what is beyond the limit stays packed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    named = _named(files, names)
    archives = [name for name in named if name.casefold().endswith(SUFFIXES)]
    for name in named.keys() - archives:
        shutil.copyfile(named[name], folder / name)
        shutil.copystat(named[name], folder / name)
    left = UNPACK_LIMITS.total_bytes
    for name in sorted(archives, key=lambda name: named[name].stat().st_size):
        place = _free(folder, name)
        try:
            unpack(named[name], place)
        except Rejected:
            shutil.rmtree(folder)
            return named[name]
        size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
        if size <= left:
            left -= size
        else:
            shutil.rmtree(place)
            shutil.copyfile(named[name], place.with_name(name))
    return folder


def _free(folder: Path, name: str) -> Path:
    """Return an unused path for an archive's contents; students may choose any names."""
    short = name.encode(errors="ignore")[:SHORT].decode(errors="ignore")
    place = folder / f"{short} (unpacked)"
    numbered = (folder / f"{short} (unpacked {again})" for again in count(2))
    return next(path for path in chain([place], numbered) if not path.exists())


def _named(files: Sequence[_File], names: Sequence[str]) -> dict[str, Path]:
    """Return each file by its own name; of a file uploaded several times, the last one counts."""
    named: dict[str, Path] = {}
    for file in sorted(files, key=lambda file: file.number):
        named[_own_name(file.name, names)] = file.path
    return named


def _own_name(name: str, names: Sequence[str]) -> str:
    """Return the name without Canvas's counter if the assignment requires a file with that name."""
    again = AGAIN.fullmatch(name)
    if again is None or is_named(name, names):
        return name
    plain = again["stem"] + again["suffix"]
    return plain if is_named(plain, names) else name
