"""Failures are grouped by what was observed, and a group gets the hint that a person wrote."""

import pytest

from graders.errors import UsageError
from graders.failures import Failures, Hint, add_hint, observed, read_hints, with_hints
from graders.model import Criterion
from graders.storage.store import read_store
from reports.course.view import course_view
from tests.conftest import edit
from tests.console import softmark
from tests.reports.conftest import CODE, check_result, criterion_result

RAISED = "`{}` in `{}.py`, line {}: Your code raised {}, at `{}`."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The mean is 0.25, not 0.5.", "The mean is −3e-05, not 12.5."),
        ("`f` returns `[1]`.", "`g` returns `x = 'a'`."),
        (
            RAISED.format("f", "a", 3, "KeyError: 'ids'", "x['ids']"),
            RAISED.format("train", "main", 41, "KeyError: 'labels'", "y"),
        ),
        ("The shape is wrong.\nIt is 3.", "The shape is wrong.\nNote."),
    ],
)
def test_numbers_and_code_do_not_count(first, second):
    assert observed(check_result("failed", message=first)) == observed(
        check_result("failed", message=second)
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The mean is 0.25.", "The median is 0.25."),
        ("Your code raised KeyError: 'a'", "Your code raised IndexError: 'a'"),
        ("It doesn't train, it can't.", "It doesn't learn, it can't."),
        ("conv2d is missing", "conv1d is missing"),
    ],
)
def test_words_count(first, second):
    assert observed(check_result("failed", message=first)) != observed(
        check_result("failed", message=second)
    )


def failed(name="a", message="It is 3.", **values):
    return check_result("failed", check_id=name, message=message, **values)


def test_failures_without_a_named_mistake_are_grouped(make_result):
    crash = failed("b", "Your code raised KeyError: 'x'", hint="Print it.", outcome="raised")
    read = failed("1a/review", "1 of 2 points, graded by a person.")
    view = course_view(
        [
            make_result(criterion_result(CODE, failed(), crash), submission="eve"),
            make_result(criterion_result(CODE, failed(message="It is 4."), read), submission="bob"),
            make_result(criterion_result(CODE, read), submission="joe"),
            make_result(criterion_result(CODE, read), submission="zoe"),
            make_result(criterion_result(CODE, failed(hint="Twice.")), submission="amy"),
        ]
    )
    clusters = [
        (cluster.observed, [submission.id for submission in cluster.submissions])
        for cluster in view.unnamed
    ]
    assert clusters == [("It is #.", ["bob", "eve"]), ("Your code raised KeyError: …", ["eve"])]
    assert not view.alone, "points that a person gave are no common mistake"


def test_a_check_that_fails_alone_stands_out(make_result):
    advice = Criterion("advice", "Advice", 0.0, "visible", "code")
    style = criterion_result(advice, failed("style", "Long."))
    one, two = failed("one", "Odd."), failed("two", "Bad.")
    view = course_view(
        [
            make_result(criterion_result(CODE, one), style, submission="a"),
            make_result(criterion_result(CODE, one), style, submission="b"),
            make_result(criterion_result(CODE, one, two), submission="c"),
            make_result(criterion_result(CODE, two), submission="d"),
        ]
    )
    clusters = [
        (cluster.sample.id, [submission.id for submission in cluster.alone])
        for cluster in view.alone
    ]
    assert clusters == [("one", ["a", "b"])]


def test_a_hint_is_for_the_same_failures_of_the_same_check():
    hints = [Hint(check="a", observed="It is #.", says="Twice.")]
    checks = [
        failed(message="It is 7."),
        failed("b", "It is 7."),
        failed(message="It was 7."),
        check_result("passed", check_id="a", message="It is 7."),
        failed(message="It is 8.", mistake="known", hint="Known."),
    ]
    assert [hint.hint for hint in with_hints(checks, hints)] == ["Twice.", "", "", "", "Known."]


HOSTILE = "Say \"it\" \\ 'so'\n\x1b[31m ü 😀 '''"


def test_hints_of_any_text_are_kept(tmp_path):
    for name in ("a", "b"):
        add_hint(tmp_path, Hint(check=name, observed="It is #.", says=HOSTILE))
    assert [(hint.check, hint.says) for hint in read_hints(tmp_path)] == [
        ("a", HOSTILE),
        ("b", HOSTILE),
    ]
    with pytest.raises(UsageError, match="has a hint for these failures"):
        add_hint(tmp_path, Hint(check="a", observed="It is #.", says="Else."))


@pytest.mark.parametrize("text", ["hint = 3", "[[hint]]\ncheck = 'a'", "[[hints]]", "\xff"])
def test_a_wrong_file_is_named(tmp_path, text):
    (tmp_path / "hints.toml").write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match=r"hints\.toml: "):
        read_hints(tmp_path)


def test_a_mistake_that_is_named_has_its_hint_in_the_next_grading(tiny_folder, hand_in, tmp_path):
    edit(tiny_folder / "checks.py", ', hint="Times two."', "")
    work = "def double(x):\n    return x + {}\n"
    for name, added in (("ada", 1), ("bob", 2), ("eve", "'a'")):
        hand_in(name, work_py=work.format(added), answer_txt="42")
    words = (tiny_folder, tmp_path / "uploads", "--out", tmp_path / "out", "--executor", "serial")
    softmark("batch", *words)
    assert "The product is wrong." in (tmp_path / "out" / "index.html").read_text()
    name = ("name-mistake", tmp_path / "out", "ada", "doubles", "--hint", "You add.")
    done = softmark(*name)
    assert "2 submissions fail this way" in done.stderr
    assert softmark(*name[:-1], " ").returncode == 2
    softmark("batch", *words)
    with read_store(tmp_path / "out") as store:
        hints = {
            name: store.member_result(store.published, name).criteria[0].checks[0].hint
            for name in ("ada", "bob", "eve")
        }
    assert hints["ada"] == hints["bob"] == "You add." != hints["eve"]
    assert softmark(*name).returncode == 2
    done = softmark("name-mistake", tmp_path / "out", "ada", "answer", "--hint", "x")
    assert (done.returncode, "failing checks: doubles" in done.stderr) == (2, True)
    assert softmark("name-mistake", tmp_path / "out", "nobody", "answer", "--hint", "x").returncode


def test_a_check_that_names_the_mistake_itself_is_left_alone(tiny_folder, hand_in, tmp_path):
    hand_in("ada", work_py="def double(x):\n    return x + 1\n", answer_txt="42")
    words = (tiny_folder, tmp_path / "uploads", "--out", tmp_path / "out", "--executor", "serial")
    softmark("batch", *words)
    done = softmark("name-mistake", tmp_path / "out", "ada", "doubles", "--hint", "You add.")
    assert (done.returncode, "Times two." in done.stderr) == (2, True)
    assert not (tiny_folder / "hints.toml").exists()


def test_a_course_keeps_one_failure_of_a_cluster(make_result):
    failures = Failures()
    for name in ("c", "a", "b"):
        failures.add(make_result(criterion_result(CODE, failed(message=name)), submission=name))
    for number in range(3):
        failures.add(
            make_result(
                criterion_result(CODE, failed(message=f"It is {number}.")),
                submission=f"z{2 - number}",
            )
        )
    both = criterion_result(CODE, failed(message="It is 9."), failed("b"))
    failures.add(make_result(both, submission="a0"))
    (last,) = failures.alone()
    assert len(last.submissions) == 4
    assert (last.first, last.sample.message) == ("z0", "It is 2."), "of those that fail only this"
