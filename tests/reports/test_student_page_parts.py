"""Figures, examples, decisions and commands on a student's page; and what remains hidden."""

import re
from dataclasses import replace

import pytest

from graders.figures import Accuracy, Curve, Rotation
from graders.model import SHOWN_LATER, Check
from reports.page import render
from reports.student.page import student_view, write_student_page
from reports.student.size import shortened
from tests.reports.conftest import CODE, FILES, SECRET, check_result, criterion_result
from tests.reports.test_student_page import Page, page  # noqa: F401  the fixture

TURNS = tuple(0.2 * t for t in range(16))
FIGURES = (
    Accuracy("dev file", 12, 60, 0.3, (("London for everybody", 0.05),)),
    Rotation("pair 4", TURNS, tuple(3 * angle for angle in TURNS)),
    Curve("pretrain", "training loss", ((1.0, 4.0), (2.0, 2.0))),
)
SEQUENCES = (("document", "wnl hZBf"), ("what came", "⁇nlh⁇w□□"), ("expected", "⁇nlh⁇w⁇□"))


def words_of(shown):
    return re.sub(r"\s+", " ", shown.text)


@pytest.fixture
def pictured(make_result):
    """Figures on a check that failed and on one that passed."""
    wrong = check_result("failed", figures=FIGURES, counterexample=SEQUENCES)
    right = check_result(check_id="b", figures=(replace(FIGURES[0], label="test file"),))
    return make_result(criterion_result(CODE, wrong, right))


@pytest.mark.parametrize(
    "words",
    [
        "dev file 12 of 60 = 20.0% (95% interval 11.8 to 31.8%); threshold 30%, not reached.",
        "test file 12 of 60",
        "London for everybody 5%",
        "differ at 15 of 16 positions",
        "training loss: 4 at step 1, 2 at step 2",
        "1 of 8 places differ; they are underlined.",
    ],
)
def test_what_a_picture_shows_is_said_in_words(page, pictured, words):  # noqa: F811
    assert words in words_of(page(pictured))


def test_pictures_have_a_text_alternative(page, pictured):  # noqa: F811
    shown = page(pictured)
    drawn = re.findall(r'class="drawing" role="img" aria-label="([^":]+):', shown.source)
    assert drawn == ["pair 4", "pretrain"]
    assert shown.source.count('<svg class="track"') == 6, "a row each, which says its number"


def test_columns_are_cells_of_one_character(page, pictured):  # noqa: F811
    source = page(pictured).source
    assert '<span class="mask">⁇</span><span>n</span>' in source
    assert '<span class="pad differs">□</span><span class="pad">□</span>' in source
    assert 'role="region" tabindex="0"' in source


def test_an_equation_stands_alone(page, make_result):  # noqa: F811
    found = check_result("failed", hint="The base is 10 (θ_i = 10000^(-2(i-1)/d)).")
    source = page(make_result(criterion_result(CODE, found))).source
    equation = re.search(r'class="equation".*?</span></span>', source, re.DOTALL)[0]
    assert "10000^(-2(i-1)/d)" in equation
    assert "base" not in equation


def test_the_command_checks_the_failing_criterion_alone(page, make_result):  # noqa: F811
    wrong, right = check_result("failed"), check_result()
    shown = page(make_result(criterion_result(CODE, wrong), criterion_result(FILES, right)))
    assert "softmark check . --assignment toy --only rotary" in words_of(shown)
    assert "--only files" not in shown.source


@pytest.mark.parametrize("verb", ["graded", "decided"])  # earlier versions stored `decided`
def test_a_decision_lists_what_was_given(page, make_result, verb):  # noqa: F811
    said = f"1 of 3 points, {verb} by a person.\nNearly.\nGiven: a bound (+1)\nNot given: why (+2)"
    found = check_result("partial", 1 / 3, message=said, actual="My answer.")
    found = replace(found, check=Check("1b/review", "Read.", "1b"))
    text = words_of(page(make_result(criterion_result(replace(CODE, kind="written"), found))))
    assert "1 of 3 points, graded by a person." in text
    assert "✓ a bound +1 given" in text
    assert "– why +2 not given" in text
    assert "Comment Nearly." in text
    assert "Your answer My answer." in text


def test_one_reason_is_said_once(page, make_result):  # noqa: F811
    none = check_result("failed", message="There is no answers file.", hint="Write one.")
    rubric = [replace(CODE, id=str(n), title=f"Question {n}") for n in range(4)]
    shown = page(make_result(*(criterion_result(each, none) for each in rubric)))
    assert shown.text.count("There is no answers file.") == 1
    assert shown.text.count("Question 2") == 2
    assert shown.all("href") == ["#s1"] * 4
    assert "s1" in shown.all("id")


