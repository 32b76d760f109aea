"""A submission's files in DIR: whether they say what the store says, and away with old ones."""

from collections.abc import Iterable
from pathlib import Path

from graders.model import Result
from graders.store import result_text, submission_file

FOLDERS = (("results", ".json"), ("gradescope", ".json"), ("reports", ".html"))
COURSE_FILES = ("grades.csv", "twins.json", "index.html")


def have_files(result: Result, out: Path) -> bool:
    """Whether all files of this Result lie in `out`; its JSON, written last, speaks for them."""
    document, *others = _paths(result.submission.id, out)
    try:
        same = document.read_bytes() == result_text(result).encode()
    except OSError:
        return False
    return same and all(path.is_file() for path in others)


def remove_files(submissions: Iterable[str], out: Path) -> None:
    """Take away what could be mistaken for the files of these submissions' next Results.

    With one of them gone, what was made of all submissions is old, too.
    """
    names = list(submissions)
    for name in names:
        for path in _paths(name, out):
            path.unlink(missing_ok=True)
    for name in COURSE_FILES if names else ():
        (out / name).unlink(missing_ok=True)


def _paths(submission: str, out: Path) -> list[Path]:
    return [submission_file(out, folder, submission, suffix) for folder, suffix in FOLDERS]
