"""`grade.py ci` as a workflow uses it: its files, its output, its exit codes."""

import json

import pytest
from junitparser import JUnitXml

from tests.conftest import RIGHT, edit
from tests.console import softmark
from tests.test_check import hide

RAISES = """import os

def double(x):
    print("\\n::error::pwned")
    raise ValueError("\\n::error::pwned")
"""


@pytest.fixture
def ci(tiny_folder, monkeypatch):
    """`ci(folder, *options)` grades it from its own top, as a workflow does after a checkout.

    The metric of the assignment needs the course's data, which no workflow has.
    """
    edit(tiny_folder / "checks.py", "(submitted, score)", "(submitted, score, data)")

    def run(folder, *words, start="."):
        monkeypatch.chdir(folder)
        return softmark("ci", tiny_folder, start, *words)

    return run


def test_a_right_submission_passes(ci, hand_in):
    done = ci(hand_in(work_py=RIGHT), "--fail-below", "100%")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "::notice title=Double a number::4 of 4 points\n"


def test_every_file_that_was_asked_for_is_written(ci, hand_in, tmp_path):
    (tmp_path / "summary.md").write_text("Earlier.\n")
    files = ["--summary", tmp_path / "summary.md", "--junit", tmp_path / "new" / "junit.xml"]
    files += ["--classroom50", tmp_path / "result.json", "--pages", tmp_path]
    done = ci(hand_in(work_py=RIGHT), *files)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "summary.md").read_text().startswith("Earlier.\n## Double a number: 4 of 4")
    assert JUnitXml.fromfile(str(tmp_path / "new" / "junit.xml")).tests == 2
    assert json.loads((tmp_path / "result.json").read_text())["score"] == 4.0
    assert "Double a number" in (tmp_path / "reports" / "ada.html").read_text()


def test_the_summary_says_what_is_not_there(ci, hand_in, tmp_path):
    ci(hand_in(other_py=RIGHT), "--summary", tmp_path / "summary.md")
    summary = (tmp_path / "summary.md").read_text()
    assert "work&#46;py</code> is missing&#58; your code is expected in it" in summary


def test_an_annotation_names_the_file_of_the_repository(ci, hand_in):
    folder = hand_in()
    (folder / "hw" / "src").mkdir(parents=True)
    (folder / "hw" / "src" / "work.py").write_text(RAISES)
    for start in (".", "hw"):
        done = ci(folder, start=start)
        commands = [line for line in done.stdout.splitlines() if line.startswith("::error")]
        assert len(commands) == 1
        assert commands[0].startswith("::error file=hw/src/work.py,line=5,title=Doubling::")
        assert len(done.stdout.splitlines()) == 2


def test_nothing_of_a_student_is_printed_raw(ci, hand_in):
    done = ci(hand_in(work_py=RAISES))
    ours = ("::error file=work.py,line=5,", "::notice title=Double a number::")
    assert all(line.startswith(ours) for line in done.stdout.splitlines())
    assert "pwned" not in done.stderr


@pytest.mark.parametrize(("needed", "code"), [("0%", 0), ("1%", 3), ("4", 3)])
def test_too_few_points_are_exit_code_3(ci, hand_in, needed, code):
    assert ci(hand_in(work_py=RAISES), "--fail-below", needed).returncode == code


@pytest.mark.parametrize("needed", ["5", "nan", "101%", "-1", "many", "%"])
def test_points_that_make_no_sense_are_misuse(ci, hand_in, needed):
    done = ci(hand_in(work_py=RIGHT), f"--fail-below={needed}")
    assert done.returncode == 2
    assert "not points (0 to 4) or a percentage" in done.stderr


def test_points_where_nothing_is_judged_are_misuse(ci, hand_in):
    done = ci(hand_in(work_py=RIGHT), "--only", "answer", "--fail-below", "50%")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing is graded here" in done.stderr


def test_hidden_criteria_are_judged_for_staff_alone(ci, hand_in, tiny_folder, tmp_path):
    hide(tiny_folder)
    folder, out = hand_in(work_py=RIGHT, answer_txt="41"), tmp_path / "summary.md"
    students = ci(folder, "--summary", out, "--junit", tmp_path / "junit.xml")
    assert "4 of 4" in students.stdout
    assert "answer" not in (out.read_text() + (tmp_path / "junit.xml").read_text()).lower()
    assert "5 of 6" in ci(folder, "--hidden").stdout


def test_only_knows_no_hidden_criterion_without_hidden(ci, hand_in, tiny_folder):
    hide(tiny_folder)
    folder = hand_in(work_py=RIGHT)
    for name in ("answer", "nothing"):
        done = ci(folder, "--only", name)
        assert done.returncode == 2
        assert "answer" not in done.stderr.replace(f"`{name}`", "")


def test_what_could_not_be_graded_is_no_file_for_classroom50(ci, hand_in, tiny_folder, tmp_path):
    checks = tiny_folder / "checks.py"
    text = checks.read_text().replace("    came =", "    raise GraderFault('gone')\n    came =", 1)
    checks.write_text(f"from graders.errors import GraderFault\n{text}")
    (tmp_path / "result.json").write_text("of an earlier run")
    done = ci(hand_in(work_py=RIGHT), "--classroom50", tmp_path / "result.json", "--fail-below", 4)
    assert done.returncode == 1
    assert not (tmp_path / "result.json").exists()
    assert "Not fully graded" in done.stdout


def test_an_upload_that_cannot_be_opened_fails(ci, hand_in):
    done = ci(hand_in())
    assert done.returncode == 1
    assert "Not accepted" in done.stdout


def test_a_summary_that_cannot_be_written_is_misuse(ci, hand_in, tmp_path):
    done = ci(hand_in(work_py=RIGHT), "--summary", tmp_path)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
