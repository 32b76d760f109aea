import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from graders.errors import ON_A_GPU
from reports.course.page import ROWS, write_course_page
from reports.course.view import Counted, course_view
from reports.submission_files import write_submission_files
from tests.reports.conftest import CODE, FILES, check_result, criterion_result, write_reports


@pytest.fixture
def course(make_result, graded, incomplete):
    rotary, files, secret = graded.criteria
    return [
        make_result(rotary, files, secret, submission="b", student="Bo"),
        make_result(*incomplete.criteria, submission="c", student="Cy"),
        make_result(files, submission="d", student="Di", max_score=20.0),
        make_result(submission="a", student="Al", status="rejected", score=None),
    ]


def test_statistics_count_published_scores_in_any_order(course):
    view = course_view(course)
    assert (view.graded, view.mean, view.median) == (2, 12.5, 12.5)
    assert [b.count for b in view.bins] == [0, 0, 0, 0, 0, 1, 0, 1, 0, 0]
    assert view.bins[-1].high == view.max_score == 20
    rotary, files, _ = view.rubric
    assert (rotary.graded, rotary.full, rotary.none, rotary.mean) == (1, 0, 0, 2.0)
    assert (files.graded, files.full) == (3, 3)
    assert course_view(reversed(course)) == view


def test_extremes_lie_in_the_outer_bars_and_hints_count_once_a_submission(make_result, graded):
    criteria = graded.criteria
    scores = [make_result(*criteria, score=s, submission=str(s)) for s in (0.0, 20.0, 25.0)]
    assert [b.count for b in course_view(scores).bins] == [1, *[0] * 8, 2]
    rotary, *_ = graded.criteria
    twice = type(rotary)(rotary.criterion, "failed", 0.0, rotary.checks * 2)
    results = [make_result(twice, submission=name) for name in "ab"]
    (hint,) = course_view(results).hints
    assert [s.id for s in hint.submissions] == ["a", "b"]


@pytest.mark.parametrize(("score", "highest"), [(0.3, 1.0), (0.6, 2.0), (0.33, 1.1), (3.6, 12.0)])
def test_a_score_on_an_edge_opens_the_next_bar(make_result, graded, score, highest):
    """3 * (2.0 / 10) is more than 0.6 in binary."""
    (result,) = (make_result(*graded.criteria, score=score, max_score=highest),)
    assert [b.count for b in course_view([result]).bins].index(1) == 3


def test_people_are_asked_in_order_of_urgency(course):
    waiting = course_view(course).waiting
    assert [(w.submissions[0].id, w.status) for w in waiting] == [
        ("c", "incomplete"),
        ("a", "rejected"),
    ]
    assert "The sandbox did not start." in waiting[0].reason


def test_one_reason_of_many_submissions_is_told_once(make_result, graded, tmp_path):
    def waits(name):
        check = check_result("needs_review", message=f"No weights.\n{name} of 60.")
        criterion = criterion_result(CODE, check)
        return make_result(criterion, submission=name, status="needs_review")

    results = [waits("1"), waits("2")]
    (waiting,) = course_view(results).waiting
    assert [submission.id for submission in waiting.submissions] == ["1", "2"]
    assert waiting.reason.endswith("No weights.")
    page = write_course_page(course_view(results), tmp_path).read_text()
    assert "Needs attention (2)" in page
    assert page.count("No weights.") == 1


def reason_of(*results):
    (row,) = course_view(results).waiting
    return row.reason


def test_the_reason_to_look_is_what_broke_and_not_what_waits(make_result, incomplete, rejected):
    environment = {"faults": ["SandboxFailed: no namespace"]}
    faulty = make_result(*incomplete.criteria, environment=environment)
    assert reason_of(faulty) == "SandboxFailed: no namespace"
    assert reason_of(rejected) == "The archive is cut off."
    waits = criterion_result(CODE, check_result("needs_review", message="A person reads this."))
    broke = criterion_result(FILES, check_result("error", message="The sandbox did not start."))
    both = make_result(waits, broke)
    first, second = course_view([both]).waiting
    assert first.reason == "Prediction files: The sandbox did not start."
    assert second.reason.endswith("A person reads this.")


def test_every_reason_to_look_at_a_submission_is_listed(make_result, tmp_path):
    waits = criterion_result(CODE, check_result("needs_review", message="A person reads this."))
    other = criterion_result(FILES, check_result("needs_review", message="No weights."))
    questions = [replace(CODE, id=name, title=name, kind="written") for name in ("1a", "1b")]
    answers = [criterion_result(question, check_result("needs_review")) for question in questions]
    results = [make_result(waits, other, *answers, submission=name) for name in "ab"]
    view = course_view([replace(result, status="needs_review") for result in results])
    assert [
        (len(group.submissions), group.reason.rpartition(": ")[2]) for group in view.waiting
    ] == [
        (2, "A person reads this."),
        (2, "No weights."),
        (2, "python grade.py review DIR."),
    ]
    assert "Needs attention (2)" in write_course_page(view, tmp_path).read_text()


