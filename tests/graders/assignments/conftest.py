"""One check of assignment cs224n-a4, judged on files made up by a test."""

import importlib.util
import random
import sys
from pathlib import Path

import pytest

from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import verdict
from graders.data import open_data, read_data
from graders.discovery import ASSIGNMENTS, load_assignment
from graders.model import Check

FOLDER = ASSIGNMENTS / "cs224n-a4"
COURSE_FILES = Path(__file__).parents[4] / "shared" / "data" / "birthplaces"

sys.path.insert(0, str(FOLDER))  # as the plugin does, so that tests import a4_* by name
sys.path.append(str(ASSIGNMENTS.parent))  # as a student's process does: adapters import `adapting`
adapters_student = importlib.import_module("adapters_student")


def load_checks(stem):
    """The functions of a check file."""
    spec = importlib.util.spec_from_file_location(f"a4_checks_{stem}", FOLDER / f"{stem}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def forget_student_modules(tmp_path):
    """What adapters imported into a test know of a student's folder ends with the test."""
    before = list(sys.meta_path), list(sys.path)
    yield
    sys.meta_path[:], sys.path[:] = before
    adapters_student.modules.cache_clear()
    adapters_student.code_folder.cache_clear()
    theirs = (str(tmp_path), str(FOLDER / "standins"))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name in ("src", "submission") or file.startswith(theirs):
            del sys.modules[name]


# Where predictions come from is tested in test_origin.py; elsewhere their accuracy is.
ACCEPT = {"missing_checkpoints": "accept", "doubtful_predictions": "accept"}
METRICS = load_checks("test_metrics")
LONDON = load_checks("test_london")


@pytest.fixture(scope="session")
def world():
    """The embedded world."""
    with open_data(None) as data:
        yield data


@pytest.fixture(scope="session")
def course():
    """The course's own files."""
    if not COURSE_FILES.is_dir():
        pytest.skip("the course's files are not in ../shared/data/birthplaces")
    return read_data(COURSE_FILES)


@pytest.fixture
def judge(tmp_path, world):
    """Runs one metric check on these files and gives its result."""
    assigned = load_assignment("cs224n-a4").settings

    def run(check, files, data=world, sandbox=None, **changes):
        settings = {**assigned, **ACCEPT, **changes}
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        submitted = SubmittedFiles({name: tmp_path / name for name in files})
        score, problem = Score(), None
        try:
            if check == "london_baseline":
                LONDON.test_london_baseline(submitted, data, settings, score)
            else:
                predictions = METRICS.PredictionFiles(submitted, data, settings)
                origin = METRICS.Origin(METRICS.Checkpoints(sandbox, submitted, data, settings))
                getattr(METRICS, f"test_{check}")(predictions, origin, score)
        except Exception as error:  # noqa: BLE001  a check may end in any way
            problem = error
        return verdict(Check(check, "", ""), problem, score)

    return run


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
