"""Assignments are found by name or path, and an invalid file gives one clear sentence."""

import pytest

from graders.errors import UsageError
from graders.registry.discovery import assignment_names, load_assignment


def edit(folder, old, new):
    file = folder / "assignment.toml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_a_folder_is_read(tiny):
    assert (tiny.name, tiny.version, tiny.seed) == ("tiny", 3, 7)
    assert [(c.id, c.points, c.kind) for c in tiny.rubric] == [
        ("double", 4.0, "code"),
        ("answer", 2.0, "metric"),
    ]
    assert tiny.settings["factor"] == 2
    assert tiny.files.code == ("work.py",)


def test_the_bundled_assignment_is_found_by_name_and_an_unknown_name_lists_it():
    assert "cs224n-a4" in assignment_names()
    assert sum(c.points for c in load_assignment("cs224n-a4").rubric) == 60
    with pytest.raises(UsageError, match="no assignment `cs999`") as caught:
        load_assignment("cs999")
    assert "`cs224n-a4`" in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version = 3", "version = 3\ncolour = 1", "`colour`"),
        ("points = 4", "points = -4", "`points` is -4; it must be at least 0"),
        ("wall_seconds = 10", "wall_seconds = 'long'", "limits: `wall_seconds` is"),
        ('id = "answer"', 'id = "double"', "duplicate criterion id `double`"),
        ("seed = 7", "seed = ", "assignment.toml"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tiny_folder, old, new, says):
    edit(tiny_folder, old, new)
    with pytest.raises(UsageError, match="assignment.toml") as caught:
        load_assignment(str(tiny_folder))
    assert says in str(caught.value)