def test_no_points_and_code_that_asks_for_a_gpu_need_attention(make_result):
    empty = make_result(criterion_result(CODE, check_result("failed")), submission="empty")
    good = make_result(criterion_result(CODE, check_result()), submission="good")
    assert reason_of(empty, good).startswith("No points. Is the upload empty")
    crash = check_result("failed", hint=ON_A_GPU, outcome="raised")
    on_a_gpu = make_result(criterion_result(CODE, check_result(), crash))
    assert "may be correct on a GPU" in reason_of(on_a_gpu)


def test_advice_comes_after_mistakes_that_cost_points(make_result):
    advice = replace(CODE, id="advice", points=0.0)
    both = [
        criterion_result(criterion, check_result("failed", hint=criterion.id))
        for criterion in (advice, CODE)
    ]
    results = [make_result(*both, submission="a"), make_result(both[0], submission="b")]
    assert [hint.hint for hint in course_view(results).hints] == [CODE.id, "advice"]


@pytest.mark.parametrize(("student", "named"), [("Ada", True), ("a", False)])
def test_a_column_that_repeats_the_students_is_left_out(tmp_path, make_result, student, named):
    page = write_course_page(course_view([make_result(submission="a", student=student)]), tmp_path)
    assert ('class="wide unnamed"' in page.read_text()) is not named


def test_links_lead_to_the_pages_and_have_names(tmp_path, graded, hostile):
    page = write_submission_files(hostile, tmp_path)[-1]
    source = write_course_page(course_view([hostile]), tmp_path).read_text()
    (link,) = set(re.findall(r'href="(reports/[^"]*)"', source))
    assert tmp_path / unquote(link) == page
    assert page.is_file()
    nobody = replace(graded, submission=replace(graded.submission, student=""))
    source = write_course_page(course_view([nobody]), tmp_path).read_text()
    assert "<bdi></bdi>" not in source
    assert "<bdi></bdi>" not in write_submission_files(nobody, tmp_path)[-1].read_text()


def test_what_nobody_has_points_in_has_no_bar_and_extra_credit_is_told_of(
    tmp_path, rejected, make_result
):
    source = write_course_page(course_view([rejected]), tmp_path).read_text()
    section = source[source.index('id="criteria"') :].partition("</section>")[0]
    assert "Not graded yet: 1 criterion (rotary)" in section
    assert "Mean" not in section
    extra = criterion_result(replace(FILES, extra_credit=True), check_result())
    code = criterion_result(CODE, check_result())
    course = course_view(make_result(code, extra, submission=name) for name in "abc")
    page = write_course_page(course, tmp_path).read_text()
    assert "scores above that, with extra credit, are in the last bar" in page


def test_hostile_text_stays_text(tmp_path, hostile):
    source = write_course_page(course_view([hostile]), tmp_path).read_text()
    assert source.count("<script>") == 1
    assert "<img" not in source
    assert not re.search("[\x00\x1b\u202e\ud800]", source)
    assert len(source) < 50_000


def test_every_file_lies_where_others_look(tmp_path, graded):
    paths = [*write_submission_files(graded, tmp_path), *write_reports([graded], tmp_path)]
    assert [str(path.relative_to(tmp_path)) for path in paths] == [
        "results/ada.json", "gradescope/ada.json", "reports/ada.html",
        "grades.csv", "twins.json", "index.html",
    ]  # fmt: skip
    assert sorted(p for p in tmp_path.rglob("*") if p.is_file()) == sorted(paths)
    *_, index = write_reports([], tmp_path)
    assert "No submissions" in index.read_text()


@pytest.fixture
def long_course(make_result, graded):
    """More submissions than one page holds, each with a name of its own."""
    names = [f"s{i:04}" for i in range(2 * ROWS + 1)]
    return [make_result(*graded.criteria, submission=name) for name in names]


def linked(path):
    """The pages that a page links to, by what their links say."""
    return re.findall(r'href="([^"#]*)"', path.read_text())


