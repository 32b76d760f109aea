import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graders.errors import StorageError
from graders.figures import Accuracy, Curve, Rotation
from graders.model import Check, CheckResult, Criterion, CriterionResult, Result, Submission
from graders.storage.result_json import (
    result_from_text,
    result_to_json,
    submission_file,
    write_result,
)

KEYS = {
    "": "schema submission assignment status score max_score criteria environment started_at "
    "seconds",
    "submission": "id student sha256 submitted_at",
    "assignment": "name version title",
    "criterion": "id title points max_points visibility status extra_credit kind checks",
    "check": "id description status fraction message hint expected actual counterexample seconds "
    "outcome figures weight depends_on",
}

texts = st.text(max_size=8)
names = st.text("abc-_. ", min_size=1, max_size=8).filter(lambda name: name.strip("."))
points = st.floats(0, 100)
check_statuses = st.sampled_from(
    ["passed", "partial", "failed", "skipped", "needs_review", "error"]
)
angles = st.lists(points, max_size=3).map(tuple)
figures = st.one_of(
    st.builds(
        Accuracy,
        texts,
        st.integers(0, 9),
        st.integers(9, 99),
        st.none() | st.floats(0, 1),
        st.lists(st.tuples(texts, st.floats(0, 1)), max_size=2).map(tuple),
    ),
    st.builds(Rotation, texts, angles, angles),
    st.builds(Curve, texts, texts, st.lists(st.tuples(points, points), max_size=2).map(tuple)),
)
check_results = st.builds(
    CheckResult,
    check=st.builds(
        Check, texts, texts, st.just("?"), points, st.lists(texts, max_size=2).map(tuple)
    ),
    status=check_statuses,
    fraction=st.floats(0, 1),
    message=texts,
    hint=texts,
    expected=texts,
    actual=texts,
    counterexample=st.dictionaries(texts, texts, max_size=3).map(lambda d: tuple(d.items())),
    seconds=points,
    outcome=st.sampled_from(["", "raised", "timed_out", "out_of_memory", "blocked"]),
    figures=st.lists(figures, max_size=2).map(tuple),
)
criteria = st.builds(
    CriterionResult,
    criterion=st.builds(
        Criterion,
        texts,
        texts,
        points,
        st.sampled_from(["visible", "hidden", "after_due_date", "after_published"]),
        st.sampled_from(["code", "metric", "written"]),
    ),
    status=check_statuses,
    points=st.none() | points,
    checks=st.lists(check_results, max_size=2).map(tuple),
)
moments = st.none() | st.datetimes(timezones=st.just(UTC))
results = st.builds(
    Result,
    submission=st.builds(
        Submission, names, texts, st.just("toy"), st.just(Path("upload")), texts, moments
    ),
    assignment=st.just("toy"),
    version=st.integers(0, 99),
    title=st.just("Toy assignment"),
    status=st.sampled_from(["graded", "needs_review", "rejected", "incomplete"]),
    criteria=st.lists(criteria, max_size=2).map(tuple),
    score=st.none() | points,
    max_score=points,
    environment=st.dictionaries(texts, texts | st.integers(-9, 9) | st.lists(texts), max_size=2),
    started_at=st.datetimes(timezones=st.just(UTC)),
    seconds=points,
)
round_trip = settings(
    max_examples=50,
    database=None,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def as_stored(result):
    """What the module says that a round trip keeps."""

    def of(criterion_id, check):
        return replace(check, check=replace(check.check, criterion=criterion_id))

    return replace(
        result,
        submission=replace(result.submission, path=Path()),
        criteria=tuple(
            replace(c, checks=tuple(of(c.criterion.id, check) for check in c.checks))
            for c in result.criteria
        ),
    )


@round_trip
@given(results)
def test_file_round_trips(tmp_path, result):
    path = write_result(result, tmp_path)
    assert path == tmp_path / "results" / f"{result.submission.id}.json"
    assert result_from_text(path.read_bytes(), path.name) == as_stored(result)
    assert [p.name for p in path.parent.glob("*.tmp")] == []
    path.unlink()


@round_trip
@given(results)
def test_files_of_earlier_versions_are_read(result):
    document = result_to_json(result)
    for criterion in document["criteria"]:
        for check in criterion["checks"]:
            for key in ("outcome", "figures", "weight", "depends_on"):
                del check[key]
        del criterion["kind"]
    del document["submission"]["submitted_at"], document["assignment"]["title"]
    read = result_from_text(json.dumps(document), "")
    assert {check.outcome for graded in read.criteria for check in graded.checks} <= {""}
    assert {graded.criterion.kind for graded in read.criteria} <= {"code"}
    assert read.title == result.assignment


def test_figures_of_unknown_kind_are_refused_and_empty_words_stay():
    document = a_document()
    document["criteria"][0]["checks"][0]["figures"] = [{"kind": "pie", "label": "x"}]
    with pytest.raises(StorageError, match="pie"):
        result_from_text(json.dumps(document), "")
    document = a_document()
    check = document["criteria"][0]["checks"][0]
    assert (check["hint"], check["expected"], check["actual"]) == ("", "", "")
    assert check["counterexample"] is None
    assert document["environment"] == {"intake": ["a tuple becomes a list"], "name": "\ufffd"}


@round_trip
@given(results)
def test_document_has_exactly_the_keys(result):
    document = result_to_json(result)
    assert document["schema"] == "softmark/result/v1"
    parts = [("", document), *((key, document[key]) for key in ("submission", "assignment"))]
    parts += [("criterion", c) for c in document["criteria"]]
    parts += [("check", check) for c in document["criteria"] for check in c["checks"]]
    assert all(list(part) == KEYS[name].split() for name, part in parts)


def a_document():
    check = CheckResult(Check("a", "It holds.", "c"), "failed", 0.0, message="No.")
    criterion = Criterion("c", "C", 2.0, "visible", "code")
    result = Result(
        Submission("ada", "Ada", "toy", Path(), "0", None),
        "toy",
        1,
        "Toy",
        "graded",
        (CriterionResult(criterion, "failed", 0.0, (check,)),),
        0.0,
        2.0,
        {"intake": ("a tuple becomes a list",), "name": "\ud800"},
        datetime(2025, 3, 1, tzinfo=UTC),
        0.1,
    )
    return result_to_json(result)


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"schema": "softmark/result/v2"},
        {"status": "fine"},
        {"score": "7"},
        {"score": float("nan")},
        {"submission": {"id": "ada", "student": "Ada"}},
    ],
)
def test_other_documents_are_refused(change):
    with pytest.raises(StorageError):
        result_from_text(json.dumps(a_document() | change), "")


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "softmark/result/v1"}', "\xff"])
def test_source_of_a_broken_text_is_named(text):
    with pytest.raises(StorageError, match=r"ada\.json: not a softmark/result/v1 file"):
        result_from_text(text.encode("latin-1"), "ada.json")


def test_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    old = result_from_text(json.dumps(a_document()), "")
    path = write_result(old, tmp_path)
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        write_result(replace(old, status="rejected"), tmp_path)
    assert json.loads(path.read_text())["status"] == "graded"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["", "..", "../up", "a/b", "a\\b", "a\0b"])
def test_file_cannot_leave_its_folder(tmp_path, name):
    with pytest.raises(StorageError, match="not a file name"):
        submission_file(tmp_path, "results", name, ".json")
