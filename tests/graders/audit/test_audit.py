"""An audit of a tiny assignment: what its checks miss, what it keeps, and what it says."""

import json
import shutil
import sys
from dataclasses import replace

import pytest

from graders.audit.changes.change import read_bases
from graders.audit.changes.nulls import null_submissions
from graders.audit.graded import KEPT, GradedCache, Grader
from graders.audit.parts import Plan, audit
from graders.boundary.tiers.sandbox import best_tier
from graders.errors import UsageError
from graders.execution.executors import SerialExecutor
from graders.grading.options import GradingRequest, Options
from graders.registry.discovery import load_assignment
from tests.conftest import ASSIGNMENT, CHECKS, STUDENT_SIDE, edit, write_files
from tests.console import softmark

SOLUTION = """
def double(x):
    if x < 0:
        return -double(-x)
    return 2 * x
"""
FILES = {
    "assignment.toml": ASSIGNMENT,
    "checks.py": CHECKS,
    "student_side.py": STUDENT_SIDE,
    "solution/work.py": SOLUTION,
    "solution/answer.txt": "42",
    "starter/work.py": "",
    "examples/right-sum/work.py": "def double(number):\n    return number + number\n",
    "examples/right-sum/answer.txt": "42",
    "examples/right-sum/expected.toml": 'why = "a sum"\n',
}
HALF_CALL = "def half(x):\n    import work\n    return work.half(x)\n\n\ndef double"
HALF_CHECK = '''
import pytest


@pytest.mark.criterion("half")
def test_halves(student):
    """Half of 4 is 2."""
    assert student.call("half", x=4) == 2
'''
PLAN = Plan(mutants=10, rewrites=3, repeats=2)
OPTIONS = ("--mutants", "10", "--rewrites", "3", "--repeats", "2", "--executor", "serial")


class NoExecutor(SerialExecutor):
    """Fails if there is anything to grade."""

    def submit(self, *words, **more):
        raise LookupError("something is graded")


