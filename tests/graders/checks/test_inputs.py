"""The inputs of checks depend only on the draw and the purpose."""

import importlib
import textwrap
from pathlib import Path

import pytest
from hypothesis.internal.conjecture.providers import HypothesisProvider, _get_local_constants

from graders.boundary.tiers.sandbox import best_tier
from graders.checks.inputs import PUBLIC, Inputs
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify

SECRET = 0x0123456789ABCDEF0123456789ABCDEF
ASKING = '''
import pytest
from hypothesis import given, strategies as st
from graders.checks.compare import fail


@pytest.mark.criterion("double")
def test_doubles(student, inputs, score):
    """Doubling a number gives it twice."""
    asked = inputs.random("numbers").randint(0, 10**9)
    score.note(f"{asked} {student.call('draw')}")


@pytest.mark.criterion("answer")
@given(number=st.integers(0, 10**12))
def test_answer(submitted, number):
    """Every number is below a million."""
    if number > 1_000_000:
        seen.append(number)


seen = []


@pytest.mark.criterion("answer")
def test_seen(score):
    """What was drawn before is told."""
    score.note(str(seen))
'''
DRAWING = """
import random


def draw():
    return random.random()
"""


def drawn(inputs):
    numbers = [inputs.random("a").random(), inputs.generator("a").random(), inputs.seed("a")]
    return [float(number) for number in numbers]


def test_equal_draw_and_purpose_give_equal_inputs():
    assert drawn(Inputs(SECRET, 7)) == drawn(Inputs(SECRET, 7))
    assert Inputs(SECRET).seed("a", (1, 2)) == Inputs(SECRET).seed("a", (1, 2))


@pytest.mark.parametrize("other", [Inputs(PUBLIC, 7), Inputs(SECRET - 1, 7), Inputs(SECRET, 8)])
def test_another_draw_gives_other_inputs(other):
    assert not {*drawn(Inputs(SECRET, 7))} & {*drawn(other)}


def test_purposes_are_told_apart():
    inputs = Inputs(SECRET)
    purposes = [("a",), ("b",), ("a", 1), ("a", "1"), ("a", (1, 2)), (("a", 1), 2), ()]
    assert len({inputs.seed(*purpose) for purpose in purposes}) == len(purposes)


def test_secret_stands_in_no_representation():
    for value in (Inputs(SECRET), Options(best_tier(), inputs_seed=SECRET)):
        assert not any(form in repr(value) for form in (str(SECRET), f"{SECRET:x}", "inputs_seed"))


@pytest.fixture
def notes(tiny_folder, hand_in):
    """What the checks and the student's code drew, under a draw."""
    (tiny_folder / "checks.py").write_text(ASKING)
    (tiny_folder / "student_side.py").write_text(textwrap.dedent(DRAWING))
    folder = hand_in(work_py="", answer_txt="42")

    def grade(draw):
        task, options = load_assignment(str(tiny_folder)), Options(best_tier(), inputs_seed=draw)
        result = grade_submission(identify(folder, task.name), task, options)
        assert result.status == "graded", result.environment
        return {c.id: c.message for criterion in result.criteria for c in criterion.checks}

    return grade


def test_checks_and_child_draw_from_the_secret(notes):
    """The same for the same secret; and hypothesis, too, which is derandomized."""
    public, secret, again, other = map(notes, (PUBLIC, SECRET, SECRET, SECRET + 1))
    assert secret == again
    for name in ("doubles", "seen"):
        assert len({messages[name] for messages in (public, secret, other)}) == 3
    children = {messages["doubles"].split()[1] for messages in (public, secret, other)}
    assert len(children) == 3


def test_draws_do_not_depend_on_what_is_imported(notes, tiny_folder, tmp_path, monkeypatch):
    """By itself, hypothesis also draws constants from the source of imported modules."""
    as_usual = property(lambda _: _get_local_constants())  # unlike in other tests
    monkeypatch.setattr(HypothesisProvider, "_local_constants", as_usual)
    checks = tiny_folder / "checks.py"
    text = checks.read_text().replace("import given", "import given, settings")
    checks.write_text(text.replace("@given", "@settings(max_examples=400)\n@given"))
    before = notes(SECRET)
    (tmp_path / "constants.py").write_text(f"NUMBERS = {[*range(10**9, 10**9 + 200)]}")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("constants")
    assert notes(SECRET) == before


@pytest.mark.parametrize("file", sorted(ASSIGNMENTS.glob("*/*.py")), ids=lambda file: file.stem)
def test_hypothesis_is_seeded_wherever_checks_use_it(file):
    """A `given` inside a check is not seen by the plugin: it must be seeded by hand."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.strip().startswith("@given("):
            assert any("@seed(" in above for above in lines[max(0, number - 3) : number]), number
