"""The item analysis of a rubric, from Results only."""

import tracemalloc
from dataclasses import replace

import pytest

from graders.course.item_statistics import Items
from graders.model import Adjusted, Check, CheckResult, Criterion, Submission
from tests.reports.conftest import check_result, criterion_result

MASK = Criterion("mask", "Causal mask", 4.0, "visible", "code")
LOSS = Criterion("loss", "Loss", 2.0, "visible", "metric")


@pytest.fixture
def course(make_result):
    """`course(rows)`: a submission a row, with the fractions of mask a, mask b and the loss."""

    def make(rows, **changes):
        items = Items()
        for number, (a, b, loss) in enumerate(rows):
            mask = criterion_result(MASK, *(_result(name, x) for name, x in (("a", a), ("b", b))))
            graded = (mask, criterion_result(LOSS, _result("c", loss)))
            items.add(make_result(*graded, submission=f"s{number}", **changes))
        return items

    return make


def _result(name, fraction, **words):
    status = {0.0: "failed", 1.0: "passed", None: "needs_review"}.get(fraction, "partial")
    return check_result(status, fraction or 0.0, check_id=name, **words)


def by_key(items, **words):
    return {
        (line.criterion.id, line.check.id if line.check else ""): line
        for line in items.statistics(**words)
    }


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([(1.0, 1.0, 1.0)], ["mask", "a", "b", "loss", "c"]),
        ([(None, 1.0, 1.0), (1.0, 1.0, 1.0)], ["mask", "a", "b", "loss", "c"]),
        ([(None, 1.0, 1.0)], ["mask", "b", "loss", "c"]),
    ],
    ids=["decided", "open at first", "never decided"],
)
def test_decided_checks_have_lines_in_the_rubrics_order(course, rows, lines):
    statistics = course(rows).statistics()
    assert [line.check.id if line.check else line.criterion.id for line in statistics] == lines


def test_only_decided_checks_count_in_a_difficulty_of_mean_shares(course):
    """Beside an undecided one, a check has a share, but its submission no score to go with."""
    lines = by_key(course([(1.0, 0.5, 0.0), (0.0, 0.5, 1.0)]))
    assert (lines["mask", "a"].difficulty, lines["mask", ""].difficulty) == (0.5, 0.5)
    assert lines["loss", "c"].graded == 2
    lines = by_key(course([(1.0, 1.0, 1.0)]), repeats={("mask", "a"): (5, 2)})
    assert (lines["mask", "a"].repeated, lines["mask", "a"].changed) == (5, 2)
    assert lines["mask", "b"].repeated == 0
    assert course([(0.0, 0.0, 0.0)], status="rejected").statistics() == ()
    lines = by_key(course([(1.0, None, 1.0), (0.0, 0.0, 0.0), (1.0, 1.0, 0.5), (0.0, 1.0, 0.5)]))
    assert [lines["mask", check].graded for check in ("", "a", "b")] == [3, 4, 3]
    assert lines["mask", "a"].discrimination == pytest.approx(0.5)
    assert lines["mask", "b"].compared == lines["mask", "a"].compared == 3


def test_a_skipped_check_was_not_judged(make_result):
    items = Items()
    skipped = replace(_result("a", 0.0), status="skipped")
    graded = criterion_result(MASK, skipped, _result("b", 1.0))
    advice = replace(MASK, id="advice", points=0.0)
    whole = replace(criterion_result(advice, skipped), status="skipped")
    items.add(make_result(graded, whole))
    assert {key: line.graded for key, line in by_key(items).items()} == {
        ("mask", ""): 1, ("mask", "b"): 1, ("advice", ""): 0
    }  # fmt: skip


def test_discrimination_leaves_the_item_out_and_a_criterion_alone_has_none(course, make_result):
    """Whoever has a has lost the rest: with itself in the total, the sign would turn."""
    lines = by_key(course([(1.0, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.25), (1.0, 0.0, 0.0)]))
    assert lines["mask", "a"].discrimination == pytest.approx(-1.0)
    lines = by_key(course([(x, x, x) for x in (0.0, 0.5, 1.0)]))
    assert [line.discrimination for line in lines.values()] == pytest.approx([1.0] * 5)
    items = Items()
    for number, fraction in enumerate((0.0, 0.5, 1.0)):
        graded = criterion_result(replace(MASK, points=0.0), _result("a", fraction))
        items.add(make_result(graded, submission=f"s{number}"))
    assert [line.discrimination for line in items.statistics()] == [None, None]
    assert items.statistics()[0].difficulty == 0.5


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([(1.0, 1.0, 1.0), (0.0, 0.0, 0.0)], id="two submissions"),
        pytest.param([(1.0, x, x) for x in (0.0, 0.5, 1.0)], id="the item does not vary"),
        pytest.param([(x, 1 / 3, 0.1) for x in (0.0, 0.5, 1.0)], id="the rest does not vary"),
    ],
)
def test_what_cannot_be_said_is_none(course, rows):
    assert by_key(course(rows))["mask", "a"].discrimination is None


def test_medians_of_time_and_memory(make_result):
    items = Items()
    assert (items.median_memory_bytes, items.median_seconds) == (None, None)
    for number, peak in enumerate((10, 20, 90)):
        graded = criterion_result(
            MASK, _result("a", 1.0, seconds=peak), _result("b", 1.0, seconds=1)
        )
        used = {"resources": {"peak_memory_bytes": peak, "cpu_seconds": 1.0}}
        items.add(make_result(graded, submission=str(number), environment=used, seconds=peak))
    assert (items.median_memory_bytes, items.median_seconds) == (20, 20)
    assert [line.median_seconds for line in items.statistics()] == [21, 20, 1]


@pytest.mark.slow
def test_ten_thousand_submissions_stay_small(make_result):
    """100 checks each; a thousand are counted, and one is kept of none of them."""
    checks = [CheckResult(Check(f"c{n}", "It holds.", "mask"), "passed", 1.0) for n in range(100)]
    result = make_result(criterion_result(MASK, *checks))
    items = Items()
    tracemalloc.start()
    for number in range(1000):
        items.add(replace(result, submission=Submission(f"{number}", "", "", *[None] * 3)))
    memory = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert memory < 8_000_000  # 80 MB for ten thousand


def test_who_is_excused_from_a_criterion_is_not_counted_there(make_result):
    items = Items()
    mask, loss = (criterion_result(criterion, _result("a", 1.0)) for criterion in (MASK, LOSS))
    excuse = Adjusted("excuse", 4.0, 4.0, "Ill.")
    excused = replace(mask, criterion=replace(MASK, points=0.0), points=0.0, adjusted=excuse)
    items.add(make_result(excused, loss, submission="ada"))
    items.add(make_result(mask, loss, submission="bob"))
    lines = by_key(items)
    assert (lines["mask", ""].graded, lines["mask", "a"].graded) == (1, 1)
    assert (lines["mask", ""].criterion, lines["loss", ""].graded) == (MASK, 2)
