"""Gathering in a student's own process, as every check requests it."""

from pathlib import Path

import pytest

from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import Tier, tier_works
from graders.errors import StudentFault

from .conftest import LIMITS, notebook

SIDE = Side(Path(__file__).with_name("playground"))
CELLS = [
    "!pip install something",
    "## Words",
    (
        "import torch\nfrom helper import *\ndef f(x):\n    print('seen')\n"
        "    return torch.ones(2) * x + one()"
    ),
    "def broken(x):\n    y = 0\n    return x / y\ndef outside():\n    return fail()\n",
    "def on_gpu():\n    return torch.ones(2, device='cuda').cuda()",
    "def bad(:",
]


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    folder = tmp_path_factory.mktemp("upload")
    (folder / "A2S2.ipynb").write_text(notebook(*CELLS))
    (folder / "more").mkdir()
    (folder / "more" / "helper.py").write_text(
        "def one():\n    return 1\n\ndef fail():\n    raise KeyError('k')\n"
    )
    tier = next(tier for tier in Tier if tier_works(tier))
    with Student(folder, SIDE, LIMITS, seed=1, tier=tier) as student:
        yield student


def test_functions_answer_in_the_sandbox_on_its_cpu_or_are_missing(student):
    assert student.call("ask", name="f", x=2).tolist() == [3, 3]
    assert "seen" in student.output
    assert student.call("ask_on_cpu", name="on_gpu").tolist() == [1, 1]
    with pytest.raises(StudentFault, match="No file defines `g`"):
        student.call("ask", name="g")


@pytest.mark.parametrize(
    ("name", "where", "line"),
    [
        ("broken", "A2S2.ipynb, cell 4, line 3", "return x / y"),
        ("outside", "more/helper.py, line 5", "raise KeyError('k')"),
        ("bad", "A2S2.ipynb, cell 6, line 1", "def bad(:"),
    ],
)
def test_error_names_cell_and_line(student, name, where, line):
    values = {"x": 1} if name == "broken" else {}
    with pytest.raises(StudentFault) as caught:
        student.call("ask", name=name, **values)
    assert where in caught.value.where
    assert line in f"{caught.value.where} {caught.value}"
