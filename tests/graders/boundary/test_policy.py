"""The table of what a child sees, lacks and may use."""

import sys
from pathlib import Path

import pytest

from graders.boundary import policy
from tests.graders.boundary.conftest import LIMITS


def test_environment_inherits_nothing(monkeypatch):
    monkeypatch.setenv("SOFTMARK_CANARY", "x")
    monkeypatch.setenv("PYTHONPATH", "x")
    found = policy.environment(Path("/scratch"))
    assert not {"SOFTMARK_CANARY", "PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH"} & set(found)
    assert found["HOME"] == found["TMPDIR"] == "/scratch"


def test_processes_are_limited_above_those_that_run():
    assert policy.rlimits(LIMITS, processes_before=10)["RLIMIT_NPROC"] == 10 + LIMITS.processes


def test_interpreter_and_libraries_are_visible():
    seen = policy.visible()
    for needed in (Path(sys.prefix) / "lib", Path(sys.base_prefix) / "lib"):
        assert any(needed == path for path in seen)


@pytest.mark.parametrize("secret", ["/", "/root", "/home", "/etc", "/tmp", "/var", "/proc", "/run"])
def test_nothing_else_is_visible(secret):
    assert Path(secret) not in policy.visible()


def test_parents_come_before_children():
    lengths = [len(path.parts) for path in policy.visible()]
    assert lengths == sorted(lengths)


def test_repository_inside_visible_folders_is_hidden():
    root = Path(policy.__file__).resolve().parents[2]
    assert policy.hidden((root.parent,)) == (root,)
    assert policy.hidden((root / ".venv",)) == ()
