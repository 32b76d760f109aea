"""An assignment in which everything that students must not see has a mark."""

from tests.conftest import LIMITS

MARK = "CANARY"

FILES = {
    "assignment.toml": f"""
name = "marked"
title = "Double and more"
version = 1
seed = 7
{LIMITS}
[files]
code = ["work.py"]
artifacts = ["answer.txt"]
names = ["double"]
public = ["cases.txt"]
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
    "checks.py": '''
import pytest
import shared
from graders.checks.compare import fail


@pytest.fixture
def factor(settings):
    return settings["factor"]


@pytest.mark.criterion("double", weight=3)
def test_doubles(student, factor):
    """Doubling a number gives it twice."""
    for x in shared.cases():
        came = student.call("double", x=x)
        if came != x * factor:
            fail("The product is wrong.", expected=str(x * factor), actual=str(came))


@pytest.mark.criterion("double", depends_on=("doubles",))
def test_doubles_zero(student, sandbox):
    """Doubling 0 gives 0."""
    assert student.call("double", x=0) == sandbox.call("zero")
''',
    "shared.py": """
from pathlib import Path


def cases():
    return [int(word) for word in Path(__file__).with_name("cases.txt").read_text().split()]
""",
    "student_side.py": """
def double(x):
    import work
    return work.double(x)
""",
    "oracle.py": "def zero():\n    return 0\n",
    "cases.txt": "21 4",
    "hidden/__init__.py": "",
    "hidden/checks.py": '''
"""CANARY: what hidden checks do."""
import pytest
from shared import cases
from .secrets import LARGE


@pytest.mark.criterion("CANARY-id", depends_on=("doubles",))
def test_large(student, settings):
    """CANARY docstring."""
    assert student.call("large_CANARY", x=cases()[0]) == LARGE * settings["CANARY_setting"]


@pytest.mark.criterion("later")
def test_later(submitted):
    """CANARY later."""
''',
    "hidden/secrets.py": "LARGE = 42  # CANARY\n",
    "hidden/student_side.py": "def large_CANARY(x):\n    import work\n    return work.double(x)\n",
    "hidden/oracle.py": "def one_CANARY():\n    return 1\n",
    "gold.txt": "CANARY answers that nobody declared public",
    "table.txt": "CANARY table",
    "checks_written.py": """
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
