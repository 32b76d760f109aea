"""A tiny submission becomes a Result; nobody loses a point through our own fault."""

import gc

import pytest

from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import Tier, best_tier
from graders.errors import UsageError
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission, ungraded
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.conftest import RIGHT, append, edit

WRONG = "def double(x):\n    return x + 2\n"
OPTIONS = Options(best_tier())


def grade(folder, assignment, options=OPTIONS):
    return grade_submission(identify(folder, assignment.name), assignment, options)


def points(result):
    return {graded.criterion.id: graded.points for graded in result.criteria}


def checks(result):
    return {check.id: check for criterion in result.criteria for check in criterion.checks}


def test_a_right_submission_earns_everything_until_the_student_side_changes(
    tiny_folder, tiny, hand_in
):
    """A check file deeper down is none of the assignment's."""
    deeper = tiny_folder / "solution" / "checks_own.py"
    deeper.parent.mkdir()
    deeper.write_text("def test_own():\n    raise SystemExit\n")
    submission = hand_in(work_py=RIGHT, answer_txt="42")
    result = grade(submission, tiny)
    assert (result.status, result.score, result.max_score) == ("graded", 6.0, 6.0)
    append(tiny_folder / "student_side.py", "\n\ndef double(x):\n    return 0\n")
    assert points(grade(submission, tiny))["double"] == 0.0


MORE = '''

@pytest.mark.criterion("double", depends_on=("doubles-zero",))
def test_third(student):
    """Doubling does more."""


@pytest.mark.criterion("double")
def test_optional():
    """There is something more."""
    skip("There is nothing more.")


@pytest.mark.criterion("double", depends_on=("optional",))
def test_last(student):
    """Something more is right."""
'''


def test_a_wrong_one_is_told_why_and_a_skipped_check_what_really_happened(
    tiny_folder, tiny, hand_in
):
    """The check that failed, not one skipped because of it; and no failure where there is none."""
    edit(tiny_folder / "checks.py", "import fail", "import fail, skip")
    append(tiny_folder / "checks.py", MORE)
    result = grade(hand_in(work_py=WRONG, answer_txt="41"), tiny)
    assert points(result) == {"double": 0.0, "answer": 1.0}
    results = checks(result)
    doubles = results["doubles"]
    assert (doubles.actual, doubles.expected, doubles.hint) == ("23", "42", "Times two.")
    assert doubles.check.description == "Doubling 21 gives 42."
    assert results["third"].status == results["doubles-zero"].status == "skipped"
    ground = "Skipped because this failed: Doubling 21 gives 42."
    assert results["third"].message == results["doubles-zero"].message == ground
    assert results["last"].message == "Skipped because this was skipped: There is something more."


@pytest.mark.parametrize(("work", "status"), [(WRONG, "skipped"), (RIGHT, "error")])
def test_a_hidden_ground_is_not_quoted(tiny_folder, hand_in, work, status):
    """Neither where it failed nor where we could not run it."""
    toml, check = tiny_folder / "assignment.toml", tiny_folder / "checks.py"
    hidden = 'id = "secret"\ntitle = "S"\npoints = 1\nkind = "code"\nvisibility = "hidden"\n'
    toml.write_text(f"{toml.read_text()}\n[[criterion]]\n{hidden}")
    checks_text = check.read_text().replace('"double", weight=3', '"secret", weight=3')
    check.write_text(checks_text if work == WRONG else checks_text.replace("came !=", "ours !="))
    results = checks(grade(hand_in(work_py=work), load_assignment(str(tiny_folder))))
    blocked = results["doubles-zero"]
    assert (blocked.status, "shown later" in blocked.message) == (status, True)
    assert "doubles" not in blocked.message
    assert "Doubling" not in blocked.message


def test_a_missing_file_loses_only_its_own_points(tiny, hand_in):
    result = grade(hand_in(work_py=RIGHT), tiny)
    assert points(result) == {"double": 4.0, "answer": 0.0}
    assert "`answer.txt` is not in your submission" in checks(result)["answer"].message


CRASHES = '''
import pytest


@pytest.mark.parametrize("x", [1, 2, 3])
@pytest.mark.criterion("double")
def test_crash(student, x):
    """Doubling does not crash."""
    student.call("double", x=x)


@pytest.mark.criterion("answer")
def test_zero(student):
    """Doubling 0 gives 0."""
    assert student.call("double", x=0) == 0
'''


def test_code_that_raises_is_told_where(tiny, hand_in):
    result = grade(hand_in(work_py="def double(x):\n    return 1 / 0\n"), tiny)
    assert result.status == "graded"
    assert "work.py, line 2" in checks(result)["doubles"].actual
    assert "ZeroDivisionError" in checks(result)["doubles"].message


def test_a_crash_costs_only_the_check_and_many_only_the_criterion(tiny_folder, tiny, hand_in):
    code = "import os\ndef double(x):\n    return 0 if x == 0 else os._exit(0)\n"
    folder = hand_in(work_py=code, answer_txt="42")
    results = checks(grade(folder, tiny))
    assert (results["doubles"].status, results["answer"].status) == ("failed", "passed")
    (tiny_folder / "checks_crashes.py").write_text(CRASHES)
    assert points(grade(folder, tiny)) == {"double": 0.0, "answer": 2.0}


FENCED = '''
import pytest


@pytest.mark.criterion("double")
def test_own_code(student, fingerprints):
    """The student's process has the student's code."""
    assert student.call("double", x=1) == 2
    fingerprints["work.py"] = "f00d"


@pytest.mark.criterion("answer")
def test_none_of_it(sandbox):
    """The other process has none of it."""
    sandbox.call("double", x=1)
'''


