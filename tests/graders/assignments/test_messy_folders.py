"""Other files in the folder change no score, and a crash at the end costs no points.

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

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify
from tests.planted import examples_of

from .mess import CRASHES, WORKS, crashed, messes, one_of_each

MANY = settings(
    max_examples=12,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
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
    """The planted examples of code, and the solution."""
    return [
        path
        for path in sorted(examples_of(work.assignment).iterdir())
        if not path.name.startswith("written") and list(path.rglob("*.py"))
    ]


def files_of(folder):
    """The files of a submission by their paths."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def planted(work, name):
    return files_of(examples_of(work.assignment) / name)


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
    """The points of files, graded once in another process, where the checks use hypothesis."""
    known = {}
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:

        def ask(work, files):
            key = (work.assignment, frozenset(files.items()))
            if key not in known:
                known[key] = pool.submit(points_of, work, files).result()
            return known[key]

        yield ask


def points_of(work, files):
    """The points of each criterion of code."""
    options = Options(best_tier(), only=work.criteria)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        task = load_assignment(work.assignment)
        result = grade_submission(identify(Path(folder), work.assignment), task, options)
    assert result.status == "graded", result.environment.get("faults")
    return {each.criterion.id: each.points for each in result.criteria}


def lost(before, after):
    """The criteria that earn less than before."""
    return {id: each for id, each in after.items() if each < before[id]}


def spare(work, files):
    """The files of code that are not the assignment's own, as it asks for them."""
    stems = {PurePosixPath(name).stem for name in work.own}
    code = [PurePosixPath(name) for name in files if name.endswith((".py", ".ipynb"))]
    code = [path for path in code if len(path.parts) > 1 or path.stem not in stems]
    return [path.as_posix() for path in code if path.as_posix() not in work.own]


def without(files, names):
    return {name: content for name, content in files.items() if name not in names}


def ending(work, files, *crashes):
    """These files with a crash after the last step of each of the assignment's own."""
    own = [name for name in work.own if name in files]
    texts = {
        name: crashed(files[name].decode(), work.trains, crashes[number % len(crashes)])
        for number, name in enumerate(own)
    }
    return {**files, **{name: text.encode() for name, text in texts.items()}}


works = pytest.mark.parametrize("work", WORKS, ids=[each.assignment for each in WORKS])


@pytest.mark.slow
@works
@pytest.mark.parametrize("example", [RIGHT, WRONG], ids=["right", "wrong"])
def test_another_file_never_lowers_a_score(points, work, example):
    files = planted(work, example[work.assignment])
    mess = one_of_each(work, right_texts(work))
    assert lost(points(work, files), points(work, {**mess, **files})) == {}


@pytest.mark.slow
@works
def test_a_file_less_never_raises_a_score(points, work):
    files = planted(work, WRONG[work.assignment])
    right = {f"notebooks/week 3/{name}": text.encode() for name, text in right_texts(work).items()}
    files = {**one_of_each(work, right_texts(work)), **right, **files}
    fewer = without(files, spare(work, files)[::2])
    assert lost(points(work, fewer), points(work, files)) == {}


@pytest.mark.slow
@works
@pytest.mark.parametrize("turn", range(2))
def test_a_crash_after_the_last_step_costs_nothing(points, work, turn):
    """Each crash once: an assignment of two files that end takes four of them."""
    files = planted(work, RIGHT[work.assignment])
    first = 4 * WORKS.index(work) + 2 * turn
    crashes = [CRASHES[number % len(CRASHES)] for number in (first, first + 1)]
    assert ending(work, files, *crashes) != files
    assert points(work, ending(work, files, *crashes)) == points(work, files)


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_many_other_files_never_lower_a_score(points, work, data):
    files = files_of(data.draw(st.sampled_from(examples(work))))
    mess = data.draw(messes(work, right_texts(work)))
    assert lost(points(work, files), points(work, {**mess, **files})) == {}, sorted(mess)


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_many_files_less_never_raise_a_score(points, work, data):
    files = files_of(data.draw(st.sampled_from(examples(work))))
    mess = without(data.draw(messes(work, right_texts(work))), files)
    names = spare(work, mess)  # one of the submission's own files may hold the mistake
    files = {**mess, **files}
    gone = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True)) if names else []
    assert lost(points(work, without(files, gone)), points(work, files)) == {}, gone


@pytest.mark.long
@works
@given(data=st.data())
@MANY
def test_no_crash_after_the_last_step_costs_anything(points, work, data):
    right = [path for path in examples(work) if path.name.startswith("right-")]
    texts = [files for files in map(files_of, right) if ending(work, files, "crash") != files]
    files = data.draw(st.sampled_from(texts))
    after = ending(work, files, data.draw(st.sampled_from(CRASHES)))
    assert points(work, after) == points(work, files)