def audited(folder, out, plan=PLAN, executor=SerialExecutor):
    request = GradingRequest(load_assignment(str(folder)), Options(best_tier()))
    return audit(request, Grader(executor(), GradedCache(out)), plan, lambda items, _: iter(items))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the assignment, and one for what was graded."""
    place = tmp_path_factory.mktemp("audit")
    write_files(place / "tiny", FILES)
    return place


@pytest.fixture(scope="module")
def first(place):
    return audited(place / "tiny", place / "out")


@pytest.fixture
def folder(place, first, tmp_path):
    """A copy of the assignment, which a test may edit."""
    shutil.copytree(place / "tiny", tmp_path / "tiny")
    return tmp_path / "tiny"


ENTRY = '[[survivor]]\nid = "{}"\nverdict = "out of scope"\nreason = "x"\n'
RECORD = ENTRY.format("0123456789ab")


def record(folder, ids):
    (folder / "audit.toml").write_text("".join(map(ENTRY.format, ids)))


def test_survivors_are_what_the_checks_do_not_see(first):
    killed, missed = (
        {mutant.change.diff for mutant in mutants}
        for mutants in (first.mutations.killed, first.unrecorded)
    )
    assert any("-        return -double(-x)" in diff for diff in missed)
    assert any("-    return 2 * x" in diff for diff in killed)
    assert not any("-    return 2 * x" in diff for diff in missed)
    assert first.mutations.graded == 10 == len(missed) + len(killed)
    assert not first.clean
    assert first.faults == ()


def test_only_criteria_with_points_for_code_have_a_score(first):
    (rate,) = first.mutations.by_criterion
    assert (rate.name, rate.of) == ("double", 10)
    assert 0 < rate.low < rate.killed / rate.of < rate.high < 1


def test_null_submissions_earn_nothing_here(first):
    earned = {null.name: null.earned for null in first.nulls.graded}
    assert {"empty", "starter", "raise", "return-none", "return-noise"} <= earned.keys()
    assert all(points == {"double": 0.0} for points in earned.values())


def test_the_solution_and_the_examples_are_graded_under_each_secret(first):
    assert first.steadiness.submissions == 2
    counts = {check.check: (check.gradings, check.flips) for check in first.steadiness.checks}
    assert counts == dict.fromkeys(("doubles", "doubles-zero", "answer"), (4, 0))


def test_rewrites_keep_their_points(first):
    assert (first.rewrites.graded, first.rewrites.lost) == (3, ())


def test_a_second_audit_grades_nothing(place, first):
    again = audited(place / "tiny", place / "out", executor=NoExecutor)
    assert replace(again, seconds=0.0) == replace(first, seconds=0.0)


def test_what_was_cut_off_is_graded_again(place, first, tmp_path):
    lines = (place / "out" / KEPT).read_bytes()
    (tmp_path / KEPT).write_bytes(lines[:-20])
    with pytest.raises(LookupError):
        audited(place / "tiny", tmp_path, executor=NoExecutor)


def test_a_changed_check_is_asked_again(place, folder):
    edit(folder / "checks.py", "Nearly.", "Almost.")
    with pytest.raises(LookupError):
        audited(folder, place / "out", executor=NoExecutor)


def test_without_time_only_the_solution_is_graded(folder, tmp_path):
    result = audited(folder, tmp_path / "new", Plan(minutes=0, mutants=5, rewrites=3))
    assert (result.mutations.graded, result.mutations.planned) == (0, 5)
    assert len((tmp_path / "new" / KEPT).read_text().splitlines()) == 1


def test_a_rewrite_that_loses_points_is_listed(folder, tmp_path):
    body = '    assert "2 * x" in open(work.__file__).read()\n    return work.double(x)'
    edit(folder / "student_side.py", "    return work.double(x)", body)
    shutil.rmtree(folder / "examples")
    result = audited(folder, tmp_path / "new", Plan(mutants=0, rewrites=3, repeats=0))
    assert result.rewrites.lost
    assert all(rewrite.lost == {"double": 4.0} for rewrite in result.rewrites.lost)
    assert all("doubles" in rewrite.checks for rewrite in result.rewrites.lost)
    assert not result.clean


@pytest.mark.parametrize("points", [2, 0])
def test_what_an_example_of_one_part_loses_anyway_is_not_lost(folder, tmp_path, points):
    toml = '[[criterion]]\nid = "half"\ntitle = "Half"\npoints = {}\nkind = "code"\n'
    (folder / "assignment.toml").write_text(ASSIGNMENT + toml.format(points))
    edit(folder / "student_side.py", "def double", HALF_CALL)
    edit(folder / "checks.py", "import pytest", HALF_CHECK)
    half = "\ndef half(x):\n    return x / 2\n\n\ndef double"
    edit(folder / "solution/work.py", "\ndef double", half)
    (folder / "examples/right-sum/expected.toml").write_text('why = "a sum"\nonly = "double"\n')
    (folder / "examples/right-sum/work.py").write_text(SOLUTION.replace("x", "y"))
    result = audited(folder, tmp_path / "new", Plan(mutants=4, rewrites=2, repeats=0))
    assert result.rewrites.lost == ()
    of_example = [e for e in result.mutations.killed if e.change.base == "right-sum"]
    assert of_example
    assert all("half" not in mutant.lost for mutant in of_example)
    missed = [e for e in result.unrecorded if e.change.base == "right-sum"]
    assert missed
    assert all("half" not in mutant.advice for mutant in missed)


def test_a_recorded_survivor_is_no_news(place, folder, first):
    record(folder, [survivor.change.id for survivor in first.unrecorded])
    result = audited(folder, place / "out", executor=NoExecutor)
    assert result.clean
    assert result.mutations.stale == ()
    assert {survivor.record for survivor in result.mutations.survivors} == {"out of scope"}
    assert result.mutations.by_criterion[0].high == 1


def test_records_that_match_no_survivor_are_listed(place, folder, first):
    killed = first.mutations.killed[0].change.id
    record(folder, ["0123456789ab", killed])
    result = audited(folder, place / "out", executor=NoExecutor)
    assert set(result.mutations.stale) == {"0123456789ab", killed}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RECORD.replace("out of scope", "fine"), '`verdict` is "fine"'),
        (RECORD + 'reazon = "x"', "no key `reazon`; did you mean `reason`?"),
        (RECORD.replace('"x"', '""'), "`reason` is"),
        (RECORD + RECORD, "listed twice"),
        ('bases = ["right-product"]', "`right-product` in `bases` is no correct example"),
    ],
)
def test_a_mistake_in_audit_toml_is_one_sentence(folder, tmp_path, text, said):
    (folder / "audit.toml").write_text(text)
    with pytest.raises(UsageError) as error:
        audited(folder, tmp_path, executor=NoExecutor)
    assert said in str(error.value)


def test_only_the_named_examples_are_changed(place, folder, first):
    assert "right-sum" in {mutant.change.base for mutant in every(first)}
    (folder / "audit.toml").write_text("bases = []")
    result = audited(folder, place / "out")
    assert {mutant.change.base for mutant in every(result)} == {"solution"}


def every(report):
    return (*report.mutations.killed, *report.mutations.survivors)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("solution/work.py", "2 * x", "3 * x", "the solution does not earn all points: double"),
        ("assignment.toml", 'kind = "code"', 'kind = "metric"', "has no points for code"),
    ],
)
def test_what_cannot_be_audited_is_refused(folder, tmp_path, file, old, new, said):
    edit(folder / file, old, new)
    with pytest.raises(UsageError, match=said):
        audited(folder, tmp_path)


def test_null_submissions_do_what_they_are_named_for(folder, tmp_path):
    task = load_assignment(str(folder))
    texts = {
        submission.change.id: submission.files["work.py"].decode()
        for submission in null_submissions(task, read_bases(task, tmp_path)[0])
    }
    assert texts.pop("empty") == texts.pop("starter") == ""
    results = {}
    for name, text in texts.items():
        names = {}
        exec(text, names)
        try:
            results[name] = names["double"](21)
        except NotImplementedError:
            results[name] = "raised"
    assert isinstance(results.pop("return-noise"), float)
    expected = {"return-none": None, "return-zeros": 0, "return-ones": 1, "raise": "raised"}
    assert results == expected | {"return-first-input": 21, "pass": None}


def test_the_command_prints_and_writes_what_it_found(place, folder, first):
    done = softmark("audit", folder, "--out", place / "out", *OPTIONS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{len(first.unrecorded)} are new" in done.stdout
    assert first.unrecorded[0].change.id in done.stdout
    report = json.loads((place / "out" / "audit.json").read_text())
    assert (report["schema"], report["clean"]) == ("softmark/audit/v1", False)
    assert len(report["mutations"]["survivors"]) == len(first.unrecorded)
    assert first.unrecorded[0].change.id in (place / "out" / "audit.html").read_text()
    record(folder, [survivor.change.id for survivor in first.unrecorded])
    assert softmark("audit", folder, "--out", place / "out", *OPTIONS).returncode == 0


def test_without_libcst_the_command_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "libcst", None)
    done = softmark("audit", folder)
    assert done.returncode == 2
    assert "pip install 'softmark[audit]'" in done.stderr
