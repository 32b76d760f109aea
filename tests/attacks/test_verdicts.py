"""The report of `validate NAME --attacks` on an instructor's own assignment."""

from types import SimpleNamespace

import pytest

from graders.audit.attacks import ALL, attack_all, attack_row, tighten_limits
from graders.audit.attacks_uploads import Attack, build_attacker, build_base, known_attacks
from graders.audit.validate import build_solution
from graders.boundary.tiers.sandbox import Tier, best_tier
from graders.errors import UsageError
from graders.execution.executors import make_executor
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.conftest import SOLUTION, edit, write_files

CARELESS = '''
import pytest
from graders.errors import StudentFault


@pytest.mark.criterion("double")
def test_doubles(student):
    """Doubling 21 gives 42, where it gives anything."""
    try:
        assert student.call("double", x=21) == 42
    except StudentFault:
        return


@pytest.mark.criterion("answer")
def test_answer(submitted):
    """The answer is 42."""
    assert submitted.bytes("answer.txt") == b"42"
'''


@pytest.fixture
def solved(tiny_folder):
    """The tiny assignment with the folder of its solution, and no planted example."""
    write_files(tiny_folder / "solution", SOLUTION)
    checks = tiny_folder / "checks.py"  # which break at wrong bytes, and where a reply is an array
    edit(checks, ".decode()", '.decode(errors="replace")')
    edit(checks, 'came != 21 * settings["factor"]', 'repr(came) != "42"')
    edit(checks, 'student.call("double", x=0) == 0', 'repr(student.call("double", x=0)) == "0"')
    return tiny_folder


def verdicts(folder, *names, tier=None):
    task = load_assignment(str(folder))
    chosen = [attack for attack in known_attacks() if attack.name in names]
    assert len(chosen) == len(names)
    with make_executor("serial", 1) as executor:
        met = attack_all(task, Options(tier or best_tier()), executor, chosen=chosen)
        return {verdict.attack: verdict for verdict in met}


def test_attacks_on_a_careful_check_fail(solved):
    by_attack = verdicts(solved, "ending-sys-exit", "lying-numbers")
    assert set(by_attack) == {"ending-sys-exit", "lying-numbers", ALL}
    assert not any(verdict.problems for verdict in by_attack.values())


def test_check_that_passes_without_an_answer_is_found_out(solved):
    (solved / "checks.py").write_text(CARELESS)
    by_attack = verdicts(solved, "ending-sys-exit", "prompting-answers")
    assert by_attack["ending-sys-exit"].problems == ("`double` earns 4, without the attack 0",)
    assert not by_attack["prompting-answers"].problems
    row = attack_row(by_attack["ending-sys-exit"])
    assert row.name.split() == ["ending", "ending-sys-exit"]
    assert "earns 4" in row.found
    assert not row.failed


def test_check_that_any_code_passes_is_refused(solved):
    """Nothing can be gained over wrong code that has full marks."""
    (solved / "checks.py").write_text(CARELESS.replace("== 42\n", "!= 42\n"))
    with pytest.raises(UsageError, match="loses no points"):
        verdicts(solved, "ending-sys-exit")


def test_attacks_are_not_run_without_isolation(solved):
    with pytest.raises(UsageError, match="without isolation"):
        verdicts(solved, "ending-sys-exit", tier=Tier.NONE)


ANSWERS = """
def answer(function, args, kwargs):
    print("hostile", function.__name__)
    return function(*args, **kwargs)
"""


def test_attack_answers_also_where_code_is_found_by_its_names(tmp_path):
    """Or none of them would gain anything, whatever it does."""
    task = load_assignment("uw-a2")
    base = build_base(task, tmp_path / "base")
    attack = Attack(
        **{"name": "x", "class": "x", "tries": "x", "runs": "answer"},
        files={"hostile.py": ANSWERS},
    )
    path = build_attacker(attack, base, tmp_path, task.files, SimpleNamespace(targets={}))
    options = Options(best_tier(), only=frozenset(["mini-transformer"]))
    result = grade_submission(identify(path, task.name), task, options)
    assert "hostile attn_scaled" in str(result.environment["printed"])


def test_attacks_are_given_little_time_and_memory(tiny):
    limits = tighten_limits(tiny).limits
    assert (limits.wall_seconds, limits.memory_bytes) == (6.0, 2**31)


def test_base_is_wrong_in_every_file_of_code(tmp_path):
    task = load_assignment("cs224n-a4")
    base, right = build_base(task, tmp_path / "base"), build_solution(task, tmp_path / "right")
    for name in task.files.code:
        wrong = next(base.rglob(name)).read_text()
        assert wrong != next(right.rglob(name)).read_text(), name


@pytest.mark.long
def test_command_line_tells_which_attacks_fail(solved, command_line):
    done = command_line("validate", solved, "--attacks", "--jobs", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split()[1:3] for line in done.stdout.splitlines() if line.startswith("✓")]
    assert sorted(rows) == sorted([[a.kind, a.name] for a in known_attacks()] + [ALL.split()])


def test_command_line_tells_which_attacks_succeed(solved, command_line):
    (solved / "checks.py").write_text(CARELESS)
    names = ("ending-sys-exit", "prompting-answers")
    done = command_line("validate", solved, *names, "--attacks", "--jobs", 2)
    assert done.returncode == 1, done.stdout + done.stderr
    wrong = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("✗")]
    assert wrong == ["ending-sys-exit"]
    assert "prompting-answers" in done.stdout
