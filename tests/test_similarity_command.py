"""`similarity` reads what `batch` reads, and says in one sentence what it cannot use."""

import json
import shutil
from zipfile import ZipFile

import pytest

from graders.registry.discovery import load_assignment
from tests.conftest import write_files
from tests.console import softmark
from tests.graders.similarity.test_pairs import COPY, ORIGINAL, OWN, notebook


@pytest.fixture
def uploads(tmp_path):
    write_files(tmp_path / "uploads", {"ada/work.py": ORIGINAL, "bob/work.py": OWN})
    with ZipFile(tmp_path / "uploads" / "eve.zip", "w") as archive:
        archive.writestr("deep/in/it/other.py", COPY)
    return tmp_path / "uploads"


def ranked(out):
    written = json.loads((out / "similarity.json").read_text())
    return [(pair["one"], pair["other"]) for pair in written["ranked"]]


def test_a_copy_in_an_archive_is_listed_first(uploads, tmp_path):
    run = softmark("similarity", uploads, "--out", tmp_path / "out")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == f"3 submissions compared: {tmp_path / 'out' / 'similarity.html'}\n"
    assert ranked(tmp_path / "out")[0] == ("ada", "eve")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "similarity.html",
        "similarity.json",
    ], "nothing unpacked is left behind, and there is nothing for students"


def test_only_what_can_be_compared_is_counted(uploads, tmp_path):
    (uploads / "empty").mkdir()
    run = softmark("similarity", uploads, "--out", tmp_path / "out")
    assert (run.returncode, run.stdout.startswith("3 submissions compared")) == (1, True)


def test_a_results_folder_is_refused(tmp_path):
    (tmp_path / "store.sqlite").touch()
    run = softmark("similarity", tmp_path, "--out", tmp_path / "out")
    assert run.returncode == 2
    assert "is a results folder" in run.stderr


def test_a_canvas_download_of_notebooks(tmp_path):
    cells = notebook("# Work", COPY)
    (tmp_path / "canvas").mkdir()
    (tmp_path / "canvas" / "lovelaceada_7_4711_work.ipynb").write_text(cells)
    (tmp_path / "canvas" / "babbagebob_8_4712_work.py").write_text(ORIGINAL)
    run = softmark("similarity", tmp_path / "canvas", "--out", tmp_path / "out")
    assert "read as a Canvas download: 2 submissions" in run.stderr
    assert ranked(tmp_path / "out") == [("babbagebob_8", "lovelaceada_7")]


def test_starter_and_past_folders(uploads, tmp_path):
    shutil.copytree(uploads, tmp_path / "2025")
    out = tmp_path / "out"
    softmark("similarity", uploads, "--past", tmp_path / "2025", "--out", out)
    assert {("bob", "2025/bob"), ("ada", "2025/eve")} <= {*ranked(out)}
    softmark("similarity", uploads, "--starter", uploads / "ada", "--out", out)
    assert ("ada", "eve") not in ranked(out)


def test_the_assignments_own_starter_does_not_count(uploads, tmp_path):
    task = tmp_path / "task"
    shutil.copytree(load_assignment("cs224n-a5").folder, task)
    (task / "starter").mkdir()
    (task / "starter" / "given.py").write_text(ORIGINAL)
    run = softmark("similarity", uploads, "--assignment", task, "--out", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    assert ("ada", "eve") not in ranked(tmp_path / "out")


def test_an_unreadable_upload_is_noted_and_the_exit_code_is_1(uploads, tmp_path):
    (uploads / "mallory.zip").write_bytes(b"no archive")
    run = softmark("similarity", uploads, "--out", tmp_path / "out")
    assert (run.returncode, run.stderr.count("\n")) == (1, 1)
    assert "mallory: nothing to compare; the page says why" in run.stderr
    assert "mallory" in (tmp_path / "out" / "similarity.html").read_text().partition("Not comp")[2]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["nowhere"], "Error: nowhere does not exist"),
        (["one"], "Error: one contains only one submission"),
        (["none"], "Error: none contains no submissions"),
        (["nothing"], "Error: no submission in nothing has files to compare"),
        (["uploads", "--starter", "none"], "Error: none has no files to compare"),
        (["uploads", "--past", "nowhere"], "Error: nowhere does not exist"),
        (["uploads", "--assignment", "none"], "Error: "),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(uploads, tmp_path, monkeypatch, words, error):
    for place in ("one/ada", "none", "nothing/ada", "nothing/bob"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "one" / "ada" / "a.py").write_text(ORIGINAL)
    monkeypatch.chdir(tmp_path)
    run = softmark("similarity", *words)
    assert run.returncode == 2
    assert run.stderr.startswith(error)
    assert not (tmp_path / "out").exists()
