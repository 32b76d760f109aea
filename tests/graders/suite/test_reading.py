"""The tests of a suite are counted without running it, or refused in one sentence."""

import pytest

from graders.errors import UsageError
from graders.registry.discovery import load_assignment
from graders.suite.reading import suite_tests
from tests.conftest import edit, write_files

HEAD = """
import unittest
import unittest as u
from unittest import TestCase as Case
from gradescope_utils.autograder_utils import decorators
from gradescope_utils.autograder_utils.decorators import *
from gradescope_utils.autograder_utils.decorators import weight as points
"""
X = "def test_x(self): ..."
ONE = f"class A(Case):\n        {X}"
LOOP = "for n in 'ab':\n"


@pytest.fixture
def read(tmp_path):
    """`read(source, **files)`: the tests of a suite with this test file."""

    def tests(source, **files):
        named = {f"{name}.py": text for name, text in files.items()}
        return suite_tests(write_files(tmp_path / "tests", {"test_a.py": HEAD + source, **named}))

    return tests


def weights(tests):
    return {f"{test.case}.{test.method}": test.weight for test in tests}


@pytest.mark.parametrize(
    ("lines", "weight"),
    [
        ("@weight(2.5)", 2.5),
        ("@points(3)", 3),
        ("@decorators.weight(val=4)", 4),
        ("@partial_credit(5)", 5),
        ("@weight(1)\n    @partial_credit(5)", 1),
        ("@partial_credit(5)\n    @weight(1)", 5),
        ("@leaderboard('speed')\n    @weight(2)", 0),
        ("@tags('a', 'b')", 0),
    ],
)
def test_points_are_those_that_would_count(read, lines, weight):
    tests = read(f"class A(u.TestCase):\n    {lines}\n    def test_x(self): ...\n")
    assert weights(tests) == {"A.test_x": weight}


def test_all_that_a_test_says_of_itself(read):
    (test,) = read(
        "class A(Case):\n    @number('2.1')\n    @visibility('after_due_date')\n"
        "    @hide_errors()\n    @weight(1)\n    async def test_x(self):\n"
        '        """It holds.\n\n        Always.\n        """\n'
    )
    assert (test.number, test.visibility, test.hidden_errors) == (
        "2.1",
        "after_due_date",
        "Test failed",
    )
    assert test.criterion.title == "2.1 It holds. [suite]"


def test_inherited_tests_count_in_each_class(read):
    base = "import unittest\nclass Base(unittest.TestCase):\n    def test_x(self): ...\n"
    source = """
from base import Base
class Mixin:
    @weight(2)
    def test_y(self): ...
class A(Base): ...
class B(Mixin, A):
    @weight(3)
    def test_x(self): ...
"""
    assert weights(read(source, base=base)) == {"A.test_x": 0, "B.test_x": 3, "B.test_y": 2}


def test_a_class_that_is_deleted_is_only_a_base(read):
    lib = HEAD + f"class L(Case):\n    {X}\n"
    source = f"from lib import L\nclass A(Case):\n    {X}\nclass B(A): ...\ndel A, L\n"
    assert list(weights(read(source, lib=lib))) == ["B.test_x"]


def test_data_with_the_name_of_a_test_is_no_test(read):
    data = "    test_cases = [1, 2]\n    test_low, test_high = 1, 2\n    test_eps: float = -1e-6\n"
    assert list(weights(read(f"class A(Case):\n{data}    {X}\n"))) == ["A.test_x"]


def test_a_lone_run_test_is_a_test(read):
    """unittest runs it only if a class has no other."""
    lone = "class A(Case):\n    @weight(3)\n    def runTest(self): ...\n"
    assert weights(read(lone)) == {"A.runTest": 3}
    assert weights(read(f"{lone}    {X}\n")) == {"A.test_x": 0}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_a_file_may_have_any_encoding_that_python_reads(read, tmp_path, encoding):
    source = "class A(Case):\n    def test_x(self):\n        'é'\n"
    read(source)
    text = f"# -*- coding: {encoding} -*-\n{HEAD}{source}"
    (tmp_path / "tests" / "test_a.py").write_bytes(text.encode(encoding))
    assert [test.title for test in suite_tests(tmp_path / "tests")] == ["é"]


