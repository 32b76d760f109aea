"""`validate` names what an author got wrong in checks, examples and the student side."""

import pytest

from graders.audit.validate import validate
from graders.boundary.tiers.sandbox import best_tier
from graders.errors import UsageError
from graders.execution.executors import make_executor
from graders.grading.options import Options
from graders.registry.discovery import load_assignment
from tests.conftest import SOLUTION, edit, write_files

NAMING = """
    if came != 42:
        mistake = Mistake("times-three", "It is times three", "f(x) = 2x")
        fail("The product is wrong.", hint=mistake.hint)
"""


@pytest.mark.parametrize(
    ("mistakes", "problems"),
    [("", 0), ("mistakes = []", 1), ('mistakes = ["times-three"]', 0)],
)
def test_hint_may_name_only_planted_mistakes(tiny_folder, mistakes, problems):
    checks = next(tiny_folder.glob("checks*.py"))
    before, rest = checks.read_text().split('    if came != 21 * settings["factor"]:', 1)
    rest = rest.split("\n\n", 1)[1]
    head = "from graders.checks.mistakes import Mistake\n"
    checks.write_text(f"{head}{before}{NAMING}\n\n{rest}")
    expected = f'why = "x"\n{mistakes}\n[lost]\ndouble = 4\n'
    wrong = {"work.py": "def double(x):\n    return 3 * x\n", "answer.txt": "42"}
    write_files(tiny_folder / "examples" / "wrong", {**wrong, "expected.toml": expected})
    findings = {finding.name: finding for finding in validated(tiny_folder)}
    assert len(findings["wrong"].problems) == problems, findings["wrong"].problems


def validated(folder):
    """What validate finds in the solution of the tiny assignment."""
    write_files(folder / "solution", SOLUTION)
    with make_executor("serial", 1) as pool:
        task = load_assignment(str(folder))
        return list(validate(task, Options(best_tier()), pool))


AUTHORS_ERRORS = [
    ("1 / 0", "ZeroDivisionError: division by zero"),
    ("score.partial(3 + 0.5, 'x')", "ValueError: a fraction must be between 0 and 1, not 3.5"),
    ("is_close(1, 1, 'exat')", "ValueError: no operation `exat`; did you mean `exact`?"),
    ("student.call('duble')", "no student file of tiny defines a function `duble`"),
]


@pytest.mark.parametrize(("line", "said"), AUTHORS_ERRORS)
def test_an_error_in_a_check_is_said_with_its_line(tiny_folder, line, said):
    edit(tiny_folder / "checks.py", "import fail", "import fail, is_close")
    edit(tiny_folder / "checks.py", "(student, settings)", "(student, settings, score)")
    edit(tiny_folder / "checks.py", "    came = ", f"    {line}\n    came = ")
    (finding,) = validated(tiny_folder)
    number = (tiny_folder / "checks.py").read_text().split(line)[0].count("\n") + 1
    assert f"doubles: checks.py, line {number}: {said}" in finding.problems


def test_a_student_side_that_does_not_import_is_said_with_its_line(tiny_folder):
    edit(tiny_folder / "student_side.py", "def double", "nope\n\n\ndef double")
    (finding,) = validated(tiny_folder)
    assert "name 'nope' is not defined" in " ".join(finding.problems)
    assert "student_side.py, line 2" in " ".join(finding.problems)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("def test_doubles(", "def test_doubles((", r"checks\.py, line \d+: SyntaxError"),
        ("import pytest", "import pitest", r"checks\.py, line \d+: ModuleNotFoundError"),
        ("weight=3", "weight=-3", r"weight is -3; it must be a number"),
        ("weight=3", "weight='two'", r"weight is 'two'; it must be a number"),
        ("weight=3", "wieght=3", r"no `wieght`; did you mean `weight`\?"),
        ('("doubles",)', '("dobles",)', r"which is not a check; did you mean `doubles`"),
        ('("doubles",)', '"doubles"', r"depends_on is a string; it must be a tuple"),
        ("weight=3", "depends_on=('doubles-zero',)", r"`doubles-zero`, which is not above"),
        ("weight=3", "weight=3, id='doubles-zero'", "two checks have the id `doubles-zero`"),
        ("(student, settings)", "(studnet, settings)", r"no fixture; did you mean `student`"),
    ],
)
def test_a_mistake_in_a_check_stops_before_grading(tiny_folder, old, new, said):
    edit(tiny_folder / "checks.py", old, new)
    with pytest.raises(UsageError, match=said):
        validated(tiny_folder)


def test_a_student_side_that_does_not_compile_stops_before_grading(tiny_folder):
    edit(tiny_folder / "student_side.py", "def double(", "def double((")
    with pytest.raises(UsageError, match=r"student_side\.py, line \d+: SyntaxError"):
        validated(tiny_folder)
