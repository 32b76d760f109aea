"""A missing package that an assignment needs is reported before anything is graded."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.grading.choices import choose_options
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry import packages
from graders.registry.discovery import load_assignment
from graders.registry.packages import packages_of, refuse_missing
from submissions.receive import identify


@pytest.fixture
def assignment():
    return replace(load_assignment("jhu-hw6"), preload=("torch.nn", "no_such_library.part", "json"))


def test_one_sentence_names_the_package_that_code_needs_and_what_to_install(assignment):
    refuse_missing(assignment, frozenset({"boolq-predictions"}))
    with pytest.raises(UsageError) as caught:
        refuse_missing(assignment, None)
    assert str(caught.value) == (
        "jhu-hw6 needs the package `no_such_library`, which is not installed"
    )
    assert caught.value.hint == "pip install no_such_library"


def test_libraries_of_the_courses_come_with_the_extra(monkeypatch):
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="`evaluate` and `torchmetrics`") as caught:
        refuse_missing(replace(load_assignment("jhu-hw6"), preload=packages.COURSES), None)
    assert caught.value.hint == "pip install 'softmark[courses]'"


def test_a_library_that_needs_another_torch_is_named(tmp_path, monkeypatch):
    """Its import would succeed, and the names that students import from it would be missing."""
    (tmp_path / "of_the_future.py").write_text("")
    metadata = tmp_path / "of_the_future-1.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(
        "Metadata-Version: 2.1\nName: of_the_future\nVersion: 1\nProvides-Extra: torch\n"
        "Requires-Dist: torch>=99; extra == 'torch'\nRequires-Dist: torch==1; extra == 'tests'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    task = replace(load_assignment("jhu-hw6"), preload=("transformers", "of_the_future"))
    with pytest.raises(UsageError, match="needs torch>=99, but torch 2") as caught:
        refuse_missing(task, None)
    assert caught.value.hint == "pip install 'torch>=99'"


def test_every_way_to_grade_refuses(assignment, tmp_path):
    """Whoever grades on would take points for an `import` that fails here."""
    (tmp_path / "ada").mkdir()
    upload = identify(tmp_path / "ada", assignment.name)
    for way in (
        lambda: choose_options(assignment, isolation="none"),
        lambda: grade_submission(upload, assignment, Options(Tier.NONE, None, None)),
    ):
        with pytest.raises(UsageError, match="no_such_library"):
            way()


def test_both_assignments_of_classifiers_name_the_libraries_of_the_courses():
    for name in ("jhu-hw6", "uw-a2"):
        assert set(packages.COURSES) < set(packages_of(load_assignment(name)))
    toml = Path(__file__).parents[3] / "pyproject.toml"
    extra = tomllib.loads(toml.read_text())["project"]["optional-dependencies"]["courses"]
    assert sorted(requirement.split(">")[0] for requirement in extra) == sorted(packages.COURSES)