def test_what_is_no_test_is_not_counted(read):
    source = f"""
from dataclasses import dataclass
import torch
class Wrong(Exception): ...
class Net(torch.nn.Module): ...
class Old(object):
    {X}
class Tool:
    def test_drive(self): ...
class A(Case):
    def setUp(self): ...
    def helper(self): ...
    {X}
"""
    assert weights(read(source, run_tests="raise SystemExit")) == {"A.test_x": 0}


def test_a_class_that_a_star_brings_is_known(read):
    base = "from unittest import *\nclass Base(TestCase):\n    def test_x(self): ...\n"
    assert weights(read("from base import *\nclass A(Base): ...\n", base=base)) == {"A.test_x": 0}


def test_a_class_of_a_helper_counts_where_it_is_imported(read):
    """unittest runs it there; a class that others build on is theirs."""
    lib = f"from unittest import *\nclass A(TestCase):\n    {X}\nclass Base(TestCase):\n    {X}\n"
    tests = read("from lib import A, Base\nclass B(Base): ...\n", lib=lib)
    assert {(test.module, test.case) for test in tests} == {("test_a", "A"), ("test_a", "B")}
    assert weights(read("from lib import A as Other\n", lib=lib)) == {"Other.test_x": 0}
    assert set(weights(read("from lib import *\n", lib=lib))) == {"A.test_x", "Base.test_x"}


@pytest.mark.parametrize("mark", ["@u.skip('no')", "@u.mock.patch('os.getcwd')"])
def test_decorators_of_unittest_stand_on_classes(read, mark):
    assert weights(read(f"{mark}\nclass A(Case):\n    {X}")) == {"A.test_x": 0}


def test_numbers_decide_the_order(read):
    source = "class A(Case):\n" + "".join(
        f"    @number('{number}')\n    def test_{name}(self): ...\n"
        for name, number in (("a", "2"), ("b", "1.10"), ("c", "1.9"))
    )
    source += "    def test_d(self): ...\n"
    assert [test.method[-1] for test in read(source)] == ["c", "b", "a", "d"]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("class A(Case):\n    @weight(N)\n    def test_x(self): ...", "no literal value"),
        ("class A(Case):\n    @weight(-1)\n    def test_x(self): ...", "`@weight` is -1"),
        (
            "class A(Case):\n    @visibility('no')\n    def test_x(self): ...",
            "`@visibility` is 'no'",
        ),
        ("class A(Case):\n    for n in 'ab':\n        def test_x(self): ...", "tests dynamically"),
        ("class A(Case):\n    test_x = print", "creates tests dynamically"),
        ("class A(Case):\n    test_x, test_y = print, print", "creates tests dynamically"),
        (
            "class A(Case): ...\nfor n in 'ab': setattr(A, 'test_' + n, print)",
            "`setattr` adds tests",
        ),
        (
            f"class A(Case):\n    {X}\nB = type('B', (A,), {{}})",
            "`type` creates a class dynamically",
        ),
        ("def load_tests(*_): ...", "`load_tests` creates"),
        (f"from lib import Base\nclass A(Base):\n    {X}", "`lib.Base`, which is not in"),
        (f"class A(Other[int]):\n    {X}", "`A` inherits from `Other"),
        ("from lib import Base\nclass A(Base, Case):\n    def test_x(self): ...", "`lib.Base`"),
        ("class A(Case): ...", "has no tests"),
        ("class A(A):\n    def test_x(self): ...", "inherits from itself"),
        (f"class A(Case):\n    try:\n        {X}\n    except OSError: ...", "tests dynamically"),
        (f"{LOOP}    class A(Case):\n        def test_x(self): ...", "`A` is not at the top"),
        (f"try: ...\nexcept OSError:\n    {ONE}", "test_a.py:10: `A` is not at the top"),
        (f"class B:\n    {ONE}\nclass C(B.A): ...", "`A` is not at the top"),
        (f"two = weight(2)\nclass A(Case):\n    @two\n    {X}", "`@two` hides `weight`"),
        (f"w = decorators.weight\nclass A(Case):\n    @w(2)\n    {X}", "`@w` hides `weight`"),
        (f"def w(n): return weight(n)\nclass A(Case):\n    @w(2)\n    {X}", "`@w` hides"),
        (
            f"from ddt import data as d\nclass A(Case):\n    @d(1, 2)\n    {X}",
            "`@ddt.data` creates",
        ),
        (
            f"def more(c): return c\n@more\nclass A(Case):\n    {X}",
            "`more` could change the tests of `A`",
        ),
        (f"@points(2)\nclass A(Case):\n    {X}", "`@weight` is on the class `A`"),
        (f"class A(Case, metaclass=M):\n    {X}", "`M` could change the tests of `A`"),
        (f"class A(Case):\n    {X}\nA.test_y = print", "`A.test_y =` creates"),
        ("class A(Case)", "test_a.py: "),
    ],
)
def test_what_cannot_be_counted_is_refused(read, source, sentence):
    with pytest.raises(UsageError, match=sentence):
        read(source)


