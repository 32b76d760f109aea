"""The page in a real browser: keys and clicks, two people at once, every screen."""

import pytest

from tests.reports.chromium import needs_chromium
from tests.reports.conftest import SCREENS, assert_accessible, widest
from tests.reports.review.conftest import ANSWERS
from tests.reports.review.test_pages import HOSTILE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    needs_chromium,
]


@pytest.fixture
def server(start, graded):
    return start(graded)


@pytest.fixture
def page(visit, server):
    """Rea's page at the first answer that waits."""
    page = visit(server)
    opens(page, "1b")
    return page


def opens(page, question):
    """Go to the first answer to a question that waits."""
    link = page.get_by_role("navigation", name="Questions").get_by_role("link", name=question)
    with page.expect_navigation():
        link.click()


def goes(page, key):
    """Press a key that leads to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def says(page, text):
    page.get_by_role("status").filter(has_text=text).wait_for()
    return True


def shows(page, text):
    page.get_by_text(text).wait_for()
    return True


def item(page, number):
    return page.locator(f"[name=item][value='{number}']")


def test_a_course_is_decided_with_keys_alone(page):
    for _ in range(8):
        page.keyboard.press("1")
        assert item(page, 1).is_checked()
        goes(page, "Enter")
    assert page.get_by_role("heading", name="Manual grading").is_visible()
    assert shows(page, "8 of 8 answers decided")
    assert shows(page, "4 of 4 submissions have a total")


def test_a_group_is_decided_and_undone_by_key_without_whom_is_unticked(page):
    assert page.get_by_role("heading", name="This group: 3 similar answers").is_visible()
    page.keyboard.press("1")
    page.keyboard.press("2")
    goes(page, "g")
    assert says(page, "Saved: 3 points")
    assert shows(page, "3 of 8 answers decided")
    goes(page, "u")
    assert says(page, "Undone: 3 decisions")
    assert shows(page, "0 of 8 answers decided")
    page.locator("[name=member]").first.uncheck()
    assert page.locator("#count").inner_text() == "2"
    page.keyboard.press("1")
    goes(page, "g")
    assert shows(page, "2 of 8 answers decided")
    page.get_by_role("button", name="Undecided only").click()
    assert shows(page, "1 of 2")


def test_what_was_ticked_stays_and_enter_alone_gives_no_zero(page):
    first = page.url
    page.keyboard.press("2")
    goes(page, "j")
    assert page.url != first
    goes(page, "Enter")
    assert page.get_by_role("alert").filter(has_text="Select a rubric item").is_visible()
    goes(page, "ArrowLeft")
    assert page.url == first
    assert item(page, 2).is_checked()
    assert shows(page, "unsaved draft")
    assert shows(page, "0 of 8 answers decided")
    page.keyboard.press("0")
    assert not item(page, 2).is_checked()
    goes(page, "Enter")
    assert says(page, "Saved: 0 points")


def test_keys_write_in_the_comment(page):
    first = page.url
    page.keyboard.press("1")
    page.keyboard.press("c")
    page.keyboard.type("j2 ugly? 1")
    page.keyboard.press("Enter")
    assert page.locator("#comment").input_value() == "j2 ugly? 1\n"
    goes(page, "Control+Enter")
    page.goto(first)
    assert page.locator("#comment").input_value() == "j2 ugly? 1"
    assert item(page, 1).is_checked()
    assert not item(page, 2).is_checked()


def test_keys_are_listed_and_can_be_turned_off(page):
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keyboard shortcuts").is_visible()
    page.get_by_label("Enable keyboard shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    assert not item(page, 1).is_checked()
    page.reload()
    page.keyboard.press("1")
    assert not item(page, 1).is_checked()


def test_names_come_when_asked_for_and_the_mouse_alone_decides(page):
    assert not any(name in page.content() for name in ANSWERS)
    with page.expect_navigation():
        page.get_by_role("button", name="Show names").click()
    assert any(name in page.locator("main").inner_text() for name in ANSWERS)
    pressed = page.get_by_role("button", name="Show names").get_attribute("aria-pressed")
    assert pressed == "true"
    page.get_by_label("one score exceeds").check()
    assert page.locator("#sum").inner_text() == "2 of 3 points"
    page.get_by_role("button", name="Save, next").click()
    assert says(page, "Saved: 2 points")
    assert shows(page, "1 of 8 answers decided")


def test_forms_work_without_script(visit, server, tmp_path):
    context = visit(server).context
    state = context.storage_state()
    page = context.browser.new_context(java_script_enabled=False, storage_state=state).new_page()
    page.goto(f"http://127.0.0.1:{server.port}/written")
    opens(page, "1b")
    page.get_by_label("one score exceeds").check()
    page.get_by_role("button", name="Save, next").click()
    assert shows(page, "1 of 8 answers decided")
    page.goto(f"http://127.0.0.1:{server.port}/written")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download decisions.csv").click()
    sheet = tmp_path / "decisions.csv"
    download.value.save_as(sheet)
    page.get_by_label("Edited CSV").set_input_files(sheet)
    page.get_by_role("button", name="Import CSV", exact=True).click()
    assert says(page, "0 decisions imported, 8 unchanged")


@SCREENS
def test_no_page_is_hard_to_use(visit, start, grade, width, scheme):
    """Axe finds no serious fault, nothing scrolls sideways, and focus is seen."""
    server = start(grade(**ANSWERS, eve=(HOSTILE, HOSTILE)))
    page = visit(server, width=width, color_scheme=scheme)
    other = visit(server, "Tom")
    opens(page, "1b")
    other.goto(page.url)
    contested = page.url
    for tab, key in ((page, "1"), (other, "2")):
        tab.keyboard.press(key)
        goes(tab, "Enter")
    hostile = next(f"http://127.0.0.1:{server.port}{path}" for path in addresses(other, contested))
    for address in (f"http://127.0.0.1:{server.port}/written", contested, hostile):
        page.goto(address)
        for summary in page.locator("summary").all():
            summary.click()
        assert widest(page) == width
        assert_accessible(page)
    page.keyboard.press("?")
    assert_accessible(page)
    page.keyboard.press("Escape")
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = "parseFloat(getComputedStyle(document.activeElement).outlineWidth)"
        assert page.evaluate(outline) >= 2


def addresses(page, question):
    """The answers that hold the hostile text."""
    page.goto(question)
    links = page.locator(".groups a")
    for path in [link.get_attribute("href") for link in links.all()]:
        page.goto(question.split("/q/")[0] + path)
        if "liame" in page.locator(".answer").inner_text():
            yield path
