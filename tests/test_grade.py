"""The command line as people use it: files, exit codes, one clear sentence for bad input."""

import csv
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from reference.data.world import write_world

ROOT = Path(__file__).parent.parent
LONG = pytest.mark.long
ZEROS = ("--allow-missing",)
RIGHT = "def double(x):\n    return 2 * x\n"
# sysconfig reads a file named after the platform, so it is asked while the platform is the true one
NOT_LINUX = """
import sys, sysconfig
sysconfig.get_config_vars()
sys.platform = "darwin"
import grade
grade.main()
"""


def softmark(*words, start=("grade.py",)):
    """Run the command in a real process, with nothing of this test's environment but the path."""
    command = [sys.executable, *start, *map(str, words)]
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def write_world_in(folder):
    write_world(folder / "data")
    return folder / "data"


def scores(out):
    with (out / "grades.csv").open(newline="") as file:
        return {row["submission"]: row["score"] for row in csv.DictReader(file)}


def test_run_writes_what_each_reader_needs(tiny_folder, hand_in, tmp_path):
    out = tmp_path / "out"
    done = softmark("run", tiny_folder, hand_in(work_py=RIGHT, answer_txt="42"), "--out", out)
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "results" / "ada.json").read_text())["score"] == 6.0
    assert json.loads((out / "gradescope" / "ada.json").read_text())["score"] == 6.0
    assert scores(out) == {"ada": "6"}
    assert "ada" in (out / "index.html").read_text()
    assert "Doubling" in (out / "reports" / "ada.html").read_text()
    assert str(out / "index.html") in done.stdout
    assert "ada" in done.stdout


def test_batch_takes_every_child_of_a_folder(tiny_folder, hand_in, tmp_path):
    hand_in("ada", work_py=RIGHT, answer_txt="42")
    hand_in("bob", work_py="import os\nos._exit(0)\n", answer_txt="41")
    uploads = hand_in("cyd", work_py="def double(x):\n    return 1\n").parent
    (uploads / "dan.zip").write_bytes(b"not a zip")
    out = tmp_path / "out"
    done = softmark("batch", tiny_folder, uploads, "--out", out, "--jobs", 2)
    assert done.returncode == 1, done.stderr
    assert scores(out) == {"ada": "6", "bob": "1", "cyd": "0", "dan": ""}


def test_check_tells_a_student_what_fails(tiny_folder, hand_in):
    wrong = hand_in(work_py="def double(x):\n    return x + 2\n")
    done = softmark("check", wrong, "--assignment", tiny_folder, "--isolation", "none")
    assert done.returncode == 0, done.stderr
    for words in (
        "The product is wrong.",
        "42",
        "23",
        "Times two.",
        "`answer.txt` is missing",
    ):
        assert words in done.stdout
    assert "1 more skipped because" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_check_counts_only_what_could_be_judged(tiny_folder, hand_in):
    file = tiny_folder / "checks.py"
    ours = "    raise GraderFault('the answers are not here')\n    text ="
    text = file.read_text().replace("    text =", ours, 1)
    file.write_text("from graders.errors import GraderFault\n" + text)
    folder = hand_in(work_py=RIGHT, answer_txt="42")
    data = ("--data", write_world_in(folder.parent))
    done = softmark("check", folder, "--assignment", tiny_folder, *data)
    assert done.returncode == 0, done.stderr
    assert "the answers are not here" in " ".join(done.stdout.split())
    assert "Score: 4 / 4 (criteria checked here)" in done.stdout


def test_check_judges_no_hidden_criterion(tiny_folder, hand_in):
    file = tiny_folder / "assignment.toml"
    file.write_text(
        file.read_text().replace('title = "Doubling"', 'title = "D"\nvisibility = "hidden"')
    )
    done = softmark("check", hand_in(work_py=RIGHT), "--assignment", tiny_folder)
    assert "Doubling 21" not in done.stdout
    assert done.returncode == 0


def test_check_works_without_linux(tiny_folder, hand_in):
    folder = hand_in(work_py=RIGHT, answer_txt="42")
    done = softmark("check", folder, "--assignment", tiny_folder, start=("-c", NOT_LINUX))
    assert done.returncode == 0, done.stderr
    assert "Score: 6 / 6 (criteria checked here)" in done.stdout


