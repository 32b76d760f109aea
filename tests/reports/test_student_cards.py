"""One card for each cause: what is alike or follows from it is folded below it."""

from dataclasses import replace

import pytest

from reports.student.cards import criterion_cards
from reports.student.page import student_view, write_student_page
from tests.reports.conftest import CODE, FILES, check_result, criterion_result

CRASH = {"message": "Your code raised KeyError: 3.", "hint": "Print the keys.", "outcome": "raised"}
OTHER = {**CRASH, "message": "Your code raised KeyError: 4."}


def crashed(check_id="a", **words):
    return check_result("failed", check_id=check_id, **(CRASH | words))


def ids(checks):
    return [each.check.id for each in checks]


def test_checks_that_crash_alike_are_one_card():
    found = criterion_result(CODE, crashed("a"), crashed("b"), crashed("c", **OTHER))
    ((first, second),) = criterion_cards([found])
    assert (first.found.check.id, ids(first.alike)) == ("a", ["b"])
    assert (second.found.check.id, second.alike) == ("c", ())


def test_checks_with_one_hint_are_one_card():
    told = {"hint": "The sign is wrong."}
    one, two = (check_result("failed", check_id=x, message=f"Check {x}.", **told) for x in "ab")
    ((card,),) = criterion_cards([criterion_result(CODE, one, two)])
    assert ids(card.alike) == ["b"]


def test_skipped_checks_are_on_the_card_of_their_cause():
    message = "Skipped because this failed: Check a holds."
    skipped = check_result("skipped", check_id="s", outcome="blocked", message=message)
    ((card,),) = criterion_cards([criterion_result(CODE, crashed("a"), skipped)])
    assert ids(card.skipped) == ["s"]


def test_cause_that_a_criterion_told_before_is_repeated_briefly():
    one, other = (check_result("failed", message=f"`{name}` is missing.") for name in "xy")
    found = criterion_cards([criterion_result(CODE, one), criterion_result(FILES, other)])
    assert [card.repeated for cards in found for card in cards] == [False, True]


def test_everything_that_is_folded_is_on_the_page(make_result, tmp_path):
    alike = crashed("b", expected="the-expected", counterexample=(("input", "the-input"),))
    text = write_student_page(
        make_result(criterion_result(CODE, crashed("a"), alike, check_result(check_id="c"))),
        tmp_path,
    ).read_text()
    assert text.count("Your code raised KeyError: 3.") == 1
    for words in ("the-expected", "the-input", "Check b holds.", "Check c holds."):
        assert words in text


def test_passed_criterion_is_one_line_that_opens(make_result, tmp_path):
    result = make_result(criterion_result(CODE, check_result()))
    text = write_student_page(result, tmp_path).read_text()
    assert '<details class="criterion"' in text
    assert '<section class="criterion"' not in text


@pytest.mark.parametrize(("other", "told"), [("failed", 0), ("passed", 1)])
def test_prerequisite_counts_as_passed_only_beside_points(make_result, other, told):
    free = check_result(check_id="p")
    free = replace(free, check=replace(free.check, weight=0.0))
    graded = criterion_result(CODE, free, check_result(other, check_id="q"))
    graded = replace(graded, points=4.0 if told else 0.0)
    (section,) = student_view(make_result(graded)).sections
    assert ("p" in ids(section.passed)) == bool(told)


def test_advice_that_names_an_exception_is_not_among_passed_checks(make_result, tmp_path):
    noted = check_result(check_id="n", message="No points deducted: Your code raised KeyError.")
    noted = replace(noted, check=replace(noted.check, weight=0.0))
    found = criterion_result(CODE, check_result("partial", 0.5), noted, check_result(check_id="p"))
    text = write_student_page(make_result(found), tmp_path).read_text()
    advice = text.index("Advice, no points deducted")
    assert advice < text.index("raised KeyError") < text.index("1 check passed")
