"""Find and remove everything about one student in a results folder.

A single student's submissions are removed completely. In a group's submission, only that member's
name is removed, because the work also belongs to the others.
"""

import csv
import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.course import extensions, roster
from graders.course.merges import MERGED, Merge, student_key
from graders.errors import UsageError, did_you_mean
from graders.storage.csv_cells import SAVE_IT, plain_cell, table
from graders.storage.files import LOCK, write_whole
from graders.storage.store import Store
from submissions.escaping import counted
from submissions.people import Person, name_key, people_in, student_text

PEOPLE_FILES = (
    roster.FILE, roster.EARLIER, roster.DROPS,
    extensions.FILE, extensions.LATE_DAYS,
    MERGED,
)  # fmt: skip
LONGEST = 64 * 2**20  # bytes of a file that is searched at once
TELLING = 8  # letters of a word that is somebody's and not a word of a page


@dataclass(frozen=True, slots=True)
class StoredStudent:
    """A student in a store: a submission, all its people, and the one to remove.

    `upload` is the path from which the submission was graded. `namesake` is True if somebody else
    with a submission has the same name.
    """

    submission: str
    people: tuple[Person, ...]
    person: Person
    upload: Path
    namesake: bool = False

    @property
    def others(self) -> tuple[Person, ...]:
        """The other members of the group."""
        return tuple(person for person in self.people if person != self.person)

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
        telling = {word for word in words if len(word) >= TELLING or not word.isalpha()}
        return frozenset(filter(None, {self.person.email, self.person.sid, *telling}))


def find_student(
    store: Store, typed: str, merges: Mapping[str, Merge]
) -> tuple[StoredStudent, ...]:
    """Return the student that was typed, with each of the student's submissions.

    What was typed comes last. Raises UsageError if it is not exactly one student.
    """
    members = {member.submission: member for member in store.members()}
    handed_in = (store.people_and_time(member) for member in members.values())
    people = {name: people_in(text) for name, (text, _) in zip(members, handed_in, strict=True)}
    known = roster.by_identity(store)
    found = [typed] if typed in members else known.get(name_key(typed), [])
    keys = {name: student_key(_meant(typed, name, people[name]), name, merges) for name in found}
    if len(set(keys.values())) != 1:
        several = f"`{typed}` means several submissions: {', '.join(found)}"
        none = f"there is no submission of `{typed}`{did_you_mean(name_key(typed), known)}"
        raise UsageError(several if found else none, "`show` lists what there is")
    (key,) = set(keys.values())
    everybody = [(name, each) for name, own in people.items() for each in own]
    own = [pair for pair in everybody if student_key(pair[1], pair[0], merges) == key]
    names = {name_key(each.name) for _, each in own}
    namesake = any(name_key(pair[1].name) in names for pair in everybody if pair not in own)
    return tuple(
        StoredStudent(name, people[name], person, members[name].path, namesake)
        for name, person in sorted(own, key=lambda pair: pair[0] in found)
    )


def _meant(typed: str, submission: str, people: Sequence[Person]) -> Person:
    """Return which of the people of a submission was typed."""
    own = [person for person in people if name_key(typed) in _keys_of(person)] or list(people)
    if len(own) > 1:
        names = ", ".join(map(str, people))
        raise UsageError(f"{submission} belongs to {names}", "name one by email or number")
    return own[0]


def forget_rows_of(student: StoredStudent, out: Path) -> list[str]:
    """Remove the student's rows from the tables that staff wrote; return a sentence for each.

    Raises UsageError if one of them cannot be read.
    """
    said = list[str]()
    for name in PEOPLE_FILES:
        file = out / name
        header, *lines = _lines(file) or [""]
        own = [line for line in lines if _is_of(student, line, header)]
        given = dict.fromkeys(own, "")
        # A group has the latest date of its members, which the others keep.
        if student.others and name == extensions.FILE and not _names_group(student, lines, header):
            given = {line: _of_group(student, line, header) for line in own}
        kept = [given.get(line, line) for line in lines]
        if own:
            content = "".join((header, *kept)).encode()
            write_whole(file, content, remedy="make room and run the command again")
            stays = "; the group keeps it" if any(given.values()) else ""
            said.append(f"{name}: {counted(len(own), 'row')}{stays}")
    return said


def _lines(file: Path) -> list[str]:
    """Return the lines of a table; none if there is no such file."""
    try:
        text = file.read_text(encoding="utf-8-sig") if file.is_file() else ""
        lines = text.splitlines(keepends=True)
        for line in lines:
            _cells(line, lines[0])
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text", SAVE_IT) from error
    except (OSError, csv.Error) as error:
        raise UsageError(f"{file}: {error}", "correct the file, then forget the student") from error
    return lines


def without(student: StoredStudent) -> str:
    """Return who submitted it, without the student."""
    return student_text(student.others)


def still_named_in(students: Sequence[StoredStudent], out: Path) -> list[str]:
    """Return the files below `out` that still name the student, in their text or their name."""
    texts = {text for student in students for text in student.texts}
    needles = {spelling for text in texts for spelling in _spellings(text)}
    alone = {name_key(student.submission) for student in students if not student.others}
    pattern = re.compile(
        rb"(?<![0-9A-Za-z])(?:" + b"|".join(map(re.escape, sorted(needles))) + rb")(?![0-9A-Za-z])",
        re.IGNORECASE,
    )
    return [
        str(file.relative_to(out))
        for file in _files(out)
        if name_key(file.stem) in alone
        or (needles and any(pattern.search(part) for part in _parts(file)))
    ]


def _keys_of(person: Person) -> set[str]:
    return {name_key(each) for each in (person.name, person.email, person.sid, person.canvas)}


def _is_of(student: StoredStudent, text: str, header: str) -> bool:
    cells = _cells(text, header)
    return any(name_key(plain_cell(cell)) in student.keys for cell in cells if cell.strip())


def _names_group(student: StoredStudent, lines: Iterable[str], header: str) -> bool:
    group = name_key(student.submission)
    return any(name_key(cell) == group for line in lines for cell in _cells(line, header))


def _of_group(student: StoredStudent, text: str, header: str) -> str:
    """Return an extension as one of the group's submission, without the comment."""
    columns = [cell.strip().casefold() for cell in _cells(header, header)]
    group = {"student": student.submission, "comment": ""}
    cells = dict(zip(columns, _cells(text, header), strict=False)) | group
    delimiter = ";" if ";" in header else ","
    return table([[cells.get(column, "") for column in columns]], delimiter=delimiter)


def _cells(text: str, header: str) -> list[str]:
    return next(csv.reader([text], delimiter=";" if ";" in header else ","), [])


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
