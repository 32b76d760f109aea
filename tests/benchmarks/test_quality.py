"""Measuring hints and losses on planted examples.

Pairs of mistakes are composed if possible, hints are counted correctly, and losses are listed by
criterion, the largest first.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.quality.hints import (
    Example,
    Expectation,
    Verdict,
    compose,
    expected_alone,
    expected_together,
    kind,
    merged,
    pairs,
    read_examples,
    report,
    verdicts,
)
from benchmarks.quality.losses import lines, losses
from graders.audit.examples import expectation
from graders.model import Check, CheckResult, Criterion, CriterionResult
from graders.registry.discovery import load_assignment
from tests.planted import examples_of

BASE = ["a\n", "b\n", "c\n", "d\n"]
FILE = Path("work.py")


JUDGED = frozenset("c")


def example(name, *lines, planted=(), correct=False):
    code = {FILE: tuple(f"{line}\n" for line in lines)}
    return Example(Path(name), code, planted, correct, JUDGED)


PLAIN = example("right", *"abcd", correct=True)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("axcd", "abcy", "axcy"),
        ("axcd", "abyd", "axyd"),  # neighbouring lines
        ("acd", "abcdz", "acdz"),
        ("axcd", "axcd", "axcd"),
        ("axcd", "aycd", None),
        ("axycd", "acd", None),
    ],
)
def test_changes_are_merged_where_they_do_not_overlap(one, other, both):
    lines = merged(BASE, [f"{c}\n" for c in one], [f"{c}\n" for c in other])
    assert lines == (None if both is None else [f"{c}\n" for c in both])


def test_pair_must_change_the_same_file():
    one, same = example("one", *"axcd"), example("two", *"abcd")
    assert compose(PLAIN, one, same) is None
    assert compose(PLAIN, one, example("two", *"abcy")) == {FILE: ["a\n", "x\n", "c\n", "y\n"]}


def test_pairs_are_written_as_submissions(tmp_path):
    texts = {"right": "abcd", "one": "axcd", "two": "abcy", "three": "azcd"}
    examples = []
    for name, text in texts.items():
        lines = tuple(f"{c}\n" for c in text)
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE).write_text("".join(lines))
        examples.append(Example(tmp_path / name, {FILE: lines}, (name,), name == "right", JUDGED))
    composed = {pair.folder.name: pair for pair in pairs(examples, 9, 0, tmp_path)}
    assert set(composed) == {"one+two", "two+three"}
    assert (composed["one+two"].folder / FILE).read_text() == "a\nx\nc\ny\n"
    assert [half.planted for half in composed["one+two"].both] == [("one",), ("two",)]


def verdict(named="", hint="Seen."):
    return Verdict("ada", "k", named, hint)


@pytest.mark.parametrize(
    ("named", "counted"),
    [("", "unnamed"), ("a", "correct"), ("a+b", "correct"), ("a+c", "wrong")],
)
def test_hint_is_counted_by_what_it_names(named, counted):
    expected = {"ada": Expectation(frozenset("ab"))}
    assert kind(verdict(named), expected["ada"]) == counted
    lines = "\n".join(report("x", [verdict(named)], expected))
    assert ("ada: k names" in lines) is (counted == "wrong")


def test_only_failing_checks_of_judged_criteria_have_a_verdict():
    checks = (
        CheckResult(Check("k", "K.", "c"), "failed", 0.0, hint="Seen.", mistake="a"),
        CheckResult(Check("l", "L.", "c"), "passed", 1.0, mistake="a"),
        CheckResult(Check("m", "M.", "elsewhere"), "failed", 0.0, mistake="a"),
    )
    criterion = Criterion("c", "C", 1.0, "visible", "code")
    graded = CriterionResult(criterion, "failed", 0.0, checks)
    result = SimpleNamespace(criteria=(graded,), submission=SimpleNamespace(path=Path("ada")))
    assert [*verdicts(result, JUDGED)] == [verdict("a")]


def test_pair_of_undeclared_examples_may_say_what_each_says_alone():
    one = expected_alone(
        example("one", "a", planted=None), [verdict("a"), verdict(hint="Too long.")]
    )
    other = expected_alone(example("two", "b", planted=None), [verdict("b")])
    both = expected_together(one, other)
    assert kind(verdict("a+b"), both) == "correct"
    assert kind(verdict("c"), both) == "wrong"
    assert kind(verdict(hint="Too long."), both) == "unnamed"
    assert kind(verdict(hint="Too short."), both) == "new"


@pytest.mark.parametrize("name", ["cs224n-a4", "jhu-hw6", "uw-a2"])
def test_examples_of_every_assignment_can_be_read(name, tmp_path):
    assert any(submission.correct for submission in read_examples(load_assignment(name), tmp_path))


@pytest.fixture(scope="module")
def expected_losses():
    """The losses in a criterion of cs224n-a4, and the criterion."""
    task = load_assignment("cs224n-a4")
    folders = sorted(examples_of(task.name).iterdir())
    expectations = {path.name: expectation(path, task) for path in folders}

    def find(name):
        criterion = next(criterion for criterion in task.rubric if criterion.id == name)
        return losses(expectations, criterion), criterion

    return find


def test_largest_loss_comes_first(expected_losses):
    rows, _ = expected_losses("rotary")
    assert rows[0].example == "wrong-rotary-not-written"
    assert [loss.points for loss in rows] == sorted((loss.points for loss in rows), reverse=True)


@pytest.mark.parametrize("name", ["jhu-hw6", "cs182-transformers"])
def test_every_criterion_is_listed(name):
    task = load_assignment(name)
    listed = [line.split(":")[0] for line in lines(task, "") if not line.startswith(" ")]
    assert listed == [criterion.id for criterion in task.rubric]


@pytest.mark.parametrize("criterion", ["span-corruption", "rotary"])
def test_one_slip_costs_a_third_at_most(expected_losses, criterion):
    """More is lost only by work that is not written, always raises or has not a single number."""
    every, graded = expected_losses(criterion)
    more = ("not-written", "wrong-crash", "table-not-finite")
    rows = [loss for loss in every if not any(name in loss.example for name in more)]
    assert rows[0].points <= graded.points / 3
