"""Other files in the folder change no score, and a crash at the end costs no points.

Each example grades a planted submission twice: unchanged, and with added files or with some of its
files removed. No example may fail by chance: the checks draw the same inputs both times.
"""

import functools
import multiprocessing
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify
from tests.planted import examples_of

from .mess import CRASHES, WORKS, crashed, messes

FEW = settings(
    max_examples=4,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
MANY = settings(FEW, max_examples=12)


@functools.cache
def examples(work):
    """The planted examples of code, and the solution."""
    return [
        path
        for path in sorted(examples_of(work.assignment).iterdir())
        if not path.name.startswith("written") and list(path.rglob("*.py"))
    ]


@functools.cache
def right_texts(work):
    """The assignment's own files as some right example has them."""
    solution = ASSIGNMENTS / work.assignment / "solution"
    right = [*(path for path in examples(work) if path.name.startswith("right-")), solution]
    found = {name: [path / name for path in right if (path / name).is_file()] for name in work.own}
    texts = {name: [path.read_text(encoding="utf-8") for path in found[name]] for name in work.own}
    return {
        name: max((text for text in texts[name] if "from reference" not in text), key=len)
        for name in work.own
    }


@pytest.fixture(scope="module")
def points():
    """Grades in another process: hypothesis runs the checks there, and the examples here."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield lambda work, folder: pool.submit(points_of, work, folder).result()


def points_of(work, folder):
    """The points of each criterion of code."""
    options = Options(best_tier(), only=work.criteria)
    task = load_assignment(work.assignment)
    result = grade_submission(identify(folder, work.assignment), task, options)
    assert result.status == "graded", result.environment.get("faults")
    return {each.criterion.id: each.points for each in result.criteria}


def with_files(folder, files):
    """A copy of a folder with more files in it; those that are there stay."""
    copy = Path(tempfile.mkdtemp()) / folder.name
    shutil.copytree(folder, copy)
    for name, text in files.items():
        path = copy / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return copy


def not_lowered_by_more_files(points, work, data):
    folder = data.draw(st.sampled_from(examples(work)))
    files = data.draw(messes(work, right_texts(work)))
    before = points(work, folder)
    copy = with_files(folder, files)
    try:
        after = points(work, copy)
    finally:
        shutil.rmtree(copy.parent)
    assert {id: each for id, each in after.items() if each < before[id]} == {}, sorted(files)


def not_raised_by_fewer_files(points, work, data):
    folder = data.draw(st.sampled_from(examples(work)))
    files = data.draw(messes(work, right_texts(work)))
    copy = with_files(folder, files)
    try:
        whole = points(work, copy)
        required = {Path(name).stem for name in work.own}
        spare = [
            p for p in sorted(copy.rglob("*")) if p.is_file() and p.suffix in (".py", ".ipynb")
        ]
        spare = [path for path in spare if path.parent != copy or path.stem not in required]
        spare = [path for path in spare if path.relative_to(copy).as_posix() not in work.own]
        for path in spare and data.draw(st.lists(st.sampled_from(spare), min_size=1, unique=True)):
            path.unlink()
        after = points(work, copy)
    finally:
        shutil.rmtree(copy.parent)
    assert {id: each for id, each in after.items() if each > whole[id]} == {}, sorted(files)


def not_lowered_by_a_crash(points, work, data):
    right = [path for path in examples(work) if path.name.startswith("right-")]
    folder = data.draw(st.sampled_from([path for path in right if _trains(path, work)]))
    crash = data.draw(st.sampled_from(CRASHES))
    before = points(work, folder)
    copy = with_files(folder, {})
    try:
        for path in map(copy.joinpath, work.own):
            if path.is_file():
                text = crashed(path.read_text(encoding="utf-8"), work.trains, crash)
                path.write_text(text, encoding="utf-8")
        after = points(work, copy)
    finally:
        shutil.rmtree(copy.parent)
    assert after == before


def _trains(folder, work):
    """Say whether one of the assignment's own files has the function that trains."""
    texts = [path.read_text() for name in work.own if (path := folder / name).is_file()]
    return any(f"\ndef {work.trains}(" in text for text in texts) if work.trains else bool(texts)


works = pytest.mark.parametrize("work", WORKS, ids=[each.assignment for each in WORKS])


@pytest.mark.slow
@works
@given(data=st.data())
@FEW
def test_another_file_never_lowers_a_score(points, work, data):
    not_lowered_by_more_files(points, work, data)


@pytest.mark.slow
@works
@given(data=st.data())
@FEW
def test_a_file_less_never_raises_a_score(points, work, data):
    not_raised_by_fewer_files(points, work, data)


@pytest.mark.slow
@works
@given(data=st.data())
@FEW
def test_a_crash_after_the_last_step_costs_nothing(points, work, data):
    not_lowered_by_a_crash(points, work, data)


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_many_other_files_never_lower_a_score(points, work, data):
    not_lowered_by_more_files(points, work, data)


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_many_files_less_never_raise_a_score(points, work, data):
    not_raised_by_fewer_files(points, work, data)


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_no_crash_after_the_last_step_costs_anything(points, work, data):
    not_lowered_by_a_crash(points, work, data)
