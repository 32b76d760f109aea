"""`grade.py pipeline` refuses unknown options in one line, before it trains."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_unknown_option_is_one_line(tmp_path):
    assert_misuse(tmp_path, ["--variants", "rope,alibi"], "there is no `alibi`")


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--variants", ""], "--variants"),
        (["--precision", "fp8"], "there is no precision `fp8`"),
        (["--methods", "full"], "--methods is not an option of the pipeline of cs224n-a4"),
        (["--preset", "large"], "there is no `large`"),
        (["--device", "tpu"], "there is no device `tpu`"),
        (["--data", "nowhere"], "nowhere: there is no such folder"),
        (["--backbone", "tiny"], "--backbone is not an option of the pipeline of cs224n-a4"),
        (["--assignment", "cs224n-a5"], "cs224n-a5 asks for no code, so there is no pipeline"),
        (["--assignment", "nonsense"], "there is no assignment `nonsense`"),
        (
            ["--assignment", "uw-a2", "--variants", "rope"],
            "--variants is not an option of the pipe",
        ),
        (
            ["--assignment", "jhu-hw6", "--preset", "demo"],
            "--preset is not an option of the pipeline",
        ),
        (["--assignment", "uw-a2", "--methods", "lora"], "there is no `lora`"),
        (["--assignment", "uw-a2", "--backbone", "nowhere"], "--backbone nowhere: no folder"),
    ],
)
def test_other_wrong_options_are_one_line(tmp_path, options, said):
    assert_misuse(tmp_path, options, said)


def assert_misuse(tmp_path, options, said):
    command = [sys.executable, "grade.py", "pipeline", "--out", str(tmp_path / "out"), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_classifier_trains_on_its_bundled_task(tmp_path):
    """Without any option but the assignment's name, as an instructor would try it first."""
    options = ["--assignment", "uw-a2", "--methods", "full", "--out", str(tmp_path)]
    command = [sys.executable, "grade.py", "pipeline", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "majority  test" in done.stdout
    assert "full.train: 252 steps" in done.stderr
    assert "Full fine-tuning" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert len((tmp_path / "sst2.test.predictions").read_text().split()) == 1000