def test_the_sandbox_holds_none_of_the_students_code(tiny_folder, tiny, hand_in):
    """Fingerprints that a check takes are kept for staff."""
    (tiny_folder / "checks.py").write_text(FENCED)
    result = grade(hand_in(work_py=RIGHT), tiny)
    assert checks(result)["own-code"].status == "passed"
    assert "`work.py` is not in your submission" in checks(result)["none-of-it"].message
    assert result.environment["fingerprints"] == {"work.py": "f00d"}


ORACLE_CHECKS = '''
import pytest
from graders.errors import StudentFault

@pytest.mark.criterion("double")
def test_own_code(student, sandbox):
    """The code agrees with the reference."""
    assert student.call("double", x=4) == sandbox.call("expected", x=4)

@pytest.mark.criterion("answer")
def test_no_answers(student):
    """Student code cannot ask the oracle."""
    assert student.call("peek") == []
'''


def test_only_the_sandbox_knows_the_oracle(tiny_folder, tiny, hand_in):
    (tiny_folder / "checks.py").write_text(ORACLE_CHECKS)
    (tiny_folder / "oracle.py").write_text(
        "import reference.models.attention\n\n\ndef expected(x):\n    return 2 * x\n"
    )
    side = tiny_folder / "student_side.py"
    append(side, "\ndef peek():\n    import work\n    return work.peek()\n")
    peek = """
def peek():
    import importlib
    found = []
    for name in ("oracle", "graders.assignment.oracle", "reference", "graders.model"):
        try:
            found.append(str(importlib.import_module(name)))
        except ImportError:
            pass
    return found
"""
    result = grade(hand_in(work_py=RIGHT + peek), tiny)
    assert points(result) == {"double": 4.0, "answer": 2.0}, checks(result)


def test_without_code_the_students_process_has_no_oracle(tiny_folder, tiny, hand_in):
    (tiny_folder / "oracle.py").write_text(RIGHT)
    result = grade(hand_in(answer_txt="42"), tiny)
    assert points(result)["double"] == 0.0


def test_a_broken_check_leaves_no_total(tiny_folder, tiny, hand_in):
    edit(tiny_folder / "checks.py", 'settings["factor"]', 'settings["facter"]')
    result = grade(hand_in(work_py=RIGHT, answer_txt="42"), tiny)
    assert (result.status, result.score, result.max_score) == ("incomplete", None, 6.0)
    assert checks(result)["doubles"].status == "error"
    assert checks(result)["doubles-zero"].status == "error"
    assert points(result)["answer"] == 2.0
    assert "doubles: checks.py, line" in result.environment["faults"][0]
    assert "KeyError: 'facter'" in result.environment["faults"][0]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('criterion("answer")', 'criterion("answers")', "criterion `answers`"),
        ('    """The answer is 42; 41 is half right."""\n', "", "has no docstring"),
        ('@pytest.mark.criterion("answer")\n', "", "has no criterion"),
    ],
)
def test_a_check_that_fits_no_rubric_is_a_misuse(tiny_folder, tiny, hand_in, old, new, says):
    edit(tiny_folder / "checks.py", old, new)
    with pytest.raises(UsageError, match=says):
        grade(hand_in(work_py=RIGHT), tiny)


def test_an_upload_that_cannot_be_opened_is_rejected(tiny, tmp_path):
    archive = tmp_path / "ada.zip"
    archive.write_bytes(b"PK\x03\x04 not really")
    result = grade(archive, tiny)
    assert (result.status, result.score, result.max_score) == ("rejected", None, 6.0)
    assert points(result) == {"double": None, "answer": None}
    assert "ada.zip" in result.environment["rejected"]


def test_only_the_criteria_asked_for_are_graded(tiny, hand_in):
    """Those that need no process use none."""
    options = Options(best_tier(), only=frozenset({"answer"}))
    result = grade(hand_in(answer_txt="42"), tiny, options)
    assert points(result) == {"answer": 2.0}
    assert result.max_score == 2.0
    assert "resources" not in result.environment


def test_a_lost_job_is_not_graded(tiny, hand_in):
    submission = identify(hand_in(work_py=RIGHT), tiny.name)
    result = ungraded(submission, tiny, OPTIONS, OSError("worker killed"))
    assert (result.status, result.score, result.max_score) == ("incomplete", None, 6.0)


def test_the_result_says_where_it_was_made_and_what_it_used(tiny, hand_in):
    environment = grade(
        hand_in(work_py=RIGHT, answer_txt="42"), tiny, Options(Tier.NONE)
    ).environment
    assert (environment["isolation"], environment["seeds"]) == ("none", {"assignment": 7})
    assert environment["versions"]["torch"].startswith("2.")
    assert environment["resources"]["peak_memory_bytes"] > 2**22
    assert environment["resources"]["cpu_seconds"] >= 0


def students_in_memory():
    gc.collect()
    return {id(each) for each in gc.get_objects() if type(each) is Student}


@pytest.mark.parametrize("name", ["cs224n-a4", "uw-a2", "jhu-hw6"])
def test_nothing_of_a_submission_stays_in_memory(name, hand_in):
    """A problem that several checks share would otherwise keep its check's whole pytest session."""
    before = students_in_memory()
    broken = "import nothing_that_is_installed\n"
    submission = hand_in(attention_py="", dataset_py=broken, sst2_py=broken, boolq_py=broken)
    assert grade(submission, load_assignment(name)).score == 0
    assert students_in_memory() <= before
