"""Real archives and folders, built quickly."""

import io
import os
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest

from tests.conftest import write_files

A4 = {
    "a4/src/dataset.py": b"dataset",
    "a4/src/attention.py": b"attention",
    "a4/london_baseline_accuracy.txt": b"5.0",
}


class Uploads:
    """Writes uploads below one folder; each method returns the upload's path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def zip(self, entries, name="alice.zip", method=zipfile.ZIP_DEFLATED):
        """Entries are (name or ZipInfo, bytes); a ZipInfo keeps whatever was put in it."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", method) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile warns of the second use of a name
            for entry, data in dict(entries).items() if isinstance(entries, dict) else entries:
                info = entry
                if isinstance(entry, str):
                    info = zipfile.ZipInfo("x")
                    info.filename, info.compress_type = entry, method
                archive.writestr(info, data)
        return path

    def tar(self, entries, name="alice.tar.gz", format=tarfile.PAX_FORMAT):
        """Entries are (name or TarInfo, bytes)."""
        path = self.folder / name
        mode = "w:gz" if name.endswith("gz") else "w"
        with tarfile.open(path, mode, format=format, errors="surrogateescape") as archive:
            for entry, data in dict(entries).items() if isinstance(entries, dict) else entries:
                info = tarfile.TarInfo(entry) if isinstance(entry, str) else entry
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return path

    def tree(self, files, name="alice"):
        return write_files(self.folder / name, files)

    def raw(self, data, name):
        path = self.folder / name
        path.write_bytes(data)
        return path


@pytest.fixture
def uploads(tmp_path):
    return Uploads(tmp_path / "uploads")


@pytest.fixture
def files_in():
    """What stands below a folder: path -> bytes."""

    def read(folder):
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return read


@pytest.fixture
def a4():
    return dict(A4)


@pytest.fixture
def snapshot():
    """Everything about a folder that must not change: paths, kinds, modes, times, contents."""

    def take(folder):
        return [
            (str(path), s.st_mode, s.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path in sorted(folder.rglob("*"))
            for s in [path.lstat()]
        ]

    return take


@pytest.fixture
def lock():
    """Takes a path's permissions away for the test; skips where that stops nobody."""
    locked = []

    def take(path):
        path.chmod(0)
        locked.append(path)
        if os.access(path, os.R_OK):
            pytest.skip("root may read everything")

    yield take
    for path in locked:
        path.chmod(0o700)


@pytest.fixture
def open_umask():
    """Lets everybody write what is created meanwhile, as some machines do."""
    before = os.umask(0)
    yield
    os.umask(before)
