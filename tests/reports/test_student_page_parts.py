"""Figures, examples, hints, decisions and commands on a student's page; what remains hidden."""

import re
from dataclasses import replace

import pytest

from graders.figures import Accuracy, Curve, Rotation
from graders.model import SHOWN_LATER, Adjusted, Check
from graders.written.decisions import PERSON_READS, Decision, JudgedItem, message_of
from reports.page import render
from reports.student.cards import criterion_cards
from reports.student.page import shortened, student_view
from reports.student.words import Hint, command, judged, split_hint
from tests.reports.conftest import CODE, FILES, SECRET, check_result, criterion_result

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


SAID = (
    "dev file 12 of 60 = 20.0% (95% interval 11.8 to 31.8%); threshold 30%, not reached.",
    "test file 12 of 60", "London for everybody 5%", "differ at 15 of 16 positions",
    "training loss: 4 at step 1, 2 at step 2",
    "1 of 8 places differ; they are underlined.",
)  # fmt: skip


def test_pictures_are_told_in_words_and_columns_are_cells(page, pictured):
    shown = page(pictured)
    assert [words for words in SAID if words not in words_of(shown)] == []
    drawn = re.findall(r'class="drawing" role="img" aria-label="([^":]+):', shown.source)
    assert drawn == ["pair 4", "pretrain"]
    assert shown.source.count('<svg class="track"') == 6, "a row each, which says its number"
    source = page(pictured).source
    assert '<span class="mask">⁇</span><span>n</span>' in source
    assert '<span class="pad differs">□</span><span class="pad">□</span>' in source
    assert 'role="region" tabindex="0"' in source


def test_an_equation_and_a_command_stand_alone(page, make_result):
    check = check_result("failed", hint="The base is 10 (θ_i = 10000^(-2(i-1)/d)).")
    source = page(make_result(criterion_result(CODE, check))).source
    equation = re.search(r'class="equation".*?</span></span>', source, re.DOTALL)[0]
    assert "10000^(-2(i-1)/d)" in equation
    assert "base" not in equation
    wrong, right = check_result("failed"), check_result()
    shown = page(make_result(criterion_result(CODE, wrong), criterion_result(FILES, right)))
    assert "softmark check . --assignment toy --only rotary" in words_of(shown)
    assert "--only files" not in shown.source


@pytest.mark.parametrize("verb", ["graded", "decided"])  # earlier versions stored `decided`
def test_a_decision_lists_what_was_given(page, make_result, verb):
    message = (
        f"1 of 3 points, {verb} by a person.\nNearly.\nGiven: a bound (+1)\nNot given: why (+2)"
    )
    check = check_result("partial", 1 / 3, message=message, actual="My answer.")
    check = replace(check, check=Check("1b/review", "Read.", "1b"))
    text = words_of(page(make_result(criterion_result(replace(CODE, kind="written"), check))))
    assert "1 of 3 points, graded by a person." in text
    assert "✓ a bound +1 given" in text
    assert "– why +2 not given" in text
    assert "Comment Nearly." in text
    assert "Your answer My answer." in text


def test_one_reason_is_said_once(page, make_result):
    none = check_result("failed", message="There is no answers file.", hint="Write one.")
    rubric = [replace(CODE, id=str(n), title=f"Question {n}") for n in range(4)]
    shown = page(make_result(*(criterion_result(criterion, none) for criterion in rubric)))
    assert shown.text.count("There is no answers file.") == 1
    assert shown.text.count("Question 2") == 2
    assert shown.all("href") == ["#s1"] * 5, "one each, and one below the total"
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
BROKEN = check_result("error", message="It depends on `the-secret-check`, which could not run.")


@pytest.mark.parametrize("stopped", [BLOCKED, BROKEN])
@pytest.mark.parametrize("visibility", ["hidden", "after_due_date", "after_published"])
def test_nothing_of_a_hidden_criterion_is_in_the_source(page, make_result, visibility, stopped):
    criterion = replace(SECRET, id="the-secret", title="The-secret", visibility=visibility)
    shown = page(make_result(criterion_result(CODE, stopped), criterion_result(criterion, HIDDEN)))
    assert "the-secret" not in shown.source.lower()
    assert SHOWN_LATER in shown.text
    assert "up to 6" in shown.text


@pytest.mark.parametrize("criterion", [SECRET, replace(CODE, points=0.0)])
def test_no_points_are_no_zero(page, make_result, criterion):
    text = words_of(page(make_result(criterion_result(criterion, check_result()))))
    assert "No points for the part you can see now" in text
    assert not re.search(r"\b0 of 0\b", text)


