"""Students for the boundary's tests, in every tier of this machine, cold and warm."""

from functools import partial
from pathlib import Path

import pytest

from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import Tier, tier_works, warm_works
from graders.model import Limits

PLAYGROUND = Side(Path(__file__).with_name("playground"))
LIMITS = Limits(
    wall_seconds=30, cpu_seconds=20, memory_bytes=2**30, output_bytes=10_000, processes=24
)
TIERS = [tier for tier in Tier if tier_works(tier)]
MODES = [(tier, warm) for tier in TIERS for warm in (False, True) if not warm or warm_works(tier)]
WARM = [tier for tier, warm in MODES if warm]
WALLS = [(tier, warm) for tier, warm in MODES if tier is not Tier.NONE]

CODE = {
    "dataset.py": "def item(i):\n    return [1, 2, 3][i]\n",
    "broken.py": "def f(:\n",
    "torch.py": "SHADOW = True\n",
    "numpy.py": "SHADOW = True\n",
    "json.py": "SHADOW = True\n",
    "student_more.py": "def add(a, b):\n    return 'forged'\n",
    "student_side.py": "def echo(value=None):\n    return 'forged'\n",
    "sitecustomize.py": "raise SystemExit('sitecustomize ran')\n",
    "usercustomize.py": "raise SystemExit('usercustomize ran')\n",
    "package/__init__.py": "from package.inner import deep\n",
    "package/inner.py": "def deep():\n    raise KeyError('deep')\n",
}


def identify(mode):
    tier, warm = mode
    return f"{tier.value}-{'warm' if warm else 'cold'}"


@pytest.fixture(scope="session")
def code(tmp_path_factory):
    """A student's folder."""
    folder = tmp_path_factory.mktemp("upload") / "src"
    for name, text in CODE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def open_student(code, tier, warm=True, preload=(), budget=None, **changes):
    limits = Limits(**{name: changes.get(name, getattr(LIMITS, name)) for name in LIMITS.__slots__})
    return Student(
        code, PLAYGROUND, limits, seed=7, tier=tier, warm=warm, preload=preload, budget=budget
    )


@pytest.fixture(scope="module", params=MODES, ids=identify)
def student(request, code):
    """One child in each tier and start, shared by the tests of a file that leave it alive."""
    with open_student(code, *request.param) as student:
        yield student


@pytest.fixture(scope="module", params=WALLS, ids=identify)
def walled(request, code):
    """As `student`, in the tiers that promise isolation."""
    with open_student(code, *request.param) as student:
        yield student


@pytest.fixture
def opener(code):
    """Open students with other limits; they are closed afterwards."""
    opened = []

    def open_one(tier, folder=code, **changes):
        opened.append(open_student(folder, tier, **changes))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture(params=[False, True], ids=["cold", "warm"])
def start(request, opener):
    """Open students in the tier of the test's choice, with either start."""
    return partial(opener, warm=request.param)


@pytest.fixture(params=MODES, ids=identify)
def start_in(request, opener):
    """As `start`, once in each tier."""
    tier, warm = request.param
    return partial(opener, tier, warm=warm)


@pytest.fixture(params=WALLS, ids=identify)
def start_walled(request, opener):
    """As `start`, once in each tier that promises isolation."""
    tier, warm = request.param
    return partial(opener, tier, warm=warm)


@pytest.fixture(params=WARM, ids=lambda tier: tier.value)
def open_warm(request, opener):
    """Open students in a tier that starts warm, and warm unless told otherwise."""
    return partial(opener, request.param)
