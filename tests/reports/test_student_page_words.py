"""Hints, decisions and commands, as the student's page parses them."""

from dataclasses import replace

import pytest

from graders.model import Check
from graders.written.decisions import Decision, JudgedItem, message_of
from reports.page import render
from reports.student.page import student_view
from reports.student.words import Hint, command, judged, split_hint
from tests.reports.conftest import CODE, FILES, check_result, criterion_result


@pytest.mark.parametrize(
    ("hint", "words", "equation"),
    [
        ("The base is 10 (θ_i = 10^(-2(i-1)/d)).", "The base is 10.", "θ_i = 10^(-2(i-1)/d)"),
        ("A table (as in (a)) is off (y = f(x)).", "A table (as in (a)) is off.", "y = f(x)"),
        ("Take x and y from one sequence (see above).", "", ""),
        ("Rotate q and k.", "", ""),
        ("(y = x).", "", ""),
        ("Equation 3: (a, b) becomes (a cos tθ, b sin tθ).", "", ""),
        ("y = x)).", "", ""),
        ("", "", ""),
    ],
)
def test_the_equation_of_a_hint_stands_alone(hint, words, equation):
    assert split_hint(hint) == Hint(words or hint, equation)


def review(message, check_id="1b/review"):
    return replace(check_result(message=message), check=Check(check_id, "Read.", "1b"))


def test_a_decision_is_read_back_as_it_was_made():
    items = (JudgedItem("names the bound", 2.0, True), JudgedItem("says why (in full)", 1.5, False))
    made = Decision("ada", "1b/review", "", "Rea", 4.0, items, -0.5, "Nearly.\nSee page 3.")
    read = judged(review(message_of(made)))
    assert read.points == "1.5 of 4 points"
    assert [(item.text, item.given, item.points) for item in read.items] == [
        ("names the bound", True, "+2"),
        ("says why (in full)", False, "+1.5"),
    ]
    assert read.comment == "Nearly.\nSee page 3.\nAdjusted by -0.5."


def test_only_a_person_decides():
    told = "1 of 4 points, graded by a person."
    assert judged(review(told)) is not None
    assert judged(review(told, "1b/machine")) is not None
    assert judged(review(told, "rotary")) is None
    assert judged(review("A person reads this and decides.")) is None


def test_what_a_machine_found_can_be_seen_again(make_result):
    wrong = criterion_result(CODE, check_result("failed"), check_result())
    result = make_result(wrong)
    assert command(wrong, result).text == "softmark check . --assignment toy --only rotary"
    assert command(criterion_result(CODE, check_result()), result) is None
    decided = review("1 of 4 points, graded by a person.")
    assert command(criterion_result(CODE, replace(decided, status="failed")), result) is None
    machine = replace(review(decided.message, "1b/machine"), status="failed")
    assert command(criterion_result(CODE, machine), result) is None


def test_a_command_holds_no_more_than_one(make_result):
    odd = replace(CODE, id="a; rm -rf ~ #")
    wrong = criterion_result(odd, check_result("failed"))
    assert command(wrong, make_result(wrong)).text.endswith("--only 'a; rm -rf ~ #'")


@pytest.mark.parametrize(("inputs", "same"), [("public", True), ("secret, sha256 ab", False)])
def test_other_inputs_are_told_apart(make_result, inputs, same):
    wrong = criterion_result(FILES, check_result("failed"))
    found = command(wrong, make_result(wrong, environment={"inputs": inputs}))
    assert (found.same_inputs, found.needs_data) == (same, True)


def test_a_copy_without_keys_promises_no_verdict_on_answers(make_result):
    asked = criterion_result(replace(CODE, kind="written"), check_result("failed"))
    page = render("student.html.jinja", student_view(make_result(asked)))
    assert command(asked, make_result(asked)).is_written
    assert "Correctness is graded only by the course" in page
    assert "use different random inputs" not in page
