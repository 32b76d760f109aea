"""results.json as Gradescope reads it: points, words, and the final grade in a sentence.

A Markdown reader shows everything that a student writes as the original text.
"""

import io
import json
import re
import unittest
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from gradescope_utils.autograder_utils.decorators import (
    number,
    partial_credit,
    visibility,
    weight,
)
from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from graders.course.extensions import Extensions
from graders.course.release import CourseRules
from graders.figures import Accuracy
from graders.grading_policy import GradingPolicy, Lateness
from reports.gradescope.final import with_final_grade
from reports.gradescope.markdown import block, escaped, message_markdown, spans
from reports.gradescope.results_json import (
    Extras,
    autograder_json,
    gradescope_json,
    write_gradescope,
)
from tests.reports.conftest import CODE, FILES, SECRET, check_result, criterion_result


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


# What Gradescope documents beyond the keys of gradescope-utils, and the intake's notes.
MORE = ("output", "output_format", "test_output_format", "test_name_format")


def test_file_equals_what_gradescope_utils_writes(written, graded):
    ours = written(graded)
    assert sum(test["score"] for test in ours["tests"]) == ours["score"]
    assert ours["tests"][2]["visibility"] == "hidden"
    assert "secret" in ours["tests"][2]["output"]
    assert "secret" not in ours["output"]
    assert "**1.2 Failed** Check b holds." in ours["tests"][0]["output"]
    assert [ours.pop(key) for key in MORE[1:]] == ["md", "md", "text"]
    ours.pop("output")
    assert without_prose(ours) == without_prose(from_gradescope_utils())


def test_incomplete_publishes_no_score_and_an_autograder_no_tests(written, incomplete):
    """Tests without scores might be added up, to nothing."""
    document = written(incomplete)
    assert "score" not in document
    assert not any("score" in t or "status" in t for t in document["tests"])
    assert [t["max_score"] for t in document["tests"]] == [4.0, 10.0]
    assert "You lose no points" in document["output"]
    assert "no points deducted" in document["tests"][0]["output"]
    document = autograder_json(incomplete, Extras())
    assert {"tests", "score"}.isdisjoint(document)
    assert "You lose no points" in document["output"]
    assert "**2.1 Passed**" in document["output"]


def test_rejected_publishes_no_score_and_says_so_once(written, rejected):
    document = written(rejected)
    assert "score" not in document
    assert "The archive is cut off." in document["output"]
    assert "You lose no points" not in str(document)
    assert [t["max_score"] for t in document["tests"]] == [4.0]
    document = autograder_json(rejected, Extras())
    assert document["output"].count("cannot be used as it is") == 1
    assert {"tests", "score"}.isdisjoint(document)


def test_hostile_text_shows_what_hides_and_names_are_plain(written, hostile):
    test = written(hostile)["tests"][0]
    assert r"\x1b[31m\u202e\x00\ud800" in test["output"]
    assert "more characters)" in test["output"]
    assert len(test["output"]) < 10_000
    assert not {"\x1b", "\n"} & set(test["name"])
    assert len(test["name"]) < 300


WAYS = (
    "Timed out", "Out of memory", "Crashed", "Skipped: depends on a check that did not pass",
    "Failed",
)  # fmt: skip


def test_output_says_how_a_check_ended(written, unanswered):
    output = written(unanswered)["tests"][0]["output"]
    assert [way for way in WAYS if f" {way}** Check" not in output] == []


def test_what_is_hidden_is_in_no_output_and_no_leaderboard(make_result):
    ours = criterion_result(CODE, check_result("error"))
    secret = criterion_result(SECRET, check_result("failed", message="of-a-hidden-check"))
    text = json.dumps(autograder_json(make_result(ours, secret), Extras()))
    assert SECRET.title not in text
    assert "of-a-hidden-check" not in text
    seen = criterion_result(FILES, accuracy("dev", 1, 3), accuracy("broken", 5, 0))
    result = make_result(seen, criterion_result(SECRET, accuracy("test", 9, 10)))
    assert autograder_json(result, Extras())["leaderboard"] == []
    document = autograder_json(result, Extras(leaderboard=True))
    assert document["leaderboard"] == [{"name": "dev", "value": 33.33}]


def accuracy(label, correct, n):
    return check_result(figures=(Accuracy(label, correct, n),))


