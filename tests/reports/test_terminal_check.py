"""The terminal: a check on one screen, missing files first, hostile words as text."""

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from graders.model import UNANSWERED, Check, Criterion
from graders.written.decisions import BY_HAND
from reports.terminal.check import Unseen, show_check
from reports.terminal.results import OUT, ScoreTable, show_batch, show_result
from tests.reports.conftest import CODE, FILES, check_result, criterion_result

ANSWER = Criterion("1a", "1a. A letter", 2.0, "visible", "written")
NOTHING = Unseen({})


@pytest.fixture
def said(capsys, monkeypatch):
    """`said(result, unseen, width=60)`: the lines that are printed."""

    def show(result, unseen=NOTHING, *, width=80, verbose=False):
        monkeypatch.setattr(OUT, "width", width)
        show_check(result, unseen, verbose=verbose)
        return capsys.readouterr().out.rstrip("\n").split("\n")

    return show


def many(make_result, count=30):
    """Criteria of ten failures, each long."""
    words = {"message": "wrong " * 100, "hint": "look " * 100, "expected": "x" * 500}
    example = tuple((f"row {n}", "1" * 90) for n in range(12))
    failed = [
        check_result("failed", check_id=f"c{n}", actual=str(n), counterexample=example, **words)
        for n in range(10)
    ]
    criteria = [
        criterion_result(replace(CODE, id=f"k{n}", title=f"Criterion {n} " * 5), *failed)
        for n in range(count)
    ]
    return make_result(*criteria)


def written(*statuses, message=""):
    return [
        criterion_result(replace(ANSWER, id=f"1{letter}"), check_result(status, message=message))
        for letter, status in zip("abcdefgh", statuses, strict=False)
    ]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(said, make_result, hostile, width):
    for result in (many(make_result, 2), hostile):
        for verbose in (False, True):
            lines = said(result, Unseen({"a": "missing " * 40}), width=width, verbose=verbose)
            assert max(map(cell_len, lines)) <= width


def test_failures_without_end_are_folded_and_what_is_right_takes_a_line_each(said, make_result):
    lines = said(many(make_result), width=100)
    assert len(lines) < 100
    assert "- 7 more failures (use --verbose)" in lines
    assert any("and 14 more criteria" in line for line in lines)
    assert len(said(many(make_result, 2), width=100, verbose=True)) > 100
    result = make_result(criterion_result(CODE, check_result()), *written(*["passed"] * 8))
    lines = said(result)
    assert len(lines) < 10
    assert any("8 questions, 1a to 1h" in line and "16 / 16" in line for line in lines)


def test_missing_comes_first_and_is_not_told_again_as_a_failure(said, make_result):
    said_again = check_result("failed", message="No module named 'work'.", check_id="m")
    other = check_result("failed", message="The product is wrong.", check_id="n")
    result = make_result(criterion_result(CODE, said_again, other))
    text = "\n".join(said(result, Unseen({"work.py": "`work.py` is not there."})))
    assert text.index("`work.py` is not there.") < text.index("Rotary embedding")
    assert "No module named" not in text
    assert "The product is wrong." in text
    blocked = check_result("skipped", check_id="b", outcome="blocked")
    result = make_result(criterion_result(CODE, said_again, blocked))
    text = "\n".join(said(result, Unseen({"work.py": "`work.py` is not there."})))
    assert "1 more skipped because it depends on what is missing" in text


def test_what_broke_or_is_dearest_comes_first(said, make_result):
    cheap = criterion_result(CODE, check_result("failed", message="Costs four."))
    dear = criterion_result(FILES, check_result("failed", message="Costs ten."))
    text = "\n".join(said(make_result(cheap, dear)))
    assert text.index("Costs ten.") < text.index("Costs four.")
    dear = replace(check_result("failed", message="Spoilt."), check=Check("d", "D.", "any", 3.0))
    ground = check_result("failed", message="No table.", check_id="g")
    chain = [after("g", check_id="y"), after("y", "z", check_id="z")]
    text = "\n".join(said(make_result(criterion_result(CODE, dear, ground, *chain))))
    assert text.index("No table.") < text.index("Spoilt.")
    later = [check_result("error", check_id=f"l{n}", message=f"Builds on {n}.") for n in range(4)]
    later = [replace(check, check=replace(check.check, depends_on=("a",))) for check in later]
    first = check_result("error", message="No module named numpy.")
    result = make_result(criterion_result(FILES, *later), criterion_result(CODE, first))
    text = "\n".join(said(result))
    assert text.index("No module named numpy.") < text.index("Builds on 0.")


@pytest.mark.parametrize("message", ["Wrong.", "No item at {}."])
def test_one_reason_is_shown_once_whatever_the_size(said, make_result, message):
    checks = [
        check_result("failed", message=message.format(size), actual="KeyError", check_id=str(size))
        for size in (17, 128)
    ]
    text = "\n".join(said(make_result(criterion_result(CODE, *checks))))
    assert text.count(message[:5]) == 1


def test_unanswered_questions_come_after_other_failures(said, make_result):
    blank = criterion_result(
        replace(ANSWER, points=9.0), check_result("failed", message=UNANSWERED)
    )
    wrong = criterion_result(
        replace(CODE, points=1.0), check_result("failed", message="Too large.")
    )
    text = "\n".join(said(make_result(blank, wrong)))
    assert text.index("Too large.") < text.index(UNANSWERED)


