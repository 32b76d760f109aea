"""JUnit's XML, as its readers and its schema want it, and Classroom 50's JSON."""

import json
from xml.etree import ElementTree

import pytest
from junitparser import JUnitXml

from reports.exports.classroom50 import classroom50_text
from reports.exports.junit import junit_text
from tests.reports.conftest import CODE, FILES, check_result, criterion_result

# What the schema that Jenkins publishes asks of each element, and what may stand in it.
REQUIRED = {
    "testsuites": set(),
    "testsuite": {"name", "tests", "failures", "errors", "time", "timestamp"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type"},
    "error": {"type"},
    "skipped": set(),
}
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure"],
}


def assert_fits_the_schema(element):
    assert set(element.attrib) >= REQUIRED[element.tag]
    order = [CHILDREN[element.tag].index(child.tag) for child in element]
    assert order == sorted(order)  # a sequence, in the schema
    for child in element:
        assert_fits_the_schema(child)


@pytest.fixture
def read():
    """Writes Results, and reads them with the schema's rules and with junitparser."""

    def read(*results):
        text = junit_text(results)
        assert_fits_the_schema(ElementTree.fromstring(text.encode()))
        return JUnitXml.fromstring(text.encode())

    return read


@pytest.mark.parametrize(
    "name", ["graded", "incomplete", "unanswered", "rejected", "hostile"], ids=str
)
def test_every_result_fits_the_schema(read, request, name):
    assert len(read(request.getfixturevalue(name))) > 0


def test_a_suite_a_criterion_and_a_case_a_check(read, graded):
    suites = list(read(graded))
    assert [suite.name for suite in suites] == [
        "ada: Rotary embedding",
        "ada: Prediction files",
        "ada: Hidden accuracy",
    ]
    assert {p.name: p.value for p in suites[0].properties()} == {"points": "2", "max_points": "4"}
    passed, failed = suites[0]
    assert passed.is_passed
    assert (failed.classname, failed.name) == ("ada.rotary", "b: Check b holds.")
    assert [entry.type for entry in failed.result] == ["Failed"]
    for words in (
        "hint: The exponent's sign",
        "expected: Ada⁇□",
        "actual: Ada □",
        "example block size: 4",
    ):
        assert words in failed.result[0].text


def test_what_waits_is_skipped_and_lost_checks_or_our_fault_are_errors(
    read, incomplete, rejected, make_result
):
    suite = next(iter(read(incomplete)))
    assert (suite.errors, suite.failures) == (1, 0)
    assert [p.name for p in suite.properties()] == ["max_points"]
    report = read(rejected)
    assert (report.tests, report.errors, report.skipped) == (1, 1, 0)
    waits = check_result("needs_review", message="Free text.")
    blocked = check_result("skipped", check_id="z", outcome="blocked")
    report = read(make_result(criterion_result(CODE, waits, blocked)))
    assert (report.tests, report.skipped, report.failures) == (2, 2, 0)
    lost = criterion_result(CODE, check_result("error"))
    report = read(make_result(type(lost)(lost.criterion, "error", None, ())))
    assert (report.tests, report.errors) == (1, 1)


HOSTILE = [
    "]]>", "\x00\x1b[31m", "\u202e", "\ud800", "\ufffe\uffff", "a\nb\r", "&<\"'",
    "x" * 10**6,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[1:20])
def test_hostile_text_stays_text(read, make_result, text):
    words = {"message": text, "hint": text, "actual": text, "counterexample": ((text, text),)}
    check = check_result("failed", **words)
    report = read(make_result(criterion_result(CODE, check), submission=text, title=text))
    assert (report.tests, report.failures) == (1, 1)
    assert len(report.tostring()) < 20_000


def test_a_course_is_one_report_with_each_checks_time_and_every_suite(
    graded, incomplete, export, read, make_result
):
    report = JUnitXml.fromstring(export("junit", graded, incomplete).text.encode())
    assert len(report) == len(graded.criteria) + len(incomplete.criteria)
    slow = check_result(seconds=1.25)
    report = read(make_result(criterion_result(FILES, slow, check_result(check_id="b"))))
    assert report.time == 1.25
    two = [criterion_result(CODE, check_result(), check_result("failed", check_id="b"))] * 2
    assert len(read(make_result(*two))) == 2


def test_a_result_is_one_document_of_classroom50_without_hidden_names(graded, hostile):
    document = json.loads(classroom50_text(graded))
    assert document["schema"] == "classroom50/result/v1"
    assert (document["score"], document["max_score"]) == (15.0, 20.0)
    rotary, files = document["tests"]
    assert rotary == {
        **{"name": "Rotary embedding", "status": "partial"},
        **{"score": 2.0, "max_score": 4.0},
    }
    assert files["name"] == "Prediction files"
    assert "Hidden" not in classroom50_text(graded)
    text = classroom50_text(hostile)
    assert text.count("\n") == 1
    name = json.loads(text)["tests"][0]["name"]
    assert len(name) < 300
    assert "\x1b" not in name


def test_no_total_is_no_document_of_classroom50(graded, incomplete, rejected, export):
    written = export("classroom50", incomplete, graded, rejected)
    assert [json.loads(line)["submission"] for line in written.text.splitlines()] == ["ada"]
    assert len(written.problems) == 2
    assert all("left out" in problem for problem in written.problems)
