"""A course to export: an assignment and Results of named students."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graders.course.extensions import Extensions
from graders.course.release import CourseRules
from graders.model import Assignment, FileSpec, Limits
from reports.exports import FORMATS, Course

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASK = Assignment(
    name="toy",
    title="Attention, please",
    version=1,
    due=DUE,
    rubric=(),
    files=FileSpec((), ()),
    limits=Limits(1, 1, 2**30, 1, 1),
    seed=1,
    folder=Path(),
)


@pytest.fixture
def by(graded):
    """`by(student, late=...)` is a Result of 15 of 20 points, of whoever handed it in."""

    def make(student, late=timedelta(), of=graded, submission=""):
        upload = replace(
            of.submission,
            id=submission or student,
            student=student,
            submitted_at=None if late is None else DUE + late,
        )
        return replace(of, submission=upload)

    return make


@pytest.fixture
def export():
    """`export(format, *results)` is what the writer makes of them."""

    def write(name, *results, task=TASK, **options):
        return FORMATS[name](
            Course(
                task,
                iter(results),
                title=task.title,
                rules=CourseRules(policy=task.grading, dues=Extensions(task.due)),
                **options,
            )
        )

    return write
