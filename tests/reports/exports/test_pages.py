"""Pages to hand out: a zip for each submission, and a table that says nothing a page does not."""

import csv
import io
import zipfile
from dataclasses import replace
from datetime import timedelta

import pytest

from graders.grading_policy import GradingPolicy, Lateness
from reports.exports.pages import TABLE
from reports.submission_files import write_submission_files
from tests.reports.conftest import CODE, check_result, criterion_result
from tests.reports.exports.conftest import TASK

LATE = replace(TASK, grading=GradingPolicy(Lateness(percent=10)))
PAIR = "Ada Lovelace <ada@example.edu> (sid 1815) (section B); Bob Babbage"


@pytest.fixture
def handed_out(export, tmp_path):
    """The table's rows, the names and contents of the zips, and the notes."""

    def write(*results, task=TASK):
        for result in results:
            write_submission_files(result, tmp_path)
        written = export("pages", *results, task=task, out=tmp_path)
        return list(csv.DictReader(io.StringIO(written.text))), dict(written.files), written.notes

    return write


def test_every_student_has_a_row_and_no_submission_takes_the_tables_name(handed_out, by, tmp_path):
    results = (by(PAIR, submission="team"), by("eve"))
    rows, files, notes = handed_out(*results)
    assert handed_out(*results)[1] == files, "the same page makes the same zip"
    assert [row["file"] for row in rows] == ["team.zip", "team.zip", "eve.zip"]
    assert list(rows[0].values())[:4] == ["Ada Lovelace", "ada@example.edu", "1815", "B"]
    assert notes == ("pages written: 2; rows in mail-merge.csv: 3", "no email: Bob Babbage, eve")
    with zipfile.ZipFile(io.BytesIO(files["team.zip"])) as archive:
        assert archive.namelist() == ["team.html"]
        assert archive.read("team.html") == (tmp_path / "reports" / "team.html").read_bytes()
    _, files, _ = handed_out(by("ada", submission=TABLE))
    assert TABLE not in files


def test_the_score_is_the_one_on_the_page_or_a_blank(handed_out, by, make_result, incomplete):
    all_shown = make_result(criterion_result(CODE, check_result()))
    late, closed = by("ada", timedelta(hours=1), of=all_shown), by("bob", timedelta(hours=1))
    rows, _, notes = handed_out(late, closed, by("eve", of=incomplete), task=LATE)
    assert "no total on the page, so an empty cell: eve" in notes
    scores = [(row["score"], row["max_score"]) for row in rows]
    assert scores[:2] == [("3.6", "4"), ("12", "14")]
    assert scores[2][0] == ""
