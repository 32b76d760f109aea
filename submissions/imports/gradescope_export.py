"""Read a Gradescope export of submissions.

    FOLDER/submission_metadata.yml
        submission_123:
          :submitters: [{:name: Ada, :sid: "1815", :email: ada@example.edu}, ...]
          :created_at: 2026-03-01 11:58:00.000000000 Z
          :history: [{:id: 99, :created_at: ...}, ...]        earlier ones, if exported
    FOLDER/submission_123/ ...

Everything in the file is read as text: no tag creates an object, and numbers keep leading zeros.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from submissions.imports.upload import FoundUploads, Upload, WrongExport
from submissions.limits import MIB
from submissions.people import Person, student_text
from submissions.receive import collect

METADATA = "submission_metadata.yml"
EXPORT_IT = "in Gradescope: Review Grades, Export Submissions"
FOLDER = re.compile(r"submission_[0-9]+")
MOST_BYTES = 512 * MIB
NOTHING = ("", "~", "null")
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read_gradescope(folder: Path) -> FoundUploads:
    """Return the export's uploads, including earlier attempts. Raises WrongExport."""
    metadata = _metadata(folder / METADATA)
    uploads = _merged(
        upload for name, entry in metadata.items() for upload in _uploads(folder, name, entry)
    )
    names = {upload.name for upload in uploads}
    lost = [f"{name}: in {METADATA}, but not in the folder" for name in metadata.keys() - names]
    unlisted = [path for path in collect(folder) if path.name not in {METADATA, *names}]
    unknown = [Upload(path.name, path, (), None) for path in unlisted if _is_attempt(path)]
    nameless = [upload for upload in (*uploads, *unknown) if not student_text(upload.people)]
    nobodys = [f"{upload.name}: {METADATA} does not say whose" for upload in nameless]
    strays = [f"{path.name}: no folder of this export; left out" for path in _strays(unlisted)]
    timeless = ", ".join(upload.name for upload in uploads if upload.submitted_at is None)
    late = [f"no submission time, so no late penalty: {timeless}"] if timeless else []
    return FoundUploads((*uploads, *unknown), (*sorted(lost), *nobodys, *strays, *late))


def _metadata(file: Path) -> dict[str, Any]:
    try:
        if file.is_symlink() or file.stat().st_size > MOST_BYTES:
            raise WrongExport(f"{file}: a link, or too large to be read", EXPORT_IT)
        content = yaml.load(file.read_bytes(), LOADER)  # noqa: S506  BaseLoader makes text only
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise WrongExport(f"{file}: {reason}", EXPORT_IT) from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise WrongExport(f"{file}: no submissions by name", EXPORT_IT)
    return content


def _uploads(folder: Path, name: str, entry: object) -> Iterator[Upload]:
    """Yield the upload of an entry, and the earlier ones that have a folder."""
    people = tuple(map(_person, _entries(entry, ":submitters")))
    attempts = [(name, entry)]
    attempts += [(f"submission_{_text(item, ':id')}", item) for item in _entries(entry, ":history")]
    for attempt, about in dict(attempts).items() if len(attempts) > 1 else attempts:
        if FOLDER.fullmatch(attempt) and _is_folder(folder / attempt):
            yield Upload(attempt, folder / attempt, people, _created(about))


def _merged(uploads: Iterable[Upload]) -> list[Upload]:
    """Return each upload once; one that two students made before they separated belongs to both."""
    merged: dict[str, Upload] = {}
    for upload in uploads:
        before = merged.get(upload.name)
        people = before.people + upload.people if before else upload.people
        merged[upload.name] = replace(before or upload, people=tuple(dict.fromkeys(people)))
    return list(merged.values())


def _is_attempt(path: Path) -> bool:
    return FOLDER.fullmatch(path.name) is not None and _is_folder(path)


def _strays(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if not _is_attempt(path)]


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _person(entry: object) -> Person:
    return Person(*(_text(entry, key) for key in (":name", ":email", ":sid")))


def _entries(entry: object, key: str) -> list[object]:
    value = entry.get(key) if isinstance(entry, dict) else None
    return value if isinstance(value, list) else []


def _text(entry: object, key: str) -> str:
    value = entry.get(key, "") if isinstance(entry, dict) else ""
    plain = value.strip() if isinstance(value, str) else ""
    return plain if plain not in NOTHING else ""


def _created(entry: object) -> datetime | None:
    """Return the submission time, given as text or as the object that Rails writes for a time."""
    value = entry.get(":created_at") if isinstance(entry, dict) else None
    return _time(_text(value, "utc") or _text(entry, ":created_at"))


def _time(text: str) -> datetime | None:
    """Return the time in the text (UTC if it has no time zone), or None if there is none."""
    try:
        moment = datetime.fromisoformat(re.sub(r"\s+(?=Z|[-+]\d)", "", text.replace("UTC", "Z")))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
