"""`grade.py pipeline` refuses what it does not know in one line, before it trains."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--variants", "rope,alibi"], "there is no `alibi`"),
        (["--variants", ""], "--variants"),
        (["--preset", "large"], "there is no `large`"),
        (["--device", "tpu"], "there is no device `tpu`"),
        (["--precision", "fp8"], "there is no precision `fp8`"),
        (["--data", "nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_unknown_option_is_one_line(tmp_path, options, said):
    command = [sys.executable, "grade.py", "pipeline", "--out", str(tmp_path / "out"), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
