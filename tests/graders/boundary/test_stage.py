"""What a child is given to read, and that nothing of it stays."""

import os

import pytest

from graders.boundary.stage import Stage


def test_stage_takes_regular_files_only(tmp_path):
    upload = tmp_path / "upload"
    (upload / "package").mkdir(parents=True)
    (upload / "package" / "m.py").write_text("x = 1\n")
    (upload / "way").symlink_to("/etc/passwd")
    (upload / "ways").symlink_to("/etc")
    os.mkfifo(upload / "pipe")
    stage = Stage(upload, None, None)
    try:
        found = sorted(
            str(each.relative_to(stage.layout.code)) for each in stage.layout.code.rglob("*")
        )
        assert found == ["package", "package/m.py"]
        assert stage.root.stat().st_mode & 0o077 == 0
    finally:
        stage.close()
    assert not stage.root.exists()


def staged_beside(folder, name):
    """What a child could import beside the student's code, by path without suffix."""
    (folder / name).write_text("def ask():\n    return 1\n")
    stage = Stage(None, folder / name, None)
    try:
        own = stage.layout.runtime / "adapters"
        return {str(each.relative_to(own).with_suffix("")) for each in own.rglob("*.pyc")}
    finally:
        stage.close()


def test_the_oracle_and_the_reference_are_kept_from_students(tmp_path):
    for name in ("adapters_data.py", "oracle.py", "oracle_steps.py"):
        (tmp_path / name).write_text("")
    beside = staged_beside(tmp_path, "adapters.py")
    assert {"adapters", "adapters_data", "adapting/__init__"} <= beside
    assert not [each for each in beside if each.startswith(("oracle", "reference"))]


def test_the_oracle_stands_in_for_the_adapters(tmp_path):
    (tmp_path / "oracle_steps.py").write_text("")
    beside = staged_beside(tmp_path, "oracle.py")
    assert {"adapters", "oracle_steps", "adapting/__init__", "reference/attention"} <= beside


def test_stage_is_removed_when_it_cannot_be_filled(tmp_path):
    before = set(tmp_path.parent.iterdir())
    with pytest.raises(FileNotFoundError):
        Stage(None, tmp_path / "no" / "adapters.py", None)
    assert set(tmp_path.parent.iterdir()) == before
