"""A student's own check: missing files, JSON for programs, no color if none is wanted."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands.student import app
from graders.grading.precheck import missing_parts, precheck_options
from graders.registry.discovery import load_assignment
from tests.test_grade import RIGHT, ROOT, softmark, write_world_in

WRONG = "def double(x):\n    return x + 2\n"
COLOUR = re.compile(r"\x1b\[(?:\d+;)*[34]\d")


@pytest.fixture
def named(tiny_folder):
    """The tiny assignment with the names that its checks look for."""
    file = tiny_folder / "assignment.toml"
    text = file.read_text().replace(
        'artifacts = ["answer.txt"]',
        'artifacts = ["answer.txt", "plot.png"]\noptional = ["plot.png"]\nnames = ["double"]',
    )
    file.write_text(text)
    return tiny_folder


def hide(folder):
    file = folder / "assignment.toml"
    hidden = 'title = "The hidden answer"\nvisibility = "hidden"'
    file.write_text(file.read_text().replace('title = "The answer"', hidden))


def check(upload, assignment, *words):
    return softmark("check", upload, "--assignment", assignment, "--isolation", "none", *words)


def test_what_is_missing_is_told_by_name(named, hand_in):
    empty = hand_in(notes_txt="nothing yet")
    said = " ".join(check(empty, named).stdout.split())
    code, answer = "`work.py` is missing: your code", "`answer.txt` is missing (required)"
    assert said.index(code) < said.index(answer)
    assert "plot.png" not in said


def test_a_function_is_missed_where_a_check_asks_for_it(named, hand_in):
    said = " ".join(
        check(hand_in(work_py="def dubble(x):\n    return 2 * x\n"), named).stdout.split()
    )
    assert "`double` is defined in none of your files." in said
    assert said.count("double") < 4


def test_nothing_is_missing_where_checks_pass(named, hand_in):
    upload = hand_in(work_py="from more import *\n", more_py=RIGHT, answer_txt="42")
    assert "Missing" not in check(upload, named).stdout


def test_json_is_one_result_of_visible_criteria(tiny_folder, hand_in):
    hide(tiny_folder)
    done = check(hand_in(work_py=WRONG, answer_txt="42"), tiny_folder, "--json")
    result = json.loads(done.stdout)
    assert result["schema"] == "softmark/result/v1"
    assert [criterion["id"] for criterion in result["criteria"]] == ["double"]
    assert "hidden" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["answer", "answr", "metric"])
def test_only_knows_no_hidden_criterion(tiny_folder, hand_in, name):
    hide(tiny_folder)
    done = check(hand_in(work_py=WRONG), tiny_folder, "--only", name)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "`answer`" not in done.stderr.replace(f"no criterion `{name}`", "")


@pytest.mark.long
def test_json_of_a_run_is_a_line_each(tiny_folder, hand_in, tmp_path):
    first = hand_in("ada", work_py=RIGHT, answer_txt="42")
    out = ("--out", tmp_path / "out", "--json")
    assert json.loads(softmark("run", tiny_folder, first, *out).stdout)["score"] == 6
    hand_in("bob", work_py=WRONG)
    lines = softmark("batch", tiny_folder, first.parent, *out).stdout.splitlines()
    assert {json.loads(line)["submission"]["id"] for line in lines} == {"ada", "bob"}
    assert len(softmark("run", tiny_folder, first, *out).stdout.splitlines()) == 1


@pytest.mark.long
def test_exit_codes_are_the_same_with_json(tiny_folder, hand_in, tmp_path):
    (tmp_path / "cut.zip").write_bytes(b"not a zip")
    done = check(tmp_path / "cut.zip", tiny_folder, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "rejected"
    assert "Missing" not in check(tmp_path / "cut.zip", tiny_folder).stdout
    assert check("nowhere", tiny_folder, "--json").stdout == ""


def test_hostile_words_stay_text_in_json(tiny_folder, hand_in):
    work = "def double(x):\n    raise ValueError('\\x1b[31m\\u202e')\n"
    done = check(hand_in(work_py=work), tiny_folder, "--json")
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout


@pytest.mark.long
def test_all_that_a_check_says_can_be_seen(tiny_folder, hand_in):
    file = tiny_folder / "checks.py"
    note = 'score.note("Look at this.")'
    text = file.read_text().replace(
        "def test_doubles(student, settings):", "def test_doubles(student, settings, score):"
    )
    file.write_text(text.replace("    came = student", f"    {note}\n    came = student"))
    upload = hand_in(work_py=RIGHT)
    assert "Look at this." not in check(upload, tiny_folder).stdout
    assert "Look at this." in check(upload, tiny_folder, "--verbose").stdout


def test_signs_that_a_pipe_cannot_hold_end_nothing(tiny_folder, hand_in):
    words = ("check", hand_in(work_py=WRONG), "--assignment", tiny_folder, "--isolation", "none")
    environment = {"PATH": os.environ["PATH"], "PYTHONIOENCODING": "cp1252"}
    command = [sys.executable, "grade.py", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"(criteria checked here)" in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize(("wish", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_no_color_is_heard(tiny_folder, hand_in, wish, coloured):
    words = ("check", hand_in(work_py=WRONG), "--assignment", tiny_folder, "--isolation", "none")
    assert bool(COLOUR.search(in_a_terminal(words, wish))) == coloured


def in_a_terminal(words, wish):
    """What a terminal is told by the command."""
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLUMNS": "80", **wish}
    ours, theirs = pty.openpty()
    command = [sys.executable, "grade.py", *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=theirs, stderr=theirs):
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return said.decode()


@pytest.mark.parametrize(("asked", "unjudged"), [("", ()), (", data", ("The answer",))])
def test_only_a_metric_that_asks_for_the_data_waits_for_them(tiny_folder, hand_in, asked, unjudged):
    from graders.boundary.tiers.sandbox import Tier

    file = tiny_folder / "checks.py"
    file.write_text(file.read_text().replace("(submitted, score)", f"(submitted, score{asked})"))
    task, upload = load_assignment(str(tiny_folder)), hand_in(work_py=RIGHT)
    plan = precheck_options(task, upload, Tier.NONE, data=None, only=None)
    assert plan.not_judged == unjudged


def test_artifacts_are_missed_even_where_they_cannot_be_judged(tiny_folder, tiny, hand_in):
    from graders.boundary.tiers.sandbox import Tier
    from graders.grading.pipeline import grade_submission
    from submissions.receive import identify

    file = tiny_folder / "checks.py"
    file.write_text(file.read_text().replace("(submitted, score)", "(submitted, score, data)"))
    upload = hand_in(work_py=RIGHT)
    plan = precheck_options(tiny, upload, Tier.NONE, data=None, only=None)
    result = grade_submission(identify(upload, "tiny"), tiny, plan.options)
    assert list(missing_parts(tiny, plan, result)) == ["answer.txt"]
    data = write_world_in(Path(upload.parent))
    assert precheck_options(tiny, upload, Tier.NONE, data=data, only=None).not_judged == ()


def test_a_bundle_has_the_commands_that_it_names():
    names = {each.name for each in app.registered_commands}
    assert names == {"check", "answers-template"}
