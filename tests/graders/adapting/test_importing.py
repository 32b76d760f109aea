import sys

import pytest

from graders.adapting.gathered import NotHandedIn

LOUD = "print('loud')\nraise SystemExit\n"
HELPER = f"{LOUD}import math\nSCALE = math.sqrt(4)\ndef help_me(x):\n    return SCALE * x\n"

IMPORTS = {
    "names": "from helper import help_me",
    "all": "from helper import *",
    "module": "import helper\nhelp_me = lambda x: helper.help_me(x)",
    "renamed": "import helper as mm\nhelp_me = mm.help_me",
    "relative": "from .helper import help_me as other\ndef help_me(x):\n    return other(x)",
    "from here": "from . import helper\nhelp_me = helper.help_me",
    "other folder": "from homework.parts.helper import help_me",
    "inside": "def help_me(x):\n    from helper import help_me\n    return help_me(x)",
}


@pytest.mark.parametrize("form", IMPORTS)
def test_local_files_are_gathered(take, form, capsys):
    text = f"{IMPORTS[form]}\ndef f(x):\n    return help_me(x) + 1\n"
    got = take({"a.py": text, "helper.py": HELPER}, "f")
    assert got["f"](2) == 5
    assert capsys.readouterr().out == ""


PACKAGES = {
    "names": "from parts.helper import help_me",
    "as": "import parts.helper as h\nhelp_me = h.help_me",
    "dotted": "import parts.helper\ndef help_me(x):\n    return parts.helper.help_me(x)",
    "submodule": "from parts import helper\nhelp_me = helper.help_me",
    "offered": "from parts import help_me",
    "all": "from parts import *",
}


@pytest.mark.parametrize("form", PACKAGES)
def test_packages_are_gathered(take, form):
    text = f"{PACKAGES[form]}\ndef f(x):\n    return help_me(x) + 1\n"
    files = {
        "work/a.py": text,
        "work/parts/__init__.py": f"from .helper import *\n{LOUD}",
        "work/parts/helper.py": f"from .numbers_ import SCALE\n{HELPER}",
        "work/parts/numbers_.py": "SCALE = 1\n",
    }
    assert take(files, "f")["f"](2) == 5


def test_package_without_init_is_gathered(take):
    files = {"a.py": "from parts.helper import help_me as f", "parts/helper.py": HELPER}
    got = take(
        {**files, "b.py": "import parts.helper\ndef g(x):\n    return parts.helper.help_me(x)"}, "g"
    )
    assert got["g"](2) == 4


def test_file_or_module_without_the_name_is_no_rival(take):
    files = {
        "main.py": "from parts import f\nprint(f(1))\n",
        "parts.py": "def f(x):\n    return x\n",
    }
    got = take(files, "f")
    assert (got.file, got.notes) == ("parts.py", [])
    got = take(
        {"a.py": "from helper import nothing as f", "helper.py": "x = 1", "b.py": "def f(): pass"},
        "f",
    )
    assert got.file == "b.py"


def test_cyclic_imports_end_and_namesakes_are_imported(take):
    files = {
        "a.py": "from b import *\nfrom b import g\ndef f(x):\n    return g(x)\n",
        "b.py": (
            "from a import *\nfrom a import f\nimport a\ndef g(x):\n"
            "    return f(x - 1) if x else a.f\n"
        ),
    }
    got = take(files, "f", "g")
    assert got["f"](2) is got["f"]
    files = {
        "a.py": (
            "import numpy as np\nfrom pytest import help_me\ndef f(x):\n"
            "    return float(np.ones(1)[0]) + help_me(x)"
        ),
        "pytest.py": HELPER,
        "numpy.py": "ones = None\n",
    }
    assert take(files, "f")["f"](2) == 5
    text = "from helper import help_me\ndef f(x):\n    return help_me(x) + 1\n"
    assert take({"sub/helper.py": text, "helper.py": HELPER}, "f")["f"](2) == 5


