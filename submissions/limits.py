"""Limits on the size of an upload."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """Limits for an archive or a folder; anything larger is rejected.

    A submission with three checkpoints and the corpus is about 42 MB in 40 files, and none of its
    files of 16 MiB or more compresses to less than a fifth. The limits allow this and still stop
    bombs.
    """

    upload_bytes: int = 512 * MIB  # the archive itself
    total_bytes: int = 512 * MIB  # all files together, unpacked
    file_bytes: int = 256 * MIB
    ratio: int = 100  # unpacked to packed; deflate reaches 1032
    ratio_from: int = 16 * MIB  # a small file of blanks is not a bomb, whatever its ratio
    max_entries: int = 100_000  # entries with those left out: an environment has about 30 000
    max_files: int = 10_000  # files and folders written
    depth: int = 24
    path_bytes: int = 512
    folder_path_bytes: int = 2048  # in an uploaded folder; a system's limit for a copy is 4096
    part_bytes: int = 240  # file systems allow 255


@dataclass(frozen=True, slots=True)
class CopyLimits:
    """Limits for what is copied from the code folder, and for the size of a wanted artifact."""

    code_file_bytes: int = 4 * MIB
    notebook_bytes: int = 16 * MIB  # includes the images in it
    code_bytes: int = 32 * MIB
    code_files: int = 1000
    artifact_bytes: int = 64 * MIB


UNPACK_LIMITS = UnpackLimits()
COPY_LIMITS = CopyLimits()
