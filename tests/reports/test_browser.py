"""What only a browser can test: no horizontal scrolling, sorting works, the policy is kept."""

import pytest

from reports import write_reports, write_submission_files
from tests.reports.chromium import needs_chromium

pytestmark = [
    pytest.mark.browser,
    needs_chromium,
]


@pytest.fixture
def site(tmp_path, make_result, graded, incomplete, hostile):
    scores = {"nine": 9.0, "ten": 10.0, "hundred": 100.0}
    results = [
        make_result(*graded.criteria, submission=name, student=name, score=score)
        for name, score in scores.items()
    ]
    results += [incomplete, hostile]
    for result in results:
        write_submission_files(result, tmp_path)
    write_reports(results, tmp_path)
    return tmp_path


@pytest.fixture
def visit(browser, site):
    """Open a page of the site; complaints are what the browser refused or asked the net for."""
    contexts = []

    def open_(name, width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda r: r.url.startswith("file:") or page.complaints.append(r.url))
        page.goto((site / name).as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()


PAGES = ["index.html", "reports/ten.html", "reports/ada.html", 'reports/a"b <c>#?%.zip.html']


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(visit, name, width):
    page = visit(name, width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.styleSheets[0].cssRules.length") > 50
    assert page.complaints == []


def test_table_sorts_by_number_blanks_last(visit):
    page = visit("index.html")
    by_score = page.get_by_role("columnheader", name="Score").get_by_role("button")
    column = "[...document.querySelectorAll('.wide tbody tr')].map(r => r.cells[3].innerText)"
    by_score.click()
    assert page.evaluate(column) == ["0", "9", "10", "100", ""]
    by_score.click()
    assert page.evaluate(column) == ["100", "10", "9", "0", ""]
    assert page.locator("[aria-sort=descending]").count() == 1


def test_course_page_reads_without_script(visit):
    page = visit("index.html", java_script_enabled=False)
    assert page.locator(".wide tbody tr").count() == 5
    assert page.get_by_role("button").count() == 0


def test_dark_is_dark(visit):
    paper = "getComputedStyle(document.body).backgroundColor"
    shades = [visit("index.html", color_scheme=c).evaluate(paper) for c in ("light", "dark")]
    light, dark = ([int(v) for v in s[4:-1].split(",")] for s in shades)
    assert min(light) > 200
    assert max(dark) < 60