def after(*grounds, check_id="z"):
    """A check that was not run because others failed."""
    check = Check(check_id, "Builds.", "any", 9.0, grounds)
    return replace(check_result("skipped", 0.0, outcome="blocked"), check=check)


def test_an_example_tells_nothing_twice_and_compares_line_by_line(said, make_result):
    rows = (("document", "Ada"), ("size", "9"), ("what came", "A⁇□⁇"), ("asked", "a pair"))
    wrong = check_result("failed", expected="a pair", counterexample=rows)
    lines = said(make_result(criterion_result(CODE, wrong)))
    at = next(n for n, line in enumerate(lines) if "document" in line)
    assert "what came" in lines[at + 1]
    assert lines[at].index("Ada") == lines[at + 1].index("A⁇□⁇")
    assert sum("a pair" in line for line in lines) == 1


@pytest.mark.parametrize(("rows", "folded"), [(5, False), (6, True)])
def test_one_row_is_not_left_out_to_say_so(said, make_result, rows, folded):
    example = tuple((f"row {n}", str(n)) for n in range(rows))
    lines = said(
        make_result(criterion_result(CODE, check_result("failed", counterexample=example)))
    )
    assert any("more (use --verbose)" in line for line in lines) == folded


def test_failures_and_what_was_not_read_are_shown_with_reason_and_hint(said, graded, make_result):
    text = "\n".join(said(graded))
    for words in ("expected", "Ada⁇□", "got", "The exponent's sign is turned round", r"Ada L\t"):
        assert words in text
    waiting = check_result("needs_review", message=f"{BY_HAND} Dots.", check_id="1a/machine")
    lines = "\n".join(said(make_result(criterion_result(ANSWER, waiting))))
    assert "costs you no points" in lines
    assert "Dots." in lines


def test_what_we_failed_to_grade_or_did_not_judge_is_no_zero(
    said, incomplete, make_result, rejected
):
    lines = said(incomplete)
    assert any("! " in line and "- / 4" in line for line in lines)
    assert lines[-1] == "Score: 10 / 10 (criteria checked here)"
    broken = make_result(*incomplete.criteria[:1])
    advice = make_result(criterion_result(replace(CODE, points=0.0), check_result()))
    for result in (rejected, broken, advice):
        assert "0 of the 0" not in "\n".join(said(result))
    advice = criterion_result(replace(CODE, points=0.0), check_result("failed", message="Look."))
    assert any("advice" in line and "0 / 0" not in line for line in said(make_result(advice)))


def test_hostile_words_stay_text(said, hostile):
    attack = hostile.criteria[0].checks[0].message[:300]
    unseen = Unseen({attack: attack}, [attack])
    for verbose in (False, True):
        text = "\n".join(said(hostile, unseen, verbose=verbose))
        assert not {"\x1b", "\u202e", "\x00", "\ud800"} & set(text)
        assert "\u0301" * 5 not in text


def test_a_batch_shows_first_who_needs_a_person_and_counts_who_has_nothing(
    capsys, make_result, incomplete, tmp_path
):
    scores = ScoreTable()
    for number in range(60):
        scores.add(make_result(criterion_result(CODE, check_result()), submission=f"s{number}"))
    scores.add(replace(incomplete, submission=replace(incomplete.submission, id="zoe")))
    scores.show(rest="out/grades.csv")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("zoe")
    assert lines[-1] == "and 21 more: out/grades.csv"
    scores = ScoreTable()
    for status in ("failed", "passed"):
        scores.add(make_result(criterion_result(CODE, check_result(status)), submission=status))
    show_batch(scores, tmp_path)
    assert "1 submission without any points" in capsys.readouterr().out


def test_a_students_check_says_how_each_part_ended(capsys, unanswered):
    show_result(unanswered)
    output = " ".join(capsys.readouterr().out.split())
    for way in ("Timed out", "Out of memory", "Crashed", "Ended itself", "Answer not usable"):
        assert way in output
    assert "- 1 more skipped because it depends on these" in output


def test_show_speaks_to_staff_and_no_skipped_check_refers_to_nothing(capsys, make_result):
    blocked = check_result("skipped", check_id="b", outcome="blocked")
    waits = check_result("needs_review", message="No weights. Your points count until then.")
    criteria = (criterion_result(CODE, blocked), criterion_result(FILES, waits))
    show_result(make_result(*criteria, status="needs_review"))
    output = " ".join(capsys.readouterr().out.split())
    assert "- 1 skipped because it depends on checks of other criteria that did not pass" in output
    assert "No weights. The points count until then." in output
    assert not re.search(r"\byou", output.casefold())


def test_what_cost_points_comes_before_why_the_others_need_a_person(capsys, make_result):
    message = "No weights.\n6 of 60: below 15%.\nBorderline."
    for earned, order in ((0.5, "6 of 60: below 15%. No weights. Borderline."), (1.0, message)):
        waits = check_result("needs_review", earned, message=message)
        show_result(make_result(criterion_result(FILES, waits), status="needs_review"))
        assert " ".join(order.split()) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("score", "told"), [(2.0, True), (None, False)])
def test_points_to_confirm_are_offered_in_one_go(capsys, make_result, tmp_path, score, told):
    scores = ScoreTable()
    graded = criterion_result(CODE, check_result("needs_review"))
    for name in ("ada", "bob"):
        scores.add(make_result(graded, submission=name, status="needs_review", score=score))
    show_batch(scores, tmp_path)
    assert (f"grade.py decide {tmp_path}" in capsys.readouterr().out) is told
