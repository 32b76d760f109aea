"""Read one submission: tokens of its code and answers, sketches of its other files.

upload ── open_upload ── list_files ──┬── .py, code cells of .ipynb       code
                                      ├── answers.md, .tex, text cells    answers
                                      └── weights, predictions            a hash and a sketch each
"""

import hashlib
import re
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graders.adapting.reading.magics import without_cell_magic, without_indent
from graders.adapting.reading.notebook import (
    UnreadableNotebook,
    decoded,
    looks_like_notebook,
    one_newline,
    read_notebook,
)
from graders.similarity.tokens import Text, Tokens, code_tokens, word_tokens
from graders.written.loading import ANSWERS
from submissions.escaping import listed
from submissions.folder import CODE
from submissions.limits import COPY_LIMITS
from submissions.listing import list_files
from submissions.people import name_key, people_in
from submissions.receive import open_upload
from submissions.submission import Rejected, Submission

PROSE = (".md", ".tex")
MOST_CHARACTERS = 1_000_000  # of the code, and of the answers, of one submission
MOST_TOKENS = 100_000
SHELL = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)
SMALL = 100  # bytes; the content of a smaller file is equal by chance
SKETCHED = 1024  # values or lines of a file


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of weights or predictions: its hash, and some of its 32-bit values or lines.

    Sketches of two files are compared if both files have the same name and shape.
    """

    name: str
    sha256: str
    shape: tuple[str, int]
    sketch: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Upload:
    """What is compared of one submission, and sentences on what is not.

    `students` are the emails and numbers of those who submitted it; a name is not enough.
    """

    id: str
    code: Tokens
    answers: Tokens
    files: tuple[DataFile, ...] = ()
    notes: tuple[str, ...] = ()
    students: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to compare."""
        return not (len(self.code.codes) or len(self.answers.codes) or self.files)


@dataclass(slots=True)
class _Texts:
    """Texts, and how many characters more are read."""

    texts: list[Text] = field(default_factory=list)
    room: int = MOST_CHARACTERS


@dataclass(slots=True)
class _Reading:
    code: _Texts = field(default_factory=_Texts)
    answers: _Texts = field(default_factory=_Texts)
    files: list[DataFile] = field(default_factory=list)
    ignored: dict[str, list[str]] = field(default_factory=dict)


def read_upload(submission: Submission) -> Upload:
    """Return what is compared of a submission; one that cannot be opened has only a note."""
    reading = _Reading()
    notes: list[str] = []
    with tempfile.TemporaryDirectory(prefix="softmark-similarity-") as work:
        try:
            with open_upload(submission.path, Path(work)) as folder:
                listing = list_files(folder)
                notes += listing.notes
                for path, size in sorted(listing.files.items()):
                    _read(folder / path, str(path), size, reading)
        except (Rejected, OSError) as error:
            notes.append(str(error))
    notes += [f"ignored {listed(names)} ({why})" for why, names in reading.ignored.items()]
    code = code_tokens(reading.code.texts, MOST_TOKENS)
    answers = word_tokens(reading.answers.texts, MOST_TOKENS)
    if MOST_TOKENS in (len(code.codes), len(answers.codes)):
        notes.append(f"only its first {MOST_TOKENS:,} tokens were compared")
    files = tuple(reading.files)
    people = people_in(submission.student)
    students = frozenset(name_key(p.email or p.sid or p.canvas) for p in people) - {""}
    return Upload(submission.id, code, answers, files, tuple(notes), students)


def _read(path: Path, name: str, size: int, reading: _Reading) -> None:
    """Add one file to what was read of the submission."""
    suffix = path.suffix.casefold()
    prose = suffix in PROSE or path.name.casefold() in ANSWERS
    notebook = suffix == ".ipynb"
    if suffix not in CODE and not prose:
        if SMALL <= size <= COPY_LIMITS.artifact_bytes:
            reading.files.append(_data_file(path))
        elif size > SMALL:
            reading.ignored.setdefault("too large", []).append(name)
        return
    if size > (COPY_LIMITS.notebook_bytes if notebook else COPY_LIMITS.code_file_bytes):
        reading.ignored.setdefault("too large", []).append(name)
        return
    data = path.read_bytes()
    if b"\0" in data and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        reading.ignored.setdefault("not a text", []).append(name)
    elif prose:
        _add(reading.answers, name, decoded(data), reading)
    elif notebook or looks_like_notebook(data):
        _read_cells(name, data, reading)
    else:
        _add(reading.code, name, decoded(data), reading)


def _read_cells(name: str, data: bytes, reading: _Reading) -> None:
    try:
        notebook = read_notebook(data)
    except UnreadableNotebook as error:
        reading.ignored.setdefault(str(error), []).append(name)
        return
    if notebook.damage:
        reading.ignored.setdefault(notebook.damage, []).append(f"the rest of {name}")
    for cell in notebook.cells:
        place = f"{name}, cell {cell.number}"
        if cell.is_code:
            code = without_indent(without_cell_magic(cell.text))
            _add(reading.code, place, SHELL.sub("", code), reading)
        else:
            _add(reading.answers, place, cell.text, reading)


def _add(collected: _Texts, name: str, content: str, reading: _Reading) -> None:
    collected.room -= len(content)
    if collected.room < 0:
        reading.ignored.setdefault("too much text", []).append(name)
    else:
        collected.texts.append(Text(name, tuple(one_newline(content).split("\n"))))


def _data_file(path: Path) -> DataFile:
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    if b"\0" in data[: 1 << 16]:
        values = np.frombuffer(data, "<u4", len(data) // 4)
        sketch = values[_spread(len(values))].astype(np.uint32)
        return DataFile(path.name, sha256, ("values", len(data)), sketch)
    lines = data.split(b"\n")
    sums = [zlib.crc32(lines[at].strip()) for at in _spread(len(lines))]
    return DataFile(path.name, sha256, ("lines", len(lines)), np.array(sums, np.uint32))


def _spread(count: int) -> NDArray[np.int64]:
    """Return at most SKETCHED places of `count`, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(count, SKETCHED)).astype(np.int64))