SECRETS = (Accuracy("the-secret", 1, 7), Curve("the-secret", "x", ((1, 2),)))
HIDDEN = replace(
    check_result("failed", figures=SECRETS),
    message="the-secret",
    counterexample=(("the-secret", "⁇the-secret□"),),
    expected="the-secret",
    check=Check("the-secret-check", "The-secret holds: the-secret.", "any"),
)
QUOTED = f"Skipped because this failed: {HIDDEN.check.description}"
BLOCKED = check_result("skipped", outcome="blocked", message=QUOTED)
BROKEN = check_result("error", message="It builds on `the-secret-check`, which could not run.")


@pytest.mark.parametrize("stopped", [BLOCKED, BROKEN])
@pytest.mark.parametrize("visibility", ["hidden", "after_due_date", "after_published"])
def test_nothing_of_a_hidden_criterion_is_in_the_source(page, make_result, visibility, stopped):  # noqa: F811
    kept = replace(SECRET, id="the-secret", title="The-secret", visibility=visibility)
    shown = page(make_result(criterion_result(CODE, stopped), criterion_result(kept, HIDDEN)))
    assert "the-secret" not in shown.source.lower()
    assert SHOWN_LATER in shown.text
    assert "up to 6" in shown.text


@pytest.mark.parametrize("criterion", [SECRET, replace(CODE, points=0.0)])
def test_no_points_are_no_zero(page, make_result, criterion):  # noqa: F811
    text = words_of(page(make_result(criterion_result(criterion, check_result()))))
    assert "No points for the part you can see now" in text
    assert not re.search(r"\b0 of 0\b", text)


def test_what_waits_unseen_leaves_no_sum_of_nothing(page, make_result):  # noqa: F811
    waits = criterion_result(SECRET, check_result("needs_review"))
    shown = make_result(criterion_result(CODE, check_result()), waits, status="needs_review")
    assert "0 points ungraded" not in words_of(page(shown))


def test_the_tally_counts_visible_criteria_with_points(graded):
    assert student_view(graded).tally == (("Passed", "passed", 1), ("Partial credit", "partial", 1))


@pytest.mark.long
@pytest.mark.parametrize(("quantity", "whole"), [(5, True), (80, False)])
def test_a_page_stays_under_a_megabyte(page, make_result, quantity, whole):  # noqa: F811
    """Whatever students make of it: 80 checks are more than any assignment has."""
    spaced = "□ " * 900
    long = (("document", "x" * 900), ("what came", "⁇ " * 450), ("expected", spaced))
    told = {"expected": spaced, "actual": spaced, "message": "&" * 9_999, "hint": "'" * 9_999}
    checks = [
        check_result("failed", check_id=str(n), figures=FIGURES, counterexample=long, **told)
        for n in range(quantity)
    ]
    shown = page(make_result(criterion_result(CODE, *checks)))
    assert len(shown.source.encode()) < 1_000_000
    assert ("dev file" in shown.text) == whole
    assert ("leaves out pictures" in shown.text) != whole


def test_many_checks_share_the_room_of_a_page(make_result):
    told = {"message": '"' * 400, "hint": "'" * 400, "expected": "□ " * 90, "actual": "⁇ " * 90}
    checks = [check_result("failed", check_id=str(n), **told) for n in range(300)]
    view = student_view(shortened(make_result(criterion_result(CODE, *checks))))
    assert len(render("student.html.jinja", view).encode()) < 1_000_000


def test_members_of_a_group_are_named_without_their_numbers(make_result, tmp_path):
    group = "Ada Lovelace <ada@example.edu> (sid 1815); Bob Babbage <bob@example.edu> (sid 1791)"
    result = make_result(criterion_result(CODE, check_result()), student=group)
    text = write_student_page(result, tmp_path).read_text()
    assert "Ada Lovelace, Bob Babbage" in text
    assert not any(each in text for each in ("1815", "1791", "@example.edu"))


def test_extra_credit_is_called_so(make_result, tmp_path):
    extra = replace(CODE, id="bonus", title="Bonus", extra_credit=True)
    parts = [criterion_result(each, check_result()) for each in (CODE, extra)]
    text = write_student_page(make_result(*parts), tmp_path).read_text()
    assert text.count("extra credit") == 2
    assert "<strong>8</strong> of 4 points" in text
