"""Planted examples are found where an author may put them, and change no stored Result."""

import pytest

from graders.audit.validate import validate
from graders.boundary.tiers.sandbox import best_tier
from graders.execution.executors import make_executor
from graders.grading.address import files_key
from graders.grading.pipeline import Options
from graders.registry.discovery import load_assignment


def plant(folder, name):
    example = folder / "examples" / name
    example.mkdir(parents=True)
    (example / "expected.toml").write_text('why = "planted"\n')
    return example


def test_planting_an_example_alters_no_result(tiny, tiny_folder):
    before = files_key(tiny)
    plant(tiny_folder, "wrong")
    assert files_key(tiny) == before


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
    example = plant(tiny_folder, "wrong")
    (example / "work.py").write_text("def double(x):\n    return 3 * x\n")
    (example / "answer.txt").write_text("42")
    (example / "expected.toml").write_text(f'why = "x"\n{mistakes}\n[lost]\ndouble = 4\n')
    (tiny_folder / "solution").mkdir()
    (tiny_folder / "solution" / "work.py").write_text("def double(x):\n    return 2 * x\n")
    task = load_assignment(str(tiny_folder))
    with make_executor("serial", 1) as pool:
        found = {each.name: each for each in validate(task, Options(best_tier()), pool, ahead=1)}
    assert len(found["wrong"].problems) == problems, found["wrong"].problems
