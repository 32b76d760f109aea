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


def test_a_name_that_students_choose_gives_no_time_however_it_is_encoded(dues):
    found = dues("ada,2026-03-03T12:00:00Z")
    assert found.due_of(handed_in("ada <eve@example.edu>")) == DUE
    assert found.due_of(handed_in("ada", "ada")) == LATER
    composed, decomposed = "Zo\u00e9", "Zoe\u0301"
    found = dues(f"{decomposed},2026-03-03T12:00:00Z")
    assert found.due_of(handed_in(composed, "s2")) == LATER
    assert dues("adda,2026-03-03T12:00:00Z").unused([handed_in(ADA)]) == ["adda"]


def test_the_latest_date_counts_of_a_groups_members_and_of_the_course(dues, tiny, tmp_path):
    assert read_extensions(tmp_path, replace(tiny, due=DUE)).due_of(handed_in(ADA)) == DUE
    assert dues("1815,2026-02-01T12:00:00Z").due_of(handed_in(ADA)) == DUE
    found = dues("1815,2026-03-02T12:00:00Z", "1791,2026-03-03T12:00:00Z")
    assert found.due_of(handed_in(f"{ADA}; Bob <b@example.edu> (sid 1791)")) == LATER


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        *((["ada"], "line 2"), (["ada,soon"], "line 2"), (["ada,2026-03-03T12:00:00"], "line 2")),
        *(([",2026-03-03T12:00:00Z"], "line 2"), (["a,b,c"], "line 2")),
        (["ada,2026-03-03T12:00:00Z", "ADA,2026-03-02T12:00:00Z"], "duplicate line for `ada`"),
    ],
)
def test_a_line_that_gives_no_student_one_date_is_refused(dues, lines, said):
    with pytest.raises(UsageError, match=rf"extensions\.csv: {said}"):
        dues(*lines)


def test_a_file_with_other_columns_is_refused(tiny, tmp_path):
    (tmp_path / "extensions.csv").write_text("who,when\n")
    with pytest.raises(UsageError, match=r"extensions\.csv: the first line"):
        read_extensions(tmp_path, replace(tiny, due=DUE))
