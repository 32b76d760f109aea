"""An assignment with written questions: loaded, keyed, validated, and partly graded."""

import pytest

from graders.audit.validate import examples_by_part, validate
from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.execution.executors import make_executor
from graders.grading.address import keys_of
from graders.grading.choices import choose_criteria
from graders.grading.pipeline import Options
from graders.registry.check_files import check_files
from graders.registry.discovery import load_assignment

OPTIONS = Options(Tier.NONE)
WRITTEN = """
[[question]]
id = "1b"
title = "Twice"
prompt = "Give twice a."
[question.machine]
points = 2
kind = "formula"
parts = ["formula"]
verify = "tiny_equal"
[question.machine.with]
key = "2*a"
[question.review]
points = 2
[[question.review.item]]
points = 2
text = "says why"
"""
WRITTEN_CHECKS = """
from graders.written.checks import judge, written_checks


@written_checks(__file__)
def test_written(written, submitted, score, inputs):
    judge(written, submitted, score, inputs)
"""


@pytest.fixture
def both_folder(tiny_folder):
    """The tiny assignment of code, with a written question."""
    (tiny_folder / "written.toml").write_text(WRITTEN)
    (tiny_folder / "checks_written.py").write_text(WRITTEN_CHECKS)
    return tiny_folder


@pytest.fixture
def examples(tmp_path):
    """Plants examples in the folder of the tiny assignment."""

    def plant(name, expected, **files):
        folder = tmp_path / "tiny" / "examples" / name
        folder.mkdir(parents=True)
        for file, text in {"expected.toml": expected, **files}.items():
            (folder / file.replace("_py", ".py").replace("_md", ".md")).write_text(text)

    return plant


def solution(folder, answers="## 1b\nformula: 2*a\ntext: because\n"):
    (folder / "solution").mkdir()
    (folder / "solution" / "work.py").write_text("def double(x):\n    return 2 * x\n")
    (folder / "solution" / "answer.txt").write_text("42")
    if answers:
        (folder / "solution" / "answers.md").write_text(answers)


def findings(folder):
    task = load_assignment(str(folder))
    with make_executor("serial", 1) as pool:
        return {each.name: each for each in validate(task, OPTIONS, pool, ahead=1)}


def test_questions_follow_the_rubric(both_folder):
    rubric = load_assignment(str(both_folder)).rubric
    assert [(each.id, each.kind, each.points) for each in rubric] == [
        ("double", "code", 4),
        ("answer", "metric", 2),
        ("1b", "written", 4),
    ]


def test_a_question_may_not_be_named_like_a_criterion(both_folder):
    file = both_folder / "written.toml"
    file.write_text(file.read_text().replace('"1b"', '"double"'))
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
    file = both_folder / "written.toml"
    file.write_text(file.read_text().replace("Give twice a.", "Give the double of a."))
    after = keys_of(load_assignment(str(both_folder)), OPTIONS)
    changed = {name for name in after.criteria if after.criteria[name] != before.criteria[name]}
    assert changed == {"1b"}
    assert after.whole != before.whole


def test_written_checks_start_no_process(essay):
    assert check_files(essay)[0].fixtures.isdisjoint({"student", "sandbox", "rerun"})


def test_the_solution_is_asked_everything(both_folder, examples):
    solution(both_folder)
    found = findings(both_folder)
    assert found["reference"].problems == ()
    assert found["reference"].lost == {}


def test_a_solution_without_answers_is_a_problem(both_folder, examples):
    solution(both_folder, answers="")
    assert any(
        "`1b` loses 4.00" in problem for problem in findings(both_folder)["reference"].problems
    )


def test_an_example_without_answers_is_not_asked_them(both_folder, examples):
    solution(both_folder)
    examples(
        "wrong-code",
        'why = "adds"\n[lost]\ndouble = 4\nanswer = 2\n',
        work_py="def double(x):\n    return x + 2\n",
    )
    assert findings(both_folder)["wrong-code"].problems == ()


def test_an_example_with_answers_is_asked_them(both_folder, examples):
    solution(both_folder)
    answers = "## 1b\nformula: half\ntext: because\n"
    expected = 'why = "w"\nonly = "written"\n[lost]\n"1b" = 1\n[check]\n"1b/machine" = 0.5\n'
    examples("half", expected, answers_md=answers)
    examples("expects-too-much", 'why = "w"\nonly = "1b"\n', answers_md=answers)
    examples(
        "expects-no-person", f'{expected}"1b/review" = 1\n"2/machine" = 1\n', answers_md=answers
    )
    found = findings(both_folder)
    assert found["half"].problems == ()
    assert found["half"].lost == {"1b": 1}
    assert "loses 1.00, expected 0.00" in found["expects-too-much"].problems[0]
    assert found["expects-no-person"].problems == (
        "`1b/review` needs manual grading, expected 1.00",
        "there is no check `2/machine`; did you mean `1b/machine`?",
    )


def test_an_assignment_without_code_validates(essay_folder, examples, monkeypatch):
    (essay_folder / "solution").mkdir()
    answers = "## 1a\nB\n## 1b\nformula: 2*a\ntext: t\n## 1c.i\nq1: a\nq2: b\n## Q2.1\nt\n"
    (essay_folder / "solution" / "answers.md").write_text(answers)
    assert findings(essay_folder)["reference"].problems == ()
    (essay_folder / "solution" / "answers.md").write_text(answers.replace("B", "C"))
    assert "`1a` loses 1.00" in findings(essay_folder)["reference"].problems[0]


def test_a_demo_shows_code_and_answers_apart(both_folder, examples):
    examples("code", 'why = "w"\n', work_py="")
    examples("answers", 'why = "w"\nonly = "written"\n', answers_md="")
    examples("both", 'why = "w"\n', work_py="", answers_md="")
    task = load_assignment(str(both_folder))
    folders = sorted((both_folder / "examples").iterdir())
    code, written = examples_by_part(task, folders)
    assert (code.name, code.only) == ("", {"double", "answer"})
    assert [path.name for path in code.folders] == ["both", "code"]
    assert (written.name, written.only) == ("written", {"1b"})
    assert [path.name for path in written.folders] == ["answers", "both"]


def test_without_questions_a_demo_has_one_part(tiny, examples):
    examples("code", 'why = "w"\n', work_py="")
    parts = examples_by_part(tiny, [tiny.folder / "examples" / "code"])
    assert [(part.only, len(part.folders)) for part in parts] == [(None, 1)]
