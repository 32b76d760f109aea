"""A student's page: what is read, what is never in it, and what is opened at its release."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from graders.course.release import CourseRules
from graders.model import SHOWN_LATER, Check
from reports.student.page import student_view, write_student_page
from reports.submission_files import have_files, write_submission_files
from tests.reports.conftest import CODE, check_result, criterion_result

READS = (
    "Ada Lovelace", "Graded", "12 of 14 points", "Check b holds.", "Ada⁇□", r"Ada L\t",
    "The exponent's sign is turned round", "block size", "The code is in src.", "3.11",
)  # fmt: skip


def test_student_reads_what_was_found(page, graded, tmp_path):
    text = re.sub(r"\s+", " ", page(graded).text)
    assert [words for words in READS if words not in text] == []
    assert write_student_page(graded, tmp_path) == tmp_path / "reports" / "ada.html"
    assert student_view(graded).tally == (
        ("Passed", "passed", 1),
        ("Partial credit", "partial", 1),
    )


def test_hidden_criteria_and_our_faults_are_not_in_the_source(page, graded, make_result):
    hidden = page(graded)
    assert "Hidden accuracy" not in hidden.source
    assert "1 more criterion" in hidden.text
    assert "secret" not in hidden.source
    for total in ("15 of", "of 20"):  # either one would tell what the hidden criterion gave
        assert total not in hidden.text
    environment = {"faults": ["the-secret-input"], "python": "3.11", "other": "the-secret-input"}
    source = page(make_result(*graded.criteria, environment=environment)).source
    assert "3.11" in source
    assert "secret-input" not in source


def test_incomplete_and_undecided_hidden_criteria_have_no_total(
    page, incomplete, make_result, graded
):
    text = page(incomplete).text
    assert "No total yet" in text
    assert "You lose no points" in text
    assert not re.search(r"\d+ of 14", text)
    assert "The sandbox did not start." in text
    rotary, files, secret = graded.criteria
    (ours, _) = incomplete.criteria
    waiting = type(secret)(secret.criterion, "error", None, ours.checks)
    text = page(make_result(rotary, files, waiting)).text
    assert "No total yet" in text
    assert "The sandbox did not start." not in text


def test_rejected_says_why(page, rejected):
    text = page(rejected).text
    assert "Not accepted" in text
    assert "You lose no points" not in text
    assert "The archive is cut off." in text


def test_hostile_text_stays_text(page, hostile):
    attacked = page(hostile)
    assert "script" not in attacked.tags
    assert "img" not in attacked.tags
    assert not [name for _, name, _ in attacked.attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in attacked.text
    assert not re.search("[\x00\x1b\u202e\ud800]", attacked.source)
    assert len(attacked.source) < 100_000


def test_page_needs_no_network_admits_only_our_style_and_skips_no_heading(page, graded):
    shown = page(graded)
    policy = shown.all("content")[0]
    assert policy.startswith("default-src 'none'")
    assert not shown.all("src")
    assert all(link.startswith("#") for link in shown.all("href"))
    assert not re.search(r"https?:|url\(|@import", shown.source)
    style = re.search("<style>(.*?)</style>", shown.source, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy
    assert not shown.all("style")
    levels = [int(tag[1]) for tag in page(graded).tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


WAYS = {
    "Raised an error", "Ended itself", "Crashed", "Timed out", "Out of memory",
    "Answer not usable", "Skipped: depends on a check that did not pass", "Failed",
}  # fmt: skip


def test_every_way_to_end_has_its_own_word_beside_its_sign(page, unanswered):
    shown = page(unanswered)
    assert {way for way in WAYS if way in shown.text} == WAYS
    chip = r'<span class="chip failed"><svg.*?</svg>([^<]*)</span>'
    signs = re.findall(chip, shown.source, re.DOTALL)
    assert "Timed out" in signs
    assert "" not in map(str.strip, signs)


LATER = ("after_due_date", "after_published")
ALL = ("hidden", *LATER)


def secret(kind):
    """A criterion that fails, every word of which is a secret of its kind."""
    word = f"secret-{kind}"
    words = {"message": word, "hint": word, "expected": word, "counterexample": ((word, word),)}
    check = replace(check_result("failed", **words), check=Check(word, f"{word} holds.", word))
    return criterion_result(replace(CODE, id=word, title=word, visibility=kind), check)


def names(*kinds):
    return CourseRules(frozenset(f"secret-{kind}" for kind in kinds))


@pytest.fixture
def result(make_result):
    return make_result(criterion_result(CODE, check_result()), *map(secret, ALL))


@pytest.fixture
def source_of(result, tmp_path):
    return lambda *kinds: write_student_page(result, tmp_path, names(*kinds)).read_text()


@pytest.mark.parametrize("kinds", [(), *[(kind,) for kind in LATER], LATER])
def test_what_is_opened_is_shown_and_nothing_else(source_of, kinds):
    text = source_of(*kinds)
    for kind in ALL:
        assert (f"secret-{kind}" in text) == (kind in kinds)


def test_hidden_is_never_opened(source_of, result, tmp_path):
    assert source_of("hidden") == source_of()
    assert source_of().endswith("</html>")
    assert source_of() == write_student_page(result, tmp_path).read_text()


def test_what_is_still_closed_is_not_quoted_and_the_total_the_score_once_all_is_shown(
    make_result, tmp_path
):
    quoted = "Skipped because this failed: secret-after_published holds."
    shown = secret("after_due_date")
    blocked = replace(shown, checks=(check_result("skipped", outcome="blocked", message=quoted),))
    result = make_result(blocked, secret("after_published"))
    text = write_student_page(result, tmp_path, names("after_due_date")).read_text()
    assert "secret-after_published" not in text
    assert SHOWN_LATER in text
    good = replace(secret("after_due_date"), points=4.0)
    result = make_result(criterion_result(CODE, check_result()), good)
    before, after = student_view(result), student_view(result, names("after_due_date"))
    assert (before.score, before.max_score, before.withheld.count) == (4.0, 4.0, 1)
    assert (after.score, after.max_score, after.withheld.count) == (8.0, 8.0, 0)


def test_no_command_is_given_that_check_would_refuse_and_gradescope_keeps_its_visibility(
    result, tmp_path
):
    view = student_view(result, names(*LATER))
    assert len(view.criteria) == 3
    assert [section.command for section in view.sections] == [None] * 3
    files = [tmp_path / folder / "ada.json" for folder in ("gradescope", "results")]
    write_submission_files(result, tmp_path)
    before = [file.read_bytes() for file in files]
    write_submission_files(result, tmp_path, names(*LATER))
    assert [file.read_bytes() for file in files] == before


@pytest.mark.parametrize(("before", "after"), [((), LATER), (LATER, ()), (LATER[:1], LATER)])
def test_a_page_of_another_time_is_old_if_it_shows_other_criteria(
    result, make_result, tmp_path, before, after
):
    write_submission_files(result, tmp_path, names(*before))
    assert have_files(result, tmp_path, names(*before))
    assert not have_files(result, tmp_path, names(*after))
    open_ = make_result(criterion_result(CODE, check_result()))
    write_submission_files(open_, tmp_path, names(*before))
    assert have_files(open_, tmp_path, names(*after))