def test_what_waits_unseen_leaves_no_sum_and_copies_no_promise(page, make_result):
    waits = criterion_result(SECRET, check_result("needs_review"))
    shown = make_result(criterion_result(CODE, check_result()), waits, status="needs_review")
    assert "0 points ungraded" not in words_of(page(shown))
    graded = criterion_result(replace(CODE, kind="written"), check_result("failed"))
    page = render("student.html.jinja", student_view(make_result(graded)))
    assert command(graded, make_result(graded)).is_written
    assert "Only the course grades whether it is correct." in page
    assert "use different random inputs" not in page


@pytest.mark.long
@pytest.mark.parametrize(("quantity", "whole"), [(5, True), (80, False)])
def test_a_page_stays_under_a_megabyte(page, make_result, quantity, whole):
    """Whatever students make of it: 80 checks are more than any assignment has."""
    spaced = "□ " * 900
    long = (("document", "x" * 900), ("what came", "⁇ " * 450), ("expected", spaced))
    words = {"expected": spaced, "actual": spaced, "message": "&" * 9_999, "hint": "'" * 9_999}
    checks = [
        check_result("failed", check_id=str(n), figures=FIGURES, counterexample=long, **words)
        for n in range(quantity)
    ]
    shown = page(make_result(criterion_result(CODE, *checks)))
    assert len(shown.source.encode()) < 1_000_000
    assert ("dev file" in shown.text) == whole
    assert ("leaves out pictures" in shown.text) != whole


def test_many_checks_share_the_room_of_a_page(make_result):
    words = {"message": '"' * 400, "hint": "'" * 400, "expected": "□ " * 90, "actual": "⁇ " * 90}
    checks = [check_result("failed", check_id=str(n), **words) for n in range(300)]
    view = student_view(shortened(make_result(criterion_result(CODE, *checks))))
    assert len(render("student.html.jinja", view).encode()) < 1_000_000


def test_members_of_a_group_and_extra_credit_are_named(page, make_result):
    group = "Ada Lovelace <ada@example.edu> (sid 1815); Bob Babbage <bob@example.edu> (sid 1791)"
    extra = replace(CODE, id="bonus", title="Bonus", extra_credit=True)
    parts = [criterion_result(criterion, check_result()) for criterion in (CODE, extra)]
    text = page(make_result(*parts, student=group)).source
    assert "Ada Lovelace, Bob Babbage" in text
    assert not any(detail in text for detail in ("1815", "1791", "@example.edu"))
    assert text.count("extra credit") == 2
    assert "<strong>8</strong> of 4 points" in text


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
        ("`a`: One (y = x).\n`b`: Two (y = x^2).", "", ""),
        ("", "", ""),
    ],
)
def test_the_equation_of_a_hint_stands_alone(hint, words, equation):
    assert split_hint(hint) == Hint(words or hint, equation)


def review(message, check_id="1b/review"):
    return replace(check_result(message=message), check=Check(check_id, "Read.", "1b"))


def test_a_decision_is_read_back_as_it_was_made_and_only_a_person_decides():
    items = (JudgedItem("names the bound", 2.0, True), JudgedItem("says why (in full)", 1.5, False))
    decision = Decision("ada", "1b/review", "", "Rea", 4.0, items, -0.5, "Nearly.\nSee page 3.")
    read = judged(review(message_of(decision)))
    assert read.points == "1.5 of 4 points"
    assert [(item.text, item.given, item.points) for item in read.items] == [
        ("names the bound", True, "+2"),
        ("says why (in full)", False, "+1.5"),
    ]
    assert read.comment == "Nearly.\nSee page 3.\nAdjusted by -0.5."
    message = "1 of 4 points, graded by a person."
    assert judged(review(message)) is not None
    one = replace(decision, points=1.0, adjustment=0.0, items=())
    assert judged(review(message_of(one))).points.endswith(" of 1 point")
    assert judged(review(message, "1b/machine")) is not None
    assert judged(review(message, "rotary")) is None
    assert judged(review("A person reads this and decides.")) is None


def test_a_command_is_one_and_only_for_what_a_machine_found(make_result):
    wrong = criterion_result(CODE, check_result("failed"), check_result())
    result = make_result(wrong)
    assert command(wrong, result).text == "softmark check . --assignment toy --only rotary"
    assert command(criterion_result(CODE, check_result()), result) is None
    decided = review("1 of 4 points, graded by a person.")
    assert command(criterion_result(CODE, replace(decided, status="failed")), result) is None
    machine = replace(review(decided.message, "1b/machine"), status="failed")
    assert command(criterion_result(CODE, machine), result) is None
    odd = replace(CODE, id="a; rm -rf ~ #")
    wrong = criterion_result(odd, check_result("failed"))
    assert command(wrong, make_result(wrong)).text.endswith("--only 'a; rm -rf ~ #'")


