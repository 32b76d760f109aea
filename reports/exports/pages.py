"""Students' pages to hand out: a zip for each submission, and a table for a mail merge.

    name,email,student_id,section,submission,file,score,max_score

The score is the one that the page shows: the table may be sent to students, too.
"""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from graders.model import Result
from graders.storage.result_json import submission_file
from reports.exports.entries import few, table
from reports.exports.export import Course, Export
from reports.grades import number_cell
from reports.student.page import student_view
from reports.text import line
from submissions.people import Person, people_in

COLUMNS = ("name", "email", "student_id", "section", "submission", "file", "score", "max_score")
TABLE = "mail-merge.csv"


def pages_export(course: Course) -> Export:
    """The table, which has a row for each student, and the zips it names."""
    rows, submissions, nameless, blank = [], [], [], []
    for result in course.results:
        submission = result.submission
        submissions.append(submission.id)
        for person in people_in(submission.student):
            rows.append(_row(person, result, course))
            nameless += [] if person.email else [line(str(person))]
            blank += [] if rows[-1][-2] else [line(str(person))]
    notes = (
        f"pages written: {len(submissions)}; rows in {TABLE}: {len(rows)}",
        *few("no total on the page, so an empty cell", blank),
        *few("no email", nameless),
    )
    return Export(table(COLUMNS, rows), notes, files=_zips(submissions, course.out), table=TABLE)


def _row(person: Person, result: Result, course: Course) -> list[str]:
    view, submission = student_view(result, course.rules), result.submission
    score, most = view.score, view.max_score
    if view.grade is not None and view.grade.final is not None:
        score, most = view.grade.final, view.grade.maximum
    cells = (person.name, person.email, person.sid, person.section)
    return [*cells, submission.id, f"{submission.id}.zip", number_cell(score), number_cell(most)]


def _zips(submissions: list[str], out: Path) -> Iterator[tuple[str, bytes]]:
    for name in submissions:
        page = submission_file(out, "reports", name, ".html").read_bytes()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            # A ZipInfo has the same date always, so that the same page makes the same zip.
            archive.writestr(zipfile.ZipInfo(f"{name}.html"), page, zipfile.ZIP_DEFLATED)
        yield f"{name}.zip", packed.getvalue()
