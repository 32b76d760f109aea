"""An assignment in which all that students must not see carries a mark."""

MARK = "CANARY"

FILES = {
    "assignment.toml": """
name = "marked"
title = "Double and more"
version = 1
seed = 7
[limits]
wall_seconds = 20
cpu_seconds = 40
memory_bytes = 4294967296
output_bytes = 4096
processes = 64
[files]
code = ["work.py"]
artifacts = ["answer.txt"]
names = ["double"]
[settings]
factor = 2
CANARY_setting = 3
[[criterion]]
id = "double"
title = "Doubling"  # CANARY comment
points = 4
kind = "code"
[[criterion]]
id = "CANARY-id"
title = "CANARY title"
points = 37.25
kind = "code"
visibility = "hidden"
[[criterion]]
id = "later"
title = "CANARY later"
points = 2
kind = "metric"
visibility = "after_due_date"
""",
    "test_both.py": '''
"""CANARY: what hidden checks of this file do."""
import pytest
import more
from all_used import twice
from cases import SECRETS, cases, secrets
from graders.checks.compare import fail

LARGE = "CANARY large"  # CANARY beside a constant


@pytest.fixture
def factor(settings):
    return settings["factor"]


@pytest.fixture
def secret_factor(settings):
    return settings["CANARY_setting"]


@pytest.mark.criterion("double", weight=3)
def test_doubles(student, factor):
    """Doubling a number gives it twice."""
    for x in cases():  # CANARY beside a visible check
        came = student.call("double", x=x)
        if came != twice(x) / 2 * factor:
            fail("The product is wrong.", expected=str(x * factor), actual=str(came))


@pytest.mark.criterion("double", depends_on=("doubles",))
def test_doubles_zero(student, sandbox):
    """Doubling 0 gives 0."""
    assert student.call("double", x=0) == sandbox.call("zero") == more.nothing()


@pytest.mark.criterion("CANARY-id")
def test_large(student, secret_factor):
    """CANARY docstring."""
    assert student.call("large_CANARY", x=SECRETS[0]) == LARGE or secrets() == more.CANARY_all()
''',
    "test_hidden.py": '''
import pytest
import only_hidden


@pytest.mark.criterion("later")
def test_later(submitted):
    """CANARY whole file."""
    only_hidden.look(submitted)
''',
    "only_hidden.py": "def look(submitted):\n    'CANARY module'\n    open('table.txt')\n",
    "all_used.py": '''
"""CANARY docstring of a module that only visible checks use."""


def twice(x):
    return 2 * x  # CANARY comment
''',
    "cases.py": '''
"""CANARY docstring of a module that both use."""
SECRETS = ["CANARY input"]
SECRETS.append("CANARY appended")
KNOWN = {}
KNOWN["first"] = 21


def cases():
    """CANARY docstring of a function that both use."""
    # CANARY comment in a function that both use
    return [KNOWN["first"], 4]


def secrets():
    return SECRETS
''',
    "more.py": "def nothing():\n    return 0\n\n\ndef CANARY_all():\n    return 1\n",
    "adapters.py": """
def double(x):
    import work
    return work.double(x)


def large_CANARY(x):
    return double(x)
""",
    "oracle.py": "def zero():\n    return 0\n\n\ndef one_CANARY():\n    return 1\n",
    "table.txt": "CANARY table",
    "test_written.py": """
from graders.written.checks import judge, written_checks


@written_checks(__file__)
def test_written(written, submitted, score, inputs):
    judge(written, submitted, score, inputs)
""",
    "written.toml": """
[[question]]
id = "1a"
title = "A letter"
prompt = "Which letter?"
[question.machine]
points = 1
kind = "choice"
parts = ["choice"]
verify = "choice"
expected = "CANARY expected"
[question.machine.with]
key = "C"
[question.machine.with.options]
A = ["CANARY option"]
C = ["CANARY right"]
[question.machine.with.comments]
C = "CANARY comment"
[[question.machine.mistake]]
part = "choice"
is = "A"
hint = "CANARY hint"
[[question]]
id = "1b"
title = "A reason"
prompt = "Why?"
[question.review]
points = 2
[[question.review.item]]
points = 2
text = "CANARY rubric"
phrases = ["CANARY phrase"]
[[question]]
id = "9z"
title = "CANARY question"
prompt = "CANARY prompt"
visibility = "hidden"
[question.review]
points = 1
[[question.review.item]]
points = 1
text = "CANARY rubric"
""",
    "solution/work.py": "# CANARY solution\ndef double(x):\n    return 2 * x\n",
    "solution/answers.md": "## 1a\n\nchoice: C CANARY\n",
    "examples/wrong/expected.toml": 'why = "CANARY example"\n',
    "examples/wrong/answer.txt": "CANARY example",
}


def write_marked(folder):
    """The assignment's folder."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
