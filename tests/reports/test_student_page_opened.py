"""A student's page shows a criterion at its release, and nothing of it before."""

from dataclasses import replace

import pytest

from graders.course.release import Terms
from graders.model import SHOWN_LATER, Check
from reports import write_submission_files
from reports.student.page import student_view, write_student_page
from reports.submission_files import have_files
from tests.reports.conftest import CODE, check_result, criterion_result

LATER = ("after_due_date", "after_published")
ALL = ("hidden", *LATER)


def secret(kind):
    """A criterion that fails, every word of which is a secret of its kind."""
    word = f"secret-{kind}"
    words = {"message": word, "hint": word, "expected": word, "counterexample": ((word, word),)}
    found = replace(check_result("failed", **words), check=Check(word, f"{word} holds.", word))
    return criterion_result(replace(CODE, id=word, title=word, visibility=kind), found)


def names(*kinds):
    return Terms(frozenset(f"secret-{kind}" for kind in kinds))


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


def test_hidden_is_never_opened(source_of):
    assert source_of("hidden") == source_of()


def test_a_page_of_visible_criteria_has_no_mark(source_of, result, tmp_path):
    assert source_of().endswith("</html>")
    assert source_of() == write_student_page(result, tmp_path).read_text()


def test_what_is_still_closed_is_not_quoted(make_result, tmp_path):
    quoted = "Skipped because this failed: secret-after_published holds."
    shown = secret("after_due_date")
    blocked = replace(shown, checks=(check_result("skipped", outcome="blocked", message=quoted),))
    result = make_result(blocked, secret("after_published"))
    text = write_student_page(result, tmp_path, names("after_due_date")).read_text()
    assert "secret-after_published" not in text
    assert SHOWN_LATER in text


def test_the_total_is_the_score_once_all_is_shown(make_result):
    good = replace(secret("after_due_date"), points=4.0)
    result = make_result(criterion_result(CODE, check_result()), good)
    before, after = student_view(result), student_view(result, names("after_due_date"))
    assert (before.score, before.max_score, before.withheld.count) == (4.0, 4.0, 1)
    assert (after.score, after.max_score, after.withheld.count) == (8.0, 8.0, 0)


def test_no_command_is_given_that_check_would_refuse(result):
    view = student_view(result, names(*LATER))
    assert len(view.criteria) == 3
    assert [section.command for section in view.sections] == [None] * 3


@pytest.mark.parametrize(("before", "after"), [((), LATER), (LATER, ()), (LATER[:1], LATER)])
def test_a_page_of_another_time_is_old(result, tmp_path, before, after):
    write_submission_files(result, tmp_path, names(*before))
    assert have_files(result, tmp_path, names(*before))
    assert not have_files(result, tmp_path, names(*after))


def test_a_page_that_shows_no_other_criterion_is_not_old(make_result, tmp_path):
    result = make_result(criterion_result(CODE, check_result()))
    write_submission_files(result, tmp_path)
    assert have_files(result, tmp_path, names(*LATER))


def test_gradescope_keeps_its_own_visibility(result, tmp_path):
    files = [tmp_path / folder / "ada.json" for folder in ("gradescope", "results")]
    write_submission_files(result, tmp_path)
    before = [file.read_bytes() for file in files]
    write_submission_files(result, tmp_path, names(*LATER))
    assert [file.read_bytes() for file in files] == before
