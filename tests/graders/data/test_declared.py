import hashlib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grade
from graders.data.declared import FILE, differences, refuse_other_data
from graders.errors import UsageError
from graders.execution.doctor import examine
from graders.registry.discovery import assignment_names, load_assignment
from reference.data.world import write_world
from tests.conftest import append

A4 = load_assignment("cs224n-a4")


@pytest.fixture
def world(tmp_path):
    write_world(tmp_path / "data")
    return tmp_path / "data"


def test_a_course_with_other_data_declares_it(world):
    refuse_other_data(A4, world)
    refuse_other_data(A4, None)
    (world / "birth_test.tsv").unlink()  # what is missing is not compared
    refuse_other_data(A4, world)
    (world / FILE).unlink()
    with pytest.raises(UsageError, match=r"wiki\.txt has 401 rows; expected 2,937") as error:
        refuse_other_data(A4, world)
    assert "[data_files]" in error.value.hint
    assert str(world / FILE) in error.value.hint


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "", "has 0 rows; expected 60"),
        (lambda text: text[: len(text) // 2], r"has \d+ rows; expected 60"),
        (lambda text: text.replace("\t", " ", 1), "line 1 has 1 columns; expected 2"),
        (lambda text: text.replace("Where", "There", 1), "its content has changed"),
    ],
)
def test_what_is_not_as_declared_is_one_sentence(world, change, said):
    file, declared = world / "birth_dev.tsv", world / FILE
    content = file.read_bytes()
    digest = hashlib.sha256(content.rstrip(b"\n")).hexdigest()
    line = f'"birth_dev.tsv" = {{ rows = 60, columns = 2, sha256 = "{digest}" }}'
    declared.write_text(f"[data_files]\n{line}\n")
    refuse_other_data(A4, world)
    file.write_bytes(b"\xef\xbb\xbf" + content.rstrip(b"\n").replace(b"\n", b"\r\n"))
    refuse_other_data(A4, world)  # as some editors save it
    file.write_text(change(content.decode()))
    with pytest.raises(UsageError, match=said):
        refuse_other_data(A4, world)


@pytest.mark.parametrize("text", ["[data_files", "[files]\n", '[data_files]\n"a" = { row = 3 }\n'])
def test_a_declaration_that_cannot_be_read_is_named(world, text):
    (world / FILE).write_text(text)
    with pytest.raises(UsageError, match=r"data\.toml"):
        refuse_other_data(A4, world)


def test_doctor_compares_the_files_of_an_authors_assignment(tmp_path, tiny):
    text = (tiny.folder / "assignment.toml").read_text()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "checks.py").touch()
    declared = 'data = "files"\n' + text + '\n[data_files]\n"gold.csv" = { rows = 3 }\n'
    (tmp_path / "own" / "assignment.toml").write_text(declared)
    (tmp_path / "gold.csv").write_text("1\n2\n")
    symptoms = examine(tmp_path, str(tmp_path / "own"))
    data = next(symptom for symptom in symptoms if symptom.name == "data")
    assert not data.good
    assert "gold.csv has 2 rows; expected 3" in data.state


def test_doctor_and_grading_say_it_before_anything_is_graded(world, tmp_path):
    append(world / "birth_dev.tsv", "Where was Nobody born?\tNowhere\n")
    data = next(symptom for symptom in examine(world) if symptom.name == "data")
    assert not data.good
    assert "birth_dev.tsv has 61 rows; expected 60" in data.state
    (tmp_path / "uploads" / "ada").mkdir(parents=True)
    (tmp_path / "uploads" / "ada" / "dataset.py").write_text("")
    out = tmp_path / "out"
    for words in (
        ("batch", "cs224n-a4", tmp_path / "uploads", "--out", out),
        ("check", tmp_path / "uploads/ada", "--assignment", "cs224n-a4"),
    ):
        command = [*map(str, words), "--data", str(world)]
        with pytest.raises(UsageError, match=r"birth_dev\.tsv has 61 rows; expected 60"):
            CliRunner().invoke(grade.app, command, catch_exceptions=False)
    assert not out.exists()


@pytest.mark.skipif(
    not (COURSE := Path(__file__).parents[4] / "shared" / "data").is_dir(),
    reason="the course's files are not here",
)
@pytest.mark.parametrize("name", assignment_names())
def test_the_courses_own_files_are_as_declared(name):
    task = load_assignment(name)
    folder = {"sst2": "sst2", "boolq": "boolq", "birthplaces": "birthplaces"}[task.data]
    assert list(differences(task, COURSE / folder)) == []
