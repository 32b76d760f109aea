"""A later due date counts for its student, and for nobody else with the same name."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graders.course.extensions import Extensions, Late, read_extensions, spend
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
    extensions = dues(f"{student},2026-03-03T12:00:00Z")
    assert extensions.due_of(handed_in(ADA)) == LATER
    assert extensions.due_of(handed_in("Bob <bob@example.edu>", "s2")) == DUE


def test_a_name_that_students_choose_gives_no_time_however_it_is_encoded(dues):
    extensions = dues("ada,2026-03-03T12:00:00Z")
    assert extensions.due_of(handed_in("ada <eve@example.edu>")) == DUE
    assert extensions.due_of(handed_in("ada", "ada")) == LATER
    composed, decomposed = "Zo\u00e9", "Zoe\u0301"
    extensions = dues(f"{decomposed},2026-03-03T12:00:00Z")
    assert extensions.due_of(handed_in(composed, "s2")) == LATER
    assert dues("adda,2026-03-03T12:00:00Z").unused([handed_in(ADA)]) == [
        "extensions.csv: adda has no submission that counts"
    ]


def test_the_latest_date_counts_of_a_groups_members_and_of_the_course(dues, tiny, tmp_path):
    assert read_extensions(tmp_path, replace(tiny, due=DUE)).due_of(handed_in(ADA)) == DUE
    assert dues("1815,2026-02-01T12:00:00Z").due_of(handed_in(ADA)) == DUE
    extensions = dues("1815,2026-03-02T12:00:00Z", "1791,2026-03-03T12:00:00Z")
    assert extensions.due_of(handed_in(f"{ADA}; Bob <b@example.edu> (sid 1791)")) == LATER


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["ada"], "line 2"), (["ada,soon"], "line 2"), (["ada,2026-03-03T12:00:00"], "line 2"),
        ([",2026-03-03T12:00:00Z"], "line 2"), (["a,b,c"], "line 2"),
        (
            ["ada,2026-03-03T12:00:00Z", "ADA,2026-03-02T12:00:00Z"],
            "line 3: duplicate line for `ada`",
        ),
    ],
)  # fmt: skip
def test_a_line_that_gives_no_student_one_date_is_refused(dues, lines, said):
    with pytest.raises(UsageError, match=rf"extensions\.csv: {said}"):
        dues(*lines)


def test_a_file_with_other_columns_is_refused(tiny, tmp_path):
    for text, message in (
        ("who,when\n", ": there is no column `who`"),
        ("student\n", ": the column `due` is missing"),
    ):
        (tmp_path / "extensions.csv").write_text(text)
        with pytest.raises(UsageError, match=rf"extensions\.csv{message}"):
            read_extensions(tmp_path, replace(tiny, due=DUE))


def test_of_signed_lines_the_last_one_counts_in_a_file_of_any_spreadsheet(tiny, tmp_path):
    (tmp_path / "extensions.csv").write_text(
        "\ufeffDue;Student;by\n2026-03-09T12:00:00Z;1815;\n\n2026-03-03T12:00:00Z;1815;Rea;;\n"
    )
    extensions = read_extensions(tmp_path, replace(tiny, due=DUE))
    assert (extensions.due_of(handed_in(ADA)), [grant.by for grant in extensions.granted]) == (
        LATER, ["", "Rea"],
    )  # fmt: skip
    (tmp_path / "extensions.csv").write_text("student,due\nada,2026-03-03T12:00:00Z,too much\n")
    with pytest.raises(UsageError, match="line 2 has more cells than the first line"):
        read_extensions(tmp_path, replace(tiny, due=DUE))


def test_a_group_has_the_free_days_of_the_member_with_fewest():
    both = handed_in(f"{ADA}; Bob <b@example.edu>")
    days = {"1815": 3, "b@example.edu": 1}
    assert Extensions(DUE, late_days=days).free_days(both) == 1
    assert Extensions(DUE, late_days={"1815": 3}).free_days(both) == 0
    assert Extensions(DUE, late_days={"s1": 2}).free_days(both) == 2, "the submission's own line"


def late(student, days, name="s1", **more):
    return Late(handed_in(student, name), more.pop("owner", name), days, **more)


def test_members_of_a_group_spend_the_same_and_folders_may_know_different_numbers():
    courses = [
        [late("A. L. (sid 1815)", 2), late("Bob <b@example.edu>", 0, "s2")],
        [late(f"{ADA}; Bob <b@example.edu>", 3)],
        [late("Ada <ada@example.edu>", 9), late("Bob <b@example.edu>", 9, "s2")],
    ]
    spent, accounts = spend(courses, 3)
    assert spent == [{"s1": 2, "s2": 0}, {"s1": 1}, {"s1": 0, "s2": 2}]
    assert {account.student: (account.used, account.left) for account in accounts} == {
        "Ada <ada@example.edu>": ((2, 1, 0), 0),
        "Bob <b@example.edu>": ((0, 1, 2), 0),
    }


def test_two_attempts_cost_the_later_ones_days_and_a_fixed_number_may_overdraw():
    spent, (account,) = spend([[late(ADA, 1), late(ADA, 2, "s2")], [late(ADA, 5, fixed=2)]], 3)
    assert spent == [{"s1": 1, "s2": 2}, {"s1": 2}]
    assert (account.used, account.left) == ((2, 2), -1)
    _, accounts = spend(
        [[late("Max", 1, "a"), late("Max", 1, "b"), late("", 1, "c", owner="a")]], 3
    )
    assert len(accounts) == 3, "a name alone joins nobody"
