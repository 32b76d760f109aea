"""Measure the size of a large course's page, and how long a browser takes to show it.

    python benchmarks/course_page.py [--submissions 10000]

The Results are invented (benchmarks/store_and_pages.py). Times are measured with the installed
Chromium: from opening the page to its table, and from a key or a click to the requested rows.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from store_and_pages import synthetic_results

from reports.course.page import write_course_page
from reports.course.view import course_view

T = TypeVar("T")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
# The work of the page's own script for one query, without the pause that waits for more keys.
SEARCH = """(words) => {
  const began = performance.now();
  const search = document.querySelector("[data-search]");
  search.value = words;
  search.dispatchEvent(new Event("input"));
  return new Promise((done) => setTimeout(() => done(performance.now() - began), 80));
}"""
CLICK = """(column) => {
  const began = performance.now();
  document.querySelectorAll("[data-table] thead button")[column].click();
  document.body.getBoundingClientRect();
  return performance.now() - began;
}"""
SHOWN = "document.querySelectorAll('[data-table] tbody tr').length"


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=10_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="softmark-benchmark-") as folder:
        _measure(Path(folder), wanted.submissions)


def _measure(out: Path, submissions: int) -> None:
    course = course_view(synthetic_results(submissions))
    page, seconds = _timed(lambda: write_course_page(course, out))
    print(f"index.html of {submissions:,} submissions: {page.stat().st_size / 1e6:.2f} MB")
    print(f"  written in {seconds:.1f} s with the pages for readers without scripts")
    _, seconds = _timed(lambda: write_course_page(course, out))
    print(f"  written once more in {seconds:.1f} s: altair is imported, and the bars are drawn")
    if CHROMIUM is None:
        print("no Chromium on this machine")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        view = browser.new_page(viewport={"width": 1280, "height": 800})
        _, seconds = _timed(lambda: view.goto(page.as_uri()))
        print(f"opened, its first {view.evaluate(SHOWN)} rows shown: {seconds:.2f} s")
        for words in ("student-009", "Number 4711", "nobody"):
            waited = view.evaluate(SEARCH, words) - 80
            print(f"searched for {words!r}: {waited:.0f} ms, {view.evaluate(SHOWN)} rows")
        view.evaluate(SEARCH, "")
        for column, name in ((0, "student"), (3, "score")):
            waited = view.evaluate(CLICK, column)
            print(f"sorted by {name}: {waited:.0f} ms")
        browser.close()


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    began = time.perf_counter()
    found = call()
    return found, time.perf_counter() - began


if __name__ == "__main__":
    main()