def test_a_long_table_has_pages_that_hold_every_submission_once(tmp_path, long_course):
    index = write_course_page(course_view(long_course), tmp_path)
    pages = [link for link in linked(index) if link.startswith("submissions-")]
    assert pages == [f"submissions-{n}.html" for n in (1, 2, 3)]
    rows = [link for page in pages for link in linked(tmp_path / page)]
    assert [f"reports/{r.submission.id}.html" for r in long_course] == [
        link for link in rows if link.startswith("reports/")
    ]
    links = [x for x in linked(tmp_path / "submissions-2.html") if not x.startswith("reports/")]
    assert links == ["index.html", "submissions-1.html", "submissions-3.html"]
    write_course_page(course_view(long_course[:3]), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"], "no page stays"


def test_results_are_looked_at_once_and_hundreds_of_hostile_names_stay_small(
    tmp_path, long_course, hostile
):
    write_reports(iter(long_course), tmp_path)
    assert len((tmp_path / "grades.csv").read_text().splitlines()) == len(long_course) + 1
    attack = 4 * '"<&\u202e' * 60
    results = [
        replace(result, submission=replace(result.submission, student=attack), status="incomplete")
        for result in long_course
    ]
    write_course_page(course_view(results), tmp_path)
    assert max(path.stat().st_size for path in tmp_path.iterdir()) < 1_000_000


def test_how_checks_ended_is_counted(tmp_path, make_result, unanswered):
    results = [make_result(*unanswered.criteria * 2, submission=name) for name in "ab"]
    view = course_view(results)
    late = next(ending for ending in view.endings if ending.word == "Timed out")
    assert (late.checks, late.submissions) == (4, 2)
    source = write_course_page(view, tmp_path).read_text()
    assert source.count('<span class="tag">Timed out 2×</span>') == 2


def test_crashes_are_apart_from_mistakes_and_rare_mistakes_are_counted(make_result, tmp_path):
    mistake = check_result("failed", hint="The sign is wrong.")
    crash = check_result("failed", check_id="b", hint="Print the shape.", outcome="raised")
    waits = check_result("needs_review", 1.0, check_id="c", hint="Submit the checkpoint.")
    view = course_view([make_result(criterion_result(CODE, mistake, crash, waits))])
    assert [hint.hint for hint in view.hints] == ["The sign is wrong."]
    assert [cluster.sample.hint for cluster in view.unnamed] == ["Print the shape."]
    page = write_course_page(view, tmp_path).read_text()
    assert page.index("The sign is wrong.") < page.index("Print the shape.")
    wrong = [check_result("failed", check_id=str(n), hint=f"Hint {n}") for n in range(18)]
    view = course_view([make_result(criterion_result(CODE, *wrong))])
    assert (len(view.hints), view.rarer) == (15, 3)
    assert "3 more mistakes are shown only on" in write_course_page(view, tmp_path).read_text()


def test_equally_common_mistakes_are_in_the_order_of_the_points_they_cost(make_result):
    cheap = criterion_result(CODE, check_result("failed", hint="Costs 4 points."))
    dear = criterion_result(FILES, check_result("failed", hint="Costs 10 points."))
    view = course_view([make_result(replace(cheap), dear)])
    assert [hint.hint for hint in view.hints] == ["Costs 10 points.", "Costs 4 points."]
    view = course_view([make_result(cheap, dear), make_result(cheap, submission="bo")])
    assert [hint.hint for hint in view.hints] == ["Costs 4 points.", "Costs 10 points."]


def shown(page, word):
    """A tile of the page, or nothing."""
    return re.findall(rf"<dt>{word}</dt><dd>([^ <]*)", page)


def test_what_is_certain_is_shown_while_answers_wait(make_result, tmp_path):
    open_ = criterion_result(replace(CODE, kind="written"), check_result("needs_review"))
    files = criterion_result(FILES, check_result("partial", 0.5))
    waits = make_result(open_, files, status="needs_review", score=None, max_score=14.0)
    page = write_course_page(course_view([waits]), tmp_path).read_text()
    assert [shown(page, word) for word in ("Fully graded", "Mean so far", "Mean", "Median")] == [
        ["0"], ["5"], [], []
    ]  # fmt: skip
    assert "Not graded yet: 1 written question (rotary)" in page
    assert "5 so far</span>" in page
    whole = make_result(criterion_result(CODE, check_result()), files, submission="whole")
    page = write_course_page(course_view([waits, whole]), tmp_path).read_text()
    assert (shown(page, "Mean so far"), shown(page, "Mean")) == (["7"], ["9"])
    page = write_course_page(course_view([whole]), tmp_path).read_text()
    assert (shown(page, "Mean so far"), shown(page, "Mean")) == ([], ["9"])
    assert "Not graded yet" not in page


def test_nothing_is_said_of_what_was_not_measured(make_result, graded, tmp_path):
    """One submission has no correlation, and one grading shows no change."""
    counted = Counted()
    counted.add(graded)
    page = write_course_page(counted.view(), tmp_path).read_text()
    assert "there are none yet" in page
    assert "Nothing to flag" not in page
    assert 'data-label="Changed"' not in page
    assert 'data-label="Points earned"' in page
    repeats = {("rotary", ""): (2, 0)}
    page = write_course_page(counted.view(repeats=repeats), tmp_path).read_text()
    assert "Nothing to flag: no result changed when graded again.<" in page
    assert 'data-label="Changed"' in page
    assert 'data-label="Discrimination"' not in page


def test_a_score_out_of_fewer_points_counts_in_proportion(make_result, tmp_path):
    whole = criterion_result(CODE, check_result())
    half = criterion_result(FILES, check_result("partial", 0.5))
    both = make_result(whole, half, submission="a")
    view = course_view([both, make_result(half, submission="b")])
    assert view.mean == pytest.approx((9 + 7) / 2), "of 14: 4 + 5, and half"
    assert sum(bar.count for bar in view.bins) == 2
    # A histogram is drawn for several scores only.
    copies = [replace(both, submission=replace(both.submission, id=name)) for name in "cdefgh"]
    page = write_course_page(course_view([both, *copies]), tmp_path).read_text()
    assert "count in proportion" not in page
    fewer = make_result(half, submission="b")
    page = write_course_page(course_view([both, *copies, fewer]), tmp_path).read_text()
    assert "count in proportion" in page
