"""The table's rows as data inside a page."""

import json
from dataclasses import replace

from reports.course.table import status_counts, table_data
from reports.course.view import course_view


def rows(*results):
    return json.loads(table_data(course_view(results)))["rows"]


def test_a_row_holds_what_the_table_shows(graded):
    assert rows(graded) == [["ada", "Ada Lovelace", 0, [15], [2, 10, 3]]]


def test_a_name_that_is_the_id_stands_once(make_result, graded):
    assert rows(make_result(*graded.criteria, submission="bo", student="bo"))[0][:2] == ["bo", 0]


def test_who_has_no_name_is_called_by_the_id(make_result, graded):
    nobody = make_result(*graded.criteria, submission="bo", student="")
    assert rows(nobody)[0][:2] == ["bo", 0]


PAIR = "Ada Lovelace <ada@example.edu> (sid 0512345); Bob Babbage <bob@example.edu> (sid 0598765)"


def test_people_are_shown_by_name_and_found_by_all_that_is_known(make_result, graded):
    """The second of a pair, too, who stands behind what a table shows of a name."""
    pair = make_result(*graded.criteria, submission="pair", student=PAIR)
    (row,) = rows(pair)
    assert (row[1], row[5:]) == ("Ada Lovelace, Bob Babbage", [[], 0, PAIR])


def test_a_name_that_is_cut_is_found_by_its_end(make_result, graded):
    name = "week-4-" * 10 + "lovelace"
    assert rows(make_result(*graded.criteria, submission=name))[0][-1] == name


def test_a_name_of_spaces_is_no_name(make_result, graded):
    assert rows(make_result(*graded.criteria, submission="bo", student="  "))[0][:2] == ["bo", 0]


def test_open_points_are_not_zero(make_result, graded, incomplete):
    files = graded.criteria[1]
    only = make_result(files, submission="bo")
    (one, other) = rows(incomplete, only)
    assert one[3:] == [[None], [None, 10]]
    assert other[4] == ["", 10], "a criterion that was not asked for"


def test_a_rejected_upload_has_no_points(rejected):
    assert rows(rejected)[0][4] == [""]


def test_ways_without_an_answer_are_counted(unanswered):
    data = json.loads(table_data(course_view([unanswered])))
    places, counts = data["rows"][0][5][::2], data["rows"][0][5][1::2]
    assert {data["words"][place] for place in places} >= {"Timed out", "Crashed"}
    assert set(counts) == {1}


def test_no_name_ends_the_element_it_stands_in(hostile):
    name = "</script><!--<script>\u2028'&"
    result = replace(hostile, submission=replace(hostile.submission, id=name))
    data = table_data(course_view([result]))
    assert not set(data) & set("<>&'\u2028\u202e\x1b")
    assert json.loads(data)["rows"][0][0].startswith("</script>")


def test_a_name_that_is_cut_keeps_its_link(make_result, graded):
    name = "a" * 70
    assert rows(make_result(*graded.criteria, submission=name))[0][-2] == f"reports/{name}.html"


def test_statuses_that_nobody_has_are_not_offered(graded, rejected):
    assert status_counts(course_view([graded, rejected])) == (("graded", 1), ("rejected", 1))
