"""The course page in a browser: search, sort and filter, also with the keyboard."""

from dataclasses import replace

import pytest

from reports.course import page as course_page
from reports.course.progress import ProgressPage
from reports.submission_files import write_submission_files
from tests.reports.chromium import needs_chromium
from tests.reports.conftest import (
    CODE,
    FILES,
    SCREENS,
    assert_accessible,
    assert_usable,
    check_result,
    criterion_result,
    widest,
    write_reports,
)

pytestmark = [pytest.mark.browser, needs_chromium]
WINDOW = 4
IN_VIEW = "each => each.getBoundingClientRect().bottom < innerHeight"
HOSTILE = "<img src=x onerror=alert(1)></script>"
NAMES = {"ann": "Ann Łódź", "bob": "Bob Müller", "cyd": "Cyd Yo", "dan": HOSTILE, "eve": "Eve 10"}
SCORES = dict(zip(NAMES, (9.0, 10.0, 2.5, 0.0, 13.0), strict=True))


@pytest.fixture
def course(make_result, graded, incomplete):
    results = [
        make_result(*graded.criteria, submission=name, student=student, score=SCORES[name])
        for name, student in NAMES.items()
    ]
    open_one = replace(incomplete.submission, id="fay", student="Fay Open")
    return [*results, replace(incomplete, submission=open_one)]


@pytest.fixture
def site(tmp_path, course, monkeypatch):
    """A course of six whose table shows four at once."""
    monkeypatch.setattr(course_page, "ROWS", WINDOW)
    write_reports(course, tmp_path)
    return tmp_path


@pytest.fixture
def opened(visit, site):
    """`opened("#q=bob", ...)`: the course page at this address."""
    return lambda rest="", **options: visit(f"{site.as_uri()}/index.html{rest}", **options)


def rest_of(page):
    """What the page's address says after its name."""
    return page.url.rpartition("index.html")[2]


def names(page):
    return page.locator("[data-table] tbody tr td:nth-child(2)").all_inner_texts()


def count_shown(page):
    return page.locator("[data-count]").inner_text()


def expect(locator):
    return pytest.importorskip("playwright.sync_api").expect(locator)


def search(page, words, count):
    page.get_by_label("Search").fill(words)
    expect(page.get_by_role("status")).to_have_text(count)


def shows_rows(page, count):
    """Wait for so many rows; the page's policy forbids waiting in the page itself."""
    expect(page.locator("[data-table] tbody tr")).to_have_count(count)


def test_a_window_of_all_rows_is_sorted_and_turned_by_keyboard(opened):
    page = opened()
    assert names(page) == ["ann", "bob", "cyd", "dan"]
    assert count_shown(page) == "1 to 4 of 6 submissions"
    page.get_by_role("columnheader", name="Score").get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert names(page) == ["dan", "cyd", "ann", "bob"]
    page.keyboard.press("Space")
    assert names(page) == ["eve", "bob", "ann", "cyd"]
    assert page.locator("[aria-sort]").get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Next page").click()
    assert names(page) == ["dan", "fay"], "who has no score is last"
    assert page.get_by_role("button", name="Next page").is_disabled()
    assert page.complaints == []


SEARCHES = {
    "muller": ["bob"],
    "EVE": ["eve"],
    "yo cyd": ["cyd"],
    "<img": ["dan"],
    "xyz": [],
    "lodz": ["ann"],
}


def test_the_score_is_in_view_on_a_phone(visit, tmp_path, make_result, graded):
    results = [
        make_result(*graded.criteria, submission=name, student=name, status="needs_review")
        for name in ("ann", "bob")
    ]
    write_reports(results, tmp_path)
    page = visit(f"{tmp_path.as_uri()}/index.html", width=390)
    heading = page.get_by_role("columnheader", name="Score").bounding_box()
    assert heading["x"] + heading["width"] < 390


def test_points_so_far_are_sorted_and_a_phone_shows_a_status_by_its_icon(
    visit, tmp_path, make_result
):
    open_ = criterion_result(CODE, check_result("needs_review"))
    words = {"status": "needs_review", "score": None}
    shares = {"ann": 1.0, "bob": 0.2, "cyd": 0.5}
    waiting = [
        make_result(open_, criterion_result(FILES, check_result("partial", share)), submission=name)
        for name, share in shares.items()
    ]
    *_, index = write_reports([replace(result, **words) for result in waiting], tmp_path)
    page = visit(index, 390)
    page.get_by_role("columnheader", name="Score").get_by_role("button").click()
    assert names(page) == ["bob", "cyd", "ann"]
    assert page.get_by_label("Status").is_hidden(), "there is one status"
    cell = page.locator("[data-table] tbody td:nth-child(3)").first
    assert cell.bounding_box()["width"] < 100
    assert "Needs manual grading" in cell.inner_text()
    smallest = "all => Math.min(...all.map((each) => each.getBoundingClientRect().height))"
    assert page.locator("[data-table] thead button:visible").evaluate_all(smallest) >= 24
    assert page.locator("[data-table] tbody a").evaluate_all(smallest) >= 24


def test_searching_finds_names_and_ids_in_all_rows(opened):
    page = opened()
    for words, matches in SEARCHES.items():
        search(page, words, f"{len(matches)} found among 6 submissions")
        assert names(page) == matches
        assert page.locator("[data-pager]").is_hidden()
        search(page, "", "1 to 4 of 6 submissions")


