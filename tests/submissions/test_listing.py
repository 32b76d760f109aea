import os
from pathlib import Path
from pathlib import PurePosixPath as P

import pytest

from submissions.leftout import is_left_out
from submissions.limits import UnpackLimits
from submissions.listing import TOO_MANY, list_files, walk
from submissions.submission import Rejected


def test_files_are_listed_with_their_sizes_and_left_out_things_are_not(uploads, a4):
    extra = {f"{name}/x": b"x" for name in ("__MACOSX", "a4/venv", "a4/.git", "a4/__pycache__")}
    listing = list_files(uploads.tree(a4 | extra | {"a4/.DS_Store": b""}))
    assert listing.files == {P(name): len(data) for name, data in a4.items()}
    assert listing.notes == ()


def test_links_are_skipped_with_a_note(uploads, a4, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key.py").write_text("key")
    folder = uploads.tree(a4)
    (folder / "a4/data").symlink_to(tmp_path / "secret")
    (folder / "a4/key.py").symlink_to(tmp_path / "secret/key.py")
    (folder / "loop").symlink_to(folder)
    listing = list_files(folder)
    assert set(map(str, listing.files)) == set(a4)
    assert listing.notes == (
        "skipped `loop`, `a4/data`, `a4/key.py` (a link; only files themselves are taken)",
    )


def test_pipes_and_names_that_are_not_utf8_are_skipped_with_a_note(uploads, a4):
    folder = uploads.tree(a4 | {"bad\udcff/x.py": b""})
    os.mkfifo(folder / "a4/pipe")
    listing = list_files(folder)
    assert set(map(str, listing.files)) == set(a4)
    assert sorted(listing.notes) == [
        "skipped `a4/pipe` (not a regular file)",
        r"skipped `bad\udcff` (the name is not UTF-8 text)",
    ]


def test_hostile_names_are_kept_as_data_and_a_walk_ends_at_the_limit(uploads):
    name = "\x1b[2J<script>\n.py"
    assert list(list_files(uploads.tree({name: b""})).files) == [P(name)]
    folder = uploads.tree({"a/b/c": b"", "a/b/d": b"", "z": b""}, "bob")
    entries = [(str(e.path), e.skipped) for e in walk(folder, UnpackLimits(max_entries=3))]
    assert entries == [("z", ""), ("a/b", TOO_MANY)]


def test_deep_folders_are_skipped_with_a_note(uploads, a4):
    listing = list_files(uploads.tree(a4 | {"/".join("x" * 40): b""}))
    assert set(map(str, listing.files)) == set(a4)
    assert "too many folders deep" in listing.notes[0]


def test_paths_that_no_copy_could_have_are_skipped_with_a_note(uploads, a4):
    listing = list_files(uploads.tree(a4 | {"/".join(["x" * 200] * 15 + ["b.py"]): b""}))
    assert set(map(str, listing.files)) == set(a4)
    assert "the path is too long" in listing.notes[0]


@pytest.mark.parametrize("names", [map(str, range(30)), (f"{i}/{i}" for i in range(15))])
def test_too_many_entries_are_rejected(uploads, names):
    folder = uploads.tree(dict.fromkeys(names, b""))
    with pytest.raises(Rejected, match="`alice` contains more than 29 files and folders; upload"):
        list_files(folder, UnpackLimits(max_entries=29))


@pytest.mark.parametrize("extra", [{}, {"__MACOSX/x": b""}])
def test_empty_folders_are_rejected(uploads, extra):
    folder = uploads.tree(extra)
    folder.mkdir(exist_ok=True)
    with pytest.raises(Rejected, match="`alice` contains no files of yours; add your code"):
        list_files(folder)


def test_unreadable_things_are_skipped_with_a_note(uploads, a4, lock):
    folder = uploads.tree(a4 | {"locked/x": b"", "shut": b""})
    lock(folder / "shut")
    lock(folder / "locked")
    assert list_files(folder).notes == ("skipped `shut`, `locked` (cannot be read)",)


def test_the_folder_one_is_in_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in (Path(), tmp_path / "absent"):  # which went away
        with pytest.raises(Rejected, match=f"`{folder.name or tmp_path.name}` contains no files"):
            list_files(folder)


@pytest.mark.parametrize(
    "path",
    [
        "__MACOSX/a4/._dataset.py",
        "a4/.DS_Store",
        "a4/._dataset.py",
        "a4/Icon\r",
        "a4/Thumbs.db",
        "a4/.git/config",
        "a4/src/__pycache__/dataset.cpython-311.pyc",
        "a4/src/dataset.pyc",
        "a4/src/dataset.so",
        "a4/src/dataset.cpython-311-x86_64-linux-gnu.SO",
        "a4/src/.ipynb_checkpoints/dataset.py",
        "venv/lib/x.py",
        ".venv/lib/x.py",
        "a4-venv/x.py",
        "my_venv3.11/x.py",
        "env/bin/python",
        "conda/lib/python3.11/site-packages/torch/nn.py",
    ],
)
def test_what_nobody_wrote_is_left_out(path):
    assert is_left_out(path.split("/"), folder=False)


@pytest.mark.parametrize(
    "path",
    ["src/dataset.py", "event/x.py", "inventory/x.py", "environment/x.py", "venv", ".gitignore"],
)
def test_work_is_not_left_out(path):
    assert not is_left_out(path.split("/"), folder=False)


def test_a_left_out_folder_counts_itself():
    assert is_left_out(["a4", "venv"], folder=True)
