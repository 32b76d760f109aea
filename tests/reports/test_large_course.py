"""Ten thousand submissions: small pages, a fast table, and little memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.reports.chromium import needs_chromium

ROOT = Path(__file__).parents[2]
MOST = 1_000_000  # bytes of a page
WHOLE = 1_600_000  # of the one that holds every row
GIGABYTE = 2**10  # MiB

WRITES = """
import sys
from pathlib import Path
from benchmarks.store_and_pages import peak_mib, synthetic_results
from reports.course.twins import TwinSearch
from reports.course.files import write_course_reports
from reports.course.view import course_view

search = TwinSearch(frozenset())
for result in synthetic_results(10_000):
    search.add(result)
write_course_reports(course_view(synthetic_results(10_000), search.twins()), Path(sys.argv[1]))
print(peak_mib())
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The folder of a course of ten thousand, and the memory that writing it took."""
    out = tmp_path_factory.mktemp("large")
    command = [sys.executable, "-c", WRITES, str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return out, float(done.stdout)


@pytest.mark.long
def test_ten_thousand_submissions_fit_on_pages_and_in_memory(large):
    out, memory = large
    pages = {page.name: page.stat().st_size for page in out.glob("*.html")}
    assert len(pages) == 41
    assert pages.pop("index.html") < WHOLE
    assert max(pages.values()) < MOST
    assert len((out / "grades.csv").read_text().splitlines()) == 10_001
    assert memory < GIGABYTE


@pytest.mark.long
@pytest.mark.browser
@needs_chromium
def test_ten_thousand_are_searched_and_sorted_on_one_page(large, browser):
    expect = pytest.importorskip("playwright.sync_api").expect
    with browser.new_page() as page:
        page.goto((large[0] / "index.html").as_uri())
        expect(page.locator("[data-table] tbody tr")).to_have_count(250)
        page.get_by_label("Search").fill("number 4711")
        expect(page.get_by_role("status")).to_have_text("2 found among 10,000 submissions")
        page.get_by_label("Search").fill("")
        expect(page.get_by_role("status")).to_have_text("1 to 250 of 10,000 submissions")
        by_score = page.get_by_role("columnheader", name="Score").get_by_role("button")
        by_score.dblclick()
        scores = page.locator("[data-table] tbody td:nth-child(4)").all_inner_texts()
    assert scores == sorted(scores, key=float, reverse=True)
