"""Check the names in an archive: each must be safe and used only once."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from submissions.escaping import shown
from submissions.leftout import is_left_out
from submissions.limits import UnpackLimits
from submissions.submission import Rejected

REPACK = "pack your assignment folder again and upload that"
RENAME = "rename it, then " + REPACK
DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class ArchivePath:
    """A path as the archive writes it, and whether it is a folder there."""

    path: str
    is_folder: bool


class Names:
    """The names that an archive has used so far."""

    def __init__(self, archive: str, limits: UnpackLimits) -> None:
        self._archive = archive
        self._limits = limits
        self._used: dict[str, ArchivePath] = {}  # by folded path
        self._listed = 0

    def take(self, name: str, *, folder: bool) -> PurePosixPath | None:
        """Return the path of the entry relative to the target, or None if it is left out.

        Raises Rejected if the name is unsafe, is already used, or exceeds the number of entries.
        """
        self._listed += 1
        if self._listed > self._limits.max_entries:
            raise too_many(self._archive, self._limits.max_entries)
        parts = self._parts(name)
        if not parts and folder:  # "./", the first entry of most tar files
            return None
        if not parts:
            raise self.refusal(name, "whose name is empty", RENAME)
        if is_left_out(parts, folder=folder):
            return None
        self._check_size(name, parts)
        self._claim(parts, folder=folder)
        return PurePosixPath(*parts)

    def refusal(self, name: str, problem: str, remedy: str) -> Rejected:
        """Return the Rejected exception for one entry."""
        return Rejected(f"{shown(self._archive)} contains {shown(name)}, {problem}; {remedy}.")

    def _parts(self, name: str) -> tuple[str, ...]:
        self._check_characters(name)
        # Old Windows tools write src\dataset.py. A name with both separators comes from no known
        # tool.
        path = name if "/" in name else name.replace("\\", "/")
        if "\\" in path:
            raise self.refusal(name, "whose path contains a backslash", RENAME)
        if path.startswith("/") or DRIVE.match(path):
            raise self.refusal(name, "an absolute path", REPACK)
        parts = tuple(part for part in path.split("/") if part not in ("", "."))
        if ".." in parts:
            raise self.refusal(name, "a path that leads out of the archive", REPACK)
        if any(not part.strip(". ") for part in parts):
            raise self.refusal(name, "whose name is nothing but dots and blanks", RENAME)
        return parts

    def _check_characters(self, name: str) -> None:
        # macOS writes a folder's icon under this name; it is left out later
        plain = name[:-1] if name.rpartition("/")[2] == "Icon\r" else name
        kinds = set(map(unicodedata.category, plain))
        if "Cs" in kinds:  # tarfile's mark for a byte that is not UTF-8
            raise self.refusal(name, "whose name is not UTF-8 text", RENAME)
        if kinds & {"Cc", "Zl", "Zp"}:
            raise self.refusal(name, "whose name contains control characters", RENAME)

    def _check_size(self, name: str, parts: Sequence[str]) -> None:
        sizes = [len(part.encode()) for part in parts]
        if len(parts) > self._limits.depth:
            raise self.refusal(name, f"more than {self._limits.depth} folders deep", REPACK)
        if max(sizes) > self._limits.part_bytes or sum(sizes) > self._limits.path_bytes:
            raise self.refusal(name, "whose path is too long", RENAME)

    def _claim(self, parts: Sequence[str], *, folder: bool) -> None:
        for end in range(1, len(parts) + 1):
            written = "/".join(parts[:end])
            entry = ArchivePath(written, folder or end < len(parts))
            key = _folded(written)
            used = self._used.get(key)
            if used is not None and (used != entry or not entry.is_folder):
                raise self._clash(used, entry)
            self._used[key] = entry
        if len(self._used) > self._limits.max_files:
            raise too_many(self._archive, self._limits.max_files)

    def _clash(self, used: ArchivePath, entry: ArchivePath) -> Rejected:
        if used == entry:
            problem = "twice"
        elif used.path == entry.path:
            problem = "once as a file and once as a folder"
        else:
            problem = f"and also {shown(used.path)}, one name on many systems"
        return self.refusal(entry.path, problem, "remove one, then " + REPACK)


def too_many(archive: str, most: int) -> Rejected:
    """Return the Rejected exception for an archive or folder with too many entries."""
    return Rejected(
        f"{shown(archive)} contains more than {most} files and folders; "
        "upload your assignment folder without environments and data."
    )


def _folded(path: str) -> str:
    """Return the same text for names that differ only by case or by how accents are encoded."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
