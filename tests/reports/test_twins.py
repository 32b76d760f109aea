"""Equal files in different submissions are reported only to the instructor."""

import json
import re
from dataclasses import replace

import pytest

from graders.registry.discovery import load_assignment
from reports.course.page import write_course_page
from reports.course.twins import TwinSearch, deterministic_files
from reports.course.view import course_view
from reports.submission_files import write_submission_files
from reports.terminal import results as terminal
from tests.reports.conftest import write_reports

DEV, ROPE = "vanilla.pretrain.dev.predictions", "rope.finetune.params"
EXPECTED = frozenset({"vanilla.model.params"})


@pytest.fixture
def holding(make_result, graded):
    """`holding(id, **{name: sha256})` is a Result with these fingerprints."""

    def make(submission, student="", **prints):
        environment = {"fingerprints": prints}
        names = {"submission": submission, "student": student or submission}
        return make_result(*graded.criteria, **names, environment=environment)

    return make


def twins_of(results):
    """The groups of equal files in these results."""
    search = TwinSearch(EXPECTED)
    for result in results:
        search.add(result)
    return search.twins()


def names_of(*results):
    """Every group as the ids of its submissions and the names of its files."""
    return [
        ([submission.id for submission in group.submissions], [file.names for file in group.files])
        for group in twins_of(results)
    ]


def test_expected_equality_is_left_out_and_each_set_of_equal_files_is_a_group(holding):
    results = [holding(name, **{DEV: "1", ROPE: "2"}) for name in "ba"]
    results.append(holding("c", **{DEV: "3", ROPE: "2"}))
    assert names_of(*results) == [(["a", "b"], [(DEV,)]), (["a", "b", "c"], [(ROPE,)])]
    name = "vanilla.model.params"
    assert names_of(*(holding(submission, **{name: "1"}) for submission in "ab")) == []


def writing(make_result, graded, submission, **code):
    environment = {"fingerprints": {}, "code": code}
    return make_result(*graded.criteria, submission=submission, environment=environment)


def test_equal_code_is_found_without_its_predictions(holding, make_result, graded):
    """The copy's predictions were deleted; code makes a group of its own."""
    first = replace(
        holding("a", **{DEV: "1"}), environment={"fingerprints": {DEV: "1"}, "code": {"x.py": "2"}}
    )
    results = [
        first,
        holding("b", **{DEV: "1"}),
        writing(make_result, graded, "c", **{"y.py": "2"}),
    ]
    groups = twins_of(results)
    assert [(group.kind, [s.id for s in group.submissions]) for group in groups] == [
        ("data", ["a", "b"]),
        ("code", ["a", "c"]),
    ]


@pytest.mark.parametrize(
    ("holders", "others", "groups"), [(2, 0, 1), (4, 0, 1), (5, 5, 0), (5, 16, 1)]
)
def test_code_that_many_have_was_handed_out(make_result, graded, holders, others, groups):
    equal = [writing(make_result, graded, f"a{n}", **{"x.py": "1"}) for n in range(holders)]
    distinct = [
        writing(make_result, graded, f"b{n}", **{"x.py": f"own-{n}"}) for n in range(others)
    ]
    assert len(twins_of([*equal, *distinct])) == groups


@pytest.mark.parametrize(("holders", "others", "groups"), [(4, 0, 1), (5, 0, 0), (5, 1, 1)])
def test_a_file_that_everybody_has_says_nothing(holding, holders, others, groups):
    equal = [holding(f"a{n}", x="1") for n in range(holders)]
    distinct = [holding(f"b{n}", x=f"own-{n}") for n in range(others)]
    assert len(twins_of([*equal, *distinct])) == groups


def test_who_has_a_file_under_another_name_is_told(holding, tmp_path):
    results = [holding(f"a{n}", dev="1", test="2", same="3") for n in range(5)]
    results.append(holding("swapped", dev="2", test="1", same="3"))
    twins = twins_of(results)
    assert [file.names for group in twins for file in group.files] == [("dev", "test")] * 2
    page = write_course_page(course_view(results, twins), tmp_path).read_text()
    (told,) = re.findall(r"<bdi>(\w+)</bdi></a>: (.*dev</code> equals .* file .*)</p>", page)
    assert told == (
        "swapped", "<code>dev</code> equals the <code>test</code> file of 5 others"
    )  # fmt: skip


