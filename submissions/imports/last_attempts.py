"""Choose which of a student's submissions counts if there are several.

Students who submit together share a submission; it counts for each of them for whom it is chosen.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from submissions.escaping import first_few
from submissions.imports.upload import Upload
from submissions.people import Person

NEVER = datetime.min.replace(tzinfo=UTC)


def key_of(person: Person, upload: str) -> str:
    """Return a text that identifies the person within a course; a name is not enough."""
    key = person.email or person.sid or person.canvas
    return key.casefold() or f"{upload}/{person.name}"


def last_attempts(uploads: Sequence[Upload]) -> tuple[list[Upload], list[str]]:
    """Return each person's last upload, and a note for each person whose last one is unknown."""
    last, notes = dict[str, str](), []
    for key, attempts in _by_person(uploads).items():
        if len(attempts) > 1 and not all(upload.submitted_at for upload in attempts):
            names = ", ".join(upload.name for upload in attempts)
            notes.append(f"{names}: of one student, at times that are not known: all are graded")
        else:
            last[key] = max(attempts, key=_when).name
    latest = [_of_whom_it_is_last(upload, last) for upload in uploads]
    instead = {
        upload.name: last[key_of(upload.people[0], upload.name)]
        for upload, left in zip(uploads, latest, strict=True)
        if left is None
    }
    return [upload for upload in latest if upload is not None], [*notes, *not_counting(instead)]


def not_counting(instead: Mapping[str, str]) -> tuple[str, ...]:
    """Return a line on the submissions that do not count, by the one that counts instead."""
    named = [f"{other} ({counts} counts)" for other, counts in sorted(instead.items())]
    many = "1 submission does" if len(named) == 1 else f"{len(named)} submissions do"
    summary = f"{many} not count, because another one of the same student does"
    return (f"{summary}: {first_few(named)}",) if named else ()


def _by_person(uploads: Sequence[Upload]) -> Mapping[str, list[Upload]]:
    grouped: dict[str, list[Upload]] = defaultdict(list)
    for upload in uploads:
        for person in upload.people:
            grouped[key_of(person, upload.name)].append(upload)
    return grouped


def _when(upload: Upload) -> tuple[datetime, int, str]:
    """Sort by time, then by number: within a second, submission_100 is later than submission_99."""
    return upload.submitted_at or NEVER, len(upload.name), upload.name


def _of_whom_it_is_last(upload: Upload, last: Mapping[str, str]) -> Upload | None:
    """Return the upload with only the people whose last one it is, or None if nobody is left."""
    name = upload.name
    people = tuple(p for p in upload.people if last.get(key_of(p, name), name) == name)
    return replace(upload, people=people) if people or not upload.people else None
