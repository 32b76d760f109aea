import re

import pytest

from reports.exports.github import annotations
from tests.reports.conftest import CODE, check_result, criterion_result

FILES = {"work.py": "hw/src/work.py"}
COMMAND = re.compile(r"::(?P<name>[a-z]+)(?: (?P<properties>[^:]*))?::(?P<message>.*)")
CODES = {"%3A": ":", "%2C": ",", "%0A": "\n", "%0D": "\r"}


def as_runner(line):
    """What GitHub's runner reads: it decodes, the percent sign last."""
    match = COMMAND.fullmatch(line)
    text = match["properties"] or ""
    pairs = (pair.partition("=") for pair in text.split(",") if pair)
    properties = {name: decoded(value) for name, _, value in pairs}
    return match["name"], properties, decoded(match["message"])


def decoded(text):
    for code, sign in CODES.items():
        text = text.replace(code, sign)
    return text.replace("%25", "%")


@pytest.fixture
def commands(make_result):
    """`commands(*found)` is what the runner reads of these checks."""

    def read(*checks, files=FILES, **changes):
        result = make_result(criterion_result(CODE, *checks), **changes)
        return [as_runner(line) for line in annotations(result, files)]

    return read


def raised(line=7, file="work.py", **words):
    place = f"{file}, line {line}"
    return check_result("failed", check_id=f"c{line}", actual=place, outcome="raised", **words)


def test_an_error_stands_at_the_students_line_and_a_passed_check_at_none(commands):
    (name, properties, message), points = commands(raised(message="IndexError: 3", hint="Count."))
    assert name == "error"
    assert properties == {"file": "hw/src/work.py", "line": "7", "title": "Rotary embedding"}
    assert message == "Check c7 holds.\nIndexError: 3\nCount."
    assert points == ("notice", {"title": "Toy assignment"}, "0 of 4 points")
    assert len(commands(check_result(actual="work.py, line 3"))) == 1
    (_, _, message), *_ = commands(check_result("error"))
    assert message == "Not fully graded"


def test_an_upload_that_was_not_accepted_says_why(commands):
    why = "`notes.txt` is not a supported archive.\n::error::pwned"
    changes = {"status": "rejected", "score": None, "environment": {"rejected": why}}
    ((_, _, message),) = commands(check_result("skipped"), **changes)
    assert message.startswith("Not accepted: `notes.txt` is not a supported archive.")
    assert "\n" not in message


@pytest.mark.parametrize("place", ["../../etc/x.py", "other.py", "work.py:7", "work.py\nwork.py"])
def test_only_files_of_the_upload_are_named(commands, place):
    assert [name for name, *_ in commands(raised(file=place))] == ["notice"]


HOSTILE = {
    "command": "\n::error file=a,line=1::pwned",
    "return": "\r::set-output name=x::y",
    "encoded": "%0A::error::pwned",
    "twice-encoded": "%250A",
    "signs": "a::b,c:d=e",
    "separator": "\u2028::warning::x",
    "other-breaks": "\x85::warning::x\x0b::stop-commands::t",
    "bidi": "\u202e\ud800",
    "megabyte": "x" * 10**6,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_of_a_student_begins_a_command(make_result, text):
    check = raised(message=text, hint=text)
    lines = list(annotations(make_result(criterion_result(CODE, check), title=text), FILES))
    assert [len(line.splitlines()) for line in lines] == [1, 1]
    name, properties, message = as_runner(lines[0])
    assert (name, set(properties)) == ("error", {"file", "line", "title"})
    assert len(message) < 4000


def test_a_hostile_file_name_stays_a_name_or_is_not_shown(commands):
    (_, properties, _), _ = commands(raised(), files={"work.py": "a,b:c%0A::error::x.py"})
    assert properties["file"] == "a,b:c%0A::error::x.py"
    for sign in "\n\r\x1b\u2028\u202e":
        lines = commands(raised(), files={"work.py": f"a{sign}b.py"})
        assert [name for name, *_ in lines] == ["notice"], ascii(sign)


def test_a_line_is_annotated_once_and_github_hears_of_the_rest(commands):
    first, _ = commands(raised(message="first"), raised(message="second"), raised(message="third"))
    assert first[2] == "Check c7 holds.\nfirst\nand 2 more checks end here"
    lines = commands(*(raised(line) for line in range(1, 14)))
    assert [name for name, *_ in lines] == ["error"] * 10 + ["notice"] * 2
    assert lines[10][2] == "3 more lines are named in the summary"
