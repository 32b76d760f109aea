"""The many ways in which students write the same function."""

import pytest
import torch

from graders.adapting.gathered import NotHandedIn

STYLES = {
    "lambda": "f = lambda x: x + 1",
    "partial": "from functools import partial\nimport operator\nf = partial(operator.add, 1)",
    "alias": "def plus_one(x):\n    return x + 1\nf = plus_one",
    "wrapped": "import torch\ndef f(x):\n    return x + 1\nf = torch.no_grad()(f)",
    "decorated": "import torch\n@torch.no_grad()\ndef f(x):\n    return x + 1",
    "own decorator": (
        "import functools\ndef twice(g):\n    @functools.wraps(g)\n    def inner(x):\n"
        "        return g(x)\n    return inner\n@twice\ndef f(x):\n    return x + 1"
    ),
    "conditional": (
        "FAST = False\nif FAST:\n    def f(x):\n        return x\nelse:\n"
        "    def f(x):\n        return x + 1"
    ),
    "in try": (
        "try:\n    import no_such_module\nexcept ImportError:\n"
        "    no_such_module = None\ntry:\n    def f(x):\n"
        "        return x + (1 if no_such_module is None else 0)\nfinally:\n    pass"
    ),
    "in with": (
        "import contextlib\nwith contextlib.nullcontext(1) as ONE:\n    def f(x):\n"
        "        return x + ONE"
    ),
    "constant from a loop": "for ONE in range(2):\n    pass\ndef f(x):\n    return x + ONE",
    "constant from with": (
        "import io\nwith io.StringIO('1') as file:\n    text = file.read()\n"
        "    ONE = int(text)\ndef f(x):\n    return x + ONE"
    ),
    "walrus": "if (ONE := 1) > 0:\n    pass\ndef f(x):\n    return x + ONE",
    "counter": (
        "calls = 0\ndef f(x):\n    global calls\n    calls += 1\n    return x + calls - calls + 1"
    ),
    "star import": "from torch import *\ndef f(x):\n    return x + ones(1).item()",
    "subclasses register themselves": (
        "class Base:\n    known = {}\n    def __init_subclass__(cls, name):\n"
        "        Base.known[name] = cls\nclass One(Base, name='one'):\n    n = 1\n"
        "class Two(One, name='two'):\n    pass\ndef f(x):\n    return x + Base.known['two'].n"
    ),
    "star over a builtin": (
        "from torch import *\ndef f(x):\n    return x + sum(ones(1), dim=0).item()"
    ),
    "missing annotation": (
        "from typing import List\n"
        "def f(x: Float[Tensor, 'b t'], y: List[Missing] = None) -> Missing:\n"
        "    return x + 1"
    ),
    "future": (
        "from __future__ import annotations\nAlias = dict[str, int]\n"
        "def f(x: Alias) -> Alias:\n    return x + 1"
    ),
    "dataclass": (
        "from dataclasses import dataclass, field\nimport typing\n@dataclass\n"
        "class C:\n    n: int = 1\n    some: typing.ClassVar[int] = 3\n"
        "    more: list = field(default_factory=list)\nconfig = C()\ndef f(x):\n"
        "    return x + config.n"
    ),
    "named tuple": (
        "from typing import NamedTuple\nclass P(NamedTuple):\n    n: int\nP1 = P(1)\n"
        "def f(x):\n    return x + P1.n"
    ),
    "filled table": (
        "TABLE = {}\nTABLE['one'] = 1\nWORDS = []\nWORDS.append('one')\ndef f(x):\n"
        "    return x + TABLE[WORDS[0]]"
    ),
    "patched class": (
        "class A:\n    pass\ndef step(self, x):\n    return x + 1\nA.step = step\n"
        "setattr(A, 'go', lambda self, x: self.step(x))\ndef f(x):\n"
        "    return A().go(x)"
    ),
    "method": "class All:\n    one = 1\n    def f(self, x):\n        return x + self.one",
    "static method": "class All:\n    @staticmethod\n    def f(x):\n        return x + 1",
    "class method": "class All:\n    @classmethod\n    def f(cls, x):\n        return x + 1",
    "method without self": "class All:\n    def f(x):\n        return x + 1",
    "module with methods": (
        "from torch import nn\nclass All(nn.Module):\n    def __init__(self, n=1):\n"
        "        super().__init__()\n        self.n = n\n    def f(self, x):\n"
        "        return x + self.n"
    ),
    "recursion": "def f(x):\n    return g(x)\ndef g(x):\n    return x + 1 if x >= 0 else f(-x)",
    "import inside": "def f(x):\n    import math\n    return x + int(math.cos(0))",
    "two imports on a line": (
        "import no_such_module, math\ndef f(x):\n    return x + int(math.cos(0))"
    ),
    "import that is half gone": (
        "from math import no_such_name, cos\ndef f(x):\n    return x + int(cos(0))"
    ),
    "syntax error elsewhere": (
        "x = (1,\ndef bad(:\n    pass\nONE = 1\ndef f(x):\n    return x + ONE\nprint 'old'\n"
    ),
    "return at the margin": "return 1\nawait nothing\ndef f(x):\n    return x + 1",
    "odd escape": "!ls\nONE = 1 if '\\d' else 2\ndef f(x):\n    return x+ONE if x is not 1 else x",
    "windows": "ONE = 1\r\ndef f(x):\r\n    return x + ONE\r\n",
    "tabs": "def f(x):\n\tif x:\n\t\treturn x + 1\n\treturn 1\n",
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
def test_every_style_is_read(take, style, name):
    content = STYLES[style]
    got = take({name: [content] if name.endswith("ipynb") else content}, "f")
    assert got["f"](torch.tensor(3)) == 4


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf# \xc3\xa9\nM = 'e'\ndef f(): return M",
        b"# caf\xe9\nM = 'e'\ndef f(): return M",
        "M = 'e'\ndef f(): return M".encode("utf-16"),
    ],
    ids=["mark", "latin-1", "utf-16"],
)
def test_encodings_are_read(take, data):
    assert take({"a.py": data}, "f")["f"]() == "e"


