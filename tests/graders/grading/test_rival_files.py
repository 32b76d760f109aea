"""If several files may be meant, the best counts, and failures name the graded one."""

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.conftest import RIGHT, edit, write_files

FILES = """
from graders.adapting.gathered import code_folder, gather


def taken():
    return gather(code_folder(), wanted=("double",), own=("work",))


def double(x):
    return taken()["double"](x)


def rivals():
    return taken().rivals()


def notes():
    return ["`work.py` was taken.", 7]


def places():
    return {"double": f"`double` in {taken().place('double')}"}
"""
WRONG = "import math\n\n\ndef double(x):\n    return 3 * x\n"


@pytest.fixture
def grade(tiny_folder, tmp_path):
    """The code criterion of a submission with these files."""

    def run(side=FILES, **files):
        edit(tiny_folder / "assignment.toml", 'code = ["work.py"]', 'code = ["*.py"]')
        (tiny_folder / "student_side.py").write_text(side)
        edit(tiny_folder / "checks.py", "Doubling 21", "double of 21")
        named = {f"{name.replace('__', '/')}.py": text for name, text in files.items()}
        write_files(tmp_path / "ada", named)
        task = load_assignment(str(tiny_folder))
        options = Options(best_tier(), only=frozenset(("double",)))
        return grade_submission(identify(tmp_path / "ada", task.name), task, options)

    return run


def test_best_of_two_files_of_one_name_counts(grade):
    result = grade(work=WRONG, again__work=RIGHT)
    assert result.criteria[0].points == 4
    assert any("Ignored `work.py`" in note for note in result.environment["intake"])
    assert "`work.py` was taken." in result.environment["intake"]


def test_file_that_was_not_the_best_is_still_compared_with_other_uploads(grade):
    copied = WRONG + "\n".join(f"LINE_{number} = {number}" for number in range(60))
    environment = grade(work=copied, again__work=RIGHT).environment
    assert list(environment["code"]) == ["work.py"]
    assert environment["missing"] == []


def test_another_file_beside_the_own_one_does_not_count_and_a_failure_tells_which_it_judges(grade):
    criterion = grade(work=WRONG, other=RIGHT).criteria[0]
    assert criterion.points == 0
    message = criterion.checks[0].message
    assert message.endswith("This check judges `double` in `work.py`, line 4.")


def test_fault_of_ours_with_another_file_leaves_the_points(grade, tiny_folder):
    edit(tiny_folder / "checks.py", "    if came !=", "    came / 1\n    if came !=")
    result = grade(work=WRONG, again__work=RIGHT.replace("2 * x", "'text'"))
    assert (result.status, result.criteria[0].points) == ("graded", 0)


@pytest.mark.parametrize(
    "refusal",
    [
        "raise SystemExit(3)",
        "import graders.adapting.unavailable as offline; raise "
        "offline.Unavailable('the dataset `x` is not available without a network')",
    ],
)
def test_unanswered_question_changes_nothing(grade, refusal):
    broken = FILES.replace("return taken().rivals()", refusal)
    result = grade(broken, work=WRONG)
    first = result.criteria[0]
    assert (result.status, first.points, first.checks[0].status) == ("graded", 0, "failed")


@pytest.mark.parametrize("reply", ["{'HERE/x.py': []}", "['work.py']", "{1: 2}", "{'no.py': []}"])
def test_reply_cannot_remove_other_files(grade, tmp_path, reply):
    (tmp_path / "x.py").write_text("kept")
    hostile = FILES.replace("taken().rivals()", reply.replace("HERE", str(tmp_path)))
    assert grade(hostile, work=WRONG).criteria[0].points == 0
    assert (tmp_path / "x.py").read_text() == "kept"


def test_place_is_cut_and_cleaned(grade):
    long = FILES.replace("f\"`double` in {taken().place('double')}\"", "'\\x1b[31m' + 999 * 'x'")
    message = grade(long, work=WRONG).criteria[0].checks[0].message
    assert "\x1b" not in message
    assert len(message) < 300
