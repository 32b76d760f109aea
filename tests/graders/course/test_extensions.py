"""A later due date counts for its student, and for nobody else with the same name."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graders.course.extensions import read_extensions
from graders.errors import UsageError
from submissions.submission import Submission

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = DUE + timedelta(days=2)
ADA = "Ada Lovelace <ada@example.edu> (sid 1815)"


@pytest.fixture
def dues(tiny, tmp_path):
    def read(*lines, due=DUE):
        (tmp_path / "extensions.csv").write_text("\n".join(["student,due", *lines, ""]))
        return read_extensions(tmp_path, replace(tiny, due=due))

    return read


def handed_in(student, name="s1"):
    return Submission(name, student, "tiny", Path(), "f" * 64, None)


@pytest.mark.parametrize("student", ["1815", "ADA@example.edu", "s1"])
def test_the_student_it_names_has_more_time(dues, student):
    found = dues(f"{student},2026-03-03T12:00:00Z")
    assert found.due_of(handed_in(ADA)) == LATER
    assert found.due_of(handed_in("Bob <bob@example.edu>", "s2")) == DUE


def test_a_name_that_students_choose_gives_no_time(dues):
    found = dues("ada,2026-03-03T12:00:00Z")
    assert found.due_of(handed_in("ada <eve@example.edu>")) == DUE
    assert found.due_of(handed_in("ada", "ada")) == LATER


def test_accents_may_be_encoded_in_two_ways(dues):
    composed, decomposed = "Zo\u00e9", "Zoe\u0301"
    found = dues(f"{decomposed},2026-03-03T12:00:00Z")
    assert found.due_of(handed_in(composed, "s2")) == LATER


def test_a_group_has_the_latest_date_of_its_members(dues):
    found = dues("1815,2026-03-02T12:00:00Z", "1791,2026-03-03T12:00:00Z")
    assert found.due_of(handed_in(f"{ADA}; Bob <b@example.edu> (sid 1791)")) == LATER


def test_nobody_has_less_time_than_all(dues):
    assert dues("1815,2026-02-01T12:00:00Z").due_of(handed_in(ADA)) == DUE


def test_who_is_not_found_is_named(dues):
    assert dues("adda,2026-03-03T12:00:00Z").unused([handed_in(ADA)]) == ["adda"]


def test_without_a_file_all_have_the_same_date(tiny, tmp_path):
    found = read_extensions(tmp_path, replace(tiny, due=DUE))
    assert found.due_of(handed_in(ADA)) == DUE


@pytest.mark.parametrize(
    "line", ["ada", "ada,soon", "ada,2026-03-03T12:00:00", ",2026-03-03T12:00:00Z", "a,b,c"]
)
def test_a_line_without_a_student_or_a_date_is_refused(dues, line):
    with pytest.raises(UsageError, match=r"extensions\.csv: line 2"):
        dues(line)


def test_a_file_with_other_columns_is_refused(tiny, tmp_path):
    (tmp_path / "extensions.csv").write_text("who,when\n")
    with pytest.raises(UsageError, match=r"extensions\.csv: the first line"):
        read_extensions(tmp_path, replace(tiny, due=DUE))


def test_a_student_with_two_dates_is_refused(dues):
    with pytest.raises(UsageError, match=r"extensions\.csv: duplicate line for `ada`"):
        dues("ada,2026-03-03T12:00:00Z", "ADA,2026-03-02T12:00:00Z")
