"""Scores, suspicion, agreement of hints, and steadiness, from what was graded."""

import pytest

from graders.audit.graded import Graded, Seen
from graders.audit.summary import Planned, summarize_mutants, summarize_steadiness
from graders.audited import AttackRow, Audit, Change, Null, Nulls, Rewrites, Steadiness
from graders.model import Assignment, Criterion, FileSpec, Limits


@pytest.fixture
def task(tmp_path):
    rubric = tuple(
        Criterion(name, name, points, "visible", kind)
        for name, points, kind in (
            ("rows", 2.0, "code"),
            ("shift", 3.0, "code"),
            ("style", 0.0, "code"),
            ("essay", 9.0, "written"),
        )
    )
    limits = Limits(1, 1, 1, 1, 1)
    return Assignment("toy", "Toy", 1, None, rubric, FileSpec((), ()), limits, 0, tmp_path)


def change(name, operator="dim", definition="softmax"):
    return Change(name, operator, "solution", "work.py", definition, "-a\n+b")


def lost(*criteria, mistake=""):
    """A mutant that failed one check of each of these criteria."""
    checks = tuple(
        Seen(f"{criterion}-1", criterion, "failed", 0.0, mistake) for criterion in criteria
    )
    return Graded(dict.fromkeys(criteria, 1.0), checks)


def summary(task, outcomes, **more):
    changes = [mutant if isinstance(mutant, Change) else change(mutant) for mutant, _ in outcomes]
    graded = {mutant.id: result for mutant, (_, result) in zip(changes, outcomes, strict=True)}
    return summarize_mutants(Planned(9, changes, **more), graded, task, {})


def test_a_mutant_counts_for_the_criteria_that_lost_points(task):
    mutations = summary(task, [("a", lost("rows")), ("b", lost("rows", "shift"))])
    assert {rate.name: (rate.killed, rate.of) for rate in mutations.by_criterion} == {
        "rows": (2, 2),
        "shift": (1, 1),
    }


def test_a_survivor_counts_where_mutants_of_its_definition_lost_points(task):
    here, there = change("b"), change("c", definition="other")
    mutations = summary(task, [("a", lost("rows")), (here, lost()), (there, lost())])
    assert {survivor.change.id: survivor.criteria for survivor in mutations.survivors} == {
        "b": ("rows",),
        "c": ("rows", "shift"),
    }
    assert [(rate.name, rate.of) for rate in mutations.by_criterion] == [("rows", 3), ("shift", 1)]


def test_advice_leaves_a_survivor_less_suspicious(task):
    mutations = summary(task, [("a", lost("rows")), ("b", lost("style")), ("c", lost())])
    assert [survivor.change.id for survivor in mutations.survivors] == ["c", "b"]
    plain, advised = mutations.survivors
    assert advised.advice == ("style",)
    assert advised.suspicion == pytest.approx(plain.suspicion / 2, abs=1e-3)


def test_what_is_noticed_elsewhere_is_suspicious(task):
    rare = [(change(f"r{n}", "rare"), lost()) for n in range(3)]
    usual = [(change(f"u{n}", "usual"), lost("rows")) for n in range(3)]
    mutations = summary(task, [*rare, *usual, (change("odd", "usual"), lost())])
    assert mutations.survivors[0].change.id == "odd"


def test_hints_that_disagree_about_one_place_are_listed(task):
    named = [("a", lost("rows", mistake="one")), ("b", lost("rows", mistake="other"))]
    mutations = summary(task, [*named, (change("c", "scaled"), lost("rows", mistake="third"))])
    assert mutations.named == 3
    assert mutations.disagreeing == ("dim in softmax (work.py): one / other",)


def test_a_mutant_that_was_not_graded_does_not_count(task):
    changes = [change("a"), change("b")]
    mutations = summarize_mutants(Planned(9, changes), {"a": lost("rows")}, task, {})
    assert (mutations.graded, mutations.planned, mutations.possible) == (1, 2, 9)


def verdict(status, outcome=""):
    seen = Seen("one", "rows", status, float(status == "passed"), outcome=outcome)
    return Graded({}, (seen,))


def test_a_flip_is_a_verdict_that_differs_from_the_usual_one():
    graded = [("ada", verdict(status)) for status in ("passed", "passed", "failed")]
    graded += [("bob", verdict("failed"))] * 3 + [("bob", verdict("failed", "timed_out"))]
    (row,) = summarize_steadiness(graded, planned=4, repeats=3).checks
    assert (row.gradings, row.flips, row.submissions) == (6, 1, ("ada",))
    assert 1 / 6 < row.bound < 1


def an_audit(task, **parts):
    empty = {
        "mutations": summary(task, [("a", lost("rows"))]),
        "rewrites": Rewrites(0, 0, ()),
        "nulls": Nulls(1, 0.1, (Null("empty", {"rows": 0.1}),)),
        "steadiness": Steadiness(0, 5, 0, ()),
    }
    return Audit("toy", "Toy", 0, 1.0, **empty | parts)


def test_an_audit_is_clean_until_one_part_finds_something(task):
    assert an_audit(task).clean
    row = summarize_steadiness([("ada", verdict("passed")), ("ada", verdict("failed"))], 1, 2)
    for part in (
        {"mutations": summary(task, [("a", lost())])},
        {"nulls": Nulls(1, 0.1, (Null("empty", {"rows": 0.11}),))},
        {"steadiness": row},
        {"attacks": (AttackRow("peek", "it found a secret", False),)},
        {"faults": ("a-mutant: it could not be graded",)},
    ):
        assert not an_audit(task, **part).clean, part
