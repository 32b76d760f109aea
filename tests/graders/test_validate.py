"""Planted examples are found where an author can put them, and alter no stored Result."""

from graders.address import files_key
from graders.discovery import load_assignment
from graders.validate import example_folders


def plant(folder, name):
    example = folder / "examples" / name
    example.mkdir(parents=True)
    (example / "expected.toml").write_text('why = "planted"\n')
    return example


def test_examples_lie_in_the_folder_of_an_assignment(tiny, tiny_folder):
    assert example_folders(tiny) == []
    wrong, right = plant(tiny_folder, "wrong"), plant(tiny_folder, "right")
    (tiny_folder / "examples" / "no-example").mkdir()
    assert example_folders(tiny) == [right, wrong]


def test_own_examples_join_the_bundled_ones(tiny_folder):
    file = tiny_folder / "assignment.toml"
    file.write_text(file.read_text().replace('"tiny"', '"cs224n-a4"'))
    own = plant(tiny_folder, "correct-plain")
    found = example_folders(load_assignment(str(tiny_folder)))
    assert own in found
    assert len(found) > 100
    assert len({path.name for path in found}) == len(found)


def test_planting_an_example_alters_no_result(tiny, tiny_folder):
    before = files_key(tiny)
    plant(tiny_folder, "wrong")
    assert files_key(tiny) == before
