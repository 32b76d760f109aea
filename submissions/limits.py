"""How much an upload may hold."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """What an archive or a folder may hold; beyond it the upload is rejected.

    A submission with three checkpoints and the corpus is about 42 MB in 40 files, and no file of
    16 MiB in it shrinks to a fifth when packed: the limits leave room and still stop bombs.
    """

    upload_bytes: int = 512 * MIB  # the archive itself
    total_bytes: int = 512 * MIB  # all files together, unpacked
    file_bytes: int = 256 * MIB
    ratio: int = 100  # unpacked to packed; deflate reaches 1032
    ratio_from: int = 16 * MIB  # a small file of blanks is no bomb whatever its ratio
    listed: int = 100_000  # entries with those left out: an environment has some 30 000
    kept: int = 10_000  # files and folders written
    depth: int = 24
    path_bytes: int = 512
    part_bytes: int = 240  # file systems stop at 255


@dataclass(frozen=True, slots=True)
class CopyLimits:
    """What is taken from the code folder, and how large a wanted artifact may be."""

    code_file_bytes: int = 4 * MIB
    notebook_bytes: int = 16 * MIB  # the pictures in it count
    code_bytes: int = 32 * MIB
    code_files: int = 1000
    artifact_bytes: int = 64 * MIB


UNPACK_LIMITS = UnpackLimits()
COPY_LIMITS = CopyLimits()
