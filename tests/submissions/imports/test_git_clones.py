"""Clones: the time of the last commit, and nothing of a clone is obeyed."""

import os
import shutil
import subprocess
from datetime import UTC, datetime

import pytest

from submissions.imports import Wanted, gather
from submissions.imports.git_clones import head_time

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
    names = {
        f"GIT_{role}_{what}": "a@x"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    fixed = names | {"GIT_COMMITTER_DATE": WHEN.isoformat(), "GIT_CONFIG_GLOBAL": os.devnull}
    environment = {"PATH": os.environ["PATH"], "HOME": str(path), **fixed}
    subprocess.run(["git", *words], cwd=path, env=environment, check=True)


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_clone_was_handed_in_with_its_last_commit(clone, packed):
    assert head_time(clone(packed=packed)) == WHEN


def test_a_head_without_a_branch_has_a_time(clone):
    path = clone()
    git(path, "checkout", "--quiet", "--detach")
    assert head_time(path) == WHEN


def test_a_folder_of_clones_is_noticed(clone):
    folder = clone("ada").parent
    clone("bob")
    found = gather(folder, Wanted("toy", ("work.py",), folder.parent / "out"))
    assert (found.layout, [each.id for each in found.submissions]) == ("git", ["ada", "bob"])
    assert {each.submitted_at for each in found.submissions} == {WHEN}
    assert found.notes == ()


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
    assert head_time(path) == WHEN
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
        *(point_elsewhere, link_a_reference, make_a_pipe, lead_out),
        *(go_round, write_noise, commit_nothing),
    ],
)
def test_a_clone_that_cannot_be_read_has_no_time(clone, spoil):
    path = clone()
    spoil(path)
    assert head_time(path) is None


def test_a_git_that_is_a_file_or_a_link_is_no_clone(clone, tmp_path):
    path = clone()
    for name, make in (("bob", "file"), ("eve", "link")):
        other = path.parent / name
        other.mkdir()
        if make == "file":
            (other / ".git").write_text(f"gitdir: {path / '.git'}\n")
        else:
            (other / ".git").symlink_to(path / ".git")
    found = gather(path.parent, Wanted("toy", (), tmp_path / "out", "git"))
    assert [each.submitted_at for each in found.submissions] == [WHEN, None, None]
    assert [note.split(":")[0] for note in found.notes] == ["bob", "eve"]
