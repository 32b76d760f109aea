import os

import pytest

from submissions.limits import UNPACK_LIMITS
from submissions.receive import collect, identify, identify_all, open_submission, unread
from submissions.submission import Rejected

CODE = ("dataset.py", "attention.py")
LONDON = "london_baseline_accuracy.txt"


def opened(path, work):
    return open_submission(identify(path, "cs224n-a4"), work, code=CODE, artifacts=(LONDON,))


def test_all_children_but_those_of_systems_are_collected(uploads):
    """A name that begins with a dot hides no work."""
    for name in ("b.zip", "c.txt", ".bob.zip", ".directory", ".DS_Store", "._b.zip"):
        uploads.raw(b"", name)
    for name in ("a", ".alice", "__MACOSX", ".git"):
        uploads.tree({"x": b""}, name)
    (uploads.folder / "link").symlink_to("/etc")
    names = [path.name for path in collect(uploads.folder)]
    assert names == [".alice", ".bob.zip", "a", "b.zip", "c.txt", "link"]


@pytest.mark.parametrize("pack", ["tree", "zip", "tar"])
def test_every_kind_of_upload_gives_the_same(uploads, a4, tmp_path, files_in, pack):
    rest = {"a4/wiki.txt": b"x", "a4/src/.ipynb_checkpoints/dataset.py": b"old"}
    clean = opened(getattr(uploads, pack)(a4 | rest), tmp_path / "work")
    assert files_in(clean.root) == a4
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["clean"]
    assert clean.code == clean.root / "a4/src"
    assert clean.files == {LONDON: clean.root / "a4" / LONDON}
    assert clean.notes == ("Using `a4/src` (contains dataset.py, attention.py)",)


@pytest.mark.parametrize("pack", ["tree", "zip", "tar"])
def test_archives_are_opened_if_no_code_is_outside(uploads, a4, tmp_path, files_in, snapshot, pack):
    inner = uploads.zip(a4, "hw.zip").read_bytes()
    upload = getattr(uploads, pack)({"hand in/hw.zip": inner, "r.pdf": b"x", "bad.zip": b"PK"})
    before = snapshot(uploads.folder)
    clean = opened(upload, tmp_path / "work")
    assert clean.code == clean.root / "hand in/hw.zip/a4/src"
    assert {f"hand in/hw.zip/{name}": data for name, data in a4.items()} == files_in(clean.root)
    assert snapshot(uploads.folder) == before
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["clean"]
    bob = opened(uploads.tree(a4 | {"old.zip": inner}, "bob"), tmp_path / "own")
    assert bob.code == bob.root / "a4/src"


def test_archives_in_archives_are_opened_up_to_the_limit(uploads, a4, tmp_path):
    inner = uploads.zip(a4, "hw.zip").read_bytes()
    for name in ("second.zip", "third.zip", "fourth.zip"):
        inner = uploads.zip({f"in {name}": inner}, name).read_bytes()
    assert opened(uploads.tree({"hw.zip": inner}, "ada"), tmp_path / "four").code is not None
    inner = uploads.zip({"in fifth.zip": inner}, "fifth.zip").read_bytes()
    assert opened(uploads.tree({"hw.zip": inner}, "bob"), tmp_path / "five").code is None


def test_a_folder_that_is_too_large_to_unpack_its_archive_is_rejected(uploads, tmp_path):
    """A checkpoint that is left out without a word would cost its points."""
    folder = uploads.tree({"hw.zip": uploads.zip({"a.py": b"1"}, "hw.zip").read_bytes()}, "ada")
    with (folder / "model.params").open("wb") as file:
        file.truncate(UNPACK_LIMITS.total_bytes + 1)
    with pytest.raises(Rejected, match="contains archives, and more than 512 MiB"):
        opened(folder, tmp_path / "work")


def test_folders_are_not_changed(uploads, a4, tmp_path, snapshot):
    folder = uploads.tree(a4 | {"venv/x": b"", "a4/src/old/dataset.py": b""})
    (folder / "link").symlink_to("/etc")
    before = snapshot(folder)
    opened(folder, tmp_path / "work")
    assert snapshot(folder) == before


@pytest.mark.parametrize("name", ["dataset.py", "alice.rar", "alice.7z", "notes", "a\x1b.pdf"])
def test_other_files_are_rejected_with_what_to_upload(uploads, tmp_path, name):
    path = uploads.raw(b"PK\x03\x04", name)
    with pytest.raises(
        Rejected,
        match=r"is not a supported archive; upload a folder, a \.zip or a \.tar\.gz\.$",
    ):
        opened(path, tmp_path / "work")


@pytest.mark.parametrize("kind", ["pipe", "folder link", "file link", "dangling"])
def test_links_and_pipes_are_rejected(uploads, a4, tmp_path, kind):
    path = uploads.folder / "odd.zip"
    targets = {"folder link": uploads.tree(a4), "file link": uploads.zip(a4), "dangling": "absent"}
    os.mkfifo(path) if kind == "pipe" else path.symlink_to(targets[kind])
    with pytest.raises(
        Rejected, match=r"`odd.zip` is a link or not a regular file; upload a folder"
    ):
        opened(path, tmp_path / "work")


def test_uploads_of_a_batch_are_opened_each_in_its_place(uploads, a4, tmp_path):
    uploads.tree(a4)
    uploads.zip(a4)
    for submission in identify_all(collect(uploads.folder), "cs224n-a4"):
        open_submission(submission, tmp_path / submission.id, code=CODE, artifacts=())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["alice", "alice.zip", "uploads"]


def test_a_rejected_archive_leaves_nothing_and_a_hidden_file_is_told(uploads, tmp_path):
    for name in (".ada.py", ".eve.rar", ".bob.zip", ".DS_Store", "._b.zip", "c.txt"):
        uploads.raw(b"", name)
    assert [path.name for path in unread(uploads.folder)] == [".ada.py", ".eve.rar"]
    for upload in (
        uploads.zip([("src/a.py", b""), ("../evil", b"")]),
        uploads.tar({"venv/x": b""}),
    ):
        with pytest.raises(Rejected):
            opened(upload, tmp_path / "work")
        assert list((tmp_path / "work").iterdir()) == []