@pytest.mark.parametrize(("inputs", "same"), [("public", True), ("secret, sha256 ab", False)])
def test_other_inputs_are_told_apart(make_result, inputs, same):
    wrong = criterion_result(FILES, check_result("failed"))
    rerun = command(wrong, make_result(wrong, environment={"inputs": inputs}))
    assert (rerun.same_inputs, rerun.needs_data) == (same, True)


CRASH = {"message": "Your code raised KeyError: 3.", "hint": "Print the keys.", "outcome": "raised"}
OTHER = {**CRASH, "message": "Your code raised KeyError: 4."}


def crashed(check_id="a", **words):
    return check_result("failed", check_id=check_id, **(CRASH | words))


def ids(checks):
    return [check.id for check in checks]


def test_checks_that_end_alike_are_one_card_and_a_cause_told_before_is_brief():
    words = {"hint": "The sign is wrong."}
    one, two = (check_result("failed", check_id=x, message=f"Check {x}.", **words) for x in "de")
    message = "Skipped because this failed: Check a holds."
    skipped = check_result("skipped", check_id="s", outcome="blocked", message=message)
    crashes = (crashed("a"), crashed("b"), crashed("c", **OTHER))
    (cards,) = criterion_cards([criterion_result(CODE, *crashes, one, two, skipped)])
    assert [[card.first.id, *ids(card.alike)] for card in cards] == [
        ["a", "b"], ["c"], ["d", "e"]
    ]  # fmt: skip
    assert [ids(card.skipped) for card in cards] == [["s"], [], []]
    one, other = (check_result("failed", message=f"`{name}` is missing.") for name in "xy")
    groups = criterion_cards([criterion_result(CODE, one), criterion_result(FILES, other)])
    assert [card.repeated for cards in groups for card in cards] == [False, True]


def test_an_exception_is_one_cause_whatever_other_inputs_earned(page, make_result):
    """Numbers in its message differ between inputs; the line does not."""
    place = {"actual": "work.py, line 3"}
    part = check_result("partial", 0.5, check_id="p", **(OTHER | place | {"outcome": ""}))
    elsewhere = crashed("e", actual="work.py, line 4")
    other = crashed("o", message="Your code raised ValueError: 3.", **place)
    checks = (crashed("a", **place), part, elsewhere, other)
    (cards,) = criterion_cards([criterion_result(CODE, *checks)])
    assert [[card.first.id, *ids(card.alike)] for card in cards] == [["a", "p"], ["e"], ["o"]]
    assert "<dt>Where</dt>" in page(make_result(criterion_result(CODE, part))).source


def test_a_failed_check_says_what_it_costs_where_that_is_true(page, make_result):
    """A third of 4 points each; one check waits for a person, and one has no weight."""
    alike = [check_result("failed", check_id=name, hint="One cause.") for name in "ab"]
    half = check_result("partial", 0.5, check_id="c")
    free = check_result("failed", check_id="d")
    free = replace(free, check=replace(free.check, weight=0.0))
    graded = criterion_result(CODE, *alike, half, free)
    shown = words_of(page(make_result(graded)))
    for words in (
        "Failed −1.33 points Check a holds.",
        "1 more check for the same reason −1.33 points",
        "Partial credit −0.67 points Check c holds.",
        "Failed Check d holds.",
    ):
        assert words in shown
    waits = criterion_result(CODE, check_result("needs_review", 0.0), check_result(check_id="b"))
    alone = criterion_result(CODE, check_result("failed"))
    extra = replace(graded, criterion=replace(CODE, extra_credit=True))
    waived = replace(graded, adjusted=Adjusted("waive", 0.67, 4.0, "Fine."), points=4.0)
    for criterion in (waits, alone, extra, waived):
        assert "−" not in words_of(page(make_result(criterion)))


def test_what_cost_points_comes_before_why_the_others_need_a_person(page, make_result):
    waits = check_result("needs_review", 0.5, message="No weights.\n6 of 60: below 15%.")
    once = criterion_result(CODE, waits)
    twice = criterion_result(FILES, waits)
    sure = check_result("needs_review", 1.0, check_id="s", message="No weights.\n60 of 60.")
    costs_less = criterion_result(replace(FILES, id="x"), sure, waits)
    for criteria, cards in ((once,), 1), ((once, twice), 2), ((once, costs_less), 2):
        shown = words_of(page(make_result(*criteria, status="needs_review")))
        parts = shown.split("Check a holds.")
        assert len(parts) == cards + 1
        for part in parts[1:]:
            assert part.index("6 of 60: below 15%.") < part.index("No weights."), part
    assert ids([criterion_cards([costs_less])[0][0].first]) == ["a"]


