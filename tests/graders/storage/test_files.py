"""Files are written completely or not at all, even on a full disk."""

import os
import resource
from contextlib import contextmanager
from pathlib import Path

import pytest

from graders.errors import StorageError
from graders.storage import result_json
from graders.storage.files import write_whole


@contextmanager
def full_disk():
    """No file may grow beyond four bytes: as a full disk, but this process's alone."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def synced(monkeypatch):
    """The endings of the files that the disk was waited for, with what these held."""
    files, real = [], os.fsync

    def recording(descriptor):
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        files.append((path.suffix, path.read_bytes()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", recording)
    return files


def test_folders_are_made_and_a_file_in_their_place_named(tmp_path):
    path = tmp_path / "a" / "b" / "note.txt"
    assert write_whole(path, b"one\r\ntwo\n", remedy="") == path
    assert path.read_bytes() == b"one\r\ntwo\n"
    assert list(path.parent.iterdir()) == [path]
    (tmp_path / "out").write_text("not a folder")
    with pytest.raises(StorageError, match=r"out/note\.txt: cannot be written: "):
        write_whole(tmp_path / "out" / "note.txt", b"text", remedy="")


@pytest.mark.parametrize("durable", [False, True])
def test_durable_file_is_on_the_disk_before_its_name(tmp_path, synced, durable):
    write_whole(tmp_path / "note.txt", b"weights", remedy="", durable=durable)
    assert synced == ([(".tmp", b"weights")] if durable else [])


def test_full_disk_leaves_the_older_file_but_no_older_result(tmp_path):
    """A Result that could not be written must not be taken for the one before."""
    path = write_whole(tmp_path / "note.txt", b"old", remedy="")
    with full_disk(), pytest.raises(StorageError, match=r"note\.txt: cannot be written") as error:
        write_whole(path, b"the new one", remedy="make room")
    assert error.value.hint == "make room"
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    with full_disk(), pytest.raises(StorageError, match="File too large") as error:
        result_json.write_text(path, "the new one")
    assert "run the same command again" in error.value.hint
    assert list(tmp_path.iterdir()) == []
