"""Watch the files that a check reads, and report when they change."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from watchfiles import BaseFilter, Change, watch

from graders.model import FileSpec
from submissions.folder import CODE

DEBOUNCE = 400  # milliseconds; an editor writes a file in several steps
LOOK = 250  # milliseconds until an interrupt is noticed


class _UploadFilter(BaseFilter):
    """A filter for code and artifacts by name; ignores caches and files that training writes."""

    def __init__(self, upload: Path, files: FileSpec) -> None:
        super().__init__()
        self._upload = upload.resolve()
        self._names = (*files.code, *files.artifacts)

    def __call__(self, change: Change, path: str) -> bool:
        """Return whether this change can alter a verdict."""
        found = Path(path)
        if found == self._upload:
            return True
        inner = found.relative_to(self._upload) if found.is_relative_to(self._upload) else found
        if any(part.startswith((".", "__pycache__")) for part in inner.parts):
            return False
        return found.suffix in CODE or any(fnmatchcase(found.name, name) for name in self._names)


def _is_named(name: str, _: Change, path: str) -> bool:
    return Path(path).name == name


def changes(upload: Path, files: FileSpec) -> Iterator[None]:
    """Yield immediately, and again after each change of the upload; end when interrupted.

    Changes during the caller's work are reported by the next iteration.
    """
    first = True
    # For an archive, watch its folder: a replaced archive would no longer be watched.
    folder = upload if upload.is_dir() else upload.absolute().parent
    wanted = _UploadFilter(upload, files) if upload.is_dir() else partial(_is_named, upload.name)
    for found in watch(
        folder,
        recursive=upload.is_dir(),
        watch_filter=wanted,
        debounce=DEBOUNCE,
        rust_timeout=LOOK,
        yield_on_timeout=True,
        raise_interrupt=True,
    ):
        if found or first:
            first = False
            yield