def test_a_status_zero_points_and_missing_files_are_filtered(opened, site, course):
    ann, *results = course
    missing = replace(ann, environment={"missing": ["dataset.py"]})
    write_reports([missing, *results], site)
    page = opened()
    page.get_by_label("Show").select_option(label="Missing files (1)")
    assert names(page) == ["ann"]
    assert "Missing: dataset.py" in page.locator("[data-table] tbody").inner_text()
    page.get_by_label("Show").select_option(label="Zero points (1)")
    assert names(opened(rest_of(page))) == ["dan"]
    page = opened()
    page.get_by_label("Status").select_option(label="Not fully graded (1)")
    assert names(page) == ["fay"]
    assert page.get_by_role("status").inner_text() == "1 found among 6 submissions"


def test_the_address_keeps_what_was_asked(opened):
    page = opened()
    search(page, "e", "4 found among 6 submissions")
    page.get_by_role("columnheader", name="Student").get_by_role("button").click()
    again = opened(rest_of(page))
    assert again.get_by_label("Search").input_value() == "e"
    assert (names(again), count_shown(again)) == (names(page), count_shown(page))
    search(again, "", "1 to 4 of 6 submissions")
    assert again.url.endswith("index.html#sort=0.up")


def test_another_address_in_the_same_window_asks_anew(opened):
    page = opened()
    page.evaluate("location.hash = '#q=bob&sort=3.down'")
    shows_rows(page, 1)
    assert (names(page), page.get_by_label("Search").input_value()) == (["bob"], "bob")
    page.get_by_role("link", name="Criteria").click()
    assert names(page) == ["bob"], "a link to a section leaves the table as it is"
    page.go_back()
    page.go_back()
    shows_rows(page, 4)
    assert names(page) == ["ann", "bob", "cyd", "dan"]
    assert page.locator("[aria-sort]").count() == 0


def test_a_link_to_what_was_asked_opens_at_the_table_and_coming_back_keeps_rows(opened, site):
    assert opened("#q=bob", height=250).get_by_label("Search").evaluate(IN_VIEW)
    assert not opened(height=250).get_by_label("Search").evaluate(IN_VIEW)
    (site / "reports").mkdir()
    (site / "reports" / "fay.html").write_text("<h1>Fay</h1>")
    page = opened()
    page.get_by_role("button", name="Next page").click()
    page.get_by_role("link", name="Fay Open").last.click()
    page.go_back()
    assert names(page) == ["eve", "fay"]


def test_hostile_names_and_nonsense_in_the_address_stay_text(opened):
    page = opened()
    search(page, "dan", "1 found among 6 submissions")
    row = page.locator("[data-table]").get_by_role("link", name=HOSTILE)
    assert row.get_attribute("href") == "reports/dan.html"
    assert page.locator("[data-table] img").count() == 0
    assert page.complaints == []
    page = opened("#q=&status=%22%3E&sort=99.down&page=-7")
    assert count_shown(page) == "1 to 4 of 6 submissions"
    assert page.complaints == []


def test_without_a_script_every_row_can_be_reached(opened):
    page = opened(java_script_enabled=False)
    assert page.get_by_label("Search").is_hidden()
    assert page.get_by_role("button").count() == 0
    page.get_by_role("link", name="eve to fay").click()
    assert page.locator("tbody tr").count() == 2
    assert page.get_by_role("link", name="Eve 10").is_visible()


def test_the_table_is_the_same_with_and_without_a_script(opened, site, course, monkeypatch):
    monkeypatch.setattr(course_page, "ROWS", 250)
    write_reports(course, site)
    pages = [opened(java_script_enabled=enabled) for enabled in (True, False)]
    rows = [page.locator("[data-table] tbody tr").all_inner_texts() for page in pages]
    assert rows[0] == rows[1]
    hrefs = "all => all.map((each) => each.getAttribute('href'))"
    links = [page.locator("[data-table] a").evaluate_all(hrefs) for page in pages]
    assert links[0] == links[1]


PAPER = "getComputedStyle(document.body).backgroundColor"


@SCREENS
def test_axe_finds_no_serious_fault_and_nothing_scrolls_sideways(opened, width, scheme):
    page = opened(width=width, color_scheme=scheme)
    shade = [int(value) for value in page.evaluate(PAPER)[4:-1].split(",")]
    assert min(shade) > 200 if scheme == "light" else max(shade) < 60
    assert_usable(page, width)


def test_no_page_with_hostile_text_scrolls_sideways(visit, tmp_path, hostile):
    *_, page = write_submission_files(hostile, tmp_path)
    *_, index = write_reports([hostile], tmp_path)
    for path in (page, index):
        shown = visit(path, 360)
        assert widest(shown) == 360
        assert shown.evaluate("document.styleSheets[0].cssRules.length") > 50
        assert shown.complaints == []


def test_paper_shows_the_table_and_no_controls(opened):
    page = opened(width=794, color_scheme="dark")
    page.emulate_media(media="print")
    assert widest(page) == 794, "A4 at 96 dots an inch"
    assert page.get_by_label("Search").is_hidden()
    assert page.locator("[data-table] tbody tr").count() == WINDOW
    assert page.get_by_role("status").is_visible(), "paper says that it holds a part"
    assert page.evaluate(PAPER) == "rgb(255, 255, 255)"


def test_a_page_in_progress_is_for_everybody_and_reloads_into_the_finished_one(
    opened, site, course
):
    with ProgressPage(site, "A course", total=len(course)) as progress:
        progress.add(course[0])
        page = opened(width=360)
        assert page.get_by_role("progressbar").get_attribute("max") == "6"
        assert page.get_by_label("Auto-refresh").is_checked()
        assert_accessible(page)
        write_reports(course, site)
        page.wait_for_selector("text=All submissions", timeout=30_000)
    assert page.get_by_role("progressbar").count() == 0
    assert page.complaints == []
