"""The command line as people use it: files, exit codes, one clear sentence for bad input."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from graders.registry.check_files import collected
from graders.registry.discovery import load_assignment
from reference.data.world import write_world
from tests.conftest import RIGHT, edit
from tests.console import ROOT, scores, softmark, softmark_process

# sysconfig reads a file named after the platform, so it is asked while the platform is the true one
NOT_LINUX = """
import json, sys, sysconfig
sysconfig.get_config_vars()
sys.platform = "darwin"
import grade
for words in json.loads(sys.argv[1]):
    sys.argv[1:] = words
    try:
        grade.main()
    except SystemExit as end:
        print("exit", end.code or 0, flush=True)
"""


def write_world_in(folder):
    write_world(folder / "data")
    return folder / "data"


def test_run_writes_what_each_reader_needs(tiny_folder, hand_in, tmp_path):
    out, upload = tmp_path / "out", hand_in(work_py=RIGHT, answer_txt="42")
    done = softmark_process("run", tiny_folder, upload, "--out", out)
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "results" / "ada.json").read_text())["score"] == 6.0
    assert json.loads((out / "gradescope" / "ada.json").read_text())["score"] == 6.0
    assert scores(out) == {"ada": "6"}
    assert "ada" in (out / "index.html").read_text()
    assert "Doubling" in (out / "reports" / "ada.html").read_text()
    assert str(out / "index.html") in done.stdout
    assert "grading" not in done.stdout, "nothing but data is on stdout"
    assert "\x1b" not in done.stdout + done.stderr


def test_batch_takes_every_child_of_a_folder(tiny_folder, hand_in, tmp_path):
    hand_in("ada", work_py=RIGHT, answer_txt="42")
    hand_in("bob", work_py="import os\nos._exit(0)\n", answer_txt="41")
    uploads = hand_in("cyd", work_py="def double(x):\n    return 1\n").parent
    (uploads / "dan.zip").write_bytes(b"not a zip")
    out = tmp_path / "out"
    done = softmark("batch", tiny_folder, uploads, "--out", out, "--executor", "serial")
    assert done.returncode == 1, done.stderr
    assert scores(out) == {"ada": "6", "bob": "1", "cyd": "0", "dan": ""}


def test_run_grades_as_many_at_once_as_asked_for(tiny_folder, hand_in, tmp_path):
    """Each of two waits in a check until the other one is graded, too."""
    waits = f'''
    import time
    from pathlib import Path

    (Path({str(tmp_path)!r}) / f"started-{{text}}").touch()
    end = time.monotonic() + 60
    while len(list(Path({str(tmp_path)!r}).glob("started-*"))) < 2:
        assert time.monotonic() < end
        time.sleep(0.01)
    if text == "41"'''
    edit(tiny_folder / "checks.py", '\n    if text == "41"', waits)
    uploads = [hand_in(name, answer_txt=text) for name, text in (("ada", "42"), ("bob", "41"))]
    words = ("--out", tmp_path / "out", "--only", "answer", "--jobs", 2)
    done = softmark_process("run", tiny_folder, *uploads, *words)
    assert done.returncode == 0, done.stderr
    assert scores(tmp_path / "out") == {"ada": "2", "bob": "1"}


def test_check_tells_a_student_what_fails(tiny_folder, hand_in):
    wrong = hand_in(work_py="def double(x):\n    return x + 2\n")
    done = softmark("check", wrong, "--assignment", tiny_folder, "--isolation", "none")
    assert done.returncode == 0, done.stderr
    for words in ("The product is wrong.", "42", "23", "Times two.", "`answer.txt` is missing"):
        assert words in done.stdout
    assert "1 more skipped because" in done.stdout


def test_check_counts_only_what_could_be_judged(tiny_folder, hand_in):
    ours = "    from graders.errors import GraderFault\n    raise GraderFault('no answers here')\n"
    edit(tiny_folder / "checks.py", "    text =", f"{ours}    text =")
    folder = hand_in(work_py=RIGHT, answer_txt="42")
    data = ("--data", write_world_in(folder.parent))
    done = softmark("check", folder, "--assignment", tiny_folder, *data)
    assert done.returncode == 0, done.stderr
    assert "no answers here" in " ".join(done.stdout.split())
    assert "Score: 4 / 4 (criteria checked here)" in done.stdout


def test_without_linux_check_works_and_run_refuses(tiny_folder, hand_in, tmp_path):
    folder, out = hand_in(work_py=RIGHT, answer_txt="42"), str(tmp_path / "out")
    run = ["run", str(tiny_folder), str(folder), "--out"]
    commands = [
        ["check", str(folder), "--assignment", str(tiny_folder)],
        [*run, f"{out}-refused"],
        [*run, out, "--isolation", "none"],
    ]
    done = softmark_process(json.dumps(commands), start=("-c", NOT_LINUX))
    assert re.findall(r"^exit (\d+)$", done.stdout, re.MULTILINE) == ["0", "2", "0"], done.stderr
    assert "Score: 6 / 6 (criteria checked here)" in done.stdout
    assert "no isolation" in done.stderr
    assert "without a sandbox" in done.stderr
    assert [path.name for path in tmp_path.glob("out*")] == ["out"]


A4, UW = ("cs224n-a4", "."), ("uw-a2", "docs", "--allow-missing")
UW_PIPELINE = ("pipeline", "--assignment", "uw-a2")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "cs999", "."), "no assignment `cs999`"),
        (("run", "cs224n-a4", "nowhere"), "nowhere does not exist"),
        (("run", *A4, "--only", "rotori"), "no criterion `rotori`; did you mean `rotary`?"),
        (("batch", "cs224-a4", A4[-1]), "no assignment `cs224-a4`; did you mean `cs224n-a4`?"),
        (("run", *A4, "--device", "tpu"), "no device `tpu`"),
        (("run", *A4, "--isolation", "jail"), "no isolation `jail`"),
        (("run", *A4, "--data", "docs"), "wiki.txt"),
        (("run", *A4, "--data", "nowhere"), "nowhere does not exist"),
        (("run", *A4, "--data", "README.md"), "README.md is not a folder"),
        (("batch", "cs224n-a4", "README.md"), "README.md is not a folder"),
        (("batch", *UW, "--jobs", "0"), "--jobs 0"),
        (("batch", *UW, "--executor", "slurm"), "no executor `slurm`"),
        (("regrade", "cs224n-a4"), "has no grading results"),
        (("retry",), "has no grading results"),
        (("show",), "has no grading results"),
        (("show", "ada"), "has no grading results"),
        (("pipeline", "--variants", "rope,alibi"), "there is no `alibi`"),
        (("pipeline", "--variants", ""), "--variants"),
        (("pipeline", "--precision", "fp8"), "there is no precision `fp8`"),
        (("pipeline", "--methods", "full"), "not an option of the pipeline of cs224n-a4"),
        (("pipeline", "--preset", "large"), "there is no `large`"),
        (("pipeline", "--device", "tpu"), "there is no device `tpu`"),
        (("pipeline", "--data", "nowhere"), "nowhere: there is no such folder"),
        (("pipeline", "--backbone", "tiny"), "not an option of the pipeline of cs224n-a4"),
        (("pipeline", "--assignment", "cs224n-a5"), "cs224n-a5 has no pipeline"),
        (("pipeline", "--assignment", "nonsense"), "there is no assignment `nonsense`"),
        ((*UW_PIPELINE, "--variants", "rope"), "--variants is not an option of the pipe"),
        ((*UW_PIPELINE, "--methods", "lora"), "there is no `lora`"),
        ((*UW_PIPELINE, "--backbone", "nowhere"), "--backbone nowhere: no folder"),
        (
            ("pipeline", "--assignment", "jhu-hw6", "--preset", "demo"),
            "--preset is not an option of the pipeline",
        ),
    ],
)
def test_misuse_is_one_sentence_and_exit_code_2(words, says, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    done = softmark(*words, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""
    assert words[0] in ("run", "batch", "regrade") or not (tmp_path / "out").exists()


@pytest.mark.long
def test_a_classifier_trains_on_its_bundled_task(tmp_path):
    """Without any option but the assignment's name, as an instructor would try it first."""
    done = softmark_process(*UW_PIPELINE, "--methods", "full", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "majority  test" in done.stdout
    assert "full.train: 252 steps" in done.stderr
    assert "Full fine-tuning" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert len((tmp_path / "sst2.test.predictions").read_text().split()) == 1000


def test_an_empty_folder_holds_no_submissions(tiny_folder, tmp_path):
    (tmp_path / "empty").mkdir()
    done = softmark("batch", tiny_folder, tmp_path / "empty", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "contains no submissions" in done.stderr


def test_doctor_names_the_isolation_tier():
    done = softmark("doctor")
    assert done.returncode in (0, 1)
    for name in ("isolation", "torch", "device", "data"):
        assert name in done.stdout
    if "cuda" not in done.stdout:
        done = softmark("doctor", "--gpu")
        assert done.returncode == 2
        assert "torch finds no GPU on this machine" in done.stderr


@pytest.mark.long
def test_validate_finds_an_example_that_is_not_as_expected(tiny_folder):
    solution = tiny_folder / "solution"
    solution.mkdir()
    (solution / "work.py").write_text(RIGHT)
    done = softmark_process("validate", tiny_folder)
    assert done.returncode == 1
    assert "`answer` loses 2.00, expected 0.00" in done.stdout
    (solution / "answer.txt").write_text("42")
    assert softmark_process("validate", tiny_folder).returncode == 0


def test_list_shows_the_criteria_of_an_assignment(tiny_folder):
    assert "cs224n-a4" in softmark("list").stdout
    rows = [line.split() for line in softmark("list", tiny_folder).stdout.splitlines()]
    assert ["double", "Doubling", "4", "code", "visible"] in rows
    assert ["answer", "The", "answer", "2", "metric", "visible"] in rows


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_output_that_has_no_room_is_one_sentence():
    command = [sys.executable, "grade.py", "answers-template", "cs224n-a4"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    hint = "make room, and run the same command again"
    assert done.stderr == f"Error: no space is left\nhint: {hint}\n"


def test_what_nobody_submitted_is_refused_before_grading(tiny_folder, hand_in, tmp_path):
    uploads, out = hand_in(work_py=RIGHT).parent, tmp_path / "out"
    words = ("batch", tiny_folder, uploads, "--out", out, "--executor", "serial")
    refused = softmark(*words)
    assert refused.returncode == 2
    assert "the submission has no files for metrics (`answer.txt`)" in refused.stderr
    shown = softmark(*words, "--allow-missing", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "ada         to grade  work.py  answer.txt" in shown.stdout
    assert not out.exists()
    assert softmark(*words, "--allow-missing").returncode == 0
    assert scores(out) == {"ada": "4"}
    assert "1 saved. Nothing was graded." in softmark(*words, "--dry-run").stdout


def test_a_forgotten_data_folder_is_one_sentence(tiny_folder, hand_in, tmp_path):
    declared = '\n[data_files]\n"dev.tsv" = { rows = 500 }\n[[criterion]]'
    edit(tiny_folder / "assignment.toml", "\n[[criterion]]", declared)
    upload = hand_in(answer_txt="London\n" * 500)
    done = softmark("run", tiny_folder, upload, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "`answer.txt` has 500 lines, as many as the course's `dev.tsv`" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_version_is_that_of_the_package():
    assert softmark("--version").stdout == f"softmark {version('softmark')}\n"


def test_new_writes_an_assignment_under_its_folders_name(tmp_path):
    assert softmark("new", tmp_path / "my task").returncode == 0
    task = load_assignment(str(tmp_path / "my task"))
    assert task.name == "my task"
    assert {check.check.criterion for check in collected(task)} == {"rows", "shift"}
    assert (tmp_path / "my task" / "solution" / "work.py").is_file()
    again = softmark("new", tmp_path / "my task")
    assert again.returncode == 2
    assert "exists already" in again.stderr
