"""Unpack one archive into one folder; count the bytes that are written, not those announced."""

import errno
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from struct import error as StructError
from tarfile import TarError
from zipfile import BadZipFile

from submissions.archives.names import REPACK, Names
from submissions.escaping import shown
from submissions.limits import MIB, UnpackLimits
from submissions.submission import Rejected

CHUNK = 1 << 18
# Everything that the two parsers raise on hostile bytes: RecursionError and NotImplementedError
# are RuntimeErrors, UnicodeError is a ValueError, OverflowError is an ArithmeticError.
BROKEN = (
    BadZipFile, TarError, zlib.error, StructError, EOFError,
    ValueError, RuntimeError, LookupError, ArithmeticError,
)  # fmt: skip


class Unpacking:
    """The files that one archive has written so far, and the limits on what it may still write."""

    def __init__(self, archive: Path, into: Path, limits: UnpackLimits) -> None:
        self.archive = archive.name
        self.limits = limits
        self.names = Names(archive.name, limits)
        self._into = into
        self._packed = archive.stat().st_size
        self._written = 0
        self._files = 0

    def add_folder(self, place: PurePosixPath) -> None:
        """Create the folder unless it exists."""
        (self._into / place).mkdir(parents=True, exist_ok=True)

    def write(
        self, place: PurePosixPath, pieces: Iterable[bytes], *, size: int, packed: int | None = None
    ) -> None:
        """Write one file of the announced size. Raises Rejected if its actual size is different.

        `packed` is the compressed size that the archive states, if it states one.
        """
        path = self._into / place
        path.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with path.open("xb") as file:
            for piece in pieces:
                written += len(piece)
                self._check_file(place, written, packed)
                self._written += len(piece)
                self.check_total(self._written)
                file.write(piece)
        if written != size:
            raise self.broken(f"{shown(str(place))} is {written} bytes, not {size} as it says")
        path.chmod(0o644)  # whatever mode the archive or the umask says, no file here is executable
        self._files += 1

    def check_total(self, read: int) -> None:
        """Raise Rejected if `read` bytes are too many for this archive."""
        if read > self.limits.total_bytes:
            raise Rejected(
                f"{shown(self.archive)} unpacks to more than {self.limits.total_bytes // MIB} MiB; "
                "upload your assignment folder without environments and data."
            )
        self._check_ratio(f"{shown(self.archive)} unpacks", read, self._packed)

    def finish(self) -> None:
        """Raise Rejected if the archive contained no files."""
        if not self._files:
            raise Rejected(
                f"{shown(self.archive)} contains no files of yours; "
                "pack your assignment folder with the code in it and upload that."
            )

    def broken(self, reason: str) -> Rejected:
        """Return the Rejected exception for an archive that cannot be read to its end."""
        return Rejected(
            f"{shown(self.archive)} is damaged or was cut short ({reason}); "
            "pack your assignment folder again and see that the upload completes."
        )

    @contextmanager
    def parsing(self) -> Iterator[None]:
        """Turn what the parsers raise on bad bytes into Rejected.

        A full disk is still our own fault.
        """
        try:
            yield
        except BROKEN as error:
            raise self.broken(_reason(error)) from error
        except OSError as error:  # BadGzipFile has no errno; EINVAL is a seek to an invalid offset
            if error.errno not in (None, errno.EINVAL):
                raise
            raise self.broken(_reason(error)) from error

    def _check_file(self, place: PurePosixPath, written: int, packed: int | None) -> None:
        if written > self.limits.file_bytes:
            problem = f"a file of more than {self.limits.file_bytes // MIB} MiB"
            raise self.names.refusal(str(place), problem, "leave it out, then " + REPACK)
        if packed is not None:
            about = f"{shown(self.archive)} contains {shown(str(place))}, which unpacks"
            self._check_ratio(about, written, packed)

    def _check_ratio(self, about: str, unpacked: int, packed: int) -> None:
        ratio = self.limits.ratio
        if unpacked > self.limits.ratio_from and unpacked > ratio * packed:
            raise Rejected(f"{about} to more than {ratio} times its size; leave such files out.")


def _reason(error: Exception) -> str:
    return shown(str(error) or type(error).__name__).strip("`")
