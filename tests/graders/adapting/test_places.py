"""Code may write to folders that exist only on the student's machine."""

import pytest

from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import best_tier
from graders.errors import StudentRaised

from .conftest import LIMITS

pytestmark = pytest.mark.slow
STUDENT_SIDE = """
from graders.adapting.offline.places import install

install()


def write_and_read(way, path):
    import work
    return work.WAYS[way](work.os.path.expanduser(path))
"""
WORK = """
import os
import pathlib
import torch

def opened(path):
    with open(path, "w") as file:
        file.write("7")
    return open(path).read()

def by_pathlib(path):
    pathlib.Path(path).write_text("7")
    return pathlib.Path(path).read_text()

def by_torch(path):
    torch.save(torch.tensor(7), path)
    return str(torch.load(path).item())

def appended(path):
    os.makedirs(os.path.dirname(path))
    with open(path, "a") as file:
        file.write("7")
    return open(path).read()

def missing(path):
    return open(path, "rb").read()

WAYS = {each.__name__: each for each in (opened, by_pathlib, by_torch, appended, missing)}
"""


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    side, work = (tmp_path_factory.mktemp(name) for name in ("side", "work"))
    (side / "student_side.py").write_text(STUDENT_SIDE)
    (work / "work.py").write_text(WORK)
    with Student(work, Side(side), LIMITS, seed=1, tier=best_tier()) as student:
        yield student


@pytest.mark.parametrize(
    "folder", ["/scratch/ada", "plots/week 1", "~/results", "../results", "../../a/../b"]
)
@pytest.mark.parametrize("way", ["opened", "by_pathlib", "by_torch", "appended"])
def test_what_is_written_anywhere_is_read_again(student, folder, way):
    assert student.call("write_and_read", way=way, path=f"{folder}/{way}/x.txt") == "7"


def test_file_that_nobody_wrote_stays_missing(student):
    with pytest.raises(StudentRaised, match="FileNotFoundError"):
        student.call("write_and_read", way="missing", path="/scratch/ada/best.pt")
