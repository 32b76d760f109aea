"""The item analysis in words."""

import pytest

from graders.course.item_statistics import ItemStatistics
from reports.course.items import item_tables
from tests.reports.conftest import CODE, check_result


def item(**changes):
    known = {
        "criterion": CODE,
        "check": None,
        "graded": 50,
        "compared": 50,
        "difficulty": 0.5,
        "discrimination": 0.3,
        "repeated": 0,
        "changed": 0,
        "median_seconds": 1.0,
    }
    return ItemStatistics(**known | changes)


def row(**changes):
    return item_tables([item(**changes)]).criteria[0]


def test_a_steady_item_is_not_flagged():
    assert row(repeated=9).flags == ()
    assert row(repeated=9).repeated == "0 of 9"


@pytest.mark.parametrize(
    ("compared", "discrimination", "flagged"),
    [(50, -0.4, True), (50, -0.1, False), (5, -0.9, False), (5, -1.0, True), (50, None, False)],
)
def test_only_more_than_chance_is_flagged(compared, discrimination, flagged):
    """However many were judged: those without a total have no part in a correlation."""
    found = row(graded=50, compared=compared, discrimination=discrimination)
    assert found.flags == (("stronger students do worse",) if flagged else ())


def test_a_verdict_that_changed_is_flagged():
    found = row(repeated=9, changed=1)
    assert (found.repeated, found.flags) == ("1 of 9", ("its verdict changed",))


def test_what_is_not_known_is_a_dash():
    found = row(difficulty=None, discrimination=None, median_seconds=None)
    assert {found.difficulty, found.discrimination, found.seconds, found.repeated} == {"–"}


@pytest.mark.parametrize(("value", "shown"), [(-0.351, "−0.35"), (-0.001, "0.00"), (0.999, "1.00")])
def test_a_correlation_has_two_decimals(value, shown):
    assert row(discrimination=value).discrimination == shown


def test_checks_and_criteria_stand_apart_and_both_are_flagged():
    check = check_result().check
    tables = item_tables([item(changed=1, repeated=1), item(check=check, changed=1, repeated=1)])
    assert [each.title for each in tables.criteria] == ["Rotary embedding"]
    assert [each.title for each in tables.checks] == ["Check a holds."]
    assert len(tables.flagged) == 2
