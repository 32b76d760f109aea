"""Verdicts on planted examples are frozen in a file, and every change is reported."""

import json
import shutil

import pytest
from typer.testing import CliRunner

import grade
from graders.checks.inputs import PUBLIC, Inputs
from graders.errors import UsageError
from graders.registry.discovery import load_assignment
from tests.conftest import RIGHT, SOLUTION, append, edit, write_files

WRONG = "def double(x):\n    return 3 * x\n"


@pytest.fixture
def planted(tiny_folder):
    """The tiny assignment with a solution and a wrong example."""
    write_files(tiny_folder / "solution", SOLUTION)
    expected = 'why = "x"\n[lost]\ndouble = 4\n'
    wrong = {"work.py": WRONG, "answer.txt": "42", "expected.toml": expected}
    write_files(tiny_folder / "examples" / "wrong", wrong)
    return tiny_folder


@pytest.fixture
def validated(planted, tmp_path):
    """Runs `validate` on it; returns the exit code and what it printed, as one line."""

    def run(option, file="verdicts.json", *names):
        words = ["validate", str(planted), *names, "--executor", "serial"]
        words += [option, str(tmp_path / file)]
        done = CliRunner().invoke(grade.app, words, catch_exceptions=False)
        return done.exit_code, " ".join(done.output.split())

    return run


def test_unchanged_verdicts_are_as_frozen_and_examples_that_come_and_go_reported(
    validated, planted
):
    assert validated("--freeze")[0] == 0
    assert validated("--frozen")[0] == 0
    examples = planted / "examples"
    (examples / "wrong").rename(examples / "moved")
    code, output = validated("--frozen")
    assert code == 1
    assert "it is new since" in output
    assert "it is frozen, but no longer exists" in output


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Times two.", "Add it twice.", "Times two., is failed, 0.0, Add it twice."),
        ("def test_doubles_zero", "def test_of_zero", "`of-zero` was not there"),
    ],
)
def test_change_that_costs_no_points_is_reported(validated, planted, old, new, said):
    validated("--freeze")
    edit(planted / "checks.py", old, new)
    code, output = validated("--frozen")
    assert code == 1
    assert said in output


def test_named_examples_alone_are_graded_compared_and_frozen(validated, planted, tmp_path):
    examples = planted / "examples"
    shutil.copytree(examples / "wrong", examples / "other")
    validated("--freeze")
    (examples / "other" / "work.py").write_text(RIGHT)
    code, output = validated("--frozen", "verdicts.json", "wrong")
    assert code == 0, output
    assert "other" not in output
    (examples / "other" / "expected.toml").write_text('why = "x"\n')
    assert validated("--freeze", "verdicts.json", "other")[0] == 0
    assert set(json.loads((tmp_path / "verdicts.json").read_text())) == {
        "other", "reference", "wrong",
    }  # fmt: skip
    assert validated("--frozen")[0] == 0


def test_an_unknown_name_is_refused(validated):
    with pytest.raises(UsageError, match="with the name `wrongs`; did you mean `wrong`"):
        validated("--freeze", "verdicts.json", "wrongs")


def test_named_examples_are_not_frozen_beside_verdicts_of_another_solution(validated, planted):
    """The file says of an example only what differs from the solution."""
    validated("--freeze")
    edit(planted / "checks.py", "def test_doubles_zero", "def test_of_zero")
    with pytest.raises(UsageError, match="the solution's verdicts differ"):
        validated("--freeze", "verdicts.json", "wrong")


def test_file_without_verdicts_is_refused_before_anything_is_graded(validated, tmp_path):
    (tmp_path / "odd.json").write_text("[1]")
    for file, words in (("none.json", "cannot be read"), ("odd.json", "contains no verdicts")):
        with pytest.raises(UsageError, match=words):
            validated("--frozen", file)


DRAWN = """

@pytest.mark.criterion("double")
def test_doubles_any(student, inputs):
    \"\"\"A number is doubled.\"\"\"
    x = inputs.random("any").randint(1, 10**9)
    assert student.call("double", x=x, read=int) == 2 * x
"""


def test_other_inputs_show_an_example_that_depends_on_the_public_ones(validated, planted, tmp_path):
    append(planted / "checks.py", DRAWN)
    drawn = Inputs(PUBLIC, load_assignment(str(planted)).seed).random("any").randint(1, 10**9)
    learned = planted / "examples" / "right-learned"
    learned.mkdir()
    (learned / "work.py").write_text(
        f"def double(x):\n    return {{21: 42, {drawn}: {2 * drawn}}}.get(x, 0)\n"
    )
    (learned / "answer.txt").write_text("42")
    (learned / "expected.toml").write_text('why = "x"\n')
    (tmp_path / "secret").write_text("9f" * 32)
    (tmp_path / "secret").chmod(0o600)
    assert validated("--freeze")[0] == 0
    code, output = validated("--inputs", "secret")
    assert code == 1
    assert "✗ right-learned" in output


def test_frozen_verdicts_are_of_public_inputs(planted, tmp_path):
    words = ["validate", str(planted), "--inputs", "secret", "--freeze", str(tmp_path / "v.json")]
    with pytest.raises(UsageError, match="use public inputs"):
        CliRunner().invoke(grade.app, words, catch_exceptions=False)
