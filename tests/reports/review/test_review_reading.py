"""The page in a real browser: hostile text as text, accessible, on every screen."""

import pytest

from tests.reports.chromium import needs_chromium
from tests.reports.review.conftest import ANSWERS
from tests.reports.review.test_review_browser import goes, item, opens

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    needs_chromium,
]
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "</textarea></div>'\"&amp; \u202eliame zero\u200bwidth \x1b[31m\x00"
    + "long" * 500
    + "\nשלום {{ 7*7 }} javascript:alert(1)"
)


@pytest.fixture
def hostile_page(visit, start, grade):
    page = visit(start(grade(ada=(HOSTILE, HOSTILE), bob=("Plain.", HOSTILE))), width=360)
    opens(page, "c.ii")
    return page


def test_hostile_text_stays_text(hostile_page):
    answer = hostile_page.locator(".answer")
    assert "<script>document.title='owned'</script>" in answer.inner_text()
    assert r"\u202e" in answer.inner_text()
    assert "{{ 7*7 }}" in answer.inner_text()
    assert answer.locator("script, img, textarea").count() == 0
    assert hostile_page.title() != "owned"


def test_a_hostile_comment_stays_text(hostile_page):
    address = hostile_page.url
    hostile_page.locator("#comment").fill(HOSTILE[:1500])
    item(hostile_page, 1).check()
    with hostile_page.expect_navigation():
        hostile_page.get_by_role("button", name="Save, next").click()
    hostile_page.goto(address)
    assert hostile_page.locator("blockquote script, blockquote img").count() == 0
    assert "<script>" in hostile_page.locator("blockquote").inner_text()
    assert hostile_page.title() != "owned"


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (360, "light"),
        *(pytest.param(*w, marks=pytest.mark.long) for w in ((360, "dark"), (1280, "light"))),
        (1280, "dark"),
    ],
)
def test_no_page_is_hard_to_use(visit, start, grade, width, scheme):
    """axe finds no serious fault, and nothing scrolls sideways."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not here")
    server = start(grade(**ANSWERS, eve=(HOSTILE, HOSTILE)))
    page = visit(server, width=width, color_scheme=scheme)
    other = visit(server, "Tom")
    opens(page, "1b")
    other.goto(page.url)
    contested = page.url
    for each, key in ((page, "1"), (other, "2")):
        each.keyboard.press(key)
        goes(each, "Enter")
    hostile = next(f"http://127.0.0.1:{server.port}{path}" for path in addresses(other, contested))
    for address in (f"http://127.0.0.1:{server.port}/", contested, hostile):
        page.goto(address)
        for summary in page.locator("summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert serious(axe, page) == []
    page.keyboard.press("?")
    assert serious(axe, page) == []


def addresses(page, question):
    """The answers that hold the hostile text."""
    page.goto(question)
    links = page.locator(".groups a")
    for path in [link.get_attribute("href") for link in links.all()]:
        page.goto(question.split("/q/")[0] + path)
        if "owned" in page.locator(".answer").inner_text():
            yield path


def serious(axe, page):
    found = axe.Axe().run(page).response["violations"]
    return [
        (each["id"], each["nodes"][0]["target"])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def test_focus_is_seen(visit, start, graded):
    page = visit(start(graded))
    opens(page, "1b")
    page.keyboard.press("Tab")
    for _ in range(12):
        page.keyboard.press("Tab")
        width = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
        assert width >= 2
