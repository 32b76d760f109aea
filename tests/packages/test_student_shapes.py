"""Bundles of assignments with unusual names, and written questions in a bundle."""

import tomllib

import numpy as np
import pytest

from graders.registry.discovery import load_assignment
from graders.written.judgement import Asked, Undecided
from graders.written.loading import questions_in
from graders.written.question import Machine
from graders.written.reading.answers import read_answers
from graders.written.reading.wanted import wanted_of
from graders.written.template import answers_template, quoted
from graders.written.verifiers.later import later
from packages.student.assignment import strip
from packages.student.bundle import bundle_files
from packages.student.rubric import questions_toml
from tests.packages.marked import FILES, write_marked


def test_any_title_and_name_make_a_bundle_that_can_be_read(tmp_path):
    toml = FILES["assignment.toml"].replace('"marked"', '"1 CS/A-2_é"').replace("Double", "𝑥 😀")
    folder = write_marked(tmp_path / "own")
    (folder / "assignment.toml").write_text(toml, encoding="utf-8")
    assignment = load_assignment(str(folder))
    made = bundle_files(assignment, strip(assignment))
    read = tomllib.loads(made["graders/assignments/own_1_CS_A_2_/assignment.toml"].decode())
    assert read["title"].startswith("𝑥 😀")
    project = tomllib.loads(made["pyproject.toml"].decode())["project"]
    assert project["version"].endswith("+1.CS.A.2")


def test_an_empty_answers_file_is_read_as_empty_in_a_bundle(tmp_path):
    """As it is by staff: whatever parts a question has, each is looked for by its name."""
    for name in ("cs224n-a4", "uw-a2"):
        questions = questions_in(load_assignment(name).folder)
        shown = questions_toml(questions, [each.id for each in questions])
        (tmp_path / name).mkdir()
        (tmp_path / name / "written.toml").write_bytes(shown["written.toml"])
        handed_out = questions_in(tmp_path / name)
        template = answers_template("Answers", questions)
        assert answers_template("Answers", handed_out) == template
        wanted = tuple(wanted_of(each, quoted(each)) for each in handed_out)
        answers = read_answers({"answers.md": template.encode()}, wanted)
        assert not [each.id for each in questions if answers.of(each.id).parts]


def test_a_bundle_says_which_part_of_an_answer_is_missing():
    machine = Machine(1.0, "vector", ("q1", "q2"), "later", {}, (), "", "")
    asked = Asked(machine, {"q1": "a"}, {}, np.random.default_rng(0))
    with pytest.raises(Undecided, match="Not answered: `q2`"):
        later(asked)
