"""Read the course's files that a submission is graded with, or the built-in sample dataset.

FOLDER/wiki.txt                 the pretraining corpus
       birth_places_train.tsv   question TAB place
       birth_dev.tsv            question TAB place
       birth_test_inputs.tsv    question
       birth_test.tsv           question TAB place; only staff have it
"""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graders.errors import UsageError
from reference.data.world import write_world

TRAIN = "birth_places_train.tsv"
DEV = "birth_dev.tsv"
TEST_INPUTS = "birth_test_inputs.tsv"
TEST = "birth_test.tsv"
WIKI = "wiki.txt"
REQUIRED = (WIKI, TRAIN, DEV, TEST_INPUTS)
REMEDY = f"--data DIR must contain {', '.join(REQUIRED)}, and {TEST} for scores on the test set"
LARGEST_FILE = 64 * 1024 * 1024


def sha256_of_files(contents: Iterable[tuple[str, bytes]]) -> str:
    """Return one sha256 of files, each given by its name and its content."""
    digest = hashlib.sha256()
    for name, content in contents:
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Data:
    """The places to predict, in the files' order; `test` is None if there are no answers."""

    folder: Path
    embedded: bool
    train: tuple[str, ...]
    dev: tuple[str, ...]
    test_questions: tuple[str, ...]
    test: tuple[str, ...] | None

    @property
    def fingerprint(self) -> str:
        """The sha256 of all files together: equal data have equal fingerprints."""
        files = {name: self.folder / name for name in (*REQUIRED, TEST)}
        return sha256_of_files(
            (name, file.read_bytes() if file.is_file() else b"") for name, file in files.items()
        )

    @property
    def description(self) -> str:
        """One line for the Result: the data's source, number of questions and fingerprint."""
        source = "built-in sample dataset" if self.embedded else "given with --data"
        counts = f"{len(self.train)} train, {len(self.dev)} dev, {len(self.test_questions)} test"
        answers = "" if self.test is not None else ", no test answers"
        return f"{source}: {counts}{answers}, sha256 {self.fingerprint[:16]}"


@contextmanager
def open_data(folder: Path | None, *, seed: int = 0) -> Iterator[Data]:
    """Yield the data of this folder, or without one the built-in sample dataset of this seed.

    Raises UsageError if a file is missing or not in the course's format.
    """
    if folder is not None:
        yield read_data(folder)
        return
    with tempfile.TemporaryDirectory(prefix="softmark-world-", ignore_cleanup_errors=True) as work:
        write_world(Path(work), seed)
        yield read_data(Path(work), embedded=True)


def read_data(folder: Path, *, embedded: bool = False) -> Data:
    """Read and check the data of a folder; raises UsageError, which names the wrong file."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder", REMEDY)
    for name in REQUIRED:
        if not (folder / name).is_file():
            raise UsageError(f"{folder / name}: the file is missing", REMEDY)
    questions = tuple(
        line.split("\t")[0].strip() for line in read_lines(folder / TEST_INPUTS, REMEDY)
    )
    test = _answers(folder / TEST) if (folder / TEST).is_file() else None
    if test is not None:
        _same_questions(folder, questions, tuple(question for question, _ in test))
    return Data(
        folder=folder,
        embedded=embedded,
        train=tuple(place for _, place in _answers(folder / TRAIN)),
        dev=tuple(place for _, place in _answers(folder / DEV)),
        test_questions=questions,
        test=None if test is None else tuple(place for _, place in test),
    )


def _answers(file: Path) -> list[tuple[str, str]]:
    rows = []
    for number, line in enumerate(read_lines(file, REMEDY), start=1):
        fields = line.strip().split("\t")
        if len(fields) != 2 or not all(fields):
            raise UsageError(
                f"{file}: line {number} is not a question, a tab and a place",
                "some editors turn tabs into spaces: download the file again from the course",
            )
        rows.append((fields[0].strip(), fields[1].strip()))
    return rows


def read_lines(file: Path, remedy: str) -> list[str]:
    """Return the file's lines, without a byte order mark and CRLF.

    Raises UsageError if it is too large (with this remedy), empty or not UTF-8.
    """
    if file.stat().st_size > LARGEST_FILE:
        raise UsageError(f"{file}: larger than {LARGEST_FILE // 2**20} MB", remedy)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 at byte {error.start}", "save it as UTF-8") from error
    lines = text.removesuffix("\n").split("\n")
    if lines == [""]:
        raise UsageError(f"{file}: the file is empty", "download it again from the course")
    return lines


def _same_questions(folder: Path, asked: tuple[str, ...], answered: tuple[str, ...]) -> None:
    if len(asked) != len(answered):
        raise UsageError(
            f"{folder / TEST}: {len(answered)} answers for the {len(asked)} lines of {TEST_INPUTS}",
            "both files must be of one edition",
        )
    pairs = enumerate(zip(asked, answered, strict=True), start=1)
    wrong = next((number for number, (one, other) in pairs if one != other), None)
    if wrong is not None:
        raise UsageError(
            f"{folder / TEST}: line {wrong} answers another question than {TEST_INPUTS}",
            "both files must be of one edition, in the same order",
        )
