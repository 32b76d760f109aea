"""The table's rows as data inside a page, and the item analysis in words."""

import json
from dataclasses import replace

import pytest

from graders.course.item_statistics import ItemStatistics
from reports.course.items import item_tables
from reports.course.table import status_counts, table_data
from reports.course.view import course_view
from tests.reports.conftest import CODE, FILES, check_result, criterion_result


def rows(*results):
    return json.loads(table_data(course_view(results)))["rows"]


def test_a_row_holds_points_that_are_not_zero_where_they_are_open(
    graded, make_result, incomplete, rejected
):
    assert rows(graded) == [["ada", "Ada Lovelace", 0, [15], [2, 10, 3]]]
    files = graded.criteria[1]
    only = make_result(files, submission="bo")
    (one, other) = rows(incomplete, only)
    assert one[3:] == [[None], [None, 10]]
    assert other[4] == ["", 10], "a criterion that was not asked for"
    assert rows(rejected)[0][4] == [""]


@pytest.mark.parametrize("student", ["bo", "", "  "])
def test_who_has_no_other_name_is_called_by_the_id(make_result, graded, student):
    result = make_result(*graded.criteria, submission="bo", student=student)
    assert rows(result)[0][:2] == ["bo", 0]


PAIR = "Ada Lovelace <ada@example.edu> (sid 0512345); Bob Babbage <bob@example.edu> (sid 0598765)"


def test_people_are_found_by_all_that_is_known_and_cut_names_by_their_end(make_result, graded):
    """The second of a pair, too, who stands behind what a table shows of a name."""
    pair = make_result(*graded.criteria, submission="pair", student=PAIR)
    (row,) = rows(pair)
    assert (row[1], row[5:]) == ("Ada Lovelace, Bob Babbage", [[], 0, PAIR])
    name = "week-4-" * 10 + "lovelace"
    (row,) = rows(make_result(*graded.criteria, submission=name))
    assert row[-2:] == [f"reports/{name}.html", name]


def test_points_that_are_certain_are_in_words(make_result):
    open_ = criterion_result(CODE, check_result("needs_review"))
    files = criterion_result(FILES, check_result("partial", 1 / 3))
    (row,) = rows(make_result(open_, files, status="needs_review", score=None))
    assert row[3] == ["3.33 so far"]


def test_ways_without_an_answer_are_counted_and_statuses_of_nobody_not_offered(
    unanswered, graded, rejected
):
    data = json.loads(table_data(course_view([unanswered])))
    places, counts = data["rows"][0][5][::2], data["rows"][0][5][1::2]
    assert {data["words"][place] for place in places} >= {"Timed out", "Crashed"}
    assert set(counts) == {1}
    assert status_counts(course_view([graded, rejected])) == (("graded", 1), ("rejected", 1))


def test_no_name_ends_the_element_it_stands_in(hostile):
    name = "</script><!--<script>\u2028'&"
    result = replace(hostile, submission=replace(hostile.submission, id=name))
    data = table_data(course_view([result]))
    assert not set(data) & set("<>&'\u2028\u202e\x1b")
    assert json.loads(data)["rows"][0][0].startswith("</script>")


STEADY = ItemStatistics(
    criterion=CODE,
    check=None,
    graded=50,
    compared=50,
    difficulty=0.5,
    discrimination=0.3,
    repeated=0,
    changed=0,
    median_seconds=1.0,
)


def item_row(**changes):
    return item_tables([replace(STEADY, **changes)]).criteria[0]


@pytest.mark.parametrize(
    ("compared", "discrimination", "flagged"),
    [(50, -0.4, True), (50, -0.1, False), (5, -0.9, False), (5, -1.0, True), (50, None, False)],
)
def test_only_more_than_chance_is_flagged(compared, discrimination, flagged):
    """However many were judged: those without a total have no part in a correlation."""
    row = item_row(graded=50, compared=compared, discrimination=discrimination)
    assert row.flags == (("stronger students do worse",) if flagged else ())


def test_only_a_verdict_that_changed_is_flagged_and_what_is_not_known_a_dash():
    steady = item_row(repeated=9)
    assert (steady.repeated, steady.flags) == ("0 of 9", ())
    row = item_row(repeated=9, changed=1)
    assert (row.repeated, row.flags) == ("1 of 9", ("its verdict changed",))
    row = item_row(difficulty=None, discrimination=None, median_seconds=None)
    assert {row.difficulty, row.discrimination, row.seconds, row.repeated} == {"–"}
    assert item_row(criterion=replace(CODE, points=0.0)).difficulty == "50% passed"


@pytest.mark.parametrize(("value", "shown"), [(-0.351, "−0.35"), (-0.001, "0.00"), (0.999, "1.00")])
def test_a_correlation_has_two_decimals(value, shown):
    assert item_row(discrimination=value).discrimination == shown


def test_checks_and_criteria_stand_apart_and_both_are_flagged():
    check, changed = check_result().check, replace(STEADY, changed=1, repeated=1)
    tables = item_tables([changed, replace(changed, check=check)])
    assert [criterion.title for criterion in tables.criteria] == ["Rotary embedding"]
    assert [row.title for row in tables.checks] == ["Check a holds."]
    assert len(tables.flagged) == 2
