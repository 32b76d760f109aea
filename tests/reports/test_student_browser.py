"""A student's page in a browser: figures, columns, decisions, accessible at any width."""

import pytest

from reports.submission_files import write_submission_files
from tests.reports.chromium import needs_chromium
from tests.reports.conftest import (
    CODE,
    FILES,
    SCREENS,
    SECRET,
    assert_usable,
    check_result,
    criterion_result,
    unfold,
    widest,
)
from tests.reports.test_student_page_parts import FIGURES, SEQUENCES, Accuracy, Curve, Rotation

pytestmark = [pytest.mark.browser, needs_chromium]
ATTACK = "<img src=//x.test onerror=alert(1)></svg><script>alert(1)</script>\u202e\x1b" + "W" * 300
TURNS = tuple(0.2 * t for t in range(16))
DECISION = "1 of 3 points, graded by a person.\nNearly.\nGiven: a bound (+1)\nNot given: why (+2)"
HOSTILE = (
    Accuracy(ATTACK, 1, 3, 0.5, ((ATTACK, 0.25), (ATTACK[5:], 1.0))),
    Rotation(ATTACK, TURNS, TURNS[::-1]),
    Curve(ATTACK, ATTACK, ((1.0, 1e300), (2.0, -1e300))),
)


def everything(make_result, figures=FIGURES, text=""):
    """A Result with all that a page can show."""
    texts = {"message": text or "It is wrong.", "hint": f"Off by one (y = x + 1 {text})."}
    long = tuple((label + text, value * 12) for label, value in SEQUENCES)
    wrong = check_result("failed", figures=figures, counterexample=long, **texts)
    lists = "x = [4, 2, 8, 7]\ny = [4, 2, 8, 7]"
    shifted = check_result("failed", check_id="b", actual=lists, expected=text or "y[i] = x[i+1]")
    right = check_result(check_id="c", figures=figures)
    read = check_result("partial", 1 / 3, check_id="1b/review", message=DECISION, actual="Mine.")
    ours = check_result("error", message="The sandbox did not start.")
    criteria = (criterion_result(CODE, wrong, shifted, right), criterion_result(FILES, ours))
    hidden = criterion_result(SECRET, check_result("failed", figures=figures))
    return make_result(*criteria, criterion_result(CODE, read), hidden)


@pytest.fixture
def opened(visit, tmp_path):
    """Open a Result's page, and everything that is folded on it."""

    def open_(result, width=1280, **options):
        page = visit(write_submission_files(result, tmp_path)[-1], width, **options)
        unfold(page)
        return page

    return open_


@SCREENS
def test_axe_finds_no_serious_fault_and_nothing_scrolls(opened, make_result, width, scheme):
    assert_usable(opened(everything(make_result), width, color_scheme=scheme), width)


def test_hostile_names_in_pictures_stay_text(opened, make_result):
    page = opened(everything(make_result, HOSTILE, ATTACK), 360)
    assert page.complaints == []
    assert page.locator("img, script").count() == 0
    assert page.get_by_text("<script>alert(1)</script>").count() > 0
    assert widest(page) == 360


def test_columns_stand_under_each_other_and_scroll_in_their_box(opened, make_result):
    page = opened(everything(make_result), 360)
    places = page.locator(".grid:not(.wide-cells) tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('span')].map(cell =>"
        " cell.getBoundingClientRect().x))"
    )
    shortest = min(map(len, places))
    assert shortest >= 96
    columns = zip(*(row[:shortest] for row in places), strict=True)
    assert all(max(column) - min(column) < 0.5 for column in columns)
    page.get_by_role("region", name="An example in columns").first.focus()
    page.keyboard.press("ArrowRight")
    for _ in range(100):  # it scrolls smoothly; a page's policy forbids waiting in the page itself
        if page.evaluate("document.activeElement.scrollLeft") > 0:
            break
        page.wait_for_timeout(50)
    assert page.evaluate("document.activeElement.scrollLeft") > 0
    assert widest(page) == 360


def test_interval_and_threshold_are_where_they_belong(opened, make_result):
    """12 of 60 with a threshold of 30%, on an axis that ends at 40%."""
    page = opened(everything(make_result))
    track = page.locator(".strip .mine .track").first
    ends = "(e, k) => { const b = e.querySelector(k).getBBox(); return [b.x, b.x + b.width]; }"
    assert track.evaluate(ends, ".own") == pytest.approx([0, 50], abs=0.1)
    assert track.evaluate(ends, ".interval") == pytest.approx([29.57, 79.45], abs=0.1)
    assert track.evaluate(ends, ".threshold") == pytest.approx([75, 75], abs=0.1)


def test_paper_shows_all_of_it(opened, make_result):
    page = opened(everything(make_result), 794, color_scheme="dark")
    page.emulate_media(media="print")
    assert widest(page) == 794, "A4 at 96 dots an inch"
    box = page.get_by_role("region", name="An example in columns").first
    assert box.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