def test_run_refuses_to_grade_without_isolation(tiny_folder, hand_in, tmp_path):
    words = ("run", tiny_folder, hand_in(work_py=RIGHT), "--out", tmp_path / "out")
    done = softmark(*words, start=("-c", NOT_LINUX))
    assert done.returncode == 2
    assert "no isolation" in done.stderr
    assert not (tmp_path / "out").exists()
    asked = softmark(*words, "--isolation", "none", start=("-c", NOT_LINUX))
    assert asked.returncode == 0, asked.stderr
    assert "without a sandbox" in asked.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(("run", "cs999", "."), "no assignment `cs999`", marks=LONG),
        (("run", "cs224n-a4", "nowhere"), "nowhere does not exist"),
        (("run", "cs224n-a4", ".", "--only", "rotori"), "no criterion `rotori`"),
        pytest.param(("run", "cs224n-a4", ".", "--device", "tpu"), "no device `tpu`", marks=LONG),
        pytest.param(
            ("run", "cs224n-a4", ".", "--isolation", "jail"), "no isolation `jail`", marks=LONG
        ),
        (("run", "cs224n-a4", ".", "--data", "docs"), "wiki.txt"),
        pytest.param(("batch", "cs224n-a4", "README.md"), "README.md is not a folder", marks=LONG),
        pytest.param(("batch", "uw-a2", "docs", *ZEROS, "--jobs", "0"), "--jobs 0", marks=LONG),
        pytest.param(
            ("batch", "uw-a2", "docs", *ZEROS, "--executor", "slurm"),
            "no executor `slurm`",
            marks=LONG,
        ),
    ],
)
def test_misuse_is_one_sentence_and_exit_code_2(words, says, tmp_path):
    out = () if words[0] == "check" else ("--out", tmp_path / "out")
    done = softmark(*words, *out)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_empty_folder_holds_no_submissions(tiny_folder, tmp_path):
    (tmp_path / "empty").mkdir()
    done = softmark("batch", tiny_folder, tmp_path / "empty", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "contains no submissions" in done.stderr


def test_doctor_names_the_isolation_tier(tmp_path):
    done = softmark("doctor")
    assert done.returncode in (0, 1)
    for name in ("isolation", "torch", "device", "data"):
        assert name in done.stdout


@pytest.mark.long
def test_validate_finds_an_example_that_is_not_as_expected(tiny_folder):
    solution = tiny_folder / "solution"
    solution.mkdir()
    (solution / "work.py").write_text(RIGHT)
    done = softmark("validate", tiny_folder)
    assert done.returncode == 1
    assert "`answer` loses 2.00, expected 0.00" in done.stdout
    (solution / "answer.txt").write_text("42")
    assert softmark("validate", tiny_folder).returncode == 0


def test_list_shows_the_criteria_of_an_assignment(tiny_folder):
    assert "cs224n-a4" in softmark("list").stdout
    rows = [line.split() for line in softmark("list", tiny_folder).stdout.splitlines()]
    assert ["double", "Doubling", "4", "code", "visible"] in rows
    assert ["answer", "The", "answer", "2", "metric", "visible"] in rows


def test_nothing_but_data_is_on_stdout(tiny_folder, hand_in, tmp_path):
    done = softmark("run", tiny_folder, hand_in(work_py=RIGHT), "--out", tmp_path / "out")
    assert "grading" not in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_output_that_has_no_room_is_one_sentence():
    command = [sys.executable, "grade.py", "answers-template", "cs224n-a4"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    hint = "make room, and run the same command again"
    assert done.stderr == f"Error: no space is left\nhint: {hint}\n"


def test_what_nobody_submitted_is_refused_before_grading(tiny_folder, hand_in, tmp_path):
    words = ("batch", tiny_folder, hand_in(work_py=RIGHT).parent, "--out", tmp_path / "out")
    refused = softmark(*words)
    assert refused.returncode == 2
    assert "the submission has no files for metrics (`answer.txt`)" in refused.stderr
    shown = softmark(*words, "--allow-missing", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "ada         to grade  work.py  answer.txt" in shown.stdout
    assert not (tmp_path / "out").exists()
    assert softmark(*words, "--allow-missing").returncode == 0
    assert scores(tmp_path / "out") == {"ada": "4"}
    assert "1 saved. Nothing was graded." in softmark(*words, "--dry-run").stdout


def test_a_forgotten_data_folder_is_one_sentence(tiny_folder, hand_in, tmp_path):
    declared = '\n[data_files]\n"dev.tsv" = { rows = 500 }\n[[criterion]]'
    file = tiny_folder / "assignment.toml"
    file.write_text(file.read_text().replace("\n[[criterion]]", declared, 1))
    upload = hand_in(answer_txt="London\n" * 500)
    done = softmark("run", tiny_folder, upload, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "`answer.txt` has 500 lines, as many as the course's `dev.tsv`" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_version_is_that_of_the_package():
    assert softmark("--version").stdout == f"softmark {version('softmark')}\n"