def test_another_name_hides_nothing(holding):
    assert names_of(holding("a", x="1"), holding("b", y="1")) == [(["a", "b"], [("x", "y")])]
    assert names_of(holding("a", x="1", y="1"), holding("b", x="2")) == [], "no twin of itself"
    of_one_student = [holding(submission, "Ada", x="1") for submission in "ab"]
    assert names_of(*of_one_student) != []


def test_results_without_fingerprints_are_no_twins(make_result, graded):
    bare = make_result(*graded.criteria)
    odd = make_result(*graded.criteria, submission="odd", environment={"fingerprints": "none"})
    assert names_of(bare, replace(bare, environment={}), odd) == []


def test_a_thousand_pairs_are_found_and_told_in_one_line(holding, capsys, tmp_path):
    results = [
        holding(f"{i:05}", **{f"f{j}": f"{i // 2}-{j}" for j in range(9)}) for i in range(2_000)
    ]
    assert len(names_of(*results)) == 1_000
    results = [holding(submission, x="1") for submission in "abc"]
    scores = terminal.ScoreTable()
    terminal.show_batch(scores, tmp_path, twins_of(results))
    assert f"equal files in 3 submissions: {tmp_path / 'twins.json'}\n" in capsys.readouterr().out
    terminal.show_batch(scores, tmp_path)
    assert "equal files" not in capsys.readouterr().out


def test_the_file_lists_every_group_until_there_is_none(tmp_path, holding):
    twins = twins_of([holding(submission, f"{submission}\ud800", x="1") for submission in "ab"])
    write_reports([], tmp_path, twins)
    assert json.loads((tmp_path / "twins.json").read_text(encoding="utf-8")) == {
        "schema": "softmark/twins/v1",
        "groups": [
            {
                "kind": "data",
                "submissions": [{"id": "a", "student": "a?"}, {"id": "b", "student": "b?"}],
                "files": [{"sha256": "1", "names": ["x"]}],
            }
        ],
    }
    results = [holding(submission, x="1") for submission in "ab"]
    write_reports(results, tmp_path, twins_of(results))
    write_reports(results[:1], tmp_path)
    assert json.loads((tmp_path / "twins.json").read_text())["groups"] == []
    assert "Equal files" not in (tmp_path / "index.html").read_text()


def test_the_course_page_names_them_escaped(tmp_path, holding):
    attack = "<img src=x>\u202e"
    results = [holding(f"<b>{i}", attack, **{attack: "1"}) for i in range(2)]
    twins = twins_of(results)
    page = write_course_page(course_view(results, twins), tmp_path).read_text()
    assert "Equal files" in page
    assert "2 submissions" in page
    assert "&lt;img src=x&gt;" in page
    assert not any(text in page for text in ("<img", "<b>", "\u202e"))


def test_large_and_many_groups_are_counts_with_the_first_names(tmp_path, holding):
    results = [holding(f"id-{i:03}", x="1") for i in range(350)]
    course = course_view([], twins_of([*results, holding("other", x="2")]))
    page = write_course_page(course, tmp_path).read_text()
    assert "350 submissions" in page
    first, _, rest = page.partition("<summary>and 338 more</summary>")
    assert "id-011" in first
    assert "id-012" not in first
    assert "id-299" in rest
    assert "and 50 more in <code>twins.json" in rest
    results = [holding(f"id-{i:05}", x=str(i // 2)) for i in range(3_000)]
    course = course_view([], twins_of(results))
    page = write_course_page(course, tmp_path).read_text()
    assert "1300 more are in" in page
    assert len(page) < 300_000


def test_a_student_never_reads_of_twins_and_grades_do_not_depend_on_them(tmp_path, holding):
    results = [holding(submission, **{DEV: "1234abcd"}) for submission in "ab"]
    for result in results:
        write_submission_files(result, tmp_path)
    write_reports(results, tmp_path, twins_of(results))
    for path in (*tmp_path.glob("reports/*"), *tmp_path.glob("gradescope/*")):
        text = path.read_text()
        assert [x for x in ("1234abcd", "fingerprint", "Equal files") if x in text] == []
    write_reports(results, tmp_path / "without")
    files = [(tmp_path / folder / "grades.csv").read_text() for folder in (".", "without")]
    assert files[0] == files[1]


def test_the_course_says_which_files_are_equal_anyway(tiny):
    assert deterministic_files(load_assignment("cs224n-a4")) == {
        "vanilla.model.params",
        "vanilla.nopretrain.dev.predictions",
        "vanilla.nopretrain.test.predictions",
    }
    assert deterministic_files(tiny) == frozenset()
