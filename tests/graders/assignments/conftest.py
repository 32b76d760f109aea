"""Run one check of assignment cs224n-a4 on files that a test makes up."""

import importlib
import random
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from graders.assignments.cs224n_a4 import student_side
from graders.assignments.cs224n_a4.hidden.checkpoints import checks as weights
from graders.assignments.cs224n_a4.hidden.checkpoints.submitted import CHECKPOINTS
from graders.assignments.cs224n_a4.hidden.predictions import checks as metrics
from graders.assignments.cs224n_a4.london_baseline.checks import test_london_baseline
from graders.assignments.cs224n_a4.rotary import student_attention
from graders.assignments.cs224n_a4.rotary import student_side as rotary_side
from graders.checks.inputs import Inputs
from graders.checks.run import surroundings
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import verdict
from graders.data.birthplaces import open_data, read_data
from graders.model import Check
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from tests.conftest import replaced, write_files
from tests.graders.assignments.answering import InProcess
from tests.planted import plain_source

FOLDER = ASSIGNMENTS / "cs224n_a4"
COURSE_FILES = Path(__file__).parents[4] / "shared" / "data" / "birthplaces"


@pytest.fixture(scope="session", autouse=True)
def tiny_matrices(one_thread):
    """Products of tiny matrices by two threads on a busy machine wait for each other."""


@pytest.fixture(autouse=True)
def forget_student_modules(tmp_path):
    """What a student side imported into a test knows of a student's folder ends with the test."""
    before = list(sys.meta_path), list(sys.path)
    yield
    sys.meta_path[:], sys.path[:] = before
    student_side.modules.cache_clear()
    student_side.code_folder.cache_clear()
    theirs = (str(tmp_path), str(FOLDER / "standins"))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name in ("src", "submission") or file.startswith(theirs):
            del sys.modules[name]


# Where predictions come from is tested in test_origin.py; elsewhere their accuracy is.
ACCEPT = {"missing_checkpoints": "accept", "doubtful_predictions": "accept"}


@pytest.fixture
def few_examples():
    """Checks draw few examples with hypothesis, and otherwise run as the plugin runs them."""
    with surroundings(FOLDER):
        settings.register_profile("few", settings.get_profile("softmark"), max_examples=3)
        settings.load_profile("few")
        yield


@pytest.fixture(scope="session")
def world():
    """The built-in sample dataset."""
    with open_data(None) as data:
        yield data


@pytest.fixture(scope="session")
def course():
    """The course's own files."""
    if not COURSE_FILES.is_dir():
        pytest.skip("the course's files are not in ../shared/data/birthplaces")
    return read_data(COURSE_FILES)


@pytest.fixture
def importable(tmp_path, monkeypatch):
    """Writes modules where Python imports them, before the stand-ins."""

    def write(**sources):
        write_files(tmp_path, {f"{name}.py": text for name, text in sources.items()})
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, str(FOLDER / "standins")])
        importlib.invalidate_caches()

    return write


@pytest.fixture
def hand_in_attention(importable):
    """Writes the plain attention.py with these replacements, and gives the student."""

    def write(*changes, **files):
        code = (plain_source() / "attention.py").read_text(encoding="utf-8")
        importable(attention=replaced(code, *changes), **files)
        return InProcess(rotary_side, student_attention)

    return write


@pytest.fixture
def submit(tmp_path, world):
    """Gives the checkpoints, and with them all files, of a submission of these files."""
    assigned = load_assignment("cs224n-a4").settings

    def make(files, data=world, sandbox=None, inputs=None, **changes):
        write_files(tmp_path, files)
        submitted = SubmittedFiles({name: tmp_path / name for name in files})
        predictions = metrics.PredictionFiles(submitted, data, {**assigned, **changes})
        return metrics.Checkpoints(sandbox, predictions, inputs or Inputs())

    return make


@pytest.fixture
def judge(submit, world):
    """Runs one metric check on these files and gives its result."""

    def run(check, files, data=world, sandbox=None, **changes):
        upload, score, problem = submit(files, data, sandbox, **(ACCEPT | changes)), Score(), None
        try:
            if check == "london_baseline":
                test_london_baseline(upload.files.submitted, data, upload.files.settings, score)
            else:
                _check(check, upload)(score)
        except Exception as error:  # noqa: BLE001  a check may end in any way
            problem = error
        return verdict(Check(check, "", ""), problem, score)

    return run


def _check(name, checkpoints):
    """The check of this name, to be called with a score."""
    if hasattr(metrics, f"test_{name}"):
        check, origin = getattr(metrics, f"test_{name}"), metrics.Origin(checkpoints)
        return partial(check, checkpoints.files, origin)
    stem, _, kind = name.rpartition("_")
    args = [checkpoint for checkpoint in CHECKPOINTS if checkpoint.id == stem.replace("_", "-")]
    args += [{}] if kind == "weights" else []
    return partial(getattr(weights, f"test_{kind if args else name}"), checkpoints, *args)


def lines(places):
    """The bytes of a prediction file that says these places."""
    return "".join(f"{place}\n" for place in places).encode()


@pytest.fixture
def predict():
    """Makes predictions of which exactly k are right, the others another place of the set."""

    def make(gold, k, seed=0):
        rng = random.Random(seed)
        places = sorted(set(gold))
        right = set(rng.sample(range(len(gold)), k))
        return [
            place if i in right else rng.choice([other for other in places if other != place])
            for i, place in enumerate(gold)
        ]

    return make
