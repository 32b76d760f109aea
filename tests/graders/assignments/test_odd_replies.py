"""Whatever a student's process replies, no check ends with our own fault.

Each example changes all replies of one student-side function and grades one criterion that uses it.
Examples are drawn before they are tried, because checks use hypothesis themselves. They are the
same in every run.
"""

import ast
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from graders.audit.validate import build_solution
from graders.boundary.side import Side, packages_in
from graders.boundary.tiers.sandbox import best_tier
from graders.grading import pipeline
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import ASSIGNMENTS, assignment_names, load_assignment
from submissions.receive import identify
from tests.graders.assignments.odd_replies import Replaying, mutations

GRADERS = ASSIGNMENTS.parent
CODED = [name for name in assignment_names() if load_assignment(name).files.code]
CRITERIA = [
    (name, criterion.id)
    for name in CODED
    for criterion in load_assignment(name).rubric
    if criterion.kind == "code"
]
SHORT = [("cs224n-a4", "training-script"), ("uw-a2", "mini-transformer"), ("jhu-hw6", "evaluation")]
MANY = 8  # examples of each function and criterion


@cache
def drawn(count, number):
    examples = []

    @seed(number)
    @settings(max_examples=count, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(mutations())
    def keep(mutation):
        examples.append(mutation)

    keep()
    return examples


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    """The solution of each assignment."""
    work = tmp_path_factory.mktemp("solutions")
    return {name: build_solution(load_assignment(name), work / name) for name in CODED}


@pytest.fixture
def replay(solutions, monkeypatch):
    """Grades a criterion of a solution whose process is a Replaying."""
    monkeypatch.setattr(pipeline, "Student", Replaying)

    def run(name, criterion, function="", mutation=None):
        monkeypatch.setattr(Replaying, "mutated", function)
        monkeypatch.setattr(Replaying, "mutation", mutation)
        task = load_assignment(name)
        options = Options(best_tier(), only=frozenset({criterion}))
        return grade_submission(identify(solutions[name], name), task, options)

    return run


def faults(replay, name, criterion, tried):
    """What of ours broke, by function and mutation; `tried` are those of the drawn ones."""
    Replaying.called.clear()
    assert replay(name, criterion).status == "graded"
    failures = []
    for number, function in enumerate(sorted(set(Replaying.called))):
        for mutation in drawn(tried.stop, number)[tried]:
            result = replay(name, criterion, function, mutation)
            if result.status == "incomplete":
                failures.append((function, mutation, result.environment["faults"]))
    return failures


@pytest.mark.slow
@pytest.mark.parametrize(("name", "criterion"), SHORT)
def test_an_odd_reply_is_no_fault_of_ours(replay, name, criterion):
    assert faults(replay, name, criterion, slice(0, 2)) == []  # hypothesis draws None first


@pytest.mark.long
@pytest.mark.parametrize(("name", "criterion"), CRITERIA)
def test_no_odd_reply_is_a_fault_of_ours(replay, name, criterion):
    assert faults(replay, name, criterion, slice(0, MANY)) == []


def calls_without_reader():
    """The calls of a student's process whose reply is used without `read=`, by file and line."""
    trusted = [*GRADERS.glob("*.py"), *GRADERS.glob("suite/*.py"), *GRADERS.glob("checks/*.py")]
    folders = (load_assignment(name).folder for name in assignment_names())
    packages = (package for folder in folders for package in packages_in(folder))
    trusted += [path for package in packages for path in package.glob("*.py") if _is_trusted(path)]
    for path in trusted:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        ignored = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if _is_call(node, path) and id(node) not in ignored:
                yield f"{path.relative_to(GRADERS)}:{node.lineno}"


def _is_trusted(path: Path) -> bool:
    return not path.name.startswith(("student_", "oracle"))


def _is_call(node, path):
    """Whether this calls a process that is not the oracle, without a reader."""
    if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "call":
        return False
    process = getattr(node.func.value, "id", getattr(node.func.value, "attr", ""))
    if process == "sandbox" and _has_oracle(path):
        return False
    return not any(keyword.arg == "read" for keyword in node.keywords)


def _has_oracle(path):
    inside = path.is_relative_to(ASSIGNMENTS)
    return inside and bool(
        Side(ASSIGNMENTS / path.relative_to(ASSIGNMENTS).parts[0], "oracle").callable_files
    )


def test_every_reply_is_read_where_it_is_asked_for():
    """An exception while it is read is then the student's."""
    assert list(calls_without_reader()) == []
