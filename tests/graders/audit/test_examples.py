"""Planted examples are built from edits; those that cannot be built are refused by name."""

import pytest

from graders.audit.examples import example_names, expectation, write_examples
from graders.errors import UsageError
from graders.grading.cache_key import files_key
from graders.registry.discovery import assignment_names, load_assignment
from tests.conftest import RIGHT, SOLUTION, write_files

THREE = """[[example]]
name = "wrong-three"
why = "It is \\"three\\" times."
lost = { double = 4 }
mistakes = []
edits = [{ file = "work.py", old = "2 *", new = "3 *" }]
"""


@pytest.fixture
def plant(tiny_folder, tiny, tmp_path):
    """Writes examples.toml and lays its examples out; returns the files of each, by name."""
    write_files(tiny_folder / "solution", SOLUTION)

    def lay_out(text):
        (tiny_folder / "examples.toml").write_text(text)
        return {
            folder.name: {
                path.relative_to(folder).as_posix(): path.read_text()
                for path in folder.rglob("*")
                if path.is_file() and path.name != "expected.toml"
            }
            for folder in write_examples(tiny, tmp_path / "laid-out")
        }

    return lay_out


def test_an_edit_changes_the_solution_and_what_is_expected_is_beside_it(plant, tiny, tmp_path):
    files = plant(THREE)
    assert files == {"wrong-three": {"work.py": RIGHT.replace("2 *", "3 *"), "answer.txt": "42"}}
    expected = expectation(tmp_path / "laid-out" / "wrong-three", tiny)
    assert (expected.why, expected.lost) == ('It is "three" times.', {"double": 4.0})
    assert (expected.mistakes, expected.hint) == ([], {})


def test_an_example_is_made_of_another_one(plant):
    more = """[[example]]
name = "right-four"
why = "x"
of = "wrong-three"
without = ["answer.txt"]
edits = [
    { file = "work.py", old = "3 *", new = "4 *" },
    { file = "work.py", old = "4 * x", new = "2 * x" },
]
[example.files]
"notes/read.me" = "new"
"""
    assert plant(THREE + more)["right-four"] == {"work.py": RIGHT, "notes/read.me": "new"}


def test_files_in_a_folder_join_and_a_folder_can_be_a_base(plant, tiny_folder):
    for name in ("base", "right-base"):
        (tiny_folder / "examples" / name).mkdir(parents=True)
        (tiny_folder / "examples" / name / f"{name}.txt").write_text(name)
    files = plant('[[example]]\nname = "right-base"\nwhy = "x"\nof = "base"\n')
    assert files == {"right-base": {"base.txt": "base", "right-base.txt": "right-base"}}


def test_a_folder_with_its_own_expectation_is_an_example(plant, tiny, tiny_folder):
    plain = {"expected.toml": 'why = "x"\n', "work.py": RIGHT}
    write_files(tiny_folder / "examples" / "plain", plain)
    assert plant(THREE)["plain"] == {"work.py": RIGHT}
    assert example_names(tiny) == ["plain", "wrong-three"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (THREE.replace("2 *", "9 *"), "'9 [*]' occurs 0 times in work.py"),
        (THREE.replace('"2 *"', '"e"'), "occurs 3 times in work.py"),
        (THREE.replace('"work.py"', '"other.py"'), "occurs 0 times in other.py"),
        (THREE + 'of = "nobody"\n', "there is no example `nobody`"),
        (THREE + 'of = "wrong-three"\n', "based on itself"),
        (THREE + 'without = ["none.py"]\n', "`solution` has no file `none.py`"),
        (THREE + "color = 3\n", "color"),
        (THREE + THREE, "not a unique name"),
        (THREE.replace('"wrong-three"', '"../three"'), "not a unique name"),
        (THREE + "[", "examples.toml"),
    ],
)
def test_malformed_examples_are_refused(plant, text, words):
    with pytest.raises(UsageError, match=words):
        plant(text)


def test_planting_an_example_alters_no_result(plant, tiny):
    before = files_key(tiny)
    plant(THREE)
    (tiny.folder / "examples" / "wrong").mkdir(parents=True)
    (tiny.folder / "examples" / "wrong" / "expected.toml").write_text('why = "planted"\n')
    assert files_key(tiny) == before


@pytest.mark.parametrize("name", assignment_names())
def test_bundled_examples_expect_only_what_their_rubric_has(name, tmp_path):
    task = load_assignment(name)
    folders = write_examples(task, tmp_path)
    assert len(folders) >= 7
    for folder in folders:
        assert expectation(folder, task).why
