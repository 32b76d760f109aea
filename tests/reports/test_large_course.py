"""Ten thousand submissions: every page stays small, and so does what is held in memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.store_and_pages import synthetic_results
from reports import write_submission_files

ROOT = Path(__file__).parents[2]
MOST = 1_000_000  # bytes of a page
GIGABYTE = 2**20  # in the KiB that the system counts

WRITES = """
import resource, sys
from pathlib import Path
from benchmarks.store_and_pages import synthetic_results
from reports import find_twins, write_reports

twins = find_twins(synthetic_results(10_000), frozenset())
write_reports(synthetic_results(10_000), Path(sys.argv[1]), twins)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.long
def test_ten_thousand_submissions_fit_on_pages_and_in_memory(tmp_path):
    command = [sys.executable, "-c", WRITES, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    pages = list(tmp_path.glob("*.html"))
    assert len(pages) == 41
    assert max(page.stat().st_size for page in pages) < MOST
    assert len((tmp_path / "grades.csv").read_text().splitlines()) == 10_001
    assert int(done.stdout) < GIGABYTE


def test_the_page_of_one_submission_is_small(tmp_path):
    for result in synthetic_results(3):
        *_, page = write_submission_files(result, tmp_path)
        assert page.stat().st_size < MOST
