"""Verdicts on planted examples are frozen in a file, and every change is reported."""

import pytest
from typer.testing import CliRunner

import grade
from graders.errors import UsageError

WRONG = "def double(x):\n    return 3 * x\n"
RIGHT = "def double(x):\n    return 2 * x\n"


@pytest.fixture
def planted(tiny_folder):
    """The tiny assignment with a solution and a wrong example."""
    for place, text in (("solution", RIGHT), ("examples/wrong", WRONG)):
        folder = tiny_folder / place
        folder.mkdir(parents=True)
        (folder / "work.py").write_text(text)
        (folder / "answer.txt").write_text("42")
    expected = 'why = "x"\n[lost]\ndouble = 4\n'
    (tiny_folder / "examples" / "wrong" / "expected.toml").write_text(expected)
    return tiny_folder


@pytest.fixture
def validated(planted, tmp_path):
    """Runs `validate` on it; returns the exit code and what it printed, as one line."""

    def run(option, file="verdicts.json"):
        words = ["validate", str(planted), "--executor", "serial", option, str(tmp_path / file)]
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
    checks = planted / "checks.py"
    checks.write_text(checks.read_text().replace(old, new))
    code, output = validated("--frozen")
    assert code == 1
    assert said in output


def test_file_without_verdicts_is_refused_before_anything_is_graded(validated, tmp_path):
    (tmp_path / "odd.json").write_text("[1]")
    for file, words in (("none.json", "cannot be read"), ("odd.json", "contains no verdicts")):
        with pytest.raises(UsageError, match=words):
            validated("--frozen", file)
