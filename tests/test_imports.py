"""The modules that an import loads."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_grading_needs_no_torch_on_the_trusted_side():
    """Importing torch costs 1.4 CPU seconds; only the student's process pays them."""
    code = "import sys, grade; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