def test_type_may_be_asked_and_may_make_what_has_no_tests(read):
    assert read(f"STUB = type('Stub', (), {{}})()\nclass A(Case):\n    {X}\nprint(type(A))\n")


def test_a_decorator_of_a_helper_that_hides_points_is_refused(read):
    lib = "from gradescope_utils.autograder_utils.decorators import weight\n"
    source = "import lib\nclass A(Case):\n    @lib.worth(2)\n    def test_x(self): ...\n"
    with pytest.raises(UsageError, match="`@lib.worth` hides `weight`"):
        read(source, lib=lib + "def worth(n):\n    return weight(n)\n")
    assert read(source, lib=lib + "def worth(n):\n    return lambda test: test\n")


@pytest.mark.parametrize("imports", ["from lib import worth", "from lib import *"])
def test_a_decorator_that_a_helper_renames_is_refused(read, imports):
    lib = "from gradescope_utils.autograder_utils.decorators import weight as worth\n"
    source = f"{imports}\nclass A(Case):\n    @worth(2)\n    {X}\n"
    with pytest.raises(UsageError, match="`@worth` hides `weight`"):
        read(source, lib=lib)


HIDDEN = f"{HEAD}LIMIT = 3\nclass B(Case):\n    @visibility('hidden')\n    {X}\n"


@pytest.mark.parametrize(
    ("imports", "lib"),
    [("from test_b import LIMIT", ""), ("import lib", "from tests import test_b\n")],
)
def test_a_file_that_an_earlier_test_needs_cannot_be_left_out(read, imports, lib):
    """Without it, every submission would lose the points of that test."""
    seen = f"{imports}\nclass A(Case):\n    {X}\n"
    with pytest.raises(UsageError, match=r"imports `test_b`, whose .* than `A.test_x` of `test_a`"):
        read(seen, lib=lib, test_b=HIDDEN)
    assert read(f"class A(Case):\n    {X}\n", lib=lib, test_b=f"import test_a, lib\n{HIDDEN}")


def test_tests_in_a_deeper_folder_and_two_of_one_id_are_refused(read, tmp_path):
    with pytest.raises(UsageError, match="two tests would have the id `a-A-x`"):
        read("class A(Case):\n    def test_x(self): ...\n    def test_x_(self): ...\n")
    deeper = tmp_path / "tests" / "more"
    deeper.mkdir(parents=True)
    (deeper / "test_b.py").write_text("")
    with pytest.raises(UsageError, match="in a subfolder of the suite"):
        read("")


def test_the_suite_is_a_folder_of_the_assignment(folder):
    toml = folder / "assignment.toml"
    edit(toml, '"tests"', '"../tests"')
    with pytest.raises(UsageError, match="suite: `folder` is"):
        load_assignment(str(folder))
    edit(toml, '"../tests"', '"test"')
    with pytest.raises(UsageError, match="is not a folder"):
        load_assignment(str(folder))