def test_what_cannot_be_called_is_no_function(take):
    text = (
        "class All:\n    def __init__(self, n):\n        self.n = n\n    def f(self):\n"
        "        return 1\n"
    )
    with pytest.raises(NotHandedIn, match="`f` is a method of the class `All`"):
        take({"a.py": text}, "f")["f"]
    text = (
        "class A:\n    def f(self):\n        return 1\nclass B(A):\n    def f(self):\n"
        "        return 2\n"
    )
    with pytest.raises(NotHandedIn):
        take({"a.py": text}, "f")["f"]


def test_model_can_be_saved_whole(take, tmp_path):
    got = take({"a.py": "from torch import nn\nclass Model(nn.Linear):\n    pass\n"}, "Model")
    torch.save(got["Model"](2, 2), tmp_path / "model.pt")
    loaded = torch.load(tmp_path / "model.pt", weights_only=False)
    assert isinstance(loaded, got["Model"])


def test_arguments_of_the_command_line_are_there_and_a_try_that_trains_is_cut(take):
    text = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--one", default=1)
if True:
    parser.add_argument("--two", default=2)
args = parser.parse_args([])
def f(x):
    return x + args.two - args.one
"""
    assert take({"a.py": text}, "f")["f"](3) == 4
    text = """
def train(loss):
    loss.backward()
try:
    def f(x):
        return x + 1
    train(None)
except Exception:
    raise SystemExit
"""
    assert take({"a.py": text}, "f")["f"](3) == 4


@pytest.mark.parametrize(
    "again",
    [
        "f = lambda x: x + 1",
        "f = better",
        "f = partial(better)",
        "f = twice(f)",
        "f = make(1)",
        "f = operator.neg",
    ],
)
def test_function_may_be_assigned_again(take, again):
    text = """
import operator
from functools import partial
def f(x):
    return 0
def better(x):
    return x + 1
def twice(g):
    return lambda x: g(x) + 6
def make(n):
    def inner(x):
        return x + n
    return inner
"""
    assert take({"a.py": text + again}, "f")["f"](5) in (6, -5)


def test_a_timed_line_runs_in_an_indented_cell(take):
    assert take({"a.ipynb": ["def f():\n    %time y = 1\n    return y"]}, "f")["f"]() == 1
    assert take({"a.ipynb": ["    def f():\n        return 1\n"]}, "f")["f"]() == 1


def test_what_is_imported_counts_and_its_calls_do_not_run(take, capsys):
    got = take({"a.py": "from operator import neg as f\nimport operator as g\n"}, "f", "g")
    assert got["f"](3) == -3
    assert got.missing == ("g",)
    files = {"a.py": "from b import one as f\n", "b.py": "def one():\n    return 1\n"}
    assert take(files, "f")["f"]() == 1
    text = "import sys\nsys.stdout.write('loud')\ndef f():\n    return sys.maxsize\n"
    assert take({"a.py": text}, "f")["f"]() > 0
    assert capsys.readouterr().out == ""
    files = {
        "a.ipynb": ["%run ./parts/b.ipynb", "def f():\n    return ONE"],
        "parts/b.ipynb": ["ONE = 1"],
    }
    assert take(files, "f")["f"]() == 1
