"""Students of the boundary's tests, in every tier that this machine offers."""

from functools import partial
from pathlib import Path

import pytest

from graders.boundary.sandbox import Tier, tier_works
from graders.boundary.student import Student
from graders.model import Limits

PLAYGROUND = Path(__file__).with_name("playground") / "adapters.py"
LIMITS = Limits(
    wall_seconds=30, cpu_seconds=20, memory_bytes=2**30, output_bytes=10_000, processes=24
)
TIERS = [tier for tier in Tier if tier_works(tier)]
WALLS = [tier for tier in TIERS if tier is not Tier.NONE]

CODE = {
    "dataset.py": "def item(i):\n    return [1, 2, 3][i]\n",
    "broken.py": "def f(:\n",
    "torch.py": "SHADOW = True\n",
    "numpy.py": "SHADOW = True\n",
    "json.py": "SHADOW = True\n",
    "adapters_more.py": "def add(a, b):\n    return 'forged'\n",
    "adapters.py": "def echo(value=None):\n    return 'forged'\n",
    "sitecustomize.py": "raise SystemExit('sitecustomize ran')\n",
    "usercustomize.py": "raise SystemExit('usercustomize ran')\n",
    "package/__init__.py": "from package.inner import deep\n",
    "package/inner.py": "def deep():\n    raise KeyError('deep')\n",
}


def identify(tier):
    return tier.value


@pytest.fixture(scope="session")
def code(tmp_path_factory):
    """A student's folder."""
    folder = tmp_path_factory.mktemp("upload") / "src"
    for name, text in CODE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def open_student(code, tier, **changes):
    limits = Limits(**{name: changes.get(name, getattr(LIMITS, name)) for name in LIMITS.__slots__})
    return Student(code, PLAYGROUND, limits, seed=7, tier=tier)


@pytest.fixture(scope="module", params=TIERS, ids=identify)
def student(request, code):
    """One child in each tier, shared by the tests of a file that leave it alive."""
    with open_student(code, request.param) as student:
        yield student


@pytest.fixture(scope="module", params=WALLS, ids=identify)
def walled(request, code):
    """As `student`, in the tiers that promise isolation."""
    with open_student(code, request.param) as student:
        yield student


@pytest.fixture
def start(code):
    """Open students with other limits; they are closed afterwards."""
    opened = []

    def opener(tier, folder=code, **changes):
        opened.append(open_student(folder, tier, **changes))
        return opened[-1]

    yield opener
    for each in opened:
        each.close()


@pytest.fixture(params=TIERS, ids=identify)
def start_in(request, start):
    """As `start`, once in each tier."""
    return partial(start, request.param)


@pytest.fixture(params=WALLS, ids=identify)
def start_walled(request, start):
    """As `start`, once in each tier that promises isolation."""
    return partial(start, request.param)
