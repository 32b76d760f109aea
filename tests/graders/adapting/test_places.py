"""Code may write to folders that exist only on the student's machine."""

import pytest

from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import best_tier
from graders.errors import StudentRaised
from graders.model import Limits

pytestmark = pytest.mark.slow
LIMITS = Limits(
    wall_seconds=60, cpu_seconds=30, memory_bytes=2**31, output_bytes=10_000, processes=24
)
STUDENT_SIDE = """
from graders.adapting.offline.places import install

install()


def result():
    import work
    return work.result()
"""


@pytest.fixture
def result(tmp_path):
    """What the function of a submission returns in a sandbox."""

    def run(body):
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "work.py").write_text(
            f"import os\nimport pathlib\nimport torch\ndef result():\n{lines}"
        )
        (tmp_path / "student_side.py").write_text(STUDENT_SIDE)
        with Student(
            tmp_path / "work", Side(tmp_path), LIMITS, seed=1, tier=best_tier()
        ) as student:
            return student.call("result")

    return run


@pytest.mark.parametrize("folder", ["/scratch/ada", "plots/week 1", "~/results"])
@pytest.mark.parametrize(
    ("writes", "reads"),
    [
        ("open(path, 'w').write('7')", "open(path).read()"),
        ("pathlib.Path(path).write_text('7')", "pathlib.Path(path).read_text()"),
        ("torch.save(torch.tensor(7), path)", "str(torch.load(path).item())"),
        ("os.makedirs(os.path.dirname(path)); open(path, 'a').write('7')", "open(path).read()"),
    ],
)
def test_what_is_written_anywhere_is_read_again(result, folder, writes, reads):
    path = f"os.path.expanduser('{folder}/x.txt')"
    assert result(f"path = {path}\n{writes}\nreturn {reads}") == "7"


def test_file_that_nobody_wrote_stays_missing(result):
    with pytest.raises(StudentRaised, match="FileNotFoundError"):
        result("return open('/scratch/ada/best.pt', 'rb').read()")
