"""`softmark.load`: the results as a table, and the example of the instructor's guide."""

import math

import pytest

import softmark
from graders.boundary.tiers.sandbox import best_tier
from graders.errors import StorageError
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_and_store, plan_work
from graders.grading.options import GradingRequest, Options
from graders.storage.store import open_store
from submissions.receive import identify
from tests.conftest import RIGHT
from tests.console import ROOT, blocks_of

GUIDE = ROOT / "docs" / "guides" / "instructor.md"


@pytest.fixture
def graded(tiny_folder, tiny, hand_in, tmp_path):
    """A folder of results: all right, half an answer, and an answer that breaks the check."""
    checks = tiny_folder / "checks.py"
    checks.write_text(
        checks.read_text().replace(
            '    if text == "41"', '    1 / (text != "0")\n    if text == "41"'
        )
    )
    uploads = [
        hand_in("ada", work_py=RIGHT, answer_txt="42"),
        hand_in("bob", work_py="def double(x):\n    return 3 * x\n", answer_txt="41"),
        hand_in("eve", work_py=RIGHT, answer_txt="0"),
    ]
    request = GradingRequest(tiny, Options(best_tier()))
    with open_store(tmp_path / "out") as store:
        work = plan_work(store, [identify(upload, "tiny") for upload in uploads], request)
        list(grade_and_store(store, work, request, SerialExecutor()))
    return tmp_path / "out"


def test_each_criterion_of_each_submission_is_a_row(graded):
    table = softmark.load(graded).set_index(["submission", "criterion"])
    assert list(table.index) == [
        (name, id) for name in ("ada", "bob", "eve") for id in ("double", "answer")
    ]
    points = table["points"]
    assert points["ada"].to_dict() == {"double": 4.0, "answer": 2.0}
    assert points["bob"].to_dict() == {"double": 0.0, "answer": 1.0}
    assert math.isnan(points["eve", "answer"])
    assert set(table["max_points"].xs("answer", level="criterion")) == {2.0}
    assert table.loc[("bob", "double"), "failed_checks"] >= 1
    assert table.loc[("eve", "answer"), "status"] == "error"
    assert table.loc[("eve", "answer"), "result"] == "incomplete"


def test_the_example_of_the_guide_runs(graded, monkeypatch):
    monkeypatch.chdir(graded.parent)
    (example,) = [
        block for block in blocks_of(GUIDE.read_text("utf-8")) if block.language == "python"
    ]
    names = {}
    exec(example.text, names)
    assert names["means"].loc["answer"].to_dict() == {"points": 1.5, "max_points": 2.0}
    assert names["hints"]["double"].sum() == 1


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(StorageError, match="no grading results"):
        softmark.load(tmp_path)