def test_file_never_takes_the_place_of_a_library(take, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    text = "def f():\n    import colorsys\n    return colorsys.rgb_to_hsv(0, 0, 0)\n"
    assert take({"a.py": text, "colorsys.py": LOUD}, "f")["f"]() == (0, 0, 0)


def test_failing_import_is_noted(take):
    text = "import no_such_module\ndef f():\n    return no_such_module.x\n"
    got = take({"a.py": text}, "f")
    with pytest.raises(NameError):
        got["f"]()
    assert got.notes == [
        "`a.py`, line 1: `no_such_module` could not be made "
        "(ModuleNotFoundError: No module named 'no_such_module')."
    ]


def test_names_may_be_spread_over_files_and_stay_undefined_if_nobody_defines_them(take):
    files = {
        "one.py": "def g(x):\n    return h(x) + N\nN = 1\ndef k():\n    return 2\n",
        "two.ipynb": ["N = 5\ndef h(x):\n    return N * x"],
    }
    got = take(files, "g", "h", "k")
    assert got["g"](2) == 11
    assert got.notes == ["Taken from `one.py`: `g`, `k`.", "Taken from `two.ipynb`: `h`."]
    got = take({"a.py": "def f():\n    return g()\n", "b.py": "def h():\n    pass"}, "f", "g", "h")
    with pytest.raises(NameError):
        got["f"]()
    with pytest.raises(NotHandedIn):
        got["g"]


def test_star_import_of_a_lazy_package_loads_only_what_is_used(take):
    text = "from transformers import *\ndef f():\n    return BertConfig().model_type\n"
    assert take({"a.py": text}, "f")["f"]() == "bert"
    assert "transformers.models.zamba2.modeling_zamba2" not in sys.modules


REGISTRY = """
KNOWN = {}
def register(name):
    def decorate(function):
        KNOWN[name] = function
        return function
    return decorate
def known(name):
    return KNOWN[name]
class Registry:
    def __init__(self):
        self.known = {}
    def add(self, function):
        self.known[function.__name__] = function
        return function
FUNCTIONS = Registry()
class Base:
    kinds = {}
    def __init_subclass__(cls):
        Base.kinds[cls.__name__] = cls
"""
PLUS_ONE = "def plus(x):\n    return x + 1\n"
REGISTERED = {
    "names": (
        f"from registry import KNOWN, register\n@register('one')\n{PLUS_ONE}"
        "def f(x):\n    return KNOWN['one'](x)"
    ),
    "module": (
        f"import registry\n@registry.register('one')\n{PLUS_ONE}"
        "def f(x):\n    return registry.KNOWN['one'](x)"
    ),
    "all": (
        f"from registry import *\n@register('one')\n{PLUS_ONE}def f(x):\n    return KNOWN['one'](x)"
    ),
    "function": (
        f"from registry import known, register\n@register('one')\n{PLUS_ONE}"
        "def f(x):\n    return known('one')(x)"
    ),
    "object": (
        f"from registry import FUNCTIONS\n@FUNCTIONS.add\n{PLUS_ONE}"
        "def f(x):\n    return FUNCTIONS.known['plus'](x)"
    ),
    "subclass": (
        "from registry import Base\nclass One(Base):\n    n = 1\n"
        "def f(x):\n    return x + Base.kinds['One'].n"
    ),
    "imported alone": (
        "import functions\nfrom registry import KNOWN\ndef f(x):\n    return KNOWN['one'](x)"
    ),
    "imported, too": (
        "from functions import ONE\nfrom registry import known\n"
        "def f(x):\n    return known('one')(x)\ndef g():\n    return ONE"
    ),
}


@pytest.mark.parametrize("form", REGISTERED)
def test_registries_of_other_files_are_filled(take, form):
    functions = f"from registry import register\n{LOUD}ONE = 1\n@register('one')\n{PLUS_ONE}"
    files = {"a.py": REGISTERED[form], "functions.py": functions, "registry.py": REGISTRY}
    got = take(files, "f", own=("a",))
    assert got["f"](2) == 3
    assert got.notes == []


def test_decorator_of_a_library_fills_nothing(take):
    text = "import torch\n@torch.no_grad()\ndef loud():\n    return missing\n"
    got = take({"a.py": f"{text}def f():\n    return torch.ones(1).item()"}, "f")
    assert got["f"]() == 1
    assert "loud" not in got.namespace


def test_decorated_functions_of_files_that_import_each_other_are_kept(take):
    model = f"CALLS = []\nfrom utils import timed\n@timed\n{PLUS_ONE}def f(x):\n    return plus(x)"
    utils = "import model\ndef timed(f):\n    model.CALLS.append(1)\n    return f\n"
    assert take({"model.py": model, "utils.py": utils}, "f", own=("model",))["f"](1) == 2


def test_decorator_of_another_file_that_registers_nothing_runs_nothing_else(take):
    text = "from utils import SEED, timed\n@timed\ndef loud():\n    return missing\nx = missing\n"
    utils = "SEED = 1\ndef timed(f):\n    return f\n"
    got = take(
        {"a.py": f"{text}def f(y):\n    return y + SEED", "utils.py": utils}, "f", own=("a",)
    )
    assert got["f"](1) == 2
    assert "loud" not in got.namespace
