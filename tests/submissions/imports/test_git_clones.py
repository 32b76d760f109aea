"""Clones: the time of the last commit is read, and nothing in a clone is executed."""

import hashlib
import os
import shutil
import struct
import subprocess
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.imports import GatherRequest, gather, git_time
from submissions.imports.git_clones import head_times
from submissions.imports.git_time import head_seconds

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git makes the clones")

WHEN = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.fixture
def clone(tmp_path):
    def make(name="ada", *, packed=False):
        path = tmp_path / "clones" / name
        path.mkdir(parents=True)
        (path / "work.py").write_text("answer = 42\n")
        git(path, "init", "--quiet", "--initial-branch", "main")
        git(path, "add", ".")
        git(path, "commit", "--quiet", "--message", "Work")
        if packed:
            git(path, "gc", "--quiet")
            git(path, "pack-refs", "--all")
        return path

    return make


def git(path, *words):
    people = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
    environment = {f"GIT_{person}": "a@x" for person in people}
    environment |= {"GIT_COMMITTER_DATE": WHEN.isoformat(), "GIT_CONFIG_GLOBAL": os.devnull}
    environment |= {"PATH": os.environ["PATH"], "HOME": str(path)}
    subprocess.run(["git", *words], cwd=path, env=environment, check=True)


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_clone_was_handed_in_with_its_last_commit(clone, packed):
    path = clone(packed=packed)
    assert head_seconds(path) == WHEN.timestamp()
    git(path, "checkout", "--quiet", "--detach")
    assert head_seconds(path) == WHEN.timestamp()


def test_a_folder_of_clones_is_noticed(clone):
    """A hidden folder is a clone like others."""
    folder = clone(".ada").parent
    clone("bob")
    (folder / ".DS_Store").write_text("")
    gathered = gather(folder, GatherRequest("toy", ("work.py",), folder.parent / "out"))
    assert (gathered.layout, [submission.id for submission in gathered.submissions]) == (
        "git",
        ["%2Eada", "bob"],
    )
    assert {submission.submitted_at for submission in gathered.submissions} == {WHEN}
    assert gathered.notes == ()


def test_nothing_of_a_hostile_clone_is_run(clone, tmp_path):
    path, mark = clone(), tmp_path / "mark"
    run = f"touch {mark}"
    (path / ".git" / "config").write_text(
        f"[core]\nfsmonitor = {run}\nsshCommand = {run}\npager = {run}\nhooksPath = /\n"
        f"[alias]\nlog = !{run}\n[gpg]\nprogram = {run}\n[log]\nshowSignature = true\n"
        f'[filter "x"]\nsmudge = {run}\n[include]\npath = /dev/zero\n'
    )
    for hook in ("post-checkout", "reference-transaction", "fsmonitor-watchman"):
        (path / ".git" / "hooks" / hook).write_text(f"#!/bin/sh\n{run}\n")
        (path / ".git" / "hooks" / hook).chmod(0o755)
    assert head_seconds(path) == WHEN.timestamp()
    assert not mark.exists()


def point_elsewhere(path):
    (path / ".git" / "objects" / "info" / "alternates").write_text("/\n")


def link_a_reference(path):
    (path / ".git" / "refs" / "heads" / "main").unlink()
    (path / ".git" / "refs" / "heads" / "main").symlink_to("/dev/zero")


def make_a_pipe(path):
    (path / ".git" / "HEAD").unlink()
    os.mkfifo(path / ".git" / "HEAD")


def lead_out(path):
    (path / ".git" / "HEAD").write_text("ref: refs/heads/../../../../../etc/passwd\n")


def go_round(path):
    (path / ".git" / "HEAD").write_text("ref: HEAD\n")


def write_noise(path):
    for file in (path / ".git" / "objects").rglob("*"):
        if file.is_file():
            file.chmod(0o644)
            file.write_bytes(b"\x78\x9cno such object")


def commit_nothing(path):
    (path / ".git" / "HEAD").write_text("ref: refs/heads/none\n")


@pytest.mark.parametrize(
    "spoil",
    [
        point_elsewhere, link_a_reference, make_a_pipe, lead_out,
        go_round, write_noise, commit_nothing,
    ],
)  # fmt: skip
def test_a_clone_that_cannot_be_read_has_no_time(clone, spoil):
    path = clone()
    spoil(path)
    assert head_seconds(path) is None


def test_a_git_that_is_a_file_or_a_link_is_no_clone(clone, tmp_path):
    path = clone()
    for name, make in (("bob", "file"), ("eve", "link")):
        other = path.parent / name
        other.mkdir()
        if make == "file":
            (other / ".git").write_text(f"gitdir: {path / '.git'}\n")
        else:
            (other / ".git").symlink_to(path / ".git")
    gathered = gather(path.parent, GatherRequest("toy", (), tmp_path / "out", "git"))
    assert [submission.submitted_at for submission in gathered.submissions] == [WHEN, None, None]
    assert [note.split(":")[0] for note in gathered.notes] == ["bob", "eve"]


def pack_a_commit(path, size):
    """Puts a commit of so many bytes, packed into few, at the HEAD."""
    about = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
    about += "".join(f"{role} a <a@x> 1000000000 +0000\n" for role in ("author", "committer"))
    text = f"{about}\n".encode().ljust(size, b"a")
    header, rest = bytearray([1 << 4 | size & 15]), size >> 4
    while rest:
        header[-1] |= 0x80
        header.append(rest & 0x7F)
        rest >>= 7
    pack = struct.pack(">4sII", b"PACK", 2, 1) + header + zlib.compress(text)
    file = path / ".git" / "objects" / "pack" / "pack-x.pack"
    file.write_bytes(pack + hashlib.sha1(pack).digest())
    git(path, "index-pack", str(file))
    sha = hashlib.sha1(b"commit %d\0" % size + text).hexdigest()
    (path / ".git" / "refs" / "heads" / "main").write_text(f"{sha}\n")


@pytest.fixture
def changed_program(tmp_path, monkeypatch):
    def change(old, new):
        text = Path(git_time.__file__).read_text()
        assert old in text
        (tmp_path / "program.py").write_text(text.replace(old, new, 1))
        monkeypatch.setattr(git_time, "__file__", str(tmp_path / "program.py"))

    return change


def test_a_commit_that_fills_the_memory_costs_its_own_clone_alone(clone, changed_program):
    changed_program("MEMORY = 256 <<", "MEMORY = 64 <<")
    clones = [clone("ada"), clone("eve"), clone("zoe")]
    pack_a_commit(clones[1], 40 << 20)
    assert head_times(clones) == [WHEN, None, WHEN]


def test_a_clone_over_which_the_program_ends_has_no_time(clone, changed_program):
    """As where no memory is left for a part of the parser that is not in Python."""
    changed_program("    git = clone", "    if clone.name == 'eve': os.abort()\n    git = clone")
    assert head_times([clone("ada"), clone("eve"), clone("zoe")]) == [WHEN, None, WHEN]
    assert head_times([]) == []