def test_what_can_still_be_earned_is_said_with_its_unit(page, make_result):
    """One of two checks failed: half of the points are lost."""
    wrong = check_result("failed")
    waits = check_result("needs_review", check_id="b", message="Unclear.")
    for most, checks, words in (
        (2.0, (wrong, waits), "up to 1 of 2 points"),
        (2.0, (waits,), "up to 2 points"),
        (1.0, (waits,), "up to 1 point "),
        (1.0, (check_result(), waits), "0.5 so far of 1 point "),
        (1.0, (wrong,), "0 of 1 point "),
    ):
        graded = criterion_result(replace(CODE, points=most), *checks)
        assert words in words_of(page(make_result(graded, status="needs_review")))


READ = check_result("needs_review", check_id="q/review", message=PERSON_READS, actual="My answer.")


def test_answers_that_wait_are_one_line_each_below_what_cost_points(page, make_result):
    rubric = [replace(CODE, id=f"q{n}", title=f"Question {n}", kind="written") for n in range(3)]
    wrong = criterion_result(FILES, check_result("failed", check_id="w"))
    waiting = [criterion_result(rubric[0], READ), criterion_result(rubric[1], READ, check_result())]
    noted = replace(READ, message=f"{PERSON_READS}\nOnly the beginning is read.")
    waiting = [replace(graded, status="needs_review") for graded in waiting]
    graded = (*waiting, wrong, criterion_result(rubric[2], noted))
    shown = page(make_result(*graded, status="needs_review"))
    text = words_of(shown).partition("Overview")[2]
    assert text.count(PERSON_READS) == 1, "only the one with a note"
    assert text.count("My answer.") == 3
    assert text.index("Check w holds.") < text.index(
        "Question 0 Needs manual grading 4 points open"
    )
    assert text.index("4 points open") < text.index("2 points open") < text.index("Check a holds.")
    assert {link.removeprefix("#") for link in shown.all("href")} <= set(shown.all("id"))


def test_the_total_leads_to_the_first_criterion_that_lost_points(page, make_result):
    right = criterion_result(CODE, check_result())
    extra = criterion_result(replace(CODE, extra_credit=True), check_result("failed"))
    both = criterion_result(FILES, check_result("failed"), READ)
    assert "lost points" not in page(make_result(right, extra)).text
    shown = page(make_result(right, extra, both, status="needs_review"))
    assert "1 criterion lost points" in shown.text
    assert shown.all("href")[0] == "#c3"
    none = [
        criterion_result(replace(CODE, id=str(n)), check_result("failed", message="No answer."))
        for n in range(3)
    ]
    shown = page(make_result(*none, both))
    assert "4 criteria lost points" in shown.text
    assert shown.all("href")[:2] == ["#c4", "#s1"], "the one that is first on the page"


def test_skipped_checks_are_one_line(page, make_result):
    skipped = [check_result("skipped", check_id=f"s{n}", message=f"No file {n}.") for n in range(3)]
    same = [replace(check, message="No model.") for check in skipped[:2]]
    same = [replace(check, check=replace(check.check, id=f"t{n}")) for n, check in enumerate(same)]
    source = page(make_result(criterion_result(CODE, check_result(), *skipped, *same))).source
    assert "5 checks skipped" in source
    assert (source.count("skipped</summary>"), source.count("skipped <span")) == (0, 1)
    assert source.count("No model.") == 1
    assert "No file 2." in source


def test_everything_that_is_folded_is_on_the_page(page, make_result):
    alike = crashed("b", expected="the-expected", counterexample=(("input", "the-input"),))
    graded = criterion_result(CODE, crashed("a"), alike, check_result(check_id="c"))
    text = page(make_result(graded)).source
    assert text.count("Your code raised KeyError: 3.") == 1
    for words in ("the-expected", "the-input", "Check b holds.", "Check c holds."):
        assert words in text
    passed = page(make_result(criterion_result(CODE, check_result()))).source
    assert '<details class="criterion"' in passed
    assert '<section class="criterion"' not in passed


@pytest.mark.parametrize(("other", "told"), [("failed", 0), ("passed", 1)])
def test_prerequisite_counts_as_passed_only_beside_points(make_result, other, told):
    free = check_result(check_id="p")
    free = replace(free, check=replace(free.check, weight=0.0))
    graded = criterion_result(CODE, free, check_result(other, check_id="q"))
    graded = replace(graded, points=4.0 if told else 0.0)
    (section,) = student_view(make_result(graded)).sections
    assert ("p" in ids(section.passed)) == bool(told)


def test_advice_that_names_an_exception_is_not_among_passed_checks(page, make_result):
    noted = check_result(check_id="n", message="No points deducted: Your code raised KeyError.")
    noted = replace(noted, check=replace(noted.check, weight=0.0))
    graded = criterion_result(CODE, check_result("partial", 0.5), noted, check_result(check_id="p"))
    text = page(make_result(graded)).source
    advice = text.index("Advice, no points deducted")
    assert advice < text.index("raised KeyError") < text.index("1 check passed")
