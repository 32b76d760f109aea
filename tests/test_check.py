"""A student's own check: missing files, JSON for programs, no color if none is wanted."""

import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from commands.own_work import bundle as app
from graders.boundary.tiers.sandbox import best_tier
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.grading.precheck import missing_parts, precheck_options
from graders.grading.secret import new_secret
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.conftest import RIGHT, edit, write_files
from tests.console import ROOT, softmark, softmark_process
from tests.planted import examples_of
from tests.test_grade import write_world_in

WRONG = "def double(x):\n    return x + 2\n"
A4 = ("--assignment", "cs224n-a4")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*[34]\d")


@pytest.fixture
def named(tiny_folder):
    """The tiny assignment with the names that its checks look for."""
    more = '"answer.txt", "plot.png"]\noptional = ["plot.png"]\nnames = ["double"]'
    edit(tiny_folder / "assignment.toml", '"answer.txt"]', more)
    return tiny_folder


def hide(folder):
    hidden = 'title = "The hidden answer"\nvisibility = "hidden"'
    edit(folder / "assignment.toml", 'title = "The answer"', hidden)


def check(upload, assignment, *words):
    return softmark("check", upload, "--assignment", assignment, *words)


def said_of(upload, assignment):
    return " ".join(check(upload, assignment).stdout.split())


def test_what_is_missing_is_told_by_name(named, hand_in):
    output = said_of(hand_in(notes_txt="nothing yet"), named)
    code, answer = "`work.py` is missing: your code", "`answer.txt` is missing (required)"
    assert output.index(code) < output.index(answer)
    assert "plot.png" not in output
    assert "has no file of tiny: is this the right folder?" in output
    misnamed = said_of(hand_in("bob", work_py="def dubble(x):\n    return 2 * x\n"), named)
    assert "`double` is defined in none of your files." in misnamed
    assert misnamed.count("double") < 4
    assert "right folder" not in misnamed


def test_a_file_that_is_used_under_another_name_is_not_missing(named, hand_in):
    upload = hand_in(work_py=RIGHT)
    (upload / "answer.txt.txt").write_text("42")
    output = said_of(upload, named)
    assert "Using `answer.txt.txt` for answer.txt" in output
    assert "Missing" not in output


def test_code_that_is_used_under_another_name_is_not_missing(tmp_path):
    code = (load_assignment("cs224n-a4").folder / "solution" / "src" / "attention.py").read_text()
    work = write_files(tmp_path, {"src/dataset.py": "", "src/my_attention.py": code})
    output = softmark("check", work, "--only", "rotary", *A4).stdout
    assert "Using `src/my_attention.py` as `attention.py`" in output
    assert "`attention.py` is missing" not in output


def test_nothing_is_missing_where_checks_pass(named, hand_in):
    upload = hand_in(work_py="from more import *\n", more_py=RIGHT, answer_txt="42")
    assert "Missing" not in check(upload, named).stdout


def test_json_is_one_result_of_visible_criteria_and_hostile_words_stay_text(tiny_folder, hand_in):
    hide(tiny_folder)
    work = "def double(x):\n    raise ValueError('\\x1b[31m\\u202e')\n"
    done = check(hand_in(work_py=work, answer_txt="42"), tiny_folder, "--json")
    result = json.loads(done.stdout)
    assert result["schema"] == "softmark/result/v1"
    assert [criterion["id"] for criterion in result["criteria"]] == ["double"]
    assert "hidden" not in done.stdout
    assert done.stderr == ""
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("name", ["answer", "answr", "metric"])
def test_only_knows_no_hidden_criterion(tiny_folder, hand_in, name):
    hide(tiny_folder)
    done = check(hand_in(work_py=WRONG), tiny_folder, "--only", name)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "`answer`" not in done.stderr.replace(f"no criterion `{name}`", "")


def test_json_of_a_run_is_a_line_each(tiny_folder, hand_in, tmp_path):
    first = hand_in("ada", work_py=RIGHT, answer_txt="42")
    out = ("--out", tmp_path / "out", "--json")
    assert json.loads(softmark("run", tiny_folder, first, *out).stdout)["score"] == 6
    hand_in("bob", work_py=WRONG, answer_txt="41")
    lines = softmark("batch", tiny_folder, first.parent, *out, "--executor", "serial").stdout
    submissions = {json.loads(line)["submission"]["id"] for line in lines.splitlines()}
    assert submissions == {"ada", "bob"}
    assert len(softmark("run", tiny_folder, first, *out).stdout.splitlines()) == 1


