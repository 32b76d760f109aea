import io
import json
import unittest

import pytest
from gradescope_utils.autograder_utils.decorators import (
    number,
    partial_credit,
    visibility,
    weight,
)
from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner

from reports import write_gradescope


@pytest.fixture
def written(tmp_path):
    def write(result):
        path = write_gradescope(result, tmp_path)
        assert path == tmp_path / "gradescope" / f"{result.submission.id}.json"
        return json.loads(path.read_text())

    return write


class TheSame(unittest.TestCase):
    """The suite an instructor would write for the Result `graded`."""

    @number("1")
    @visibility("visible")
    @partial_credit(4.0)
    def test_a(self, set_score=None):
        """Rotary embedding"""
        print("half of it")
        set_score(2.0)

    @number("2")
    @visibility("visible")
    @weight(10.0)
    def test_b(self):
        """Prediction files"""
        print("fine")

    @number("3")
    @visibility("hidden")
    @partial_credit(6.0)
    def test_c(self, set_score=None):
        """Hidden accuracy"""
        print("half of it")
        set_score(3.0)


def from_gradescope_utils():
    stream = io.StringIO()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(TheSame)
    JSONTestRunner(stream, visibility="visible", stdout_visibility="hidden").run(suite)
    return json.loads(stream.getvalue())


def without_prose(document):
    return document | {
        "execution_time": type(document["execution_time"]),
        "tests": [t | {"output": type(t["output"])} for t in document["tests"]],
    }


def test_file_equals_what_gradescope_utils_writes(written, graded):
    ours = written(graded)
    ours.pop("output")  # the intake's notes, which the other has no place for
    assert without_prose(ours) == without_prose(from_gradescope_utils())


def test_incomplete_publishes_no_score(written, incomplete):
    document = written(incomplete)
    assert "score" not in document
    assert not any("score" in t or "status" in t for t in document["tests"])
    assert [t["max_score"] for t in document["tests"]] == [4.0, 10.0]
    assert "costs you nothing" in document["output"]
    assert "costs you nothing" in document["tests"][0]["output"]


def test_rejected_publishes_no_score(written, rejected):
    document = written(rejected)
    assert "score" not in document
    assert "The archive is cut off." in document["output"]
    assert "costs you nothing" not in str(document)
    assert [t["max_score"] for t in document["tests"]] == [4.0]


def test_top_output_says_nothing_of_hidden_checks(written, graded):
    document = written(graded)
    assert document["tests"][2]["visibility"] == "hidden"
    assert "secret" in document["tests"][2]["output"]
    assert "secret" not in document["output"]


def test_output_shows_what_hides(written, hostile):
    output = written(hostile)["tests"][0]["output"]
    assert r"\x1b[31m\u202e\x00\ud800" in output
    assert "more characters)" in output
    assert len(output) < 10_000


def test_output_says_how_a_check_ended(written, unanswered):
    output = written(unanswered)["tests"][0]["output"]
    for way in ("Timed out", "Out of memory", "Crashed", "Not run: builds on another", "Failed"):
        assert f"[{way}] " in output
