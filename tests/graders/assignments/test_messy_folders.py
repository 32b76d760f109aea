"""Other files in the folder change no score, and a crash at the end costs no points.

What an example earns without them is planted with it, and `validate` grades that.
No example may fail by chance: the checks draw the same inputs whenever a folder is graded.
"""

import functools
import multiprocessing
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graders.audit.examples import expectation
from graders.boundary.tiers.sandbox import best_tier
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify
from tests.planted import examples_of

from .mess import CRASHES, WORKS, crashed, messes, one_of_each

MANY = settings(
    max_examples=6,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
ROUNDED = 0.01  # planted points have two digits
RIGHT = {
    "cs224n-a4": "right-rotary-other-file",
    "jhu-hw6": "right-code-hugging-face-outputs",
    "uw-a2": "right-sst2-patience",
}
WRONG = {
    "cs224n-a4": "wrong-rotary-positions-learned-too",
    "jhu-hw6": "wrong-full-last-token",
    "uw-a2": "wrong-sst2-error-rate",
}


@functools.cache
def examples(work):
    """The planted examples of code."""
    return [
        path
        for path in sorted(examples_of(work.assignment).iterdir())
        if not path.name.startswith("written")
        and list(path.rglob("*.py"))
        and expected_points(work, path)
    ]


def files_of(folder):
    """The files of a submission by their paths."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def planted(work, name):
    """The files of an example and the points that it earns."""
    folder = examples_of(work.assignment) / name
    return files_of(folder), expected_points(work, folder)


@functools.cache
def expected_points(work, folder):
    """The points of an example in each criterion that it is an example of."""
    task = load_assignment(work.assignment)
    expected = expectation(folder, task)
    only = work.criteria.intersection(expected.only.split(",") if expected.only else work.criteria)
    return {
        criterion.id: criterion.points - expected.lost.get(criterion.id, 0.0)
        for criterion in task.rubric
        if criterion.id in only
    }


@functools.cache
def right_texts(work):
    """The assignment's own files as some right example has them."""
    solution = ASSIGNMENTS / work.assignment / "solution"
    right = [*(path for path in examples(work) if path.name.startswith("right-")), solution]
    paths = {name: [path / name for path in right if (path / name).is_file()] for name in work.own}
    texts = {name: [path.read_text(encoding="utf-8") for path in paths[name]] for name in work.own}
    return {
        name: max((text for text in texts[name] if "from reference" not in text), key=len)
        for name in work.own
    }


@pytest.fixture(scope="module")
def points():
    """The points of files, graded in another process, where the checks use hypothesis."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield lambda work, files, only: pool.submit(
            points_of, work, files, frozenset(only)
        ).result()


def points_of(work, files, only):
    """The points of each of these criteria."""
    options = Options(best_tier(), only=only)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        task = load_assignment(work.assignment)
        result = grade_submission(identify(Path(folder), work.assignment), task, options)
    assert result.status == "graded", result.environment.get("faults")
    return {graded.criterion.id: graded.points for graded in result.criteria}


def lost(before, after):
    """The criteria that earn less than before."""
    return {id: score for id, score in after.items() if score < before[id] - ROUNDED}


def spare(work, files):
    """The files of code that are not the assignment's own, as it asks for them."""
    stems = {PurePosixPath(name).stem for name in work.own}
    code = [PurePosixPath(name) for name in files if name.endswith((".py", ".ipynb"))]
    code = [path for path in code if len(path.parts) > 1 or path.stem not in stems]
    return [path.as_posix() for path in code if path.as_posix() not in work.own]


def without(files, names):
    return {name: content for name, content in files.items() if name not in names}


def ends(work, files):
    """Whether any of these files has a last step after which it could crash."""
    return ending(work, files, "crash") != files


def ending(work, files, *crashes):
    """These files with a crash after the last step of each of the assignment's own."""
    names = [name for name in work.own if name in files]
    texts = {
        name: crashed(files[name].decode(), work.trains, crashes[number % len(crashes)])
        for number, name in enumerate(names)
    }
    return {**files, **{name: text.encode() for name, text in texts.items()}}


works = pytest.mark.parametrize("work", WORKS, ids=[work.assignment for work in WORKS])


@pytest.mark.long
@works
@pytest.mark.parametrize("example", [RIGHT, WRONG], ids=["right", "wrong"])
def test_another_file_never_lowers_a_score(points, work, example):
    files, before = planted(work, example[work.assignment])
    mess = one_of_each(work, right_texts(work))
    assert lost(before, points(work, {**mess, **files}, before)) == {}


@pytest.mark.long
@works
def test_a_file_less_never_raises_a_score(points, work):
    files, only = planted(work, WRONG[work.assignment])
    right = {f"notebooks/week 3/{name}": text.encode() for name, text in right_texts(work).items()}
    files = {**one_of_each(work, right_texts(work)), **right, **files}
    fewer = without(files, spare(work, files)[::2])
    assert lost(points(work, fewer, only), points(work, files, only)) == {}


@pytest.mark.long
@works
@pytest.mark.parametrize("turn", range(2))
def test_a_crash_after_the_last_step_costs_nothing(points, work, turn):
    """Each crash once: an assignment of two files that end takes four of them."""
    files, before = planted(work, RIGHT[work.assignment])
    first = 4 * WORKS.index(work) + 2 * turn
    crashes = [CRASHES[number % len(CRASHES)] for number in (first, first + 1)]
    assert ending(work, files, *crashes) != files
    assert points(work, ending(work, files, *crashes), before) == before


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_many_other_files_never_lower_a_score(points, work, data):
    folder = data.draw(st.sampled_from(examples(work)))
    files, before = planted(work, folder.name)
    mess = data.draw(messes(work, right_texts(work)))
    assert lost(before, points(work, {**mess, **files}, before)) == {}, sorted(mess)


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_many_files_less_never_raise_a_score(points, work, data):
    folder = data.draw(st.sampled_from(examples(work)))
    files, only = planted(work, folder.name)
    mess = without(data.draw(messes(work, right_texts(work))), files)
    names = spare(work, mess)  # one of the submission's own files may hold the mistake
    files = {**mess, **files}
    gone = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True)) if names else []
    if gone:
        fewer = points(work, without(files, gone), only)
        assert lost(fewer, points(work, files, only)) == {}, gone


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_no_crash_after_the_last_step_costs_anything(points, work, data):
    right = [path.name for path in examples(work) if path.name.startswith("right-")]
    texts = [name for name in right if ends(work, planted(work, name)[0])]
    files, before = planted(work, data.draw(st.sampled_from(texts)))
    after = ending(work, files, data.draw(st.sampled_from(CRASHES)))
    assert points(work, after, before) == before
