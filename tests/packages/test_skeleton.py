"""`new` writes an assignment that loads, under the name of its folder."""

import pytest

from graders.errors import UsageError
from graders.registry.check_files import collected
from graders.registry.discovery import load_assignment
from packages.skeleton import write_skeleton


def test_a_new_assignment_has_its_folders_name_and_checks(tmp_path):
    written = write_skeleton(tmp_path / "my task")
    task = load_assignment(str(tmp_path / "my task"))
    assert task.name == "my task"
    assert {each.check.criterion for each in collected(task)} == {"rows", "shift"}
    assert tmp_path / "my task" / "solution" / "work.py" in written


def test_a_folder_that_exists_is_not_touched(tmp_path):
    with pytest.raises(UsageError, match="exists already"):
        write_skeleton(tmp_path)
    assert not list(tmp_path.iterdir())
