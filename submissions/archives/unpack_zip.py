"""Unpack a zip file."""

import stat
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from submissions.archives.names import REPACK, too_many
from submissions.archives.unpacking import CHUNK, Unpacking
from submissions.escaping import shown
from submissions.submission import Rejected

ENTRY = b"PK\x01\x02"  # the first bytes of each entry in a zip's directory
ENCRYPTED = 0x1 | 0x40 | 0x2000
# zipfile unpacks bzip2 and LZMA one block at a time, and a block can be a gigabyte of zeros
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpack_zip(source: BinaryIO, unpacking: Unpacking) -> None:
    """Check every entry, then write them all. Raises Rejected."""
    _check_count(source, unpacking)
    with unpacking.parsing(), _opened(source, unpacking) as archive:
        places = [(entry, _place(entry, unpacking)) for entry in archive.infolist()]
        for entry, place in places:
            if place is None:
                continue
            if _is_folder(entry):
                unpacking.add_folder(place)
            else:
                pieces = _pieces(archive, entry)
                size, packed = entry.file_size, entry.compress_size
                unpacking.write(place, pieces, size=size, packed=packed)


def _check_count(source: BinaryIO, unpacking: Unpacking) -> None:
    """Count entries before zipfile creates an object for each: 1 GB could contain 20 million."""
    count, tail = 0, b""
    while chunk := source.read(CHUNK):
        count += (tail + chunk).count(ENTRY)
        tail = chunk[-3:]
    if count > unpacking.limits.max_entries:
        raise too_many(unpacking.archive, unpacking.limits.max_entries)


def _opened(source: BinaryIO, unpacking: Unpacking) -> zipfile.ZipFile:
    # By the standard, a name without the UTF-8 flag is cp437, and zipfile decodes it that way.
    # In practice, macOS writes UTF-8 and Windows writes the machine's code page. Valid UTF-8 is
    # read as UTF-8; anything else is rejected instead of decoded into wrong letters.
    try:
        return zipfile.ZipFile(source, metadata_encoding="utf-8")
    except UnicodeDecodeError as error:
        name = error.object.decode("ascii", "backslashreplace")
        remedy = "rename it with plain letters, then " + REPACK
        raise unpacking.names.refusal(name, "whose name is not UTF-8 text", remedy) from error
    except NotImplementedError as error:
        raise Rejected(
            f"{shown(unpacking.archive)} needs a newer unpacker than there is; {REPACK} as .zip."
        ) from error


def _place(entry: zipfile.ZipInfo, unpacking: Unpacking) -> PurePosixPath | None:
    # orig_filename, because zipfile cuts `filename` at a NUL
    name, names = entry.orig_filename, unpacking.names
    place = names.take(name, folder=_is_folder(entry))
    if place is None:
        return None
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise names.refusal(name, "a link", "put the file itself there, then " + REPACK)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise names.refusal(name, "which is not a regular file", "leave it out, then " + REPACK)
    if entry.flag_bits & ENCRYPTED:
        raise names.refusal(name, "which is encrypted", "pack it without a password")
    if entry.compress_type not in METHODS:
        problem = "packed with an unusual method"
        raise names.refusal(name, problem, "pack an ordinary .zip (method deflate)")
    return place


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    name = entry.orig_filename
    return name.endswith(("/", "\\")) or stat.S_ISDIR(entry.external_attr >> 16)


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(entry) as file:
        while piece := file.read(CHUNK):
            yield piece
