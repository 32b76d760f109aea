"""The planted answer files of the written assignments lose what their examples expect."""

import tomllib

import pytest

from graders.audit.validate import build_solution, holds_answers
from graders.boundary.tiers.sandbox import Tier
from graders.grading.choices import choose_criteria
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.planted import examples_of

NAMES = ["cs224n-a4", "cs224n-a5", "cs182-transformers"]
LOADED = {name: load_assignment(name) for name in NAMES}
PLANTED = [
    pytest.param(name, folder, id=f"{name}-{folder.name}")
    for name in NAMES
    for folder in sorted(examples_of(name).iterdir())
    if holds_answers(folder)
]


def graded(name, folder, only):
    """The checks of a folder's answers; a person decides nothing here."""
    assignment = LOADED[name]
    options = Options(Tier.NONE, only=choose_criteria(assignment, only))
    result = grade_submission(identify(folder, name), assignment, options)
    return [each for graded in result.criteria for each in graded.checks]


@pytest.mark.parametrize(("name", "folder"), PLANTED)
def test_planted_answers_lose_what_they_should(name, folder):
    expected = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
    lost, said = {}, {}
    for each in graded(name, folder, expected["only"]):
        criterion = each.check.criterion
        said[criterion] = said.get(criterion, "") + f"{each.message} {each.hint} "
        if each.status != "needs_review" and each.fraction < 1:
            points = each.check.weight * (1 - each.fraction)
            lost[criterion] = lost.get(criterion, 0) + points
    assert lost == pytest.approx(expected.get("lost", {}), abs=0.005)
    for criterion, words in expected.get("hint", {}).items():
        assert words in said[criterion]


@pytest.mark.parametrize("name", NAMES)
def test_the_machine_finds_the_whole_solution_right(name, tmp_path):
    """Without a person: what the machine judges is full, and every text waits."""
    solution = build_solution(LOADED[name], tmp_path / "solution")
    statuses = {(e.check.id.rsplit("/")[-1], e.status) for e in graded(name, solution, "written")}
    assert statuses == {("machine", "passed"), ("review", "needs_review")}


@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_answer_is_named(name):
    """Each wrong planted file has a hint that its mistake is told by."""
    folders = [folder for each, folder in (p.values for p in PLANTED) if each == name]
    assert len(folders) >= 7
    for folder in folders:
        expected = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
        assert set(expected.get("hint", {})) == set(expected.get("lost", {})), folder.name
