"""Create uploads whose files are hostile: malicious archives, fake checkpoints, hostile names.

They are created when needed, because no repository should contain them.
"""

import io
import os
import pickle
import shutil
import struct
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

WEIGHTS = (".params", ".pt", ".pth", ".ckpt", ".bin", ".pkl")
MARKUP = '=1+1,<script>alert(1)</script>,\x1b[2J,\u202e{{7*7}}\n"\r\n@SUM(A1)\t+1\n'
NAMES = (
    "=1+1<b>alert(1)<b>.py", "a\x1b[2J.py", "-rf", "n\nl.py", "turned\u202eyp.py",
    "/".join(["d"] * 30) + "/deep.py",
)  # fmt: skip
OUTSIDE = "../../../../softmark-outside.py"
BOMB_BYTES, MANY = 2**26, 10_500


class _Runs:
    """An object whose pickle runs a command."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch /tmp/softmark-pickled ~/softmark-pickled",)


def _zip(folder: Path, *extra: tuple[str, bytes]) -> Path:
    """Replace the folder by an archive of it with extra entries; return the archive."""
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            archive.write(file, file.relative_to(folder))
        for name, content in extra:
            archive.writestr(name, content)
    shutil.rmtree(folder)
    return path


def _nested(folder: Path) -> Path:
    inside = io.BytesIO()
    with zipfile.ZipFile(inside, "w") as archive:
        archive.writestr("dataset.py", "raise SystemExit")
    return _zip(folder, *((f"deep/{n}.zip", inside.getvalue()) for n in range(20)))


def _twice(folder: Path) -> Path:
    names = [str(path.relative_to(folder)) for path in folder.rglob("*.py")]
    return _zip(folder, *((name.upper(), b"raise SystemExit") for name in names))


def _many(folder: Path) -> Path:
    return _zip(folder, *((f"many/{n}.py", b"") for n in range(MANY)))


def _cut(folder: Path) -> Path:
    path = _zip(folder)
    os.truncate(path, path.stat().st_size * 2 // 3)
    return path


def _lies(folder: Path) -> Path:
    """Return an archive in which every entry claims four bytes, in both of its headers."""
    path = _zip(folder)
    content = bytearray(path.read_bytes())
    for sign, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.find(sign)
        while start != -1:
            struct.pack_into("<I", content, start + offset, 4)
            start = content.find(sign, start + 4)
    path.write_bytes(content)
    return path


def _tar(folder: Path, *extra: tarfile.TarInfo) -> Path:
    path = folder.with_suffix(".tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, arcname="work")
        for entry in extra:
            archive.addfile(entry)
    shutil.rmtree(folder)
    return path


def _entry(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(f"work/{name}")
    entry.type, entry.linkname, entry.mode = kind, target, 0
    return entry


def _links(folder: Path) -> Path:
    home = str(Path.home())
    hard = _entry("grade.py", tarfile.LNKTYPE, "../../grade.py")
    return _tar(folder, _entry("home", tarfile.SYMTYPE, home), hard)


def _devices(folder: Path) -> Path:
    kinds = (("disk", tarfile.BLKTYPE), ("tty", tarfile.CHRTYPE), ("pipe", tarfile.FIFOTYPE))
    return _tar(folder, *(_entry(name, kind) for name, kind in kinds))


ARCHIVES: dict[str, Callable[[Path], Path]] = {
    "bomb": lambda folder: _zip(folder, ("zeros.bin", bytes(BOMB_BYTES))),
    "nested": _nested,
    "slip": lambda folder: _zip(folder, (OUTSIDE, b"raise SystemExit")),
    "absolute": lambda folder: _zip(folder, ("/tmp/softmark-outside.py", b"")),  # noqa: S108
    "links": _links,
    "twice": _twice,
    "many": _many,
    "cut": _cut,
    "devices": _devices,
    "lies": _lies,
}


def _pickles(folder: Path, artifacts: Sequence[str]) -> None:
    for name in _weights(artifacts):
        (folder / name).write_bytes(pickle.dumps({"weight": _Runs()}))


def _pickles_in_zip(folder: Path, artifacts: Sequence[str]) -> None:
    """Write files in the layout of torch.save, with our own pickle inside."""
    for name in _weights(artifacts):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps({"weight": _Runs()}, protocol=2))
            archive.writestr("archive/version", "3\n")
            archive.writestr("archive/byteorder", "little")


def _weights(artifacts: Sequence[str]) -> list[str]:
    return [name for name in artifacts if name.endswith(WEIGHTS)] or ["model.pt"]


def _markup(folder: Path, artifacts: Sequence[str]) -> None:
    for name in set(artifacts) - set(_weights(artifacts)):
        path = next(folder.rglob(name), folder / name)
        path.write_bytes(MARKUP.encode() * 20 + b"\xff\xfe\x00")


def _names(folder: Path, _artifacts: Sequence[str]) -> None:
    for name in NAMES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


ARTIFACTS: dict[str, Callable[[Path, Sequence[str]], None]] = {
    "pickle": _pickles,
    "pickle-zip": _pickles_in_zip,
    "markup": _markup,
    "names": _names,
}