def test_exit_codes_are_the_same_with_json(tiny_folder, tmp_path):
    (tmp_path / "cut.zip").write_bytes(b"not a zip")
    done = check(tmp_path / "cut.zip", tiny_folder, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "rejected"
    assert "Missing" not in check(tmp_path / "cut.zip", tiny_folder).stdout
    assert check("nowhere", tiny_folder, "--json").stdout == ""


def test_all_that_a_check_says_can_be_seen(tiny_folder, hand_in):
    file = tiny_folder / "checks.py"
    text = file.read_text().replace("doubles(student, settings):", "doubles(student, score):")
    text = text.replace('settings["factor"]', "2")
    note = '    score.note("Look at this.")\n    came = student'
    file.write_text(text.replace("    came = student", note))
    upload = hand_in(work_py=RIGHT)
    assert "Look at this." not in check(upload, tiny_folder).stdout
    assert "Look at this." in check(upload, tiny_folder, "--verbose").stdout


def test_signs_that_a_pipe_cannot_hold_end_nothing(tiny_folder, hand_in):
    words = ("check", hand_in(answer_txt="42"), "--assignment", tiny_folder, "--only", "answer")
    environment = {"PATH": os.environ["PATH"], "PYTHONIOENCODING": "cp1252"}
    done = softmark_process(*words, env=environment, text=False)
    assert done.returncode == 0
    assert b"(criteria checked here)" in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize(("wish", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_no_color_is_heard(tiny_folder, hand_in, wish, coloured):
    words = ("check", hand_in(answer_txt="42"), "--assignment", tiny_folder, "--only", "answer")
    output = in_a_terminal(words, wish)
    assert "The answer" in output
    assert bool(COLOUR.search(output)) == coloured


def test_only_a_terminal_is_told_that_a_check_runs(tiny_folder, hand_in):
    words = ("check", hand_in(answer_txt="42"), "--assignment", tiny_folder, "--only", "answer")
    assert "code that hangs is stopped within" in in_a_terminal(words, {})
    done = softmark(*words)
    assert "hangs" not in done.stdout + done.stderr


def in_a_terminal(words, wish):
    """What a terminal is told by the command."""
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLUMNS": "80", **wish}
    ours, theirs = pty.openpty()
    command = [sys.executable, "grade.py", *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=theirs, stderr=theirs):
        os.close(theirs)
        output = b""
        try:
            while part := os.read(ours, 4096):
                output += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return output.decode()


@pytest.mark.parametrize(("asked", "unjudged"), [("", ()), (", data", ("The answer",))])
def test_only_a_metric_that_asks_for_the_data_waits_for_them(tiny_folder, hand_in, asked, unjudged):
    edit(tiny_folder / "checks.py", "(submitted, score)", f"(submitted, score{asked})")
    task, upload = load_assignment(str(tiny_folder)), hand_in(work_py=RIGHT)
    plan = precheck_options(task, upload, best_tier(), data=None, only=None)
    assert plan.not_graded == unjudged
    data = write_world_in(Path(upload.parent))
    assert precheck_options(task, upload, best_tier(), data=data, only=None).not_graded == ()
    result = grade_submission(identify(upload, "tiny"), task, plan.options)
    assert list(missing_parts(task, plan, result)) == ["answer.txt"], "judged here or not"


@pytest.mark.parametrize(("name", "is_missing"), [("answers (1).md", False), ("notes.md", True)])
def test_answers_that_are_read_under_another_name_are_not_missing(tmp_path, name, is_missing):
    (tmp_path / name).write_text("## 1.1\nchoice: A\n")
    task = load_assignment("jhu-hw6")
    only = frozenset({"1.1"})
    plan = precheck_options(task, tmp_path, best_tier(), data=None, only=only)
    result = grade_submission(identify(tmp_path, "jhu-hw6"), task, plan.options)
    assert ("answers.md" in missing_parts(task, plan, result)) == is_missing


def test_a_bundle_has_the_commands_that_it_names():
    names = {command.name for command in app.registered_commands}
    assert names == {"check", "answers-template", "appeal"}


@pytest.mark.long
@pytest.mark.parametrize(
    "example",
    [
        "cs224n-a4/correct-plain", "cs224n-a4/wrong-rotary-base", "cs224n-a4/wrong-mean-third",
        "uw-a2/right-mini-einsum", "uw-a2/wrong-sst2-no-zero-grad",
        "jhu-hw6/right-code-one-file", "jhu-hw6/wrong-code-padding-is-read",
    ],
)  # fmt: skip
def test_check_and_run_agree(example):
    """On every visible check, with different inputs."""
    name, submission = example.split("/")
    task = load_assignment(name)
    upload = identify(examples_of(name) / submission, name)
    code = frozenset(criterion.id for criterion in task.rubric if criterion.kind == "code")
    plan = precheck_options(task, upload.path, best_tier(), data=None, only=code)
    staff = replace(Options(best_tier(), only=code), inputs_seed=new_secret())
    assert verdicts(upload, task, plan.options) == verdicts(upload, task, staff)


def verdicts(upload, task, options):
    result = grade_submission(upload, task, options)
    assert result.status == "graded"
    return {
        check.id: check.status
        for graded in result.criteria
        if graded.criterion.visibility == "visible"
        for check in graded.checks
    }
