"""Unpack a tar file, gzipped or not, in one pass from front to back."""

import gzip
import io
import tarfile
from collections.abc import Iterator
from typing import BinaryIO, Self

from submissions.archives.names import REPACK
from submissions.archives.unpacking import CHUNK, Unpacking

BLOCK = 512
# Between two files there is a header and at most one long name; tarfile would read a gigabyte of
# them into memory.
HEADER_BYTES = 1 << 18


class _Stream(io.RawIOBase):
    """The unpacked bytes, counted, including those that tarfile skips."""

    def __init__(self, source: BinaryIO | gzip.GzipFile, unpacking: Unpacking) -> None:
        super().__init__()
        self._source = source
        self._unpacking = unpacking
        self._count = 0
        self._allowed: int | None = None

    def allow(self, more: int | None) -> None:
        """Allow at most `more` further bytes (None: as many as the archive may contain)."""
        self._allowed = None if more is None else self._count + more

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(size)
        self._count += len(data)
        self._unpacking.check_total(self._count)
        if self._allowed is not None and self._count > self._allowed:
            raise self._unpacking.broken("an entry's header is too long")
        return data


class _Entry(tarfile.TarInfo):
    """A tar header that distinguishes the archive's end from a bad header.

    tarfile itself stops at both.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if buf == bytes(BLOCK):  # the end of every tar file
                raise
            reason = "bad header" if len(buf) == BLOCK else "it ends too early"
            raise tarfile.ReadError(reason) from error


def unpack_tar(source: BinaryIO, unpacking: Unpacking, *, zipped: bool) -> None:
    """Write every entry in turn. Raises Rejected."""
    with unpacking.parsing():
        bytes_in = gzip.GzipFile(fileobj=source, mode="rb") if zipped else source
        stream = _Stream(bytes_in, unpacking)
        stream.allow(HEADER_BYTES)
        with tarfile.open(
            fileobj=stream, mode="r|", encoding="utf-8", errors="surrogateescape", tarinfo=_Entry
        ) as archive:
            while entry := archive.next():
                stream.allow(None)
                _unpack_entry(archive, entry, unpacking)
                stream.allow(HEADER_BYTES)
        stream.allow(None)
        while stream.read(CHUNK):  # gzip verifies its checksum at the very end
            pass


def _unpack_entry(archive: tarfile.TarFile, entry: tarfile.TarInfo, unpacking: Unpacking) -> None:
    place = unpacking.names.take(entry.name, folder=entry.isdir())
    if place is None:
        for _ in _pieces(archive, entry):
            pass
        return
    _check_kind(entry, unpacking)
    if entry.isdir():
        unpacking.add_folder(place)
    else:
        unpacking.write(place, _pieces(archive, entry), size=entry.size)


def _check_kind(entry: tarfile.TarInfo, unpacking: Unpacking) -> None:
    problem, remedy = "", "leave it out, then " + REPACK
    if entry.issym() or entry.islnk():
        problem, remedy = "a link", "put the file itself there, then " + REPACK
    elif not entry.isreg() and not entry.isdir():
        problem = "which is not a regular file"
    elif entry.issparse():  # a few bytes can expand to terabytes of blanks
        problem, remedy = "stored with holes", "pack a .zip instead"
    if problem:
        raise unpacking.names.refusal(entry.name, problem, remedy)


def _pieces(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> Iterator[bytes]:
    """Yield the entry's bytes; nothing for a folder, a link or a device."""
    if entry.issym() or entry.islnk() or (file := archive.extractfile(entry)) is None:
        return
    while piece := file.read(CHUNK):
        yield piece
