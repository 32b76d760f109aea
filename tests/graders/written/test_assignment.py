"""An assignment with written questions: loaded, keyed, validated, and partly graded."""

import pytest

from graders.audit.validate import examples_by_part, validate
from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.execution.executors import make_executor
from graders.grading.cache_key import keys_of
from graders.grading.choices import choose_criteria
from graders.grading.options import Options
from graders.registry.check_files import check_files
from graders.registry.discovery import load_assignment
from tests.conftest import ASSIGNMENT, STUDENT_SIDE, edit, write_files
from tests.conftest import CHECKS as CODE_CHECKS
from tests.conftest import RIGHT as DOUBLES
from tests.graders.written.conftest import CHECKS, QUESTIONS, RIGHT

OPTIONS = Options(Tier.NONE)
HALF = "## 1b\nformula: half\ntext: because\n"
EXPECTED = 'why = "w"\nonly = "written"\n[lost]\n"1b" = 1\n[check]\n"1b/machine" = 0.5\n'
WHY = {"expected.toml": 'why = "w"\n'}
PLANTED = {
    "solution": {
        "work.py": DOUBLES,
        "answer.txt": "42",
        "answers.md": "## 1b\nformula: 2*a\ntext: because\n",
    },
    "examples/wrong-code": {
        "expected.toml": 'why = "adds"\n[lost]\ndouble = 4\nanswer = 2\n',
        "work.py": DOUBLES.replace("2 *", "2 +"),
    },
    "examples/half": {"expected.toml": EXPECTED, "answers.md": HALF},
    "examples/expects-too-much": {
        "expected.toml": 'why = "w"\nonly = "1b"\n',
        "answers.md": HALF,
    },
    "examples/expects-no-person": {
        "expected.toml": f'{EXPECTED}"1b/review" = 1\n"2/machine" = 1\n',
        "answers.md": HALF,
    },
}


def with_question(folder):
    """The tiny assignment of code, with question 1b."""
    question = "[[question]]" + QUESTIONS.split("[[question]]")[2]
    code = {"student_side.py": STUDENT_SIDE, "checks.py": CODE_CHECKS}
    written = {"written.toml": question, "checks_written.py": CHECKS}
    return write_files(folder, {"assignment.toml": ASSIGNMENT, **code, **written})


@pytest.fixture
def both_folder(tmp_path):
    return with_question(tmp_path / "both")


def findings(folder):
    task = load_assignment(str(folder))
    with make_executor("serial", 1) as pool:
        return {finding.name: finding for finding in validate(task, OPTIONS, pool)}


@pytest.fixture(scope="module")
def found(tmp_path_factory, tiny_verifiers):
    """What validate finds in the assignment's solution and examples."""
    folder = with_question(tmp_path_factory.mktemp("validated") / "both")
    for place, files in PLANTED.items():
        write_files(folder / place, files)
    return findings(folder)


def test_questions_follow_the_rubric(both_folder):
    rubric = load_assignment(str(both_folder)).rubric
    assert [(criterion.id, criterion.kind, criterion.points) for criterion in rubric] == [
        ("double", "code", 4),
        ("answer", "metric", 2),
        ("1b", "written", 3),
    ]


def test_a_question_may_not_be_named_like_a_criterion(both_folder):
    edit(both_folder / "written.toml", '"1b"', '"double"')
    with pytest.raises(UsageError, match="duplicate criterion id `double`"):
        load_assignment(str(both_folder))


def test_an_assignment_asks_something(essay_folder):
    (essay_folder / "written.toml").unlink()
    with pytest.raises(UsageError, match="there is none"):
        load_assignment(str(essay_folder))


@pytest.mark.parametrize(
    ("only", "chosen"),
    [
        ("written", {"1b"}),
        ("code,metric", {"double", "answer"}),
        ("code, 1b", {"double", "1b"}),
        ("double", {"double"}),
    ],
)
def test_only_takes_kinds_beside_ids(both_folder, only, chosen):
    assert choose_criteria(load_assignment(str(both_folder)), only) == chosen


def test_only_what_there_is(essay, tiny):
    with pytest.raises(UsageError, match="no criterion of these kinds"):
        choose_criteria(essay, "code,metric")
    with pytest.raises(UsageError, match="no criterion `poem`"):
        choose_criteria(tiny, "poem")


def test_the_questions_count_for_their_criteria_alone(both_folder):
    before = keys_of(load_assignment(str(both_folder)), OPTIONS)
    edit(both_folder / "written.toml", "twice the vector", "the double of the vector")
    after = keys_of(load_assignment(str(both_folder)), OPTIONS)
    changed = {name for name in after.criteria if after.criteria[name] != before.criteria[name]}
    assert changed == {"1b"}
    assert after.whole != before.whole


def test_written_checks_start_no_process(essay):
    assert check_files(essay)[0].fixtures.isdisjoint({"student", "sandbox", "rerun"})


def test_the_solution_is_asked_everything(found):
    assert found["reference"].problems == ()
    assert found["reference"].lost == {}


def test_an_example_without_answers_is_not_asked_them(found):
    assert found["wrong-code"].problems == ()


def test_an_example_with_answers_is_asked_them(found):
    assert found["half"].problems == ()
    assert found["half"].lost == {"1b": 1}
    assert "loses 1.00, expected 0.00" in found["expects-too-much"].problems[0]
    assert found["expects-no-person"].problems == (
        "`1b/review` needs manual grading, expected 1.00",
        "there is no check `2/machine`; did you mean `1b/machine`?",
    )


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (RIGHT, ""),
        (RIGHT.replace("B", "C"), "`1a` loses 1.00"),
        ("", "`1a` loses 1.00"),
    ],
    ids=["right", "wrong", "none"],
)
def test_an_assignment_without_code_validates(essay_folder, answers, problem):
    files = {"answers.md": answers} if answers else {"data.csv": "x"}
    write_files(essay_folder / "solution", files)
    problems = findings(essay_folder)["reference"].problems
    assert problem in problems[0] if problem else problems == ()


def test_a_demo_shows_code_and_answers_apart(both_folder):
    only = {"expected.toml": 'why = "w"\nonly = "written"\n'}
    code = write_files(both_folder / "code", {"work.py": "", **WHY})
    answers = write_files(both_folder / "answers", {"answers.md": "", **only})
    both = write_files(both_folder / "both", {"work.py": "", "answers.md": "", **WHY})
    parts = list(examples_by_part(load_assignment(str(both_folder)), [answers, both, code]))
    assert [(part.name, part.only) for part in parts] == [
        ("", {"double", "answer"}),
        ("written", {"1b"}),
    ]
    assert [list(part.folders) for part in parts] == [[both, code], [answers, both]]


def test_without_questions_a_demo_has_one_part(tiny):
    parts = examples_by_part(tiny, [write_files(tiny.folder / "code", {"work.py": "", **WHY})])
    assert [(part.only, len(part.folders)) for part in parts] == [(None, 1)]
