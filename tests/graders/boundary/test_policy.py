"""The table of what a child sees, lacks and may use."""

import sys
from pathlib import Path

import pytest

from graders.boundary import policy
from tests.graders.boundary.conftest import LIMITS


def test_environment_inherits_nothing_and_processes_are_limited(monkeypatch):
    monkeypatch.setenv("SOFTMARK_CANARY", "x")
    monkeypatch.setenv("PYTHONPATH", "x")
    found = policy.environment(Path("/scratch"))
    assert not {"SOFTMARK_CANARY", "PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH"} & set(found)
    assert found["HOME"] == found["TMPDIR"] == "/scratch"
    assert policy.rlimits(LIMITS, processes_before=10)["RLIMIT_NPROC"] == 10 + LIMITS.processes


def test_interpreter_is_visible_and_the_repository_hidden():
    seen = policy.visible()
    for needed in (Path(sys.prefix) / "lib", Path(sys.base_prefix) / "lib"):
        assert any(needed == path for path in seen)
    lengths = [len(path.parts) for path in policy.visible()]
    assert lengths == sorted(lengths)
    root = Path(policy.__file__).resolve().parents[2]
    assert policy.hidden((root.parent,)) == (root,)
    assert policy.hidden((root / ".venv",)) == ()


@pytest.mark.parametrize("secret", ["/", "/root", "/home", "/etc", "/tmp", "/var", "/proc", "/run"])
def test_nothing_else_is_visible(secret):
    assert Path(secret) not in policy.visible()