def test_extra_data_says_where_a_grade_comes_from_and_extra_credit_adds_no_maximum(make_result):
    environment = {"isolation": "landlock", "inputs": "public", "faults": ["a secret of staff"]}
    result = make_result(criterion_result(CODE, check_result()), environment=environment)
    data = autograder_json(result, Extras(data={"checks_sha256": "c"}))["extra_data"]["softmark"]
    assert data["submission_sha256"] == "f" * 64
    assert (data["assignment"], data["version"], data["checks_sha256"]) == ("toy", 1, "c")
    assert (data["isolation"], data["inputs"]) == ("landlock", "public")
    assert "faults" not in data
    extra = replace(CODE, id="bonus", extra_credit=True)
    result = make_result(criterion_result(extra, check_result()))
    tests = autograder_json(result, Extras())["tests"]
    assert [(test["score"], test["max_score"]) for test in tests] == [(4.0, 0.0)]


DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def late(make_result):
    """`late(**lateness)`: results.json of full points, handed in two days late."""

    def make(visibility="visible", **lateness):
        full = criterion_result(replace(CODE, points=6.0, visibility=visibility), check_result())
        result = make_result(full, environment={})
        upload = replace(result.submission, submitted_at=DUE + timedelta(days=2))
        result = replace(result, submission=upload)
        rules = CourseRules(policy=GradingPolicy(Lateness(**lateness)), dues=Extensions(DUE))
        return with_final_grade(gradescope_json(result), result, rules.grade(result))

    return make


def test_a_late_score_is_said_and_none_where_it_is_not_accepted_or_hidden(late):
    document = late(percent=10)
    assert document["score"] == 4.8
    assert document["output"].startswith("Your score is 4.8: 6 of 6 points; 2 days late, minus 1.2")
    document = late(max_days=1, too_late="not_accepted")
    assert not {"score", "tests"} & document.keys()
    assert document["output"].startswith("There is no score: 6 of 6 points; 2 days late")
    document = late("hidden", percent=10)
    assert (document["score"], document["output"]) == (4.8, "")


READERS = [MarkdownIt("commonmark", {"html": True}), MarkdownIt("default", {"html": True})]
HARMLESS = re.compile(r"</?(p|code|pre|br|strong)( /)?>|<code class=\"language-text\">")
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![](https://x.test/seen.png)",
    "<https://x.test>",
    "[a]: https://x.test\n[a]",
    "# heading\n- list\n+ list\n1. list\n2) list\n> quote\n---\n===",
    "a | b\n--- | ---\n1 | 2",
    "**bold** _slanted_ ~~gone~~ `code` ``` fence",
    "```\nnot code\n```\n<b>",
    "`````\n<b>bold</b>\n`````",
    "&lt;b&gt; &#60;b&#62; \\<b\\>",
    "$$x$$ and $x$",
    "    indented\n\n    again",
    "`a` <b> `c`",
    "`` `<b>` ``",
    "- `x`",
]
ODD = st.text(alphabet="<>&`*_[]()#+-.!|~:/\\$=\"' \nab1", max_size=60)


def seen(html):
    """The text of a page that has harmless tags only."""
    plain = HARMLESS.sub("", html)
    assert "<" not in plain, html
    return "".join(unescape(plain).split())


def without_blanks(text):
    return "".join(text.split())


@pytest.mark.parametrize("reader", READERS, ids=["commonmark", "default"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_shown_as_text(reader, attack):
    assert seen(reader.render(escaped(attack))) == without_blanks(attack)
    code = seen(reader.render(block([("got", attack)])))
    assert code == without_blanks(f"got: {attack}")


@pytest.mark.parametrize("reader", READERS, ids=["commonmark", "default"])
@given(text=ODD)
def test_any_text_stays_text(reader, text):
    assert seen(reader.render(escaped(text))) == without_blanks(text)
    assert seen(reader.render(block([("got", text)]))) == without_blanks(f"got: {text}")
    seen(reader.render(spans(text)))
    seen(reader.render(message_markdown(text)))


def test_code_formulas_and_values_keep_their_form():
    """What unittest says of two texts: the mark stands below the character."""
    html = READERS[0].render(spans("Give `x<y` to `f` - now."))
    assert html == "<p>Give <code>x&lt;y</code> to <code>f</code> - now.</p>\n"
    assert "$" not in escaped("$$x$$")
    assert block([("got", "a\nb"), ("n", "1")]) == "```text\ngot: a\n     b\nn: 1\n```"
    message = "Test Failed: 'a' != 'b'\n- a\n+ b\n?   ^"
    assert message_markdown(message) == f"```text\n{message}\n```"
    assert message_markdown("One sentence.\nAnd another.") == spans("One sentence.\nAnd another.")


@pytest.mark.parametrize("text", ["https://x.test", "www.x.test", "ada@x.test", "mailto:a@x.test"])
def test_no_address_becomes_a_link(text):
    """As readers of GitHub's Markdown make of bare addresses."""
    assert not re.search(r"https?://|www\.|[a-z]@", escaped(text))
