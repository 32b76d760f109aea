"""Results to report on."""

from dataclasses import replace
from html.parser import HTMLParser
from typing import get_args

import pytest

from graders.model import (
    Check,
    CheckResult,
    Criterion,
    CriterionResult,
    Outcome,
)
from reports.course.files import write_course_reports
from reports.course.view import course_view
from reports.student.page import write_student_page

HIDDEN_SECRET = "the-secret-input-of-a-hidden-check"


def write_reports(results, out, twins=()):
    """Write the files of a course of these Results."""
    return write_course_reports(course_view(results, twins), out)


def criterion_result(criterion, *checks):
    """A criterion's checks, each worth the same; undecided when one of them is."""
    open_ = any(c.status in ("needs_review", "error") for c in checks)
    share = sum(c.fraction for c in checks) / len(checks)
    status = "error" if open_ else "passed" if share == 1 else "partial" if share else "failed"
    points = None if open_ else criterion.points * share
    return CriterionResult(criterion, status, points, tuple(checks))


def check_result(status="passed", fraction=None, check_id="a", **words):
    """One check's finding."""
    worth = float(status == "passed") if fraction is None else fraction
    check = Check(check_id, f"Check {check_id} holds.", "any")
    return CheckResult(check, status, worth, **words)


CODE = Criterion("rotary", "Rotary embedding", 4.0, "visible", "code")
FILES = Criterion("files", "Prediction files", 10.0, "visible", "metric")
SECRET = Criterion("secret", "Hidden accuracy", 6.0, "hidden", "metric")


@pytest.fixture
def graded(make_result):
    """Half of the visible points, all of the hidden ones."""
    hidden = check_result("partial", 0.5, message=HIDDEN_SECRET, hint=HIDDEN_SECRET)
    mistake = check_result(
        "failed",
        hint="The exponent's sign is turned round",
        expected="Ada⁇□",
        actual="Ada □",
        counterexample=(("document", "Ada L\t"), ("block size", "4")),
        check_id="b",
    )
    return make_result(
        criterion_result(CODE, check_result(), mistake),
        criterion_result(FILES, check_result()),
        criterion_result(SECRET, hidden),
    )


@pytest.fixture
def incomplete(make_result):
    """One criterion that we could not grade."""
    ours = check_result("error", message="The sandbox did not start.")
    return make_result(criterion_result(CODE, ours), criterion_result(FILES, check_result()))


@pytest.fixture
def unanswered(make_result):
    """One check for each way in which no answer came, and one that was not run for it."""
    ways = [way for way in get_args(Outcome) if way not in ("", "blocked")]
    failed = [check_result("failed", check_id=way, outcome=way) for way in ways]
    blocked = check_result("skipped", check_id="z", outcome="blocked")
    return make_result(criterion_result(CODE, *failed, blocked, check_result("failed")))


@pytest.fixture
def rejected(make_result):
    """An upload that could not be opened."""
    nothing = check_result("skipped", message="The archive is cut off.")
    return make_result(
        CriterionResult(CODE, "skipped", None, (nothing,)),
        status="rejected",
        environment={"rejected": "The archive is cut off."},
    )


@pytest.fixture
def hostile(make_result):
    """A Result whose every text attacks its reader."""
    attack = "<script>alert(1)</script>\"'><img src=//x.test onerror=x>\x1b[31m\u202e\x00\ud800" + (
        "\u0301" * 500 + "A" * 100_000
    )
    check = check_result(
        "failed",
        message=attack,
        hint=attack,
        expected=attack,
        actual=attack,
        counterexample=((attack, attack),),
    )
    criterion = replace(CODE, title=attack)
    return make_result(
        criterion_result(criterion, check),
        submission='a"b <c>#?%.zip',
        student=attack,
        title=attack,
        environment={"intake": [attack], "seeds": {attack: attack}},
    )


@pytest.fixture
def visit(browser):
    """Open a page; complaints are what the browser refused or asked the net for."""
    contexts = []

    def open_(page, width=1280, height=800, **options):
        address = page if isinstance(page, str) else page.as_uri()
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
        page.on("request", lambda r: r.url.startswith("file:") or page.complaints.append(r.url))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()


def widest(page):
    """How far the page goes to the right: its window's width, unless it scrolls sideways."""
    return page.evaluate("document.documentElement.scrollWidth")


SCREENS = pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])


def unfold(page):
    page.locator("details").evaluate_all("all => all.forEach((each) => each.open = true)")


def assert_usable(page, width):
    """Unfolded, it does not scroll sideways, axe finds nothing serious, nothing was refused."""
    unfold(page)
    assert widest(page) == width
    assert_accessible(page)
    assert page.complaints == []


def assert_accessible(page):
    """Axe finds nothing serious."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    violations = axe.Axe().run(page).response["violations"]
    assert [fault["id"] for fault in violations if fault["impact"] in ("serious", "critical")] == []


class Page(HTMLParser):
    """The tags, attributes and text a browser sees."""

    def __init__(self, text):
        super().__init__()
        self.source, self.tags, self.attributes, self.text = text, [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_data(self, data):
        self.text += data

    def all(self, name):
        return [value for _, key, value in self.attributes if key == name]


@pytest.fixture
def page(tmp_path):
    """`page(result)`: the student's page of a Result."""
    return lambda result: Page(write_student_page(result, tmp_path).read_text(encoding="utf-8"))
