"""The files that a child may read, none of which remain afterwards."""

import contextlib
import os

import pytest

from graders.boundary.side import Side
from graders.boundary.stage import Stage


def test_stage_takes_regular_files_only(tmp_path):
    upload = tmp_path / "upload"
    (upload / "package").mkdir(parents=True)
    (upload / "package" / "m.py").write_text("x = 1\n")
    (upload / "way").symlink_to("/etc/passwd")
    (upload / "ways").symlink_to("/etc")
    os.mkfifo(upload / "pipe")
    with contextlib.closing(Stage(upload, None, None)) as stage:
        code = stage.layout.code
        paths = sorted(str(path.relative_to(code)) for path in code.rglob("*"))
        assert paths == ["package", "package/m.py"]
        assert stage.root.stat().st_mode & 0o077 == 0
    assert not stage.root.exists()


def staged(folder, kind):
    """What a child could import beside the student's code, by path without suffix."""
    for name in ("student_side", "student_data", "oracle", "checks", "deep/oracle_steps"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.py").touch()
    (folder / "deep" / "__init__.py").touch()
    (folder / "data").mkdir()
    (folder / "data" / "student_no_package.py").touch()
    with contextlib.closing(Stage(None, Side(folder, kind), None)) as stage:
        runtime = stage.layout.runtime
        return {str(path.relative_to(runtime).with_suffix("")) for path in runtime.rglob("*.pyc")}


STUDENT = {"student_side", "student_data"}


def assigned(beside):
    prefix = "graders/assignment/"
    return {path.removeprefix(prefix) for path in beside if path.startswith(prefix)}


def test_the_oracle_and_the_reference_are_kept_from_students(tmp_path):
    beside = staged(tmp_path, "student")
    assert assigned(beside) == STUDENT
    assert "graders/adapting/__init__" in beside
    assert not [path for path in beside if "oracle" in path or path.startswith("reference")]


def test_an_oracle_may_import_the_student_side_and_the_reference(tmp_path):
    beside = staged(tmp_path, "oracle")
    assert assigned(beside) == {*STUDENT, "oracle", "deep/oracle_steps"}
    assert {"graders/adapting/__init__", "reference/models/attention"} <= beside
    assert not [path for path in beside if path.startswith("reference/training")]


def test_stage_is_removed_when_it_cannot_be_filled(tmp_path):
    (tmp_path / "student_side.py").touch()
    side = Side(tmp_path)
    assert side.files
    (tmp_path / "student_side.py").unlink()
    before = set(tmp_path.parent.iterdir())
    with pytest.raises(FileNotFoundError):
        Stage(None, side, None)
    assert set(tmp_path.parent.iterdir()) == before
