"""docs/gradescope-suite.md is true: its files are an assignment, and its label is ours."""

import pytest

from graders.grading.cache_key import keys_of
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from graders.suite.model import LABEL
from submissions.receive import identify
from tests.conftest import append, edit, write_files
from tests.console import ROOT, blocks_of
from tests.graders.suite.conftest import OPTIONS

PAGE = (ROOT / "docs" / "gradescope-suite.md").read_text(encoding="utf-8")


@pytest.fixture
def written(tmp_path):
    """The page's files, each where its title says."""
    write_files(tmp_path, {block.title: block.text for block in blocks_of(PAGE) if block.title})
    return tmp_path / "sums"


def test_the_solution_of_the_page_earns_all(written):
    assignment = load_assignment(str(written))
    result = grade_submission(identify(written / "solution", "sums"), assignment, OPTIONS)
    assert (result.score, result.max_score) == (7, 7)


def test_the_page_quotes_the_label():
    assert LABEL in " ".join(PAGE.replace("\n> ", " ").split())


def test_a_changed_test_touches_the_suite_alone(written):
    """A regrade asks the suite's criteria again, and no other."""
    criterion = '[[criterion]]\nid = "own"\ntitle = "Own"\npoints = 3\nkind = "code"\n'
    append(written / "assignment.toml", criterion)
    check = '@pytest.mark.criterion("own")\ndef test_own(submitted):\n    """It holds."""\n'
    (written / "checks_own.py").write_text(f"import pytest\n\n{check}")
    before = keys_of(load_assignment(str(written)), OPTIONS).criteria
    edit(written / "tests" / "test_sums.py", "add(1, 1), 2", "add(1, 2), 3")
    after = keys_of(load_assignment(str(written)), OPTIONS).criteria
    assert {name for name in before if before[name] == after[name]} == {"own"}
