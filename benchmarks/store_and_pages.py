"""Measure the pages of a large course: time, memory and size, and how long a browser takes.

    python benchmarks/store_and_pages.py [--submissions 10000] [--single 200]
    python benchmarks/store_and_pages.py --browser [--submissions 10000]

Results are invented one after another, with as many checks and as much text as those of cs224n-a4,
so that only the store and the pages are measured. With --browser, only the course page is, in the
installed Chromium: from opening it to its table, and from a key or a click to the requested rows.
"""

import argparse
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TypeVar

from graders.model import (
    Assignment,
    Check,
    CheckResult,
    CheckStatus,
    Criterion,
    CriterionResult,
    FileSpec,
    Limits,
    Outcome,
    Result,
    Submission,
)
from graders.scoring import criterion_result, result_status, total
from graders.storage.store import FILE, CacheKey, Store, open_store
from reports.course.files import write_course_reports
from reports.course.page import write_course_page
from reports.course.twins import TwinSearch
from reports.course.view import Counted, course_view
from reports.submission_files import write_submission_files

T = TypeVar("T")

CRITERIA = 8
CHECKS = 52
HINTS = 40
START = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
PASSED: tuple[CheckStatus, Outcome] = ("passed", "")
FAILED: tuple[CheckStatus, Outcome] = ("failed", "")
ENDINGS: tuple[tuple[CheckStatus, Outcome], ...] = (
    *(40 * [PASSED]),
    *(4 * [FAILED]),
    ("partial", ""),
    ("failed", "raised"),
    ("failed", "timed_out"),
    ("failed", "signalled"),
    ("failed", "out_of_memory"),
    ("skipped", "blocked"),
)
OURS: tuple[CheckStatus, Outcome] = ("error", "")
RUBRIC = tuple(
    Criterion(f"criterion-{n}", f"Criterion number {n}", 4.0, "visible", "code")
    for n in range(CRITERIA)
)

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


def synthetic_results(count: int, seed: int = 0) -> Iterator[Result]:
    """Yield `count` Results like those of a course; one in a hundred has an error of our own."""
    draw = random.Random(seed)
    for n in range(count):
        checks = [_check(draw, index, broken=n % 100 == 99) for index in range(CHECKS)]
        yield _result(n, [criterion_result(criterion, checks) for criterion in RUBRIC], draw)


def _check(draw: random.Random, index: int, *, broken: bool) -> CheckResult:
    check = Check(
        f"check-{index}",
        f"What the code does in case {index} is what the handout says of it. " * 2,
        RUBRIC[index % CRITERIA].id,
    )
    status, outcome = OURS if broken and index == 0 else draw.choice(ENDINGS)
    words = f"In case {index} came {draw.random():.6f}. " * 4 if status != "passed" else ""
    return CheckResult(
        check,
        status,
        float(status == "passed") or 0.5 * (status == "partial"),
        message=words,
        hint=f"Hint number {draw.randrange(HINTS)}: look at the equation again." if words else "",
        expected="0.123456, 0.234567, 0.345678" if words else "",
        actual=f"{draw.random():.6f}, {draw.random():.6f}" if words else "",
        counterexample=(("case", str(index)), ("seed", "7")) if words else (),
        seconds=0.1,
        outcome=outcome,
    )


def _result(n: int, criteria: list[CriterionResult], draw: random.Random) -> Result:
    name = f"student-{n:06}-{draw.randrange(16**8):08x}"
    status = result_status(criteria)
    environment: dict[str, object] = {
        "isolation": "bubblewrap",
        "fingerprints": {f"file-{k}": f"{draw.randrange(16**16):016x}" for k in range(6)},
    }
    if status == "incomplete":
        environment["faults"] = ["check-0: SandboxFailed: no namespaces are left"]
    return Result(
        submission=Submission(name, f"Student Number {n}", "synthetic", Path(), "f" * 64, None),
        assignment="synthetic",
        version=1,
        title="A large course",
        status=status,
        criteria=tuple(criteria),
        score=total(criteria),
        max_score=sum(criterion.points for criterion in RUBRIC),
        environment=environment,
        started_at=START + timedelta(seconds=n),
        seconds=3.0,
    )


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--single", type=int, default=200, help="submissions written one by one")
    parser.add_argument("--browser", action="store_true", help="measure the page in Chromium")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="softmark-benchmark-") as folder:
        if arguments.browser:
            _measure_page(Path(folder), arguments.submissions)
        else:
            _measure(Path(folder), arguments.submissions, arguments.single)


def _measure(out: Path, submissions: int, single: int) -> None:
    with open_store(out) as store:
        started = time.perf_counter()
        generation = fill(store, synthetic_results(submissions))
        seconds = time.perf_counter() - started
        print(f"store: {submissions:,} Results made up and stored in {seconds:.1f} s")
        print(f"  {(out / FILE).stat().st_size / 1e6:.0f} MB, each in a transaction of its own")
        started = time.perf_counter()
        search, counted = TwinSearch(frozenset()), Counted()
        for result in store.results(generation):
            search.add(result)
            counted.add(result)
        write_course_reports(counted.view(search.twins()), out)
        seconds = time.perf_counter() - started
        print(f"course pages, grades.csv and twins.json from the store: {seconds:.1f} s")
        pages = [path.stat().st_size for path in out.glob("*.html")]
        print(f"  {len(pages)} pages, the largest {max(pages) / 1e6:.2f} MB")
        print(f"  {peak_mib():.0f} MiB of memory at most, with the interpreter")
        started = time.perf_counter()
        for result in islice(store.results(generation), single):
            write_submission_files(result, out)
        cost = (time.perf_counter() - started) / single
        print(f"result, Gradescope file and page of one submission: {cost * 1000:.0f} ms")
        largest = max(path.stat().st_size for path in (out / "reports").glob("*.html"))
        print(f"  the largest page {largest / 1e6:.2f} MB")


def peak_mib() -> float:
    """Return the most memory that this process had at once.

    The resource usage that the system counts may contain what the parent had when it started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _measure_page(out: Path, submissions: int) -> None:
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
    result = call()
    return result, time.perf_counter() - began


def fill(store: Store, results: Iterable[Result]) -> int:
    """Store the Results; return the number of their generation."""
    limits = Limits(10, 20, 2**32, 4096, 64)
    files = FileSpec(("work.py",), ())
    assignment = Assignment(
        "synthetic", "A large course", 1, None, RUBRIC, files, limits, 0, Path()
    )
    generation = store.begin(assignment, "made up")
    for n, result in enumerate(results):
        store.put(generation, result, CacheKey(f"{n:064x}", "{}", {}))
    return generation


if __name__ == "__main__":
    main()
