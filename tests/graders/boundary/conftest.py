"""Students for the boundary's tests, in every tier of this machine, cold and warm."""

import contextlib
import math
from functools import partial
from pathlib import Path

import pytest

from graders.boundary.side import Side
from graders.boundary.student import Budget, Student
from graders.boundary.tiers import warm as warm_start
from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works, warm_works
from graders.errors import SandboxFailed
from graders.model import Limits
from tests.conftest import write_files

ROOT = Path(__file__).parents[3]
PLAYGROUND = Side(Path(__file__).with_name("playground"))
LIMITS = Limits(
    wall_seconds=30, cpu_seconds=20, memory_bytes=2**30, output_bytes=10_000, processes=24
)
TIERS = [tier for tier in Tier if tier_works(tier)]
MODES = [(tier, warm) for tier in TIERS for warm in (False, True) if not warm or warm_works(tier)]
WALLS = [(tier, warm) for tier, warm in MODES if tier is not Tier.NONE]
# As gradings start it; the watching, the limits of a tree and its end are one code for both.
USUAL = [(tier, warm) for tier, warm in WALLS if warm or (tier, True) not in WALLS]
WARM = [tier for tier, warm in MODES if warm]
DENIED = {
    "PermissionError", "FileNotFoundError", "ProcessLookupError", "ModuleNotFoundError",
    "ConnectionRefusedError", "OSError", "BlockingIOError", "NotADirectoryError",
}  # fmt: skip
ATTEMPT = """
import ctypes, fcntl, os, socket
def attempt(action):
    try:
        return action()
    except BaseException as error:
        return type(error).__name__
"""

READING = """
import os
from pathlib import Path

import numpy as np

def read(name):
    with open(name) as file:
        return [file.read(), Path(name).read_text()]

def write(name):
    Path(name).write_text("changed")
    return read(name)

def table(name):
    return [np.loadtxt(name), np.genfromtxt(Path(name))]

def exists(name):
    return [os.path.exists(name), Path(name).exists(), os.path.isfile(name)]

def remove(name):
    for delete in (os.remove, Path.unlink):
        if os.path.exists(name):
            delete(Path(name))
    return read(name)
"""
CODE = {
    "dataset.py": "def item(i):\n    return [1, 2, 3][i]\n",
    "broken.py": "def f(:\n",
    "endless.py": "while True:\n    pass\n",
    "waiting.py": "import time\ndef wait(seconds):\n    time.sleep(seconds)\n    return 'late'\n",
    "torch.py": "SHADOW = True\n",
    "numpy.py": "SHADOW = True\n",
    "json.py": "SHADOW = True\n",
    "student_more.py": "def add(a, b):\n    return 'forged'\n",
    "student_side.py": "def echo(value=None):\n    return 'forged'\n",
    "sitecustomize.py": "raise SystemExit('sitecustomize ran')\n",
    "usercustomize.py": "raise SystemExit('usercustomize ran')\n",
    "package/__init__.py": "from package.inner import deep\n",
    "package/inner.py": "def deep():\n    raise KeyError('deep')\n",
    "package/reading.py": READING,
    "package/own.txt": "beside the code",
    "package/table.txt": "1 2\n3 4\n",
    "settings.txt": "above the code",
}


def identify(mode):
    tier, warm = mode
    return f"{tier.value}-{'warm' if warm else 'cold'}"


@pytest.fixture(scope="session")
def code(tmp_path_factory):
    """A student's folder."""
    return write_files(tmp_path_factory.mktemp("upload") / "src", CODE)


def open_student(code, tier, warm=True, preload=(), budget=None, **changes):
    limits = Limits(**{name: changes.get(name, getattr(LIMITS, name)) for name in LIMITS.__slots__})
    return Student(
        code, PLAYGROUND, limits, seed=7, tier=tier, warm=warm, preload=preload, budget=budget
    )


def attempt(student, action, **values):
    """The name of the exception that this expression raises in the child, or its value."""
    return student.call("run", source=f"{ATTEMPT}\nresult = attempt(lambda: {action})", **values)


def is_warm(student):
    return isinstance(student._child._process, warm_start.Keeper)


@pytest.fixture(scope="session")
def shared(code):
    """One child for each tier and start, for all tests that leave it alive."""
    children, more = {}, {"budget": Budget(math.inf), "cpu_seconds": 300, "output_bytes": 10**6}
    with contextlib.ExitStack() as opened:

        def child(mode):
            if mode not in children:
                children[mode] = opened.enter_context(open_student(code, *mode, **more))
            children[mode].begin_criterion()
            children[mode].begin_check()
            with contextlib.suppress(SandboxFailed):  # a test may have killed the warm parent
                children[mode].call("echo")
            children[mode].begin_check()
            return children[mode]

        yield child


@pytest.fixture(params=MODES, ids=identify)
def student(request, shared):
    """A child in each tier and start, shared by the tests that leave it alive."""
    return shared(request.param)


@pytest.fixture(params=WALLS, ids=identify)
def walled(request, shared):
    """As `student`, in the tiers that promise isolation."""
    return shared(request.param)


@pytest.fixture
def opener(code):
    """Open students with other limits; they are closed afterwards."""
    opened, best = [], best_tier()

    def open_one(tier=best, folder=code, **changes):
        opened.append(open_student(folder, tier, **changes))
        return opened[-1]

    yield open_one
    for child in opened:
        child.close()


@pytest.fixture(params=[False, True], ids=["cold", "warm"])
def start(request, opener):
    """Open students with either start, in the best tier unless told otherwise."""
    return partial(opener, warm=request.param)


@pytest.fixture(params=MODES, ids=identify)
def start_in(request, opener):
    """As `start`, once in each tier."""
    tier, warm = request.param
    return partial(opener, tier, warm=warm)


@pytest.fixture(params=USUAL, ids=identify)
def start_walled(request, opener):
    """As `start`, once in each tier that promises isolation."""
    tier, warm = request.param
    return partial(opener, tier, warm=warm)


@pytest.fixture(params=WARM, ids=lambda tier: tier.value)
def open_warm(request, opener):
    """Open students in a tier that starts warm, and warm unless told otherwise."""
    return partial(opener, request.param)
