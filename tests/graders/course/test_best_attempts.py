"""The best attempt counts; if one has no grade, a person decides."""

from datetime import UTC, datetime
from pathlib import Path

from graders.course.best_attempts import Attempt, best_attempts
from submissions.submission import Submission

ADA, BOB = "Ada <ada@x.edu>", "Bob <bob@x.edu>"


def attempt(number, student, grade, day=1):
    moment = datetime(2026, 3, day, tzinfo=UTC)
    return Attempt(Submission(f"s{number}", student, "toy", Path(), "f" * 64, moment), grade)


def test_the_highest_grade_counts_for_a_whole_group_too():
    found = best_attempts([attempt(1, ADA, 3), attempt(2, ADA, 7), attempt(3, ADA, 5)])
    assert (found.others, found.notes) == (("s1", "s3"), ())
    assert best_attempts([attempt(1, ADA, 7, day=3), attempt(2, ADA, 7, day=2)]).others == ("s1",)
    both = f"{ADA}; {BOB}"
    found = best_attempts([attempt(1, both, 7), attempt(2, BOB, 9), attempt(3, BOB, 2)])
    assert found.others == ("s3",)
    assert found.notes == (
        "bob@x.edu: s2 counts; s1 stays because it counts for another group member",
    )


def test_one_of_several_attempts_without_a_grade_makes_it_a_persons_choice():
    assert best_attempts([attempt(1, ADA, None)]).notes == ()
    found = best_attempts([attempt(1, ADA, 7), attempt(2, ADA, None), attempt(3, BOB, 1)])
    assert found.others == ()
    assert found.notes == ("ada@x.edu: s2 has no grade, so decide which of these counts: s1, s2",)
