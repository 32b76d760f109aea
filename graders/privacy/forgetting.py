"""Find and remove everything about one student in a results folder.

A single student's submission is removed completely. In a group's submission, only that member's
name is removed, because the work also belongs to the others.
"""

import csv
import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.course import best_attempts, extensions, roster
from graders.errors import UsageError, did_you_mean
from graders.storage.csv_cells import plain_cell
from graders.storage.files import LOCK, write_whole
from graders.storage.store import Store
from submissions.people import Person, name_key, people_in, student_text

PEOPLE_FILES = (
    *(roster.FILE, roster.EARLIER),
    *(extensions.FILE, extensions.LATE_DAYS),
    best_attempts.MERGED,
)
LONGEST = 64 * 2**20  # bytes of a file that is searched at once
TELLING = 8  # letters of a word that is somebody's and not a word of a page


@dataclass(frozen=True, slots=True)
class Known:
    """A student in a store: the submission, all its people, and the one to remove.

    `upload` is the path from which the submission was graded. `namesake` is True if another
    submission is by somebody with the same name.
    """

    submission: str
    people: tuple[Person, ...]
    person: Person
    upload: Path
    namesake: bool = False

    @property
    def others(self) -> tuple[Person, ...]:
        """The other members of the group."""
        return tuple(each for each in self.people if each != self.person)

    @property
    def keys(self) -> frozenset[str]:
        """The texts that identify the student in a table, folded by `name_key`."""
        own = {self.person.email, self.person.sid, self.person.canvas}
        own |= set() if self.others else {self.submission, self.upload.name}
        return frozenset(map(name_key, filter(None, own or {self.person.name})))

    @property
    def texts(self) -> frozenset[str]:
        """The texts that identify the student in any file; short words do not."""
        words = set() if self.others else {self.submission}
        words |= set() if self.namesake else {self.person.name}
        telling = {each for each in words if len(each) >= TELLING or not each.isalpha()}
        return frozenset(filter(None, {self.person.email, self.person.sid, *telling}))


def find_student(store: Store, generation: int, typed: str) -> Known:
    """Return the student that was typed; raises UsageError if it is not exactly one."""
    members = {each.submission: each for each in store.members(generation)}
    known = roster.by_identity(store, generation)
    found = [typed] if typed in members else known.get(name_key(typed), [])
    if len(found) != 1:
        several = f"`{typed}` means several submissions: {', '.join(found)}"
        none = f"there is no submission of `{typed}`{did_you_mean(name_key(typed), known)}"
        raise UsageError(several if found else none, "`show` lists what there is")
    member = members[found[0]]
    student, _ = store.handed_in(member.submission, member.cache_key.address)
    people = people_in(student)
    own = [each for each in people if name_key(typed) in _keys_of(each)] or list(people)
    if len(own) > 1:
        names = ", ".join(map(str, people))
        raise UsageError(f"{member.submission} is of {names}", "name one by email or number")
    others = (each for each in members.values() if each != member)
    students = (store.handed_in(each.submission, each.cache_key.address)[0] for each in others)
    theirs = {name_key(each.name) for text in students for each in people_in(text)}
    namesake = name_key(own[0].name) in theirs
    return Known(member.submission, people, own[0], member.path, namesake)


def forget_rows_of(known: Known, out: Path) -> list[str]:
    """Remove the student's rows from the tables that staff wrote; return a sentence for each."""
    said = list[str]()
    for name in PEOPLE_FILES:
        file = out / name
        text = file.read_text(encoding="utf-8-sig") if file.is_file() else ""
        header, *lines = text.splitlines(keepends=True) or [""]
        kept = [each for each in lines if not _is_of(known, each, header)]
        if len(kept) < len(lines):
            content = "".join((header, *kept)).encode()
            write_whole(file, content, remedy="make room and run the command again")
            gone = len(lines) - len(kept)
            said.append(f"{name}: {gone} row{'' if gone == 1 else 's'}")
    return said


def without(known: Known) -> str:
    """Return who submitted it, without the student."""
    return student_text(known.others)


def still_named_in(known: Known, out: Path) -> list[str]:
    """Return the files below `out` that still name the student, in their text or their name."""
    needles = {_bytes for each in known.texts for _bytes in _spellings(each)}
    pattern = re.compile(
        rb"(?<![0-9A-Za-z])(?:" + b"|".join(map(re.escape, sorted(needles))) + rb")(?![0-9A-Za-z])",
        re.IGNORECASE,
    )
    return [
        str(file.relative_to(out))
        for file in _files(out)
        if (not known.others and name_key(file.stem) == name_key(known.submission))
        or (needles and any(pattern.search(part) for part in _parts(file)))
    ]


def _keys_of(person: Person) -> set[str]:
    return {name_key(each) for each in (person.name, person.email, person.sid, person.canvas)}


def _is_of(known: Known, text: str, header: str) -> bool:
    delimiter = ";" if ";" in header else ","
    cells = next(csv.reader([text], delimiter=delimiter), [])
    return any(name_key(plain_cell(cell)) in known.keys for cell in cells if cell.strip())


def _spellings(text: str) -> Iterator[bytes]:
    """Yield a text as it is written in plain text, HTML and JSON."""
    yield text.encode(errors="surrogateescape")
    yield html.escape(text).encode(errors="surrogateescape")
    yield json.dumps(text)[1:-1].encode()


def _files(out: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(out):
        for name in sorted(names):
            file = Path(folder, name)
            if name != LOCK and file.is_file() and not file.is_symlink():
                yield file


def _parts(file: Path) -> Iterable[bytes]:
    """Yield a file's content in pieces that overlap."""
    with file.open("rb") as content:
        rest = b""
        while piece := content.read(LONGEST):
            yield rest + piece
            rest = piece[-1024:]
