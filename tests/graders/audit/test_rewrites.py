"""Rewritten code looks different and computes the same."""

import json
import random
from itertools import islice

import libcst as cst
import pytest

from graders.audit.changes.change import Base
from graders.audit.changes.rewrites import REWRITES
from graders.audit.changes.rewritten import generate_rewrites

PROGRAM = '''
import math
import torch

HALF = 2


def _half(x, by=2):
    return x / by


def _squares(numbers):
    found = [number * number for number in numbers if number % 2 == 0]
    return found + [len(found)] + [0] * 3


def _thirds(numbers):
    found = []
    for k, number in enumerate(numbers):
        if number % 3 == 0:
            found.append((k, number))
    return found


class Model:
    def __init__(self, size):
        self.size = size

    def text(self, word):
        """Repeat it."""
        return word + "-" + word * self.size

    def scores(self, q, k):
        scale = 1 / math.sqrt(self.size)
        out = q @ k.transpose(-2, -1) * scale + 1
        both = torch.einsum("b i j, b k j -> b i k", out, out + 1)
        return out @ out + both


def work(n):
    total, found = 0, []
    for i in range(n):
        if i % 3 == 0:
            total = total + _half(i, 4) / HALF
        else:
            total -= i
        found.append(total if i > 2 else -total)
    q = torch.arange(8.0).reshape(1, 2, 4)
    scores = Model(4).scores(q, q + 1)
    return found, _squares(range(n)), _thirds(range(n)), Model(2).text("ab"), scores.tolist()
'''
CHANGED = {
    "locals renamed": "total =",
    "helpers renamed": "def _half(",
    "matmul and einsum": "q @ k",
    "sides swapped": "i > 2",
    "conditions inverted": "if i % 3 == 0:",
    "floats for whole numbers": "i % 3 == 0:",
    "matmul for einsum": "einsum",
    "results named": "return out @ out",
    "functions extracted": "return x / by\n\n\ndef _squares",
    "constants in a dataclass": "/ HALF",
    "loops for comprehensions": "number % 2 == 0]",
    "comprehensions for loops": "found.append((k",
    "keywords for positions": "_half(i, 4)",
    "type hints": "def work(n):",
    "comments": "def work(n):\n    total",
    "definitions reordered": "HALF = 2\n\n\ndef _half",
}


def run(text):
    names = {}
    exec(compile(text, "work.py", "exec"), names)
    return names["work"](9)


class Always(random.Random):
    def random(self):
        return 0.0


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.name)
def test_every_rewrite_changes_the_text_and_not_the_result(rewrite):
    module = cst.parse_module(PROGRAM)
    text = module.visit(rewrite.transformer(module, Always(0), "")).code
    assert text != PROGRAM
    assert CHANGED[rewrite.name] in PROGRAM
    assert CHANGED[rewrite.name] not in text
    assert run(text) == run(PROGRAM)


def rewrites_of(text, patterns=("work.py",), count=30):
    base = Base("solution", {"work.py": text.encode(), "notes.txt": b"x"}, ("work.py",))
    return list(islice(generate_rewrites([base], patterns, 0), count))


@pytest.fixture(scope="module")
def rewritten():
    return rewrites_of(PROGRAM)


def test_rewritten_submissions_compute_the_same(rewritten):
    rewrites = [rewrite for rewrite in rewritten if rewrite.change.operator != "second module"]
    assert len(rewrites) > 15
    assert len({rewrite.files["work.py"] for rewrite in rewrites}) == len(rewrites)
    assert all(run(rewrite.files["work.py"].decode()) == run(PROGRAM) for rewrite in rewrites)


def test_code_moves_into_a_second_module(rewritten):
    moved = next(
        rewrite for rewrite in rewritten if rewrite.change.operator == "second module"
    ).files
    assert moved["work_parts.py"].decode() == PROGRAM
    line = b"from work_parts import HALF, _half, _squares, _thirds, Model, work\n"
    assert moved["work.py"] == line


def test_notebooks_are_written_where_they_are_accepted(rewritten):
    rewrites = rewrites_of(PROGRAM, ("*.py", "*.ipynb"))
    notebook = next(rewrite for rewrite in rewrites if rewrite.change.operator == "notebook")
    cells = json.loads(notebook.files["work.ipynb"])["cells"]
    assert "work.py" not in notebook.files
    assert run("".join(cell["source"] for cell in cells)) == run(PROGRAM)
    assert all(rewrite.change.operator != "notebook" for rewrite in rewritten)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n    return 'x' + a\n",  # a sum of strings has an order
        "def f(a):\n    return draw() * draw()\n",  # and so have calls
        "def f():\n    def g():\n        return x\n    x = 1\n    return g\n",  # x is seen in g
    ],
)
def test_what_could_change_the_result_is_left_alone(text):
    module = cst.parse_module(text)
    kinds = [rewrite for rewrite in REWRITES if rewrite.name in ("sides swapped", "locals renamed")]
    assert all(module.visit(kind.transformer(module, Always(0), "")).code == text for kind in kinds)


def test_a_file_without_anything_to_rewrite_ends_the_list():
    assert rewrites_of("", count=5) == []
